// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "joints/flat.hpp"
#include "joints/outline.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

// Journal in a bearing of the plane, one or both of them out of round: contact at the nearest
// points of the two surfaces, along their common normal (theory/gaps (G.28) to (G.32)).
//
// Where the bore is hollow enough for the journal everywhere, there is one contact. Otherwise it
// rests on several, between the places where the bore is most sharply bent: each arc from one such
// place to the next is a patch with a contact, a touch and a memory of its own.
namespace freeplay::joints {

/// More places to touch than this are a rough surface, which point contacts do not describe. chosen
inline constexpr int kMostPatches = 64;

struct ProfileGap {
  Frame first, second;
  double outer_radius = 0, inner_radius = 0;  ///< of the mean circles; m
  double share = 0.5;                         ///< force_share()
  Outline bearing, journal;
  /// Borders of the patches, on the surface that has them: places() of its outline. Empty: one
  /// patch all round.
  std::vector<int> borders;

  /// Works out the patches. False where they would have to wander over both surfaces.
  bool divide();

  [[nodiscard]] int contacts() const { return std::max(1, static_cast<int>(borders.size())); }
  [[nodiscard]] static std::string_view contact_name(int k);
  [[nodiscard]] double clearance() const { return outer_radius - inner_radius; }
  /// Widest distance of the surfaces from each other; m.
  [[nodiscard]] double widest() const { return clearance() + bearing.greatest() - journal.least(); }

  /// Inner minus outer centre; global axes.
  [[nodiscard]] Vec3 eccentricity(const Pose<double>& p1, const Pose<double>& p2) const {
    return p2.r + p2.R * second.point - p1.r - p1.R * first.point;
  }
  [[nodiscard]] double ratio(const Pose<double>& p1, const Pose<double>& p2) const {
    return clearance() > 0 ? eccentricity(p1, p2).norm() / clearance() : 0;
  }
  /// How many places touch.
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    const FlatView<double> view = flat_view(first, second, p1, p2);
    int out = 0;
    for (int k = 0; k < contacts(); ++k) {
      const Spot spot = nearest(k, view);
      out += spot.inside && spot.depth > 0 ? 1 : 0;
    }
    return out;
  }

  [[nodiscard]] double depth(int k, const Pose<double>& p1, const Pose<double>& p2) const {
    return nearest(k, flat_view(first, second, p1, p2)).depth;
  }
  template <class T, class Visit>
  void points(int k, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    const FlatView<T> view = flat_view(first, second, p1, p2);
    const Spot spot = nearest(k, values_of(view));
    if (!(spot.inside && spot.depth > 0)) return;
    ContactPoint<T> point;
    place(spot, view, point);
    visit(std::as_const(point));
  }
  template <class T>
  bool leading(int k, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    const FlatView<T> view = flat_view(first, second, p1, p2);
    place(nearest(k, values_of(view)), view, out);
    return true;
  }

  /// Where two surfaces are nearest to each other. Bearing axes, except where said otherwise.
  struct Spot {
    Flat<double> b, db, ddb;  ///< point of the bearing and its derivatives by the bearing angle
    Flat<double> j, dj, ddj;  ///< of the journal, from its centre, by the journal angle
    Flat<double> normal;      ///< of the bearing, outward
    double depth = 0;         ///< m
    bool inside = true;       ///< a true contact: not at the border of its patch
  };
  [[nodiscard]] Spot nearest(int k, const FlatView<double>& view) const {
    if (journal.round()) return nearest_on_bearing(k, view);
    if (bearing.round()) return nearest_on_journal(k, view);
    return nearest_of_both(view);
  }

 private:
  /// Point of a surface of radius r and its derivatives by the angle, at the direction (c, s).
  struct Arc {
    Flat<double> p, dp, ddp;
  };
  static Arc arc(double radius, const Outline::Local& at, double c, double s) {
    const double rho = radius + at.w;
    const Flat<double> r{c, s}, t{-s, c};
    return {r * rho, r * at.slope + t * rho, r * (at.bend - rho) + t * (2 * at.slope)};
  }
  struct Found {
    Outline::Local at;
    double c, s;
    bool inside;
  };
  [[nodiscard]] Found seek(const Outline& outline, double radius, double sense, int patch,
                           const Flat<double>& from) const;

  [[nodiscard]] Spot nearest_on_bearing(int k, const FlatView<double>& view) const {
    const Found f = seek(bearing, outer_radius, 1, k, view.centre);
    const Arc b = arc(outer_radius, f.at, f.c, f.s);
    Spot out{b.p, b.dp, b.ddp, {}, {}, {}, normal_of(b.dp), 0, f.inside};
    out.j = out.normal * inner_radius;
    out.dj = out.j.left();
    out.ddj = -out.j;
    out.depth = out.normal.dot(view.centre + out.j - out.b);
    return out;
  }
  [[nodiscard]] Spot nearest_on_journal(int k, const FlatView<double>& view) const;
  [[nodiscard]] Spot nearest_of_both(const FlatView<double>& view) const;
  static Flat<double> normal_of(const Flat<double>& tangent) {
    const double length = std::sqrt(tangent.dot(tangent));
    return {tangent.y / length, -tangent.x / length};
  }

  /// The contact there; where T has derivatives, also how it moves along both surfaces: its place
  /// solves two equations, of which one step of Newton's method gives the derivatives.
  template <class T>
  void place(const Spot& spot, const FlatView<T>& view, ContactPoint<T>& out) const {
    if constexpr (std::is_same_v<T, double>) {
      view.put(spot.b + spot.normal * (share * spot.depth), spot.normal, spot.depth, out);
    } else {
      const FlatView<double> now = values_of(view);
      const auto own = [&](const Flat<double>& a) {  // journal axes
        return Flat<double>{now.turn.dot(a), now.turn.cross(a)};
      };
      const Flat<T> j = view.centre + view.turned(own(spot.j));
      const Flat<T> dj = view.turned(own(spot.dj));
      const Flat<T> between = j - lifted<T>(spot.b);
      const T depth = spot.normal.x * between.x + spot.normal.y * between.y;
      T along = T(0.0);
      if (spot.inside) {
        // (G.29): tangents parallel, the way from one point to the other across them.
        const T g1 = spot.db.x * dj.y - spot.db.y * dj.x;
        const T g2 = spot.db.x * between.x + spot.db.y * between.y;
        const double depth_now = spot.depth;
        const Flat<double> gap = spot.normal * depth_now;
        const double a11 = spot.ddb.cross(spot.dj), a12 = spot.db.cross(spot.ddj),
                     a21 = gap.dot(spot.ddb) - spot.db.dot(spot.db), a22 = spot.dj.dot(spot.db);
        const double det = a11 * a22 - a12 * a21;
        along = (a12 * (g2 - value_of(g2)) - a22 * (g1 - value_of(g1))) / det;
      }
      const double length2 = spot.db.dot(spot.db), bend = spot.db.cross(spot.ddb) / length2;
      const Flat<T> b{spot.b.x + spot.db.x * along, spot.b.y + spot.db.y * along};
      const double length = std::sqrt(length2);
      const Flat<T> normal{spot.normal.x + spot.db.x * (bend / length) * along,
                           spot.normal.y + spot.db.y * (bend / length) * along};
      view.put(b + normal * T(share * depth), normal, depth, out);
    }
  }
};

}  // namespace freeplay::joints
