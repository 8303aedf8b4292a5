// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// Static friction that decays to kinetic, and viscous friction.
struct Stribeck : SlipLawBase<Stribeck> {
  static constexpr Text key = "stribeck";
  static constexpr Text title = "Stribeck (Bo-Pavelescu)";
  static constexpr Text cite = "Bo & Pavelescu 1982; regularised by tanh";
  static constexpr Text formula =
      "F/N = (kinetic + (static - kinetic) exp(-(v/vs)^shape)) tanh(v/v1) + viscous v";
  static constexpr Text limits =
      "v1 well below vs, or the static level is not reached. Creeps under load.";

  double kinetic = 0.1, static_ = 0.15, vs = 1e-2, shape = 2, viscous = 0, v1 = 1e-3;

  static constexpr auto fields() {
    using L = Stribeck;
    return std::array{
        kinetic_field<L>(),
        static_field<L>(),
        speed_field<L>(&L::vs, "vs", "Stribeck speed: static friction decays around it"),
        Field<L>{&L::shape, "shape", "1", "exponent of the decay", 0.5, 2},
        Field<L>{&L::viscous, "viscous", "s/m", "viscous friction over load and speed", 0, 1e6},
        speed_field<L>(&L::v1, "v1", "width of the regularised step at rest")};
  }
  static constexpr std::array samples{SlipSample{5e-4, 0.0692598811}, SlipSample{2e-3, 0.142714134},
                                      SlipSample{0.1, 0.1}};

  template <class T>
  T ratio(const T& v) const {
    using std::exp, std::pow;
    const T level = kinetic + (static_ - kinetic) * exp(-pow(T(v / vs), shape));
    return level / v1 * tanh_over(T(v / v1)) + viscous;
  }
};

}  // namespace freeplay::laws
