// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// The first of the family; energy loss to first order in 1 - c.
struct HuntCrossley : HuntCrossleyFamily<HuntCrossley> {
  static constexpr Text key = "hunt-crossley";
  static constexpr Text title = "Hunt-Crossley";
  static constexpr Text cite = "Hunt & Crossley 1975";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 3/2 (1 - c)";
  static constexpr Text limits =
      "Meant for c near 1: restitutes 0.909 for c = 0.9, but 0.663 for 0.5 and never below 0.48.";

  static double hysteresis(double c) { return 1.5 * (1 - c); }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2247.10289},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1933.55365}};
};

}  // namespace freeplay::laws
