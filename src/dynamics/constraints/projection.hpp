// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <algorithm>
#include <cmath>

// Back to the constraints, in either formulation: positions by Newton's method, then velocities,
// both to the nearest in the mass metric.
namespace freeplay::dynamics {

/// The constraint rows of a system and its solver, as projection uses them.
template <class Kkt>
struct ProjectedRows {
  Kkt& kkt;
  const VecX &phi, &phi_t;  ///< of the last evaluation
  VecX &row_rate, &solution;
};

/// How far rows may be open, each in units of its scale.
struct ProjectionLimits {
  static constexpr double hopeless = 0.1;  ///< Newton's method is not asked: another branch. chosen
  static constexpr double closed = 1e-15;  ///< round-off
  static constexpr double quadratic = 1e-8;  ///< one correction leaves its square: round-off
  static constexpr double stale = 1e-6;  ///< beyond, the gradients are renewed for each correction
  static constexpr double open =
      1e-9;  ///< what is left at the end: beyond a dead point, no pose. chosen
};

struct Projected {
  bool done = true;
  int culprit = -1;  ///< the row that cannot be closed; -1: the solver gave way
};

/// `evaluate()` finds phi, phi_t and gradients where the positions are now, `factorise()` the
/// system of the last evaluation, `displace(x)` moves the positions, `scale(r)` is what row r is
/// measured by. `v` are the speeds.
template <class Kkt, class Evaluate, class Factorise, class Displace, class Scale>
Projected project_onto(const ProjectedRows<Kkt>& rows, double* v, const Evaluate& evaluate,
                       const Factorise& factorise, const Displace& displace, const Scale& scale) {
  const auto& [kkt, phi, phi_t, row_rate, solution] = rows;
  const Eigen::Index m = phi.size(), n = solution.size() - m;
  double worst = 0;
  const auto farthest_beyond = [&, &phi = phi](double allowed) {  // Clang 14 cannot say [&] here
    int which = -1;
    worst = 0;
    for (int r = 0; r < m; ++r) {
      const double gap = std::abs(phi[r]) / scale(r);
      worst = std::max(worst, gap);
      if (gap < allowed) continue;
      allowed = gap;  // NaN included
      which = r;
    }
    return which;
  };
  // After an accepted step the violation is tiny and one pass squares it away; the limit only
  // matters when a step went astray.
  bool factored = false;
  double moved = 0;
  for (int pass = 0; pass < 8; ++pass) {
    evaluate();
    if (const int r = farthest_beyond(ProjectionLimits::hopeless); r >= 0) return {false, r};
    moved = std::max(moved, worst);
    if (worst < ProjectionLimits::closed) break;
    if (!factored || worst > ProjectionLimits::stale) {
      if (!factorise()) return {false};
      factored = true;
    }
    solution.head(n).setZero();
    solution.tail(m) = -phi;
    kkt.solve(solution.data());
    displace(solution.data());
    if (worst < ProjectionLimits::quadratic) break;
  }
  // Velocities: J v = -phi_t. The factorisation may be that of a pose a hair away, so what it
  // leaves is taken out once more where the positions moved visibly.
  evaluate();
  // Beyond a dead point there is no pose to find.
  if (const int r = farthest_beyond(ProjectionLimits::open); r >= 0) return {false, r};
  if (!factored && !factorise()) return {false};
  for (int pass = 0; pass < (moved > ProjectionLimits::quadratic ? 3 : 1); ++pass) {
    kkt.rates(v, row_rate.data());
    solution.head(n).setZero();
    solution.tail(m) = -(row_rate + phi_t);
    kkt.solve(solution.data());
    for (Eigen::Index k = 0; k < n; ++k) v[k] += solution[k];
  }
  return {std::isfinite(solution.sum())};
}

}  // namespace freeplay::dynamics
