// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// Coulomb friction with a ramp from v0 to v1.
struct Ambrosio : SlipLawBase<Ambrosio> {
  static constexpr bool recordable = true;
  static constexpr Text key = "ambrosio";
  static constexpr Text title = "Ambrosio";
  static constexpr Text cite = "Ambrosio 2003; Marques et al. 2017, eq. 14";
  static constexpr Text formula = "F/N = kinetic clamp((v - v0)/(v1 - v0), 0, 1)";
  static constexpr Text limits = "No friction at all below v0: a loaded joint creeps freely there.";

  double kinetic = 0.1, v0 = 1e-4, v1 = 1e-3;

  static constexpr auto fields() {
    using L = Ambrosio;
    return std::array{kinetic_field<L>(), speed_field<L>(&L::v0, "v0", "no friction below", 0),
                      speed_field<L>(&L::v1, "v1", "full friction above")};
  }
  static constexpr std::array samples{SlipSample{5e-5, 0}, SlipSample{5e-4, 0.0444444444},
                                      SlipSample{0.1, 0.1}};

  template <class T>
  T ratio(const T& v) const {
    if (v >= T(v1)) return kinetic / v;
    if (v0 == 0) return T(kinetic / v1);
    return v > T(v0) ? kinetic / (v1 - v0) * (1.0 - v0 / v) : T(0);
  }
};

}  // namespace freeplay::laws
