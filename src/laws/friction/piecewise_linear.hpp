// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// Static and kinetic friction joined by straight lines.
struct PiecewiseLinear : SlipLawBase<PiecewiseLinear> {
  static constexpr bool recordable = true;
  static constexpr Text key = "piecewise-linear";
  static constexpr Text title = "Piecewise linear";
  static constexpr Text cite = "Marques et al. 2017, eq. 18";
  static constexpr Text formula = "F/N: from 0 to static at v0, to kinetic at v1, then constant";
  static constexpr Text limits = "Corners at v0 and v1. Creeps under load.";

  double kinetic = 0.1, static_ = 0.15, v0 = 1e-4, v1 = 1e-3;

  static constexpr auto fields() {
    using L = PiecewiseLinear;
    return std::array{kinetic_field<L>(), static_field<L>(),
                      speed_field<L>(&L::v0, "v0", "static level is reached here"),
                      speed_field<L>(&L::v1, "v1", "kinetic level from here on")};
  }
  static constexpr std::array samples{SlipSample{5e-5, 0.075}, SlipSample{5e-4, 0.127777778},
                                      SlipSample{2e-3, 0.1}};

  template <class T>
  T ratio(const T& v) const {
    if (v < T(v0)) return T(static_ / v0);
    if (v < T(v1)) return (static_ - (v - v0) * ((static_ - kinetic) / (v1 - v0))) / v;
    return kinetic / v;
  }
};

}  // namespace freeplay::laws
