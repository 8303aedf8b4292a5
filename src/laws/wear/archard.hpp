// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/wear.hpp"

namespace freeplay::laws {

/// Depth in proportion to pressure and sliding path.
struct Archard : WearLawBase {
  static constexpr Text key = "archard";
  static constexpr Text title = "Archard";
  static constexpr Text cite = "Archard 1953, in its local form";
  static constexpr Text formula = "dh/dt = k p |v|; over the whole surface V = k F s";
  static constexpr Text limits =
      "Mild wear at constant k, which is the dimensionless coefficient over the hardness of the "
      "softer part. Holds for the wear of many cycles, not for single asperities.";

  static constexpr auto fields() {
    return std::array{outer_field<Archard>(), inner_field<Archard>()};
  }
  static constexpr std::array samples{WearSample{{1e7, 0.1}, 1e-8}, WearSample{{5e7, 0.02}, 1e-8}};

  [[nodiscard]] double rate(double k, const Rubbing& at) const { return k * at.pressure * at.slip; }
};

}  // namespace freeplay::laws
