// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// A rational fit to the exact factor.
struct CarvalhoMartins : HuntCrossleyFamily<CarvalhoMartins> {
  static constexpr Text key = "carvalho-martins";
  static constexpr Text title = "Carvalho-Martins";
  static constexpr Text cite = "Carvalho & Martins 2019";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 3/2 (1 - c) (11 - c)/(1 + 9 c)";
  static constexpr Text limits =
      "A fit to the exact factor: right to 2e-4 for c above 0.5; restitutes 0.304 for 0.3 and "
      "0.129 for 0.1.";

  static double hysteresis(double c) { return 1.5 * (1 - c) * (11 - c) / (1 + 9 * c); }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2264.33087},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1916.32567}};
};

}  // namespace freeplay::laws
