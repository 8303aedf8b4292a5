// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/film.hpp"

// No film gets thinner than its floor, theory/films (F.24): whatever eccentricity an integrator
// tries, even one outside the bearing, the oil force stays finite and smooth.
namespace freeplay::films {

/// A twice differentiable max(gap, floor): the gap itself above 2 floor, the floor below 0.
template <class T>
[[nodiscard]] T floored(const T& gap, double floor) {
  const double g = value_of(gap);
  if (g >= 2 * floor) return gap;
  if (g <= 0) return T(floor);
  const T t = gap / (2 * floor);
  return floor + floor * (t * t * t * (2.0 - t));
}
/// Its slope.
[[nodiscard]] inline double floored_slope(double gap, double floor) {
  if (gap >= 2 * floor) return 1;
  if (gap <= 0) return 0;
  const double t = gap / (2 * floor);
  return t * t * (3 - 2 * t);
}

/// The eccentricity whose thinnest film is the floored one, in the direction it has. Exact below
/// c - 2 floor.
template <class T>
[[nodiscard]] Planar<T> floored_eccentricity(const T& ex, const T& ey, double clearance,
                                             double floor) {
  using std::sqrt;
  const double inner = clearance - 2 * floor;
  if (value_of(ex) * value_of(ex) + value_of(ey) * value_of(ey) <= inner * inner) return {ex, ey};
  const T e = sqrt(ex * ex + ey * ey);
  const T scale = (clearance - floored(T(clearance - e), floor)) / e;
  return {ex * scale, ey * scale};
}

}  // namespace freeplay::films
