// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/line_law.hpp"

namespace freeplay::laws {

/// Line contact of a cylinder in a cylinder; the force in the source is per length.
struct Johnson : LineLaw<Johnson> {
  static constexpr Text key = "johnson";
  static constexpr Text title = "Johnson";
  static constexpr Text cite =
      "Johnson 1985; Tian, Flores & Lankarani 2018, eq. 14 with its missing length";
  static constexpr Text formula =
      "d = F/(pi E* L) (ln(4 pi E* L dR/F) - 1), times (1 + b d'/v0) with the exact b";
  static constexpr Text limits =
      "Solvable up to d = 4 dR/e^2 = 0.54 dR; from 0.9 of that the force goes on along its "
      "tangent. Half-space theory fails earlier.";

  static constexpr double kappa = -1;
  static double scale(const ContactSite& s) {
    return std::numbers::pi * s.composite_modulus * 4 * s.length * s.clearance();
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 9505.46174},
                                      ContactSample{{1e-5, -0.1, 0.2}, 8044.57922}};
};

}  // namespace freeplay::laws
