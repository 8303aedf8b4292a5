// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// A parabola up to static friction, then an exponential decay to kinetic.
struct BengisuAkay : SlipLawBase<BengisuAkay> {
  static constexpr Text key = "bengisu-akay";
  static constexpr Text title = "Bengisu-Akay";
  static constexpr Text cite = "Bengisu & Akay 1994; Marques et al. 2017, eq. 19";
  static constexpr Text formula =
      "F/N = static (1 - (1 - v/v0)^2) below v0; kinetic + (static - kinetic) exp(-decay (v - "
      "v0)) above";
  static constexpr Text limits = "The slope jumps at v0. Creeps under load.";

  double kinetic = 0.1, static_ = 0.15, v0 = 1e-4, decay = 1e3;

  static constexpr auto fields() {
    using L = BengisuAkay;
    return std::array{
        kinetic_field<L>(), static_field<L>(),
        speed_field<L>(&L::v0, "v0", "static level is reached here"),
        Field<L>{&L::decay, "decay", "s/m", "of static towards kinetic friction", 0, 1e9}};
  }
  static constexpr std::array samples{SlipSample{5e-5, 0.1125}, SlipSample{5e-4, 0.133516002},
                                      SlipSample{2e-3, 0.107478431}};

  template <class T>
  T ratio(const T& v) const {
    using std::exp;
    if (v < T(v0)) return static_ / v0 * (2.0 - v / v0);
    return (kinetic + (static_ - kinetic) * exp(-decay * (v - v0))) / v;
  }
};

}  // namespace freeplay::laws
