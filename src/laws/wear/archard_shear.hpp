// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/wear.hpp"

#include <cmath>

namespace freeplay::laws {

/// Archard's law with what friction adds to the stress in the surface.
struct ArchardShear : WearLawBase {
  static constexpr bool uses_shear = true;
  static constexpr Text key = "archard-shear";
  static constexpr Text title = "Archard with the friction term";
  static constexpr Text cite = "Rowe 1966";
  static constexpr Text formula = "dh/dt = k sqrt(p^2 + a t^2) |v|, t the friction per area";
  static constexpr Text limits =
      "Needs friction in the joint. a = 3 is the yield condition of von Mises under pressure and "
      "shear; without friction it is Archard's law.";

  double shear = 3;

  static constexpr auto fields() {
    using L = ArchardShear;
    return std::array{outer_field<L>(), inner_field<L>(),
                      Field<L>{&L::shear, "shear", "1", "a, weight of the friction", 0, 100}};
  }
  static constexpr std::array samples{WearSample{{1e7, 0.1, 0}, 1e-8},
                                      WearSample{{1e7, 0.1, 3e6}, 1.12694277e-8}};

  [[nodiscard]] double rate(double k, const Rubbing& at) const {
    return k * std::sqrt(at.pressure * at.pressure + shear * at.shear * at.shear) * at.slip;
  }
};

}  // namespace freeplay::laws
