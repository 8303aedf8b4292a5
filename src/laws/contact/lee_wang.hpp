// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// Half of Hunt-Crossley.
struct LeeWang : HuntCrossleyFamily<LeeWang> {
  static constexpr Text key = "lee-wang";
  static constexpr Text title = "Lee-Wang";
  static constexpr Text cite = "Lee & Wang 1983";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 3/4 (1 - c)";
  static constexpr Text limits =
      "Half the damping of Hunt-Crossley: restitutes 0.952 for c = 0.9 and 0.799 for 0.5.";

  static double hysteresis(double c) { return 0.75 * (1 - c); }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2168.71558},
                                      ContactSample{{1e-5, -0.1, 0.2}, 2011.94096}};
};

}  // namespace freeplay::laws
