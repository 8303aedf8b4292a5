// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/reynolds_solution.hpp"

namespace freeplay::films {
namespace {

/// The pressure on one interval, split between the directions r0 and r1 at its ends.
struct Interval {
  double f0, f1;              // parts of r0 and r1
  double a00, a01, a10, a11;  // d f0/d p0, d f1/d p0, d f0/d p1, d f1/d p1
};

/// Pressure and direction linear between the nodes.
Interval whole(double p0, double p1) {
  return {p0 / 3 + p1 / 6, p0 / 6 + p1 / 3, 1.0 / 3, 1.0 / 6, 1.0 / 6, 1.0 / 3};
}

/// Cut off where the pressure crosses zero.
Interval cut_at_zero(double p0, double p1) {
  const bool left = p0 > 0;
  const double high = left ? p0 : p1, low = left ? p1 : p0, t = high / (high - low);
  // high (r_high t/2 + (r_low - r_high) t^2/6)
  const double near = high * (0.5 * t - t * t / 6), far = high * t * t / 6;
  const double dt_high = -low / ((high - low) * (high - low));
  const double dt_low = high / ((high - low) * (high - low));
  const double near_t = high * (0.5 - t / 3), far_t = high * t / 3;
  const double near_high = near / high + near_t * dt_high, near_low = near_t * dt_low;
  const double far_high = far / high + far_t * dt_high, far_low = far_t * dt_low;
  if (left) return {near, far, near_high, far_high, near_low, far_low};
  return {far, near, far_low, near_low, far_high, near_high};
}

}  // namespace

// Each line around is integrated with pressure and direction linear between nodes, cut at zero
// where Guembel's condition says so; once differentiable in the pressures.
void JournalReynolds::Solution::integrate_force() {
  const bool guembel = s.cavitation == Cavitation::guembel;
  w.pull_x.assign(at(size), 0.0);
  w.pull_y.assign(at(size), 0.0);
  w.pull_twist.assign(at(round ? 0 : size), 0.0);
  double fx = 0, fy = 0, mx = 0, my = 0, twist = 0, twist_by_turn = 0;
  for (int k = 0; k < n; ++k) {
    const int next = next_of(k);
    const double d = g.step[at(k)];
    // Such that a full ring gives the plain sum over nodes, which is spectrally accurate.
    const double fit = 3 * d / (2 + std::cos(d));
    const double x0 = g.cos[at(k)], x1 = g.cos[at(next)], y0 = g.sin[at(k)], y1 = g.sin[at(next)];
    for (int j = 0; j < b; ++j) {
      const int i0 = k * b + j, i1 = next * b + j;
      const double p0 = w.P[at(i0)], p1 = w.P[at(i1)], weight = fit * w.simpson[at(j)];
      const bool cut = guembel && (p0 < 0 || p1 < 0);
      if (cut && p0 <= 0 && p1 <= 0) continue;
      const Interval v = cut ? cut_at_zero(p0, p1) : whole(p0, p1);
      const double x = weight * (v.f0 * x0 + v.f1 * x1), y = weight * (v.f0 * y0 + v.f1 * y1);
      fx += x;
      fy += y;
      mx -= y * w.z[at(j)];
      my += x * w.z[at(j)];
      if (!round) {
        const double t0 = w.slope[at(k)], t1 = w.slope[at(next)];
        twist += weight * (v.f0 * t0 + v.f1 * t1);
        twist_by_turn += weight * (v.f0 * w.bend[at(k)] + v.f1 * w.bend[at(next)]);
        w.pull_twist[at(i0)] += weight * (v.a00 * t0 + v.a01 * t1);
        w.pull_twist[at(i1)] += weight * (v.a10 * t0 + v.a11 * t1);
      }
      w.pull_x[at(i0)] += weight * (v.a00 * x0 + v.a01 * x1);
      w.pull_y[at(i0)] += weight * (v.a00 * y0 + v.a01 * y1);
      w.pull_x[at(i1)] += weight * (v.a10 * x0 + v.a11 * x1);
      w.pull_y[at(i1)] += weight * (v.a10 * y0 + v.a11 * y1);
    }
  }
  out.fx = unit * fx;
  out.fy = unit * fy;
  out.twist = -0.5 * unit * s.clearance * twist;
  out.dtwist[kTurn] = -0.5 * unit * s.clearance * twist_by_turn;
  out.mx = unit * s.length * mx;
  out.my = unit * s.length * my;
}

}  // namespace freeplay::films
