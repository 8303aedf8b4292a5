// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// For the whole range of restitution, from an assumed energy loss in each phase.
struct Flores : HuntCrossleyFamily<Flores> {
  static constexpr Text key = "flores";
  static constexpr Text title = "Flores et al.";
  static constexpr Text cite = "Flores, Machado, Silva & Martins 2011";
  static constexpr Text formula = "F = K d^n (1 + b d'/v0); b = 8/5 (1 - c)/c";
  static constexpr Text limits =
      "Restitutes 0.894 for c = 0.9 and 0.470 for 0.5; for c below 0.3 too little.";
  static constexpr double min_restitution = kSmallestRestitution;

  static double hysteresis(double c) { return 1.6 * (1 - c) / c; }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2276.13523},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1904.52131}};
};

}  // namespace freeplay::laws
