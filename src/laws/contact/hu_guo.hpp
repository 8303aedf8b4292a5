// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// For the whole range of restitution.
struct HuGuo : HuntCrossleyFamily<HuGuo> {
  static constexpr Text key = "hu-guo";
  static constexpr Text title = "Hu-Guo";
  static constexpr Text cite = "Hu & Guo 2015";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 3/2 (1 - c)/c";
  static constexpr Text limits =
      "Restitutes 0.900 for c = 0.9 and 0.488 for 0.5; for c below 0.3 too little.";
  static constexpr double min_restitution = kSmallestRestitution;

  static double hysteresis(double c) { return 1.5 * (1 - c) / c; }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2264.52229},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1916.13425}};
};

}  // namespace freeplay::laws
