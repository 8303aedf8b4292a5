// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction/bristle.hpp"

namespace freeplay::laws {

/// An elastic deflection that saturates at Coulomb friction.
struct Dahl : BristleBase<Dahl> {
  static constexpr Text key = "dahl";
  static constexpr Text title = "Dahl";
  static constexpr Text cite = "Dahl 1968; load-scaled vector form";
  static constexpr Text formula = "z' = v - sigma0 |v|/kinetic z - max(N', 0)/N z; F = -N sigma0 z";
  static constexpr Text limits =
      "No static peak. Holds a load, but drifts a little with each wiggle of it. Resolve the "
      "bristle time kinetic/(sigma0 v); with impacts it must be short beside the contact time.";

  static constexpr auto fields() {
    return std::array{kinetic_field<Dahl>(1e-6), sigma0_field(), reference_load_field()};
  }
  static constexpr auto flags() {
    return std::array{Flag<Dahl>{&Dahl::as_published, "as_published",
                                 "without the term in N': a varying load can create energy"}};
  }
  static constexpr std::array samples{BristleSample{1e-3, 100, 5e-7, 0, -5, 5e-4}};

  /// |z|' <= |v| (1 - sigma0 |z|/kinetic): from unbent bristles |z| never exceeds kinetic/sigma0.
  [[nodiscard]] double bound(double) const { return kinetic; }
  template <class T>
  BristleRate<T, states> evaluate(const Slip<T>& slip, const T& load_rate,
                                  const BristleState<T, states>& z) const {
    const T N = slip.normal_force;
    const double s0 = scaled(sigma0);
    const T creep = s0 / kinetic * length_of(slip.velocity);  // 1/s
    return {z * T(-s0 * N), slip.velocity - z * T(creep + relief(N, load_rate))};
  }
};

}  // namespace freeplay::laws
