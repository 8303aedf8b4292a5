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

/// Where the surfaces cannot reach each other, a bound below what hides between two places does as
/// well as the overlap itself: nobody looks for a stretch there.
double BedGap::look(const View& v, int place) const {
  const auto& own = bearing.places();
  const auto& other = journal.places();
  const auto k = static_cast<std::size_t>(place);
  const bool by_bearing = own.size() >= other.size();
  const Outline::Place& at = by_bearing ? own[k] : other[k];
  const double along = v.centre.x * at.cosine + v.centre.y * at.sine - clearance();
  if (by_bearing && journal.round()) return along - at.w;
  const double h = (by_bearing ? bearing : journal).spacing();
  const double bound = along - bearing.least() + journal.greatest();
  if (bound < -0.5 * h * h *
                  (std::abs(v.centre.x) + std::abs(v.centre.y) + bearing.extent().bend +
                   journal.extent().bend))
    return bound;
  const double angle = place * h;
  double out = along;
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
  const double h = 2 * std::numbers::pi / n;
  const bool by_bearing = bearing.places().size() >= journal.places().size();
  const auto& places = (by_bearing ? bearing : journal).places();
  int best = 0;
  double highest = -INFINITY;
  const auto consider = [&](int k) {
    // What no departure from the circles can lift above the highest so far need not be looked up.
    const Outline::Place& at = places[static_cast<std::size_t>(k)];
    double now = v.centre.x * at.cosine + v.centre.y * at.sine - clearance();
    if (now - bearing.least() + journal.greatest() <= highest) return;
    if (by_bearing)
      now -= at.w;
    else if (!bearing.round())
      now -= bearing.at(k * h).w;
    if (!journal.round()) now += journal.at(k * h - v.turn).w;
    if (now > highest) best = k, highest = now;
  };
  // Most likely it lies where the centre is.
  const double start = std::atan2(v.centre.y, v.centre.x) / h;
  consider((static_cast<int>(std::lround(start)) % n + n) % n);
  for (int k = 0; k < n; ++k) consider(k);
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
