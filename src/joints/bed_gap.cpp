// SPDX-License-Identifier: Apache-2.0
#include "joints/bed_gap.hpp"

namespace freeplay::joints {
namespace {

/// Steps of bracketed Newton's method: quadratic after one or two, halving at worst.
constexpr int kMostSteps = 60;
/// What is left after such a step is its square, and the top is flat. rad
constexpr double kNearTop = 1e-7;
/// chosen: the pressure at an end is zero, and so is what an error in its place does to the sum.
/// rad
constexpr double kNearEnd = 1e-8;

}  // namespace

double BedGap::look(const View& v, int place) const {
  const auto& own = bearing.places();
  const auto& other = journal.places();
  const auto k = static_cast<std::size_t>(place);
  const bool by_bearing = own.size() >= other.size();
  const Outline::Place& at = by_bearing ? own[k] : other[k];
  double out = v.centre.x * at.cosine + v.centre.y * at.sine - clearance();
  const double angle = place * (by_bearing ? bearing : journal).spacing();
  if (by_bearing)
    out -= at.w;
  else if (!bearing.round())
    out -= bearing.at(angle).w;
  if (!journal.round()) out += journal.at(angle - v.turn).w;
  return out;
}

BedGap::Deepest BedGap::top(const View& v, double low, double angle, double high) const {
  for (int step = 0; step < kMostSteps; ++step) {
    const Overlap at = overlap(v, angle);
    (at.slope > 0 ? low : high) = angle;
    double change = at.bend < 0 ? -at.slope / at.bend : INFINITY;
    if (!(angle + change >= low && angle + change <= high)) change = 0.5 * (low + high) - angle;
    if (std::abs(change) < kNearTop)
      return {angle + change, at.depth + change * (at.slope + 0.5 * change * at.bend), at.bend};
    angle += change;
  }
  const Overlap at = overlap(v, angle);
  return {angle, at.depth, at.bend};
}

BedGap::Deepest BedGap::deepest(const View& v) const {
  const int n = grid();
  int best = 0;
  double highest = -INFINITY;
  for (int k = 0; k < n; ++k)
    if (const double now = look(v, k); now > highest) best = k, highest = now;
  const double h = 2 * std::numbers::pi / n;
  return top(v, (best - 1) * h, best * h, (best + 1) * h);
}

double BedGap::end_of_stretch(const View& v, double inside, double outside, double start) const {
  const auto between = [&](double x) { return (x - inside) * (x - outside) <= 0; };
  double angle = between(start) ? start : 0.5 * (inside + outside);
  for (int step = 0; step < kMostSteps; ++step) {
    const Overlap at = overlap(v, angle);
    (at.depth > 0 ? inside : outside) = angle;
    double change = -at.depth / at.slope;
    if (!(std::abs(change) <= INFINITY) || !between(angle + change))
      change = 0.5 * (inside + outside) - angle;
    angle += change;
    if (std::abs(change) < kNearEnd) break;
  }
  return angle;
}

}  // namespace freeplay::joints
