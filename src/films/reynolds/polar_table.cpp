// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/polar_table.hpp"

#include <algorithm>

namespace freeplay::films {
namespace {

constexpr double kPi = std::numbers::pi;

/// How the forces grow as the film gets thin, taken out before interpolating.
struct Growth {
  double value, slope;
};
Growth growth(int which, double ratio) {
  const double gap = 1 - ratio * ratio;
  const double power = which == 2 ? -0.5 : -2.0;
  const double value = std::pow(gap, power);
  return {value, -2 * ratio * power * value / gap};
}

/// Weights of four neighbours for a value and for its slope: Catmull-Rom, once differentiable. At
/// the ends of the grid the outer neighbour is extrapolated by a parabola.
struct Stencil {
  int first;
  std::array<double, 4> value, slope;
};
Stencil stencil(double place, int count, bool mirror_low, bool mirror_high) {
  const int i = std::clamp(static_cast<int>(place), 0, count - 2);
  const double t = place - i, t2 = t * t, t3 = t2 * t;
  Stencil s{i - 1,
            {0.5 * (-t3 + 2 * t2 - t), 0.5 * (3 * t3 - 5 * t2 + 2), 0.5 * (-3 * t3 + 4 * t2 + t),
             0.5 * (t3 - t2)},
            {0.5 * (-3 * t2 + 4 * t - 1), 0.5 * (9 * t2 - 10 * t), 0.5 * (-9 * t2 + 8 * t + 1),
             0.5 * (3 * t2 - 2 * t)}};
  // Outer points: a parabola through the next three, f_-1 = 3 f_0 - 3 f_1 + f_2.
  const auto fold = [&](std::array<double, 4>& w) {
    if (i == 0 && !mirror_low) {
      w[1] += 3 * w[0];
      w[2] -= 3 * w[0];
      w[3] += w[0];
      w[0] = 0;
    }
    if (i == count - 2 && !mirror_high) {
      w[2] += 3 * w[3];
      w[1] -= 3 * w[3];
      w[0] += w[3];
      w[3] = 0;
    }
  };
  fold(s.value);
  fold(s.slope);
  return s;
}

}  // namespace

PolarTable::PolarTable(double largest, int ratios, int angles, const Solve& solve)
    : largest_(largest), ratios_(ratios), angles_(angles) {
  for (auto& v : values_) v.resize(static_cast<std::size_t>(ratios_ * angles_));
  for (int i = 0; i < ratios_; ++i) {
    const double s = static_cast<double>(i) / (ratios_ - 1), ratio = largest * s * (2 - s);
    for (int a = 0; a < angles_; ++a) {
      const double angle = kPi * a / (angles_ - 1);
      const std::array<double, 3> f = solve(ratio, std::cos(angle), std::sin(angle));
      for (int k = 0; k < 3; ++k)
        values_[k][static_cast<std::size_t>(i * angles_ + a)] =
            f[static_cast<std::size_t>(k)] / growth(k, ratio).value;
    }
  }
}

PolarTable::Sample PolarTable::look_up(double ratio, double angle) const {
  const double x = std::clamp(ratio / largest_, 0.0, 1.0), root = std::sqrt(1 - x);
  const double s = 1 - root;
  // ds/dratio = 1/(2 root largest); at the very end the slope is that of the last node but one.
  const double stretch = 1 / (2 * std::max(root, 0.5 / (ratios_ - 1)) * largest_);
  const Stencil r = stencil(s * (ratios_ - 1), ratios_, false, false);
  const Stencil a = stencil(std::clamp(angle / kPi, 0.0, 1.0) * (angles_ - 1), angles_, true, true);
  double value[3], by_ratio[3], by_angle[3];
  for (int k = 0; k < 3; ++k) {
    double v = 0, vr = 0, va = 0;
    for (int i = 0; i < 4; ++i) {
      if (r.value[static_cast<std::size_t>(i)] == 0 && r.slope[static_cast<std::size_t>(i)] == 0)
        continue;
      const int row = std::clamp(r.first + i, 0, ratios_ - 1);
      double line = 0, slope = 0;
      for (int j = 0; j < 4; ++j) {
        // Radial force and shear are even in the angle, the tangential force is odd.
        int column = a.first + j;
        double sign = 1;
        if (column < 0 || column > angles_ - 1) {
          column = column < 0 ? -column : 2 * (angles_ - 1) - column;
          sign = k == 1 ? -1 : 1;
        }
        const double f = sign * values_[k][static_cast<std::size_t>(row * angles_ + column)];
        line += a.value[static_cast<std::size_t>(j)] * f;
        slope += a.slope[static_cast<std::size_t>(j)] * f;
      }
      v += r.value[static_cast<std::size_t>(i)] * line;
      vr += r.slope[static_cast<std::size_t>(i)] * line;
      va += r.value[static_cast<std::size_t>(i)] * slope;
    }
    const Growth g = growth(k, std::min(ratio, largest_));
    value[k] = v * g.value;
    by_ratio[k] = vr * (ratios_ - 1) * stretch * g.value + v * g.slope;
    by_angle[k] = va * (angles_ - 1) / kPi * g.value;
  }
  return {value[0],    value[1],    value[2],    by_ratio[0], by_ratio[1],
          by_ratio[2], by_angle[0], by_angle[1], by_angle[2]};
}

}  // namespace freeplay::films
