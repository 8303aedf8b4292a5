// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "joints/flat.hpp"
#include "joints/outline.hpp"
#include "joints/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

// Journal in a bearing of the plane on an elastic bed, out of round: pressure wherever the
// surfaces overlap (theory/gaps (G.33) to (G.36)). The overlap counts along rays from the centre of
// the bearing, to first order in clearance over radius, as the round `elastic-foundation` has it:
//
//   d(a) = e.r(a) - c - w_b(a) + w_j(a - turn)
//
// Force and moment are the gradient of its energy: the force points along the ray, and passes the
// centre of the journal at the distance w_j' by which the slope of its surface turns it.
namespace freeplay::joints {

struct BedGap {
  Frame first, second;
  double outer_radius = 0, inner_radius = 0;  ///< of the mean circles; m
  double share = 0.5;                         ///< force_share()
  Outline bearing, journal;

  [[nodiscard]] static int contacts() { return 1; }
  [[nodiscard]] static std::string_view contact_name(int) { return "wall"; }
  [[nodiscard]] double clearance() const { return outer_radius - inner_radius; }
  [[nodiscard]] double widest() const { return clearance() + bearing.greatest() - journal.least(); }
  /// Inner minus outer centre; global axes.
  [[nodiscard]] Vec3 eccentricity(const Pose<double>& p1, const Pose<double>& p2) const {
    return p2.r + p2.R * second.point - p1.r - p1.R * first.point;
  }
  [[nodiscard]] double ratio(const Pose<double>& p1, const Pose<double>& p2) const {
    return clearance() > 0 ? eccentricity(p1, p2).norm() / clearance() : 0;
  }
  /// How many stretches are pressed.
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    int out = 0;
    each_stretch(flat_view(first, second, p1, p2), [&](double, double) { ++out; });
    return out;
  }

  [[nodiscard]] double depth(int, const Pose<double>& p1, const Pose<double>& p2) const {
    return deepest(view_of(flat_view(first, second, p1, p2))).depth;
  }
  template <class T>
  bool leading(int, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    const FlatView<T> view = flat_view(first, second, p1, p2);
    const View now = view_of(values_of(view));
    const Deepest at = deepest(now);
    place(view, now, at.angle, out, at.bend);
    return true;
  }
  template <class T, class Visit>
  void points(int, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    const FlatView<T> view = flat_view(first, second, p1, p2);
    const FlatView<double> plain = values_of(view);
    const View now = view_of(plain);
    ContactPoint<T> point;
    point.surface = kFaceSurface;  // pressure in proportion to the depth
    each_node(plain, [&](double angle, double width) {
      place(view, now, angle, point);
      point.weight = T(width);
      if (point.depth > T(0.0)) visit(std::as_const(point));
    });
  }

  /// visit(angle, width) for the nodes of the sum over what is pressed, bearing angle; rad.
  template <class Visit>
  void each_node(const FlatView<double>& view, Visit&& visit) const {
    static constexpr auto kRule = gauss_on_unit<5>();
    // A rule of five for every wave that fits in. Panels are fixed to the bearing and only those at
    // the ends are cut short: nodes that moved across the corners of a worn surface would shake the
    // force as they pass them.
    const double longest = 2 / std::max(bearing.harmonics(), journal.harmonics());
    const double panel = 2 * std::numbers::pi / std::ceil(2 * std::numbers::pi / longest);
    each_stretch(view, [&](double from, double to) {
      for (double k = std::floor(from / panel); from < to; ++k) {
        const double end = std::min(to, (k + 1) * panel), width = end - from;
        if (!(width > 0)) continue;
        for (const Node1& node : kRule) visit(from + node.x * width, node.w * width);
        from = end;
      }
    });
  }

  /// First-order overlap at a bearing angle and its derivatives by it; m, m/rad, m/rad^2.
  struct Overlap {
    double depth, slope, bend;
  };
  struct View {
    Flat<double> centre;
    double turn;  ///< of the journal; rad
  };
  [[nodiscard]] View view_of(const FlatView<double>& v) const {
    return {v.centre, journal.round() ? 0 : std::atan2(v.turn.y, v.turn.x)};
  }
  [[nodiscard]] Overlap overlap(const View& v, double angle) const {
    const double c = std::cos(angle), s = std::sin(angle);
    const double along = v.centre.x * c + v.centre.y * s, across = v.centre.y * c - v.centre.x * s;
    Overlap out{along - clearance(), across, -along};
    if (!bearing.round()) {
      const Outline::Local b = bearing.at(angle);
      out.depth -= b.w, out.slope -= b.slope, out.bend -= b.bend;
    }
    if (!journal.round()) {
      const Outline::Local j = journal.at(angle - v.turn);
      out.depth += j.w, out.slope += j.slope, out.bend += j.bend;
    }
    return out;
  }

  /// visit(from, to) for the stretches of overlap, bearing angle; rad.
  template <class Visit>
  void each_stretch(const FlatView<double>& view, Visit&& visit) const {
    const View v = view_of(view);
    const int n = grid();
    const double h = 2 * std::numbers::pi / n;
    // A rise that peaks between two places of the grid is higher than both, by this at most.
    const double hidden =
        0.5 * h * h *
        (std::sqrt(v.centre.dot(v.centre)) + bearing.extent().bend + journal.extent().bend);
    double reached = -INFINITY, again = INFINITY, before = look(v, n - 1), now = look(v, 0);
    for (int k = 0; k < n; ++k) {
      const double next = look(v, k + 1 < n ? k + 1 : 0);
      if (now >= before && now > next && now > -hidden) {
        const Deepest peak = top(v, (k - 1) * h, k * h, (k + 1) * h);
        // A stretch with two tops is met from either, and one across the start of the grid again at
        // its end.
        if (peak.depth > 0 && peak.angle > reached && peak.angle < again) {
          int left = k - 1, right = k + 1;
          while (look(v, (left % n + n) % n) > 0 && left > k - n) --left;
          while (look(v, right % n) > 0 && right < k + n) ++right;
          const double reach = std::sqrt(2 * peak.depth / std::max(1e-300, -peak.bend));
          const double from = end_of_stretch(v, peak.angle, left * h, peak.angle - reach),
                       to = end_of_stretch(v, peak.angle, right * h, peak.angle + reach);
          visit(from, to);
          reached = to;
          again = std::min(again, from + 2 * std::numbers::pi);
        }
      }
      before = now, now = next;
    }
  }

  /// The point of a bearing angle; it moves with the material, unless `bend` says that it is the
  /// deepest one, which it then stays.
  template <class T>
  void place(const FlatView<T>& view, const View& now, double angle, ContactPoint<T>& out,
             double bend = 0) const {
    const double c = std::cos(angle), s = std::sin(angle);
    Flat<T> ray{T(c), T(s)};
    T depth = view.centre.x * c + view.centre.y * s - clearance();
    T slope = view.centre.y * c - view.centre.x * s;
    T arm = T(inner_radius), aside = T(0.0);
    if (!bearing.round()) {
      const Outline::Local b = bearing.at(angle);
      depth -= T(b.w);
      slope -= T(b.slope);
    }
    if (!journal.round()) {
      const Outline::Local j = journal.at(angle - now.turn);
      // What the turn of the journal adds to its angle as it stands: no value, only derivatives.
      const double c0 = std::cos(now.turn), s0 = std::sin(now.turn);
      const T more = view.turn.y * c0 - view.turn.x * s0;
      depth += j.w - j.slope * more;
      slope += j.slope - j.bend * more;
      arm += j.w;
      aside = j.slope - j.bend * more;
    }
    if constexpr (!std::is_same_v<T, double>) {
      if (bend < 0) {
        const T along = (slope - value_of(slope)) / -bend;
        ray = {c - s * along, s + c * along};
        if (!journal.round()) aside += journal.at(angle - now.turn).bend * along;
      }
    }
    const Flat<T> Q = view.centre + ray * T(arm - (1 - share) * depth) + ray.left() * aside;
    view.put(Q, ray, depth, out);
  }

 private:
  struct Deepest {
    double angle, depth, bend;
  };
  [[nodiscard]] Deepest deepest(const View& v) const;
  /// The top of a rise between two angles, from where it is known to be near.
  [[nodiscard]] Deepest top(const View& v, double low, double angle, double high) const;
  [[nodiscard]] double end_of_stretch(const View& v, double inside, double outside,
                                      double start) const;
  /// Overlaps on a grid all round: (angle step, values).
  [[nodiscard]] int grid() const {
    return static_cast<int>(std::max(bearing.places().size(), journal.places().size()));
  }
  [[nodiscard]] double look(const View& v, int place) const;
};

}  // namespace freeplay::joints
