// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// A fit to the impact of a damped ball.
struct HerbertMcWhannell : HuntCrossleyFamily<HerbertMcWhannell> {
  static constexpr Text key = "herbert-mcwhannell";
  static constexpr Text title = "Herbert-McWhannell";
  static constexpr Text cite = "Herbert & McWhannell 1977";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 6 (1 - c)/((2 c - 1)^2 + 3)";
  static constexpr Text limits =
      "Restitutes 0.901 for c = 0.9, but 0.594 for 0.5 and never below 0.48.";

  static double hysteresis(double c) { return 6 * (1 - c) / ((2 * c - 1) * (2 * c - 1) + 3); }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2262.60807},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1918.04847}};
};

}  // namespace freeplay::laws
