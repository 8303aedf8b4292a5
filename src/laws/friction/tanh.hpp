// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// The smooth relative of Threlfall's law.
struct Tanh : SlipLawBase<Tanh> {
  static constexpr Text key = "tanh";
  static constexpr Text title = "Hyperbolic tangent";
  static constexpr Text cite = "Marques et al. 2017, eq. 15 (there called Threlfall's)";
  static constexpr Text formula = "F/N = kinetic tanh(v/v1)";
  static constexpr Text limits =
      "Smooth; creeps under load at about v1 F/(kinetic N). Relaxation time m v1/(kinetic N).";

  double kinetic = 0.1, v1 = 1e-3;

  static constexpr auto fields() {
    using L = Tanh;
    return std::array{kinetic_field<L>(),
                      speed_field<L>(&L::v1, "v1", "76 % of the friction is reached here")};
  }
  static constexpr std::array samples{SlipSample{5e-4, 0.0462117157},
                                      SlipSample{2e-3, 0.096402758}};

  template <class T>
  T ratio(const T& v) const {
    return kinetic / v1 * tanh_over(T(v / v1));
  }
};

}  // namespace freeplay::laws
