// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "joints/flat.hpp"
#include "joints/outline.hpp"
#include "joints/quadrature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
    place(view, now, ray_at(at.angle), out, at.bend);
    return true;
  }
  template <class T, class Visit>
  void points(int, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    const FlatView<T> view = flat_view(first, second, p1, p2);
    const FlatView<double> plain = values_of(view);
    const View now = view_of(plain);
    ContactPoint<T> point;
    point.surface = kFaceSurface;  // pressure in proportion to the depth
    each_node(plain, [&](const Ray& ray, double width) {
      place(view, now, ray, point);
      point.weight = T(width);
      if (point.depth > T(0.0)) visit(std::as_const(point));
    });
  }

  /// A ray from the centre of the bearing: its direction, and its wall there.
  struct Ray {
    double angle, cosine, sine;
    Outline::Local wall;
  };
  [[nodiscard]] Ray ray_at(double angle) const {
    Ray out{angle, std::cos(angle), std::sin(angle), {}};
    if (!bearing.round()) out.wall = bearing.at(angle);
    return out;
  }

  /// visit(ray, width) for the nodes of the sum over what is pressed; rad. Panels are fixed to the
  /// bearing and only those at the ends are cut short: nodes that moved across the corners of a
  /// worn surface would shake the force as they pass them.
  template <class Visit>
  void each_node(const FlatView<double>& view, Visit&& visit) const {
    const double panel = 2 * std::numbers::pi / panels_;
    const auto rule = this->rule();
    each_stretch(view, [&](double from, double to) {
      for (auto k = static_cast<long>(std::floor(from / panel)); from < to; ++k) {
        const double begin = static_cast<double>(k) * panel,
                     next = static_cast<double>(k + 1) * panel;
        if (from <= begin && next <= to) {
          const auto turned = static_cast<std::size_t>((k % panels_ + panels_) % panels_);
          for (std::size_t i = 0; i < rule.size(); ++i)
            visit(rays_[turned * rule.size() + i], rule[i].w * panel);
          from = next;
          continue;
        }
        const double end = std::min(to, next), width = end - from;
        if (!(width > 0)) continue;
        for (const Node1& node : rule) visit(ray_at(from + node.x * width), node.w * width);
        from = end;
      }
    });
  }
  /// Lays the nodes of whole panels out, once the outlines are there. `sectors`: of worn surfaces,
  /// splines with knots at the middles of so many; 0: they do not wear.
  void prepare(int sectors);

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

  /// visit(from, to) for the stretches of overlap, bearing angle; rad. No rise and no gap is too
  /// narrow to be seen: what is pressed changes without jumps as the parts move.
  template <class Visit>
  void each_stretch(const FlatView<double>& view, Visit&& visit) const {
    const auto call = [](void* what, double from, double to) {
      (*static_cast<std::remove_reference_t<Visit>*>(what))(from, to);
    };
    walk(view_of(view), call, &visit);
  }

  /// The point of a bearing angle; it moves with the material, unless `bend` says that it is the
  /// deepest one, which it then stays.
  template <class T>
  void place(const FlatView<T>& view, const View& now, const Ray& at, ContactPoint<T>& out,
             double bend = 0) const {
    const double c = at.cosine, s = at.sine, angle = at.angle;
    Flat<T> ray{T(c), T(s)};
    T depth = view.centre.x * c + view.centre.y * s - clearance();
    T slope = view.centre.y * c - view.centre.x * s;
    T arm = T(inner_radius), aside = T(0.0);
    if (!bearing.round()) {
      depth -= T(at.wall.w);
      slope -= T(at.wall.slope);
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

  /// Places on a grid all round, two to each rise or fall of either surface.
  [[nodiscard]] int grid() const {
    return static_cast<int>(std::max(bearing.places().size(), journal.places().size()));
  }
  /// Overlap there, and a bound of the size of its second derivative up to the next places.
  struct Look {
    double depth, bend;
  };
  [[nodiscard]] Look look(const View& v, int place) const;
  /// The places between which surfaces may touch, by their largest departures: less than half a
  /// turn, since the journal fits in. `first` is not below `last` where they cannot.
  struct Reach {
    int first, last;
  };
  [[nodiscard]] Reach reach(const View& v) const;
  using Stretch = void (*)(void*, double, double);
  void walk(const View& v, Stretch visit, void* what) const;
  /// Angles between two places where the overlap changes its sign, in order; at most six.
  struct Crossings {
    std::array<double, 6> angle;
    std::size_t count = 0;
  };
  void cross(const View& v, double a, bool a_inside, double b, bool b_inside, Crossings& out) const;
  /// The same where the overlap has at most one rise and one fall.
  void cross_plain(const View& v, double a, bool a_inside, double b, bool b_inside,
                   Crossings& out) const;
  /// Where the slope has its one zero between two angles.
  [[nodiscard]] double flat_between(const View& v, double a, double b, bool rises_at_a) const;
  [[nodiscard]] double end_of_stretch(const View& v, double inside, double outside) const;

  /// Rule of the sum over a panel.
  [[nodiscard]] std::span<const Node1> rule() const;
  int panels_ = 0;
  bool from_knot_to_knot_ = false;  // panels of cubics
  std::vector<Ray> rays_;
};

}  // namespace freeplay::joints
