// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/reynolds_solution.hpp"

#include <algorithm>
#include <numbers>

namespace freeplay::films {

/// How much of the gap at a node is filled with oil that is sheared.
double JournalReynolds::Solution::oil_share(int i, bool wet) const {
  if (s.full_shear) return 1;
  if (conserving) return std::clamp(1 - w.D[at(i)] / w.u[at(i)], 0.0, 1.0);
  if (complementary) return wet ? 1 : 0;
  if (s.cavitation == Cavitation::guembel) return w.P[at(i)] > 0 ? 1 : 0;
  return 1;
}

/// Flow through the end faces, plus what wells up in the half control volumes beyond them.
double JournalReynolds::Solution::side_flow_at(int k, int j) const {
  const int row = j == 0 ? 0 : b - 1;
  const double p = w.P[at(k * b + row)];
  if (s.cavitation == Cavitation::guembel && p < 0) return 0;
  double flow = w.along[at(k * (b + 1) + j)] * (p - ambient);
  if (p > 0) flow += 0.5 * source(k, row) / w.weight[at(row)];
  return flow * (q.tilted ? 1 : 2);
}

void JournalReynolds::Solution::read() {
  const double per_c = 1 / s.clearance;
  double peak = 0;
  int peak_at = 0;
  double area = 0;
  double thinnest = 1e300;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j;
      thinnest = std::min(thinnest, w.u[at(i)]);
      const double plain = per_row * (q.tilted || w.weight[at(j)] < 1 ? 1.0 : 2.0);
      // The half control volumes at both ends are sheared like their neighbours.
      const double end = j == 0 || (q.tilted && j == b - 1) ? 1.5 : 1.0;
      const double cell = plain * end * g.share[at(k)];
      const bool wet = w.wet[at(i)] || g.supplied[at(k)];
      const double oil = oil_share(i, wet);
      if (wet && (s.cavitation != Cavitation::guembel || w.P[at(i)] > 0)) area += cell;
      const double u = w.u[at(i)], drag = oil * cell / u;
      double slope = drag / u * w.du[at(i)];
      if (q.gradients && conserving && !s.full_shear && !wet && oil > 0 && oil < 1) {
        // (u - D)/u^2, with the void as it follows the motion.
        slope = cell * (1 - 2 * w.D[at(i)] / u) / (u * u) * w.du[at(i)];
        const double* c = column(k, j);
        for (int p = 0; p < columns; ++p)
          out.dshear[at(p)] -= cell / (u * u) * scale[at(p)] * lever[at(p)] * c[p];
      }
      out.shear += drag;
      out.dshear[0] += slope * g.cos[at(k)] * per_c;
      out.dshear[1] += slope * g.sin[at(k)] * per_c;
      if (!round) out.dshear[kTurn] -= slope * w.turned[at(k)];
      if (q.tilted) {
        out.dshear[5] += slope * g.cos[at(k)] * w.z[at(j)] * per_c * s.length;
        out.dshear[6] += slope * g.sin[at(k)] * w.z[at(j)] * per_c * s.length;
      }
      if (w.P[at(i)] > peak) {
        peak = w.P[at(i)];
        peak_at = k;
      }
    }
    out.side_flow += side_flow_at(k, 0);
    if (q.tilted) out.side_flow += side_flow_at(k, b);
  }
  // P-equation to volume: flow per (R/L)^2 m ... = h^3/(12 eta) dp/dz integrated over the arc.
  out.side_flow *= s.radius * s.length / 12.0;
  out.max_pressure = peak * to_pressure;
  out.max_pressure_angle = g.angle[at(peak_at)];
  out.min_film = thinnest * s.clearance;
  out.wet_share = area / (2 * std::numbers::pi);
  if (!q.after.empty()) std::copy(w.D.begin(), w.D.end(), q.after.begin());
}

}  // namespace freeplay::films
