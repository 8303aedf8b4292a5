// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// b = d/c with the tabled approximation of the implicit factor d.
struct GonthierContact : HuntCrossleyFamily<GonthierContact> {
  static constexpr Text key = "gonthier";
  static constexpr Text title = "Gonthier";
  static constexpr Text cite = "Gonthier, McPhee, Lange & Piedboeuf 2004";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = (1 - c^2)/c";
  static constexpr Text limits =
      "Uses the approximation d = 1 - c^2 of the paper: restitutes 0.876 for c = 0.9 and 0.488 "
      "for 0.5. The exact root of its relation is the law `exact`.";
  static constexpr double min_restitution = kSmallestRestitution;

  static double hysteresis(double c) { return (1 - c * c) / c; }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2310.97403},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1869.68251}};
};

}  // namespace freeplay::laws
