// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// Exponential rise, constant from v1 on.
struct Threlfall : SlipLawBase<Threlfall> {
  static constexpr Text key = "threlfall";
  static constexpr Text title = "Threlfall";
  static constexpr Text cite = "Threlfall 1978";
  static constexpr Text formula = "F/N = kinetic (1 - exp(-3 min(v/v1, 1)))";
  static constexpr Text limits =
      "Reaches 0.95 kinetic, and that exactly at v1 and above. Creeps under load.";

  double kinetic = 0.1, v1 = 1e-3;

  static constexpr auto fields() {
    using L = Threlfall;
    return std::array{kinetic_field<L>(), speed_field<L>(&L::v1, "v1", "full friction above")};
  }
  static constexpr std::array samples{SlipSample{5e-4, 0.077686984}, SlipSample{0.1, 0.0950212932}};

  template <class T>
  T ratio(const T& v) const {
    if (v >= T(v1)) return kinetic * (1 - std::exp(-3.0)) / v;
    return kinetic * 3 / v1 * decay_over(T(3.0 * v / v1));
  }
};

}  // namespace freeplay::laws
