// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/line_law.hpp"

namespace freeplay::laws {

/// Evaluated with SI numbers, since its logarithm has an argument with a unit.
struct Goldsmith : LineLaw<Goldsmith> {
  static constexpr Text key = "goldsmith";
  static constexpr Text title = "Goldsmith";
  static constexpr Text cite = "Goldsmith 1960; Tian, Flores & Lankarani 2018, eq. 12 with b = 1";
  static constexpr Text formula =
      "d = F/(pi E* L) (ln(pi E* L dR/(F Ri Rj)) + 1), times (1 + b d'/v0) with the exact b";
  static constexpr Text limits =
      "Dimensionally inconsistent: the logarithm has an argument in 1/m^2 and the force depends "
      "on the unit system. Kept, with SI numbers, to reproduce published runs.";

  static constexpr double kappa = 1;
  static double scale(const ContactSite& s) {
    return std::numbers::pi * s.composite_modulus * s.length * s.clearance() /
           (s.outer_radius * s.inner_radius);
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 3413.73507},
                                      ContactSample{{1e-5, -0.1, 0.2}, 2889.0824}};
};

}  // namespace freeplay::laws
