// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/wear.hpp"

#include <cmath>

namespace freeplay::laws {

/// New surfaces lose their peaks first: a coefficient that falls with the depth to a steady value.
struct RunningIn : WearLawBase {
  static constexpr Text key = "running-in";
  static constexpr Text title = "Archard with running-in";
  static constexpr Text cite = "Archard 1953; exponential running-in";
  static constexpr Text formula = "dh/dt = k (1 + (f - 1) exp(-h/h0)) p |v|";
  static constexpr Text limits =
      "h is what the place has lost so far. f and h0 are of the two surfaces together with their "
      "finish.";

  double start = 10, depth = 1e-6;

  static constexpr auto fields() {
    using L = RunningIn;
    return std::array{
        outer_field<L>(), inner_field<L>(),
        Field<L>{&L::start, "start", "1", "f, coefficient of the new part over k", 1e-3, 1e4},
        Field<L>{&L::depth, "depth", "m", "h0, in which it falls by 1/e", 1e-12, 1, true}};
  }
  static constexpr std::array samples{WearSample{{1e7, 0.1, 0, 0}, 1e-7},
                                      WearSample{{1e7, 0.1, 0, 1e-6}, 4.31091497e-8}};

  [[nodiscard]] double rate(double k, const Rubbing& at) const {
    return k * (1 + (start - 1) * std::exp(-at.depth / depth)) * at.pressure * at.slip;
  }
};

}  // namespace freeplay::laws
