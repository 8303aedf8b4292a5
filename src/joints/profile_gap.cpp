// SPDX-License-Identifier: Apache-2.0
#include "joints/profile_gap.hpp"

#include <array>
#include <limits>
#include <string>

namespace freeplay::joints {
namespace {

using Local = Outline::Local;
constexpr double kTurn = 2 * std::numbers::pi;
/// A step of Newton's method below this leaves an error of its square; the rest is a Taylor series.
constexpr double kSmallStep = 1e-6;  // rad
/// A place on both surfaces is found to the last digits of its angles; rad.
constexpr double kSettled = 1e-13;
constexpr int kMostSteps = 40;

/// 1 over the radius of curvature; 1/m.
double curvature(double radius, const Local& at) {
  const double rho = radius + at.w, square = rho * rho + at.slope * at.slope;
  return (square + at.slope * at.slope - rho * at.bend) / (square * std::sqrt(square));
}

}  // namespace

std::string_view ProfileGap::contact_name(int k) {
  static const auto names = [] {
    std::array<std::string, kMostPatches> out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = "arc " + std::to_string(i + 1);
    return out;
  }();
  return names[static_cast<std::size_t>(k)];
}

bool ProfileGap::divide() {
  borders.clear();
  const bool on_bearing = journal.round();
  if (!journal.round() && !bearing.round()) {
    // Two surfaces in any position to each other: the sharpest bend of the bore against the
    // flattest place of the journal.
    double sharpest = 0, flattest = std::numeric_limits<double>::infinity();
    for (const auto* outline : {&bearing, &journal}) {
      const std::size_t looks = 8 * outline->places().size();
      for (std::size_t k = 0; k < looks; ++k) {
        const Local at = outline->at(kTurn * static_cast<double>(k) / static_cast<double>(looks));
        if (outline == &bearing)
          sharpest = std::max(sharpest, curvature(outer_radius, at));
        else
          flattest = std::min(flattest, curvature(inner_radius, at));
      }
    }
    return sharpest < flattest;
  }
  const Outline& outline = on_bearing ? bearing : journal;
  const double radius = on_bearing ? outer_radius : inner_radius;
  const double other = 1 / (on_bearing ? inner_radius : outer_radius);
  // > 0: the bore is bent more sharply there than the journal, and the two cannot touch.
  const auto excess = [&](int place) {
    const double own = curvature(radius, outline.at(place * outline.spacing()));
    return on_bearing ? own - other : other - own;
  };
  const int n = static_cast<int>(outline.places().size());
  std::vector<double> seen(static_cast<std::size_t>(n));
  int open = -1;  // a place where they can touch
  for (int k = 0; k < n; ++k) {
    seen[static_cast<std::size_t>(k)] = excess(k);
    if (seen[static_cast<std::size_t>(k)] <= 0) open = k;
  }
  if (open < 0) return true;  // a journal of the bore's own size: no play at all
  int worst = -1;
  for (int i = 1; i <= n; ++i) {
    const int k = (open + i) % n;
    const double now = seen[static_cast<std::size_t>(k)];
    if (now > 0 && (worst < 0 || now > seen[static_cast<std::size_t>(worst)])) worst = k;
    if (now <= 0 && worst >= 0) borders.push_back(std::exchange(worst, -1));
  }
  std::ranges::sort(borders);
  // What is longer than half a turn can touch at both its ends.
  for (std::size_t k = 0; k < borders.size(); ++k) {
    const int from = borders[k], to = k + 1 < borders.size() ? borders[k + 1] : borders[0] + n;
    if (2 * (to - from) <= n) continue;
    borders.push_back((from + (to - from) / 2) % n);
    std::ranges::sort(borders);
    k = static_cast<std::size_t>(-1);
  }
  return true;
}

/// The place of a surface nearest to the other one: the root of
///
///   G = sense (p - from).p' ... written out in (G.30)
///
/// where it falls. `sense` 1: of the bearing, from the centre of a round journal; -1: of the
/// journal, from the centre of a round bearing.
ProfileGap::Found ProfileGap::seek(const Outline& outline, double radius, double sense, int patch,
                                   const Flat<double>& from) const {
  const double e2 = from.dot(from);
  const auto& extent = outline.extent();
  double angle = 0, low = 0, high = 0, c = 0, s = 0;
  bool at_low = false, at_high = false;  // the ends of the bracket are borders of the patch
  if (borders.empty() && e2 > extent.slope * extent.slope + extent.bend * extent.bend) {
    // (G.31): far enough off centre that there is one such place, on the side of the other centre.
    const double e = std::sqrt(e2);
    c = sense * from.x / e, s = sense * from.y / e;
    angle = std::atan2(s, c);
    low = angle - 1.6, high = angle + 1.6;
  } else {
    const auto& places = outline.places();
    const int n = static_cast<int>(places.size());
    const auto value = [&](int k) {
      const Outline::Place& at = places[static_cast<std::size_t>(k % n)];
      return sense * (from.x * at.cosine + from.y * at.sine - at.w);
    };
    const bool whole = borders.empty();
    const auto p = static_cast<std::size_t>(patch);
    const int begin = whole ? 0 : borders[p], end = whole                    ? n
                                                    : p + 1 < borders.size() ? borders[p + 1]
                                                                             : borders[0] + n;
    int best = -1;
    double highest = -INFINITY, before = value(whole ? n - 1 : begin),
           now = value(whole ? 0 : begin + 1);
    for (int k = whole ? 0 : begin + 1; k < end; ++k) {
      const double next = value(k + 1);
      if (now >= before && now > next && now > highest) best = k, highest = now;
      before = now, now = next;
    }
    if (best < 0) best = value(begin) >= value(end) ? begin : end;  // no rise and fall inside
    const double h = outline.spacing();
    const double left = value(best + n - 1), right = value(best + 1),
                 bend = left - 2 * value(best) + right;
    angle = best * h;
    low = angle - h, high = angle + h;
    if (!whole) {
      at_low = best == begin, at_high = best == end;
      if (at_low) low = angle;
      if (at_high) high = angle;
    }
    if (!at_low && !at_high && bend < 0)
      angle += h * std::clamp(0.5 * (left - right) / bend, -0.5, 0.5);
    c = std::cos(angle), s = std::sin(angle);
  }
  Found out{outline.at(angle), c, s, true};
  for (int step = 0; step < kMostSteps; ++step) {
    const double along = from.x * out.c + from.y * out.s, across = from.y * out.c - from.x * out.s;
    const double rho = radius + out.at.w, slope = out.at.slope, bend = out.at.bend;
    const double G = sense * (slope * along + rho * across - rho * slope);
    const double dG =
        sense * ((bend - rho) * along + 2 * slope * across - slope * slope - rho * bend);
    if ((at_low && step == 0 && G <= 0) || (at_high && step == 0 && G > 0)) {
      out.inside = false;
      return out;
    }
    (G > 0 ? low : high) = angle;
    double change = dG < 0 ? -G / dG : INFINITY;
    if (!(angle + change >= low && angle + change <= high)) change = 0.5 * (low + high) - angle;
    angle += change;
    if (std::abs(change) < kSmallStep) {
      out.at.w += change * (slope + 0.5 * change * bend);
      out.at.slope += change * bend;
      const double turned = out.c - change * out.s;
      out.s += change * out.c;
      out.c = turned;
      return out;
    }
    out = {outline.at(angle), std::cos(angle), std::sin(angle), true};
  }
  return out;
}

ProfileGap::Spot ProfileGap::nearest_on_journal(int k, const FlatView<double>& view) const {
  const Flat<double>& turn = view.turn;
  const Flat<double> from{-turn.dot(view.centre), -turn.cross(view.centre)};  // journal axes
  const Found f = seek(journal, inner_radius, -1, k, from);
  const Arc j = arc(inner_radius, f.at, f.c, f.s);
  Spot out;
  out.j = view.turned(j.p), out.dj = view.turned(j.dp), out.ddj = view.turned(j.ddp);
  const Flat<double> reach = view.centre + out.j;
  const double distance = std::sqrt(reach.dot(reach));
  out.normal = {reach.x / distance, reach.y / distance};
  out.b = out.normal * outer_radius;
  out.db = out.b.left();
  out.ddb = -out.b;
  out.depth = distance - outer_radius;
  out.inside = f.inside;
  return out;
}

/// Newton's method on (G.29) in both angles, from the place that the first-order depth (G.33) has
/// highest.
ProfileGap::Spot ProfileGap::nearest_of_both(const FlatView<double>& view) const {
  const auto& places = bearing.places();
  const double turn = std::atan2(view.turn.y, view.turn.x), h = bearing.spacing();
  double highest = -INFINITY, on_bearing = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double angle = static_cast<double>(k) * h;
    const double value = view.centre.x * places[k].cosine + view.centre.y * places[k].sine -
                         places[k].w + journal.at(angle - turn).w;
    if (value > highest) highest = value, on_bearing = angle;
  }
  // First the top of the first-order depth alone, which has one unknown and a bracket.
  double low = on_bearing - h, high = on_bearing + h;
  for (int step = 0; step < kMostSteps; ++step) {
    const double c = std::cos(on_bearing), s = std::sin(on_bearing);
    const Local b = bearing.at(on_bearing), j = journal.at(on_bearing - turn);
    const double slope = view.centre.y * c - view.centre.x * s - b.slope + j.slope;
    const double bend = -(view.centre.x * c + view.centre.y * s) - b.bend + j.bend;
    (slope > 0 ? low : high) = on_bearing;
    double change = bend < 0 ? -slope / bend : INFINITY;
    if (!(on_bearing + change >= low && on_bearing + change <= high))
      change = 0.5 * (low + high) - on_bearing;
    on_bearing += change;
    if (std::abs(change) < kSmallStep) break;
  }
  double on_journal = on_bearing - turn;
  const double near_bearing = on_bearing, near_journal = on_journal;
  Spot out;
  for (int step = 0; step < kMostSteps; ++step) {
    const Arc b =
        arc(outer_radius, bearing.at(on_bearing), std::cos(on_bearing), std::sin(on_bearing));
    const double c = std::cos(on_journal), s = std::sin(on_journal);
    const Arc j = arc(inner_radius, journal.at(on_journal), c, s);
    out.b = b.p, out.db = b.dp, out.ddb = b.ddp;
    out.j = view.turned(j.p), out.dj = view.turned(j.dp), out.ddj = view.turned(j.ddp);
    const Flat<double> between = view.centre + out.j - out.b;
    const double g1 = out.db.cross(out.dj), g2 = between.dot(out.db);
    const double a11 = out.ddb.cross(out.dj), a12 = out.db.cross(out.ddj),
                 a21 = between.dot(out.ddb) - out.db.dot(out.db), a22 = out.dj.dot(out.db);
    const double det = a11 * a22 - a12 * a21;
    out.normal = normal_of(out.db);
    out.depth = out.normal.dot(between);
    const double change1 = (a12 * g2 - a22 * g1) / det, change2 = (a21 * g1 - a11 * g2) / det;
    if (std::abs(change1) + std::abs(change2) < kSettled) break;
    // Far from touching both may be flat, and the step wild: the first-order place serves there.
    const bool wild = !(std::abs(on_bearing + change1 - near_bearing) < h &&
                        std::abs(on_journal + change2 - near_journal) < h);
    if (wild && on_bearing == near_bearing && on_journal == near_journal) break;
    on_bearing = wild ? near_bearing : on_bearing + change1;
    on_journal = wild ? near_journal : on_journal + change2;
  }
  return out;
}

}  // namespace freeplay::joints
