// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/reynolds_solution.hpp"

#include <algorithm>

namespace freeplay::films {

/// Derivatives of the residuals by the motion, with the pressures as they are.
void JournalReynolds::Solution::fill_columns() {
  std::fill(w.columns.begin(), w.columns.begin() + size * K, 0.0);
  const auto deposit = [&](int k, int j, double value_x, double value_y, double z) {
    double* c = column(k, j);
    c[0] += value_x;
    c[1] += value_y;
    if (q.tilted) {
      c[5] += value_x * z;
      c[6] += value_y * z;
    }
  };
  for (int k = 0; k < n; ++k) {
    const int next = next_of(k), upstream = upstream_of(k);
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j, i1 = next * b + j, other = upstream * b + j;
      // A thicker film lets the difference of pressure flow faster; du = -(cos, sin) de.
      const double flow_on = w.d_around[at(i)] * (w.P[at(i)] - w.P[at(i1)]);
      const double x = flow_on * g.cos_face[at(k)], y = flow_on * g.sin_face[at(k)];
      deposit(k, j, x, y, w.z[at(j)]);
      deposit(next, j, -x, -y, w.z[at(j)]);
      if (!round) {
        column(k, j)[kTurn] -= flow_on * w.turned_face[at(k)];
        column(next, j)[kTurn] += flow_on * w.turned_face[at(k)];
      }
      for (int f = j; f <= j + 1; ++f) {
        const double flow =
            w.d_along[at(k * (b + 1) + f)] * (w.P[at(i)] - pressure_at(k, f == j ? j - 1 : j + 1));
        deposit(k, j, flow * g.cos[at(k)], flow * g.sin[at(k)], -0.5 + (f + 0.5) * per_row);
        if (!round) column(k, j)[kTurn] -= flow * w.turned[at(k)];
      }
      double* c = column(k, j);
      const double push = 12 * per_row * w.weight[at(j)];
      c[2] += push * g.sx[at(k)];
      c[3] += push * g.sy[at(k)];
      if (q.tilted) {
        c[7] += push * g.sx[at(k)] * w.z[at(j)];
        c[8] += push * g.sy[at(k)] * w.z[at(j)];
      }
      const double turn = 12 * s.clearance * per_row * w.weight[at(j)];
      if (!round) {
        c[kSlip] -= turn * w.wedge[at(k)];
        c[kTurn] -= carry * w.weight[at(j)] * w.turned_wedge[at(k)];
      }
      if (conserving) c[kSlip] += (carry >= 0 ? 1 : -1) * turn * (w.D[at(i)] - w.D[at(other)]);
      if (elastic) c[kSlip] -= (carry >= 0 ? 1 : -1) * turn * (dent_at(i) - dent_at(other));
    }
  }
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < b; ++j)
      if (given(k, k * b + j)) std::fill_n(column(k, j), K, 0.0);
}

/// What the pressures do to force and moment as they follow the motion.
void JournalReynolds::Solution::add_columns() {
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < b; ++j) {
      const int i = k * b + j;
      if (!w.wet[at(i)]) continue;
      const double* c = column(k, j);
      for (int p = 0; p < columns; ++p) {
        const double dx = unit * scale[at(p)] * lever[at(p)] * c[p] * w.pull_x[at(i)];
        const double dy = unit * scale[at(p)] * lever[at(p)] * c[p] * w.pull_y[at(i)];
        out.dfx[at(p)] += dx;
        out.dfy[at(p)] += dy;
        if (!round)
          out.dtwist[at(p)] -=
              0.5 * unit * s.clearance * scale[at(p)] * lever[at(p)] * c[p] * w.pull_twist[at(i)];
        if (q.tilted) {
          out.dmx[at(p)] -= dy * w.z[at(j)] * s.length;
          out.dmy[at(p)] += dx * w.z[at(j)] * s.length;
        }
      }
    }
}

// On a fixed set of wet nodes the pressures are the solution of a linear system whose right-hand
// sides are the derivatives of the residual.
void JournalReynolds::Solution::differentiate() {
  fill_columns();
  if (K == 10)
    w.matrix.solve<10>(w.columns.data());
  else if (K == 6)
    w.matrix.solve<6>(w.columns.data());
  else
    w.matrix.solve<4>(w.columns.data());
  add_columns();
  if (resting)
    for (auto* gradient : {&out.dfx, &out.dfy, &out.dmx, &out.dmy, &out.dtwist})
      for (double& x : *gradient) x *= 0.5;
}

}  // namespace freeplay::films
