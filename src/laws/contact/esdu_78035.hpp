// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/line_law.hpp"

namespace freeplay::laws {

/// The data sheet's approach of a cylinder and its bore.
struct Esdu78035 : LineLaw<Esdu78035> {
  static constexpr Text key = "esdu-78035";
  static constexpr Text title = "ESDU 78035";
  static constexpr Text cite = "ESDU 78035, 1978; Tian, Flores & Lankarani 2018, eq. 13";
  static constexpr Text formula =
      "d = F/(pi E* L) (ln(4 pi E* L dR/F) + 1), times (1 + b d'/v0) with the exact b";
  static constexpr Text limits =
      "Solvable up to d = 4 dR; from 0.9 of that the force goes on along its tangent. Half-space "
      "theory fails earlier.";

  static constexpr double kappa = 1;
  static double scale(const ContactSite& s) {
    return std::numbers::pi * s.composite_modulus * 4 * s.length * s.clearance();
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 6887.01332},
                                      ContactSample{{1e-5, -0.1, 0.2}, 5828.55685}};
};

}  // namespace freeplay::laws
