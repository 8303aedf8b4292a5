// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include <freeplay/math.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

// The mathematics that several laws share: relations between damping and restitution, the Lambert
// function of the line contacts, and functions such as tanh(x)/x that must stay regular at 0.
namespace freeplay::laws {

/// Lambert W, branch -1: the w <= -1 with w e^w = x, for x in [-1/e, 0).
[[nodiscard]] double lambert_wm1(double x);

/// The hysteresis factor beta of F = E(d) (1 + beta d'/v0) with which two free bodies separate at
/// exactly `restitution` times their approach speed, for any elastic part E and mass: the root of
/// beta (1 + c) = ln((1 + beta)/(1 - beta c)). Infinite at 0, and 0 at 1.
[[nodiscard]] double exact_hysteresis(double restitution);

/// The inverse of exact_hysteresis: what a law of the Hunt-Crossley family really restitutes.
[[nodiscard]] double achieved_restitution(double hysteresis);

/// Restitution of a linear spring and damper of damping ratio zeta >= 0 that lets go when the force
/// vanishes, before the spring has relaxed: exp(-2 zeta acos(zeta)/sqrt(1 - zeta^2)), continued
/// beyond 1.
[[nodiscard]] double release_restitution(double damping_ratio);

/// The inverse of release_restitution. Infinite at 0, and 0 at 1.
[[nodiscard]] double release_damping_ratio(double restitution);

/// Damping ratio if contact lasts until the spring has relaxed, pulling at the end; 1 at 0, and 0
/// at 1.
[[nodiscard]] double relaxed_damping_ratio(double restitution);

/// The inverse of relaxed_damping_ratio: exp(-pi zeta/sqrt(1 - zeta^2)); 0 from 1 on.
[[nodiscard]] double relaxed_restitution(double damping_ratio);

/// Integral of a contact force that starts as depth^n, n >= 1/2, from 0 to `depth`; N m.
/// Gauss-Legendre in the square root of the depth: 14 digits for depths up to the clearance.
[[nodiscard]] double work_to(double depth, const std::function<double(double)>& force);

/// A scalar whose value and slope at x are known, for functions that exist for doubles only.
template <class T>
[[nodiscard]] T with_slope(double value, double slope, const T& x) {
  if constexpr (std::is_same_v<T, double>)
    return value;
  else
    return T(value, x.d * slope);
}

/// x^n, n < 1, with the infinite slope at 0 cut off below `floor`: the value is exact, only the
/// Jacobian of an implicit integrator sees the cut.
template <class T>
[[nodiscard]] T steep_power(const T& x, double n, double floor) {
  const double at = value_of(x);
  return with_slope(std::pow(at, n), n * std::pow(std::max(at, floor), n - 1), x);
}

/// A contact pushes and never pulls. (Written so that NaN stays NaN.)
template <class T>
[[nodiscard]] T never_tensile(const T& force) {
  return force < T(0) ? T(0) : force;
}

/// Length of a vector, with slope 0 instead of NaN at the origin.
template <class T>
[[nodiscard]] T length_of(const Vec3T<T>& v) {
  using std::sqrt;
  const T square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  return square > T(0) ? sqrt(square) : T(0);
}

/// tanh(x)/x, even, 1 at 0. The series ends below rounding at |x| = 0.02.
template <class T>
[[nodiscard]] T tanh_over(const T& x) {
  using std::abs, std::tanh;
  if (abs(x) > T(0.02)) return tanh(x) / x;
  const T y = x * x;
  return 1.0 + y * (-1.0 / 3 + y * (2.0 / 15 + y * (-17.0 / 315)));
}

/// (1 - e^-x)/x, 1 at 0. The series ends below rounding at |x| = 0.02.
template <class T>
[[nodiscard]] T decay_over(const T& x) {
  using std::abs, std::exp;
  if (abs(x) > T(0.02)) return (1.0 - exp(-x)) / x;
  return 1.0 -
         x / 2.0 *
             (1.0 -
              x / 3.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0 * (1.0 - x / 6.0 * (1.0 - x / 7.0)))));
}

}  // namespace freeplay::laws
