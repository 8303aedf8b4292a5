// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/planar_beam.hpp"

// Small sums that both files of the planar beam use.
namespace freeplay::dynamics::beam {

/// Of values at the two nodes of an element, x, y, x', y' each.
inline Vec2 sum(const std::array<double, 4>& w, const double* x) {
  return {w[0] * x[0] + w[1] * x[2] + w[2] * x[4] + w[3] * x[6],
          w[0] * x[1] + w[1] * x[3] + w[2] * x[5] + w[3] * x[7]};
}
/// The same, or of the first node alone.
inline Vec2 sum(const std::array<double, 4>& w, const double* x, int nodes) {
  if (nodes == 2) return sum(w, x);
  return {w[0] * x[0] + w[1] * x[2], w[0] * x[1] + w[1] * x[3]};
}

inline double cross(const Vec2& a, const Vec2& b) { return a[0] * b[1] - a[1] * b[0]; }
/// A quarter turn to the left.
inline Vec2 left(const Vec2& a) { return {-a[1], a[0]}; }

}  // namespace freeplay::dynamics::beam
