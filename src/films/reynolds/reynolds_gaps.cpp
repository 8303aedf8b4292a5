// SPDX-License-Identifier: Apache-2.0
#include "films/gap_floor.hpp"
#include "films/reynolds/reynolds_solution.hpp"
#include "films/roughness.hpp"

namespace freeplay::films {
namespace {

/// Conductance of a gap, u^3 with the flow factor of rough surfaces, and its derivative.
double conductance(double gap, double floor, double sigma, double& slope) {
  const double u = floored(gap, floor), du = floored_slope(gap, floor);
  if (sigma == 0) {
    slope = 3 * u * u * du;
    return u * u * u;
  }
  const double phi = flow_factor(u / sigma), dphi = flow_factor_slope(u / sigma) / sigma;
  slope = (3 * u * u * phi + u * u * u * dphi) * du;
  return u * u * u * phi;
}

}  // namespace

// Thickness changes by w_b - w_j; what slides past it, the bearing one way and the journal the
// other, displaces w_b + w_j, theory/films (F.29).
void JournalReynolds::Solution::lay_out() {
  const double per_c = 1 / s.clearance;
  std::vector<double>&both = w.wedge, &tip = w.turned_wedge;  // on the faces, to begin with
  for (int k = 0; k < n; ++k) {
    const double angle = g.angle[at(k)], face = angle + 0.5 * g.step[at(k)];
    Departure outer, outer_face, inner, inner_face;
    if (s.bearing) outer = s.bearing(angle), outer_face = s.bearing(face);
    if (s.journal) inner = s.journal(angle - q.turn), inner_face = s.journal(face - q.turn);
    w.lift[at(k)] = per_c * (outer.w - inner.w);
    w.lift_face[at(k)] = per_c * (outer_face.w - inner_face.w);
    w.slope[at(k)] = per_c * (outer.slope + inner.slope);
    both[at(k)] = per_c * (outer_face.w + inner_face.w);
    w.turned[at(k)] = per_c * inner.slope;
    w.turned_face[at(k)] = per_c * inner_face.slope;
    w.bend[at(k)] = -per_c * inner.bend;
    tip[at(k)] = -per_c * inner_face.slope;
  }
  const double last = both[at(n - 1)], last_tip = tip[at(n - 1)];
  for (int k = n - 1; k >= 0; --k) {
    both[at(k)] -= k > 0 ? both[at(k - 1)] : last;
    tip[at(k)] -= k > 0 ? tip[at(k - 1)] : last_tip;
  }
}

// Conductances of all faces at the present pressure: index k * b + j towards the next angle,
// k * (b + 1) + j below row j (and above the last one).
void JournalReynolds::Solution::measure() {
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < b; ++j) {
      const double ax = q.ax + q.slope_ax * w.z[at(j)], ay = q.ay + q.slope_ay * w.z[at(j)];
      const int i = k * b + j;
      double gap = 1 - ax * g.cos_face[at(k)] - ay * g.sin_face[at(k)];
      double node = 1 - ax * g.cos[at(k)] - ay * g.sin[at(k)];
      if (!round) {
        gap += w.lift_face[at(k)];
        node += w.lift[at(k)];
      }
      if (elastic) {
        gap += 0.5 * (dent_at(i) + dent_at(next_of(k) * b + j));
        node += dent_at(i);
      }
      const double per_step = w.weight[at(j)] * per_row / g.step[at(k)];
      w.around[at(i)] = per_step * conductance(gap, floor, sigma, w.d_around[at(i)]);
      w.d_around[at(i)] *= per_step;
      w.u[at(i)] = floored(node, floor);
      w.du[at(i)] = floored_slope(node, floor);
    }
  const double per_share = aspect * aspect * m;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j <= b; ++j) {
      const int f = k * (b + 1) + j;
      if (!q.tilted && j == b) {
        w.along[at(f)] = w.d_along[at(f)] = 0;  // the middle plane
        continue;
      }
      const double z = -0.5 + (j + 0.5) * per_row;
      double gap =
          1 - (q.ax + q.slope_ax * z) * g.cos[at(k)] - (q.ay + q.slope_ay * z) * g.sin[at(k)];
      if (!round) gap += w.lift[at(k)];
      if (elastic)
        gap += 0.5 * ((j > 0 ? dent_at(k * b + j - 1) : 0.0) + (j < b ? dent_at(k * b + j) : 0.0));
      w.along[at(f)] =
          per_share * g.share[at(k)] * conductance(gap, floor, sigma, w.d_along[at(f)]);
      w.d_along[at(f)] *= per_share * g.share[at(k)];
    }
}

}  // namespace freeplay::films
