// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// For low restitution.
struct GharibHurmuzlu : HuntCrossleyFamily<GharibHurmuzlu> {
  static constexpr Text key = "gharib-hurmuzlu";
  static constexpr Text title = "Gharib-Hurmuzlu";
  static constexpr Text cite = "Gharib & Hurmuzlu 2012";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 1/c";
  static constexpr Text limits =
      "Meant for low restitution: wrong as c tends to 1, where it restitutes 0.594 instead of 1.";
  static constexpr double min_restitution = kSmallestRestitution;

  static double hysteresis(double c) { return 1 / c; }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 3251.62176},
                                      ContactSample{{1e-5, -0.1, 0.2}, 929.034788}};
};

}  // namespace freeplay::laws
