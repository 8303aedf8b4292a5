// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/wear.hpp"

namespace freeplay::laws {

/// Volume in proportion to the energy that friction dissipates.
struct Reye : WearLawBase {
  static constexpr bool uses_shear = true;
  static constexpr Text key = "reye";
  static constexpr Text title = "Reye";
  static constexpr Text cite = "Reye 1860";
  static constexpr Text formula = "dh/dt = k t |v|, t the friction per area; V = k W";
  static constexpr Text limits =
      "Needs friction in the joint. With a constant friction coefficient mu it is Archard's law "
      "with mu k.";

  static constexpr auto fields() { return std::array{outer_field<Reye>(), inner_field<Reye>()}; }
  static constexpr std::array samples{WearSample{{1e7, 0.1, 1e6}, 1e-9},
                                      WearSample{{1e7, 0.1, 0}, 0}};

  [[nodiscard]] double rate(double k, const Rubbing& at) const { return k * at.shear * at.slip; }
};

}  // namespace freeplay::laws
