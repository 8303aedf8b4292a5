// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// The law of most papers on clearance joints: energy loss equated to that of an impulsive impact.
struct LankaraniNikravesh : HuntCrossleyFamily<LankaraniNikravesh> {
  static constexpr Text key = "lankarani-nikravesh";
  static constexpr Text title = "Lankarani-Nikravesh";
  static constexpr Text cite = "Lankarani & Nikravesh 1990; Tian, Flores & Lankarani 2018, eq. 8";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 3/4 (1 - c^2)";
  static constexpr Text limits =
      "Meant for c near 1: restitutes 0.913 for c = 0.9, but 0.725 for 0.5 and never below 0.66.";

  static double hysteresis(double c) { return 0.75 * (1 - c * c); }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2239.26416},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1941.39238}};
};

}  // namespace freeplay::laws
