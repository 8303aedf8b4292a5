// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/polar_table.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <mutex>

namespace freeplay::films {
namespace {

constexpr double kPi = std::numbers::pi;

/// Places in a row.
constexpr std::size_t kRadial = 0, kTangential = 1, kShear = 2, kPressure = 3, kWet = 4;

/// How the numbers grow as the film gets thin, taken out before interpolating.
struct Growth {
  double value, slope;
};
Growth growth(std::size_t which, double ratio) {
  if (which == kWet) return {1, 0};
  const double gap = 1 - ratio * ratio;
  const double power = which == kShear ? -0.5 : -2.0;
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
      const Row f = solve(ratio, std::cos(angle), std::sin(angle));
      for (std::size_t k = 0; k < f.size(); ++k)
        values_[k][static_cast<std::size_t>(i * angles_ + a)] = f[k] / growth(k, ratio).value;
    }
  }
}

struct PolarTable::Place {
  Stencil ratio, angle;
  double at;                    // ratio
  double per_ratio, per_angle;  // grid steps
};

PolarTable::Place PolarTable::place(double ratio, double angle) const {
  const double x = std::clamp(ratio / largest_, 0.0, 1.0), root = std::sqrt(1 - x);
  // ds/dratio = 1/(2 root largest); at the very end the slope is that of the last node but one.
  const double stretch = 1 / (2 * std::max(root, 0.5 / (ratios_ - 1)) * largest_);
  return {stencil((1 - root) * (ratios_ - 1), ratios_, false, false),
          stencil(std::clamp(angle / kPi, 0.0, 1.0) * (angles_ - 1), angles_, true, true),
          std::min(ratio, largest_), (ratios_ - 1) * stretch, (angles_ - 1) / kPi};
}

struct PolarTable::Number {
  double value, by_ratio, by_angle;
};

PolarTable::Number PolarTable::number(std::size_t which, const Place& p) const {
  double v = 0, vr = 0, va = 0;
  for (int i = 0; i < 4; ++i) {
    const double weight = p.ratio.value[static_cast<std::size_t>(i)],
                 slope_weight = p.ratio.slope[static_cast<std::size_t>(i)];
    if (weight == 0 && slope_weight == 0) continue;
    const int row = std::clamp(p.ratio.first + i, 0, ratios_ - 1);
    double line = 0, slope = 0;
    for (int j = 0; j < 4; ++j) {
      // All are even in the angle but the tangential force, which is odd.
      int column = p.angle.first + j;
      double sign = 1;
      if (column < 0 || column > angles_ - 1) {
        column = column < 0 ? -column : 2 * (angles_ - 1) - column;
        sign = which == kTangential ? -1 : 1;
      }
      const double f = sign * values_[which][static_cast<std::size_t>(row * angles_ + column)];
      line += p.angle.value[static_cast<std::size_t>(j)] * f;
      slope += p.angle.slope[static_cast<std::size_t>(j)] * f;
    }
    v += weight * line;
    vr += slope_weight * line;
    va += weight * slope;
  }
  const Growth g = growth(which, p.at);
  return {v * g.value, vr * p.per_ratio * g.value + v * g.slope, va * p.per_angle * g.value};
}

PolarTable::Sample PolarTable::look_up(double ratio, double angle) const {
  const Place p = place(ratio, angle);
  const Number r = number(kRadial, p), t = number(kTangential, p), s = number(kShear, p);
  return {r.value,    t.value,    s.value,    r.by_ratio, t.by_ratio,
          s.by_ratio, r.by_angle, t.by_angle, s.by_angle};
}

PolarTable::Seen PolarTable::observe(double ax, double ay, double vx, double vy) const {
  const double along = ax * vx + ay * vy, across = ax * vy - ay * vx;
  const Place p = place(std::hypot(ax, ay), std::atan2(std::abs(across), along));
  return {std::max(0.0, std::hypot(vx, vy) * number(kPressure, p).value),
          std::clamp(number(kWet, p).value, 0.0, 1.0)};
}

std::shared_ptr<const PolarTable> shared_table(const std::vector<double>& key, double largest,
                                               int ratios, int angles,
                                               const PolarTable::Solve& solve) {
  using Shared = std::shared_ptr<const PolarTable>;
  static std::mutex guard;
  static std::map<std::vector<double>, std::shared_future<Shared>> tables;
  // Studies that vary the shape of a bearing would fill the memory, a quarter of a megabyte each.
  constexpr std::size_t kMost = 100;
  std::promise<Shared> promise;
  std::shared_future<Shared> known;
  bool mine = false;
  {
    const std::lock_guard lock(guard);
    if (const auto found = tables.find(key); found != tables.end()) {
      known = found->second;
    } else {
      if (tables.size() >= kMost) tables.clear();  // those in use live on with their bearings
      known = promise.get_future().share();
      tables.emplace(key, known);
      mine = true;
    }
  }
  if (mine) promise.set_value(std::make_shared<const PolarTable>(largest, ratios, angles, solve));
  return known.get();
}

}  // namespace freeplay::films
