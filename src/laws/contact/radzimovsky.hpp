// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/line_law.hpp"

namespace freeplay::laws {

/// With the exact Hertz half-width, m_c^2 = 8/pi, for the printed 1.60 or 2.15.
struct Radzimovsky : LineLaw<Radzimovsky> {
  static constexpr Text key = "radzimovsky";
  static constexpr Text title = "Radzimovsky";
  static constexpr Text cite =
      "Radzimovsky 1953; Tian, Flores & Lankarani 2018, eq. 11 made consistent";
  static constexpr Text formula =
      "d = F/(pi E* L) (ln(pi E* L dR/F) + 2/3), times (1 + b d'/v0) with the exact b";
  static constexpr Text limits =
      "Solvable up to d = 0.717 dR; from 0.9 of that the force goes on along its tangent. "
      "Half-space theory fails earlier.";

  static constexpr double kappa = 2.0 / 3;
  static double scale(const ContactSite& s) {
    return std::numbers::pi * s.composite_modulus * s.length * s.clearance();
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 9013.26334},
                                      ContactSample{{1e-5, -0.1, 0.2}, 7628.02617}};
};

}  // namespace freeplay::laws
