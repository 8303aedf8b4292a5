// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// Smooth friction with a Stribeck peak.
struct BrownMcPhee : SlipLawBase<BrownMcPhee> {
  static constexpr Text key = "brown-mcphee";
  static constexpr Text title = "Brown-McPhee";
  static constexpr Text cite = "Brown & McPhee 2016";
  static constexpr Text formula =
      "F/N = kinetic tanh(4 x) + (static - kinetic) x/(x^2/4 + 3/4)^2 + viscous v, x = v/vt";
  static constexpr Text limits =
      "Smooth everywhere; the peak near vt is within 0.05 % of static. Creeps under load.";

  double kinetic = 0.1, static_ = 0.15, vt = 1e-3, viscous = 0;

  static constexpr auto fields() {
    using L = BrownMcPhee;
    return std::array{
        kinetic_field<L>(), static_field<L>(),
        speed_field<L>(&L::vt, "vt", "static level is reached here"),
        Field<L>{&L::viscous, "viscous", "s/m", "viscous friction over load and speed", 0, 1e6}};
  }
  static constexpr std::array samples{SlipSample{5e-4, 0.13427258}, SlipSample{2e-3, 0.132653039},
                                      SlipSample{0.1, 0.1000008}};

  template <class T>
  T ratio(const T& v) const {
    const T x = v / vt, well = 0.25 * x * x + 0.75;
    return 4 * kinetic / vt * tanh_over(T(4.0 * x)) + (static_ - kinetic) / vt / (well * well) +
           viscous;
  }
};

}  // namespace freeplay::laws
