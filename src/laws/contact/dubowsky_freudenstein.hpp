// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/line_law.hpp"

namespace freeplay::laws {

/// The impact-pair model; equals ESDU 78035 when L^2 = 4 Ri Rj.
struct DubowskyFreudenstein : LineLaw<DubowskyFreudenstein> {
  static constexpr Text key = "dubowsky-freudenstein";
  static constexpr Text title = "Dubowsky-Freudenstein";
  static constexpr Text cite =
      "Dubowsky & Freudenstein 1971; Tian, Flores & Lankarani 2018, eq. 12 with b = 3";
  static constexpr Text formula =
      "d = F/(pi E* L) (ln(pi E* L^3 dR/(F Ri Rj)) + 1), times (1 + b d'/v0) with the exact b";
  static constexpr Text limits =
      "Solvable up to d = L^2 dR/(Ri Rj); from 0.9 of that the force goes on along its tangent. "
      "Half-space theory fails earlier. The length enters beyond proportion.";

  static constexpr double kappa = 1;
  static double scale(const ContactSite& s) {
    return std::numbers::pi * s.composite_modulus * std::pow(s.length, 3) * s.clearance() /
           (s.outer_radius * s.inner_radius);
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 7412.47035},
                                      ContactSample{{1e-5, -0.1, 0.2}, 6273.25705}};
};

}  // namespace freeplay::laws
