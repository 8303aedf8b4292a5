// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// Lankarani-Nikravesh with a factor for low restitution.
struct ZhiyingQishao : HuntCrossleyFamily<ZhiyingQishao> {
  static constexpr Text key = "zhiying-qishao";
  static constexpr Text title = "Zhiying-Qishao";
  static constexpr Text cite = "Zhiying & Qishao 2006; Tian, Flores & Lankarani 2018, eq. 18";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 3/4 (1 - c^2) exp(2 (1 - c))";
  static constexpr Text limits =
      "Restitutes 0.896 for c = 0.9 and 0.483 for 0.5; for c below 0.3 too much.";

  static double hysteresis(double c) { return 0.75 * (1 - c * c) * std::exp(2 * (1 - c)); }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2272.23898},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1908.41757}};
};

}  // namespace freeplay::laws
