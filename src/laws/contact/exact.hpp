// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// The default: the factor with which two free bodies restitute exactly c.
struct ExactRestitution : HuntCrossleyFamily<ExactRestitution> {
  static constexpr Text key = "exact";
  static constexpr Text title = "Exact restitution";
  static constexpr Text cite = "Gonthier, McPhee, Lange & Piedboeuf 2004; Zhang & Sharf";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b (1 + c) = ln((1 + b)/(1 - b c))";
  static constexpr Text limits =
      "Two free bodies restitute c; in a mechanism reactions act during contact and c is "
      "achieved only nearly.";
  static constexpr double min_restitution = kSmallestRestitution;

  static double hysteresis(double c) { return exact_hysteresis(c); }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2264.32924},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1916.32731}};
};

}  // namespace freeplay::laws
