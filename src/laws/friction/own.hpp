// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <memory>

namespace freeplay::laws {

/// What the friction laws of users have in common: a coefficient of slip speed and load, with
/// `value` and `with_slopes` (of both). L is the law.
template <class L, class Function>
struct OwnFriction : SlipLawBase<L> {
  std::shared_ptr<const Function> compiled;  // derived

  template <class T>
  T ratio(const T& speed) const {
    return ratio(speed, T(1.0));
  }
  /// Coefficient over speed; at rest, where that is 0/0, the slope.
  template <class T>
  T ratio(const T& speed, const T& load) const {
    constexpr double kAtRest = 1e-15;  // chosen, m/s: friction there is below every tolerance
    const double v = value_of(speed);
    const std::array numbers{v, value_of(load)};
    if (!(v > kAtRest)) return T(compiled->with_slopes(numbers.data())[1]);
    if constexpr (std::is_same_v<T, double>) {
      return compiled->value(numbers.data()) / v;
    } else {
      const auto [mu, of_speed, of_load] = compiled->with_slopes(numbers.data());
      return T(mu / v, speed.d * ((of_speed - mu / v) / v) + load.d * (of_load / v));
    }
  }
  template <class T>
  Vec3T<T> force(const Slip<T>& slip) const {
    const T scale = -(ratio(length_of(slip.velocity), slip.normal_force) * slip.normal_force);
    return Vec3T<T>(slip.velocity[0] * scale, slip.velocity[1] * scale, slip.velocity[2] * scale);
  }
  /// Without memory there is one value at each speed and load; where none is told, at 1 N.
  [[nodiscard]] double bound(double speed, double load = 1) const {
    return ratio(speed, load) * speed;
  }
};

}  // namespace freeplay::laws
