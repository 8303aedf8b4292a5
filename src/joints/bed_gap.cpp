// SPDX-License-Identifier: Apache-2.0
#include "joints/bed_gap.hpp"

namespace freeplay::joints {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// Steps of bracketed Newton's method: quadratic after one or two, halving at worst.
constexpr int kMostSteps = 60;
/// What is left after such a step is its square, and the top is flat. rad
constexpr double kNearTop = 1e-7;
/// chosen: the pressure at an end is zero, and so is what an error in its place does to the sum.
/// rad
constexpr double kNearEnd = 1e-8;
/// Between two places waves bend a little more than at either, six to the shortest: 1/cos 30 deg. A
/// spline bends on straight lines from knot to knot.
constexpr double kBetween = 1.2;

constexpr auto kOfWaves = gauss_on_unit<5>();
/// On a panel between two knots a spline is a cubic.
constexpr auto kOfSplines = gauss_on_unit<3>();

int wrapped(int k, int n) { return (k % n + n) % n; }

}  // namespace

std::span<const Node1> BedGap::rule() const {
  if (from_knot_to_knot_) return kOfSplines;
  return kOfWaves;
}

void BedGap::prepare(int sectors) {
  // (G.36); panels of worn surfaces begin and end at knots.
  const double waves = std::max(bearing.harmonics(), journal.harmonics());
  panels_ = static_cast<int>(std::ceil(std::numbers::pi * waves));
  from_knot_to_knot_ = sectors > 0 && 3 * waves <= sectors * (1 + 1e-9);
  if (from_knot_to_knot_)
    panels_ = sectors;
  else if (sectors > 0)
    panels_ = sectors * ((panels_ + sectors - 1) / sectors);
  rays_.clear();
  for (int k = 0; k < panels_; ++k)
    for (const Node1& node : rule()) rays_.push_back(ray_at((k + node.x) * kTurn / panels_));
}

BedGap::Reach BedGap::reach(const View& v) const {
  const double e = std::sqrt(v.centre.dot(v.centre)),
               least = clearance() + bearing.least() - journal.greatest();
  if (!(e > least)) return {0, 0};
  const double arc = std::acos(std::max(least, 0.0) / e),
               middle = std::atan2(v.centre.y, v.centre.x), h = kTurn / grid();
  // Where the surfaces touch there it is by a rounding error: one place on.
  return {static_cast<int>(std::floor((middle - arc) / h)) - 1,
          static_cast<int>(std::ceil((middle + arc) / h)) + 1};
}

BedGap::Look BedGap::look(const View& v, int place) const {
  const auto& own = bearing.places();
  const auto& other = journal.places();
  const bool by_bearing = own.size() >= other.size();
  const int n = grid();
  const auto k = static_cast<std::size_t>(wrapped(place, n));
  const Outline::Place& at = by_bearing ? own[k] : other[k];
  const double along = v.centre.x * at.cosine + v.centre.y * at.sine;
  Look out{along - clearance(), -along};
  if (by_bearing && !bearing.round()) {
    out.depth -= at.w;
    out.bend -= at.bend;
  } else if (!bearing.round()) {
    const double angle = place * kTurn / n;
    out.depth -= bearing.at(angle).w;
    out.bend -= bearing.steepest_bend(angle);  // its own places lie between these
  }
  out.bend = std::abs(out.bend);
  if (!journal.round()) {
    const double angle = place * kTurn / n - v.turn;
    out.depth += journal.at(angle).w;
    out.bend += journal.steepest_bend(angle);
  }
  return out;
}

/// Where the surfaces cannot reach each other nobody looks.
void BedGap::walk(const View& v, Stretch visit, void* what) const {
  const Reach all = reach(v);
  if (all.first >= all.last) return;
  const double h = kTurn / grid();
  Look a = look(v, all.first);
  a.depth = std::min(a.depth, 0.0);
  double begin = 0;
  bool inside = false;
  for (int k = all.first; k < all.last; ++k) {
    Look b = look(v, k + 1);
    if (k + 1 == all.last) b.depth = std::min(b.depth, 0.0);
    // A rise, or a gap, between two places is no higher above both than this.
    const double hidden = 0.125 * h * h * kBetween * std::max(a.bend, b.bend);
    const bool decided =
        a.depth > 0 ? std::min(a.depth, b.depth) > hidden : std::max(a.depth, b.depth) < -hidden;
    if (!decided) {
      Crossings found;
      cross(v, k * h, a.depth > 0, (k + 1) * h, b.depth > 0, found);
      for (std::size_t i = 0; i < found.count; ++i) {
        if (inside)
          visit(what, begin, found.angle[i]);
        else
          begin = found.angle[i];
        inside = !inside;
      }
    }
    a = b;
  }
}

/// Between two places of the finer surface a place of the other may lie, and with it another rise.
void BedGap::cross(const View& v, double a, bool a_inside, double b, bool b_inside,
                   Crossings& out) const {
  if (journal.round() || bearing.round()) return cross_plain(v, a, a_inside, b, b_inside, out);
  const bool by_bearing = bearing.places().size() >= journal.places().size();
  const double h = (by_bearing ? journal : bearing).spacing(), shift = by_bearing ? v.turn : 0;
  const double middle = shift + h * std::ceil((a - shift) / h);
  if (!(middle > a && middle < b)) return cross_plain(v, a, a_inside, b, b_inside, out);
  const bool inside = overlap(v, middle).depth > 0;
  cross_plain(v, a, a_inside, middle, inside, out);
  cross_plain(v, middle, inside, b, b_inside, out);
}

void BedGap::cross_plain(const View& v, double a, bool a_inside, double b, bool b_inside,
                         Crossings& out) const {
  const Overlap A = overlap(v, a), B = overlap(v, b);
  std::array<double, 4> at{a, b, 0, 0};
  std::size_t count = 2;
  const auto insert = [&](double angle) {
    at[count] = at[count - 1];
    at[count - 1] = angle;
    ++count;
  };
  if ((A.slope > 0) != (B.slope > 0)) {
    insert(flat_between(v, a, b, A.slope > 0));
  } else if ((A.bend > 0) != (B.bend > 0)) {
    // The slope has its own top between: does it reach the other side of zero?
    const double steepest = a + (b - a) * A.bend / (A.bend - B.bend);
    if ((overlap(v, steepest).slope > 0) != (A.slope > 0)) {
      insert(flat_between(v, a, steepest, A.slope > 0));
      insert(flat_between(v, steepest, b, A.slope <= 0));
    }
  }
  bool inside = a_inside;
  for (std::size_t i = 1; i < count; ++i) {
    const bool next = i + 1 == count ? b_inside : overlap(v, at[i]).depth > 0;
    if (next != inside && out.count < out.angle.size())
      out.angle[out.count++] =
          next ? end_of_stretch(v, at[i], at[i - 1]) : end_of_stretch(v, at[i - 1], at[i]);
    inside = next;
  }
}

double BedGap::flat_between(const View& v, double a, double b, bool rises_at_a) const {
  double angle = 0.5 * (a + b);
  for (int step = 0; step < kMostSteps; ++step) {
    const Overlap at = overlap(v, angle);
    ((at.slope > 0) == rises_at_a ? a : b) = angle;
    double change = at.bend != 0 ? -at.slope / at.bend : INFINITY;
    if (!(angle + change >= a && angle + change <= b)) change = 0.5 * (a + b) - angle;
    angle += change;
    if (std::abs(change) < kNearTop) break;
  }
  return angle;
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
  const double h = kTurn / n;
  const bool by_bearing = bearing.places().size() >= journal.places().size();
  const auto& places = (by_bearing ? bearing : journal).places();
  int best = 0;
  double highest = -INFINITY;
  const auto consider = [&](int k) {
    // What no departure from the circles can lift above the highest so far need not be looked up.
    const Outline::Place& at = places[static_cast<std::size_t>(wrapped(k, n))];
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
  consider(static_cast<int>(std::lround(std::atan2(v.centre.y, v.centre.x) / h)));
  // Beyond what may touch only while nothing does.
  const Reach near = reach(v);
  const bool touches = highest > 0;
  for (int k = touches ? near.first : 0, end = touches ? near.last : n; k < end; ++k) consider(k);
  return top(v, (best - 1) * h, best * h, (best + 1) * h);
}

double BedGap::end_of_stretch(const View& v, double inside, double outside) const {
  const auto between = [&](double x) { return (x - inside) * (x - outside) <= 0; };
  double angle = 0.5 * (inside + outside);
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
