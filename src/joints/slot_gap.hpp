// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rotation.hpp"
#include "joints/host_view.hpp"
#include "joints/small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>

// Pin in a slot with round ends (theory/gaps (G.18), (G.19); Skrinjar et al. 2016): the nearest
// point of the centre line takes the place of the bearing's centre. The centre line is straight
// along z of the first frame (in space: a ball in a round tube), or in the plane an arc about the
// joint point of the first body, angles from z of its frame.
//
// The wall is flat along the slot and hollow at its ends. A point law whose stiffness follows from
// the radii goes as K ~ sqrt(R_eff), its energy as K d^2.5: with the depth counted as
//
//   d_eff = lambda d,  lambda = (R_eff/R_wall)^(1/5),
//
// the one law of the joint, made for R_wall, has the energy of the right curvature everywhere.
// lambda goes smoothly from wall to end over a pin radius, and the force is the gradient of that
// energy: it does no work round a closed path.
namespace freeplay::joints {

struct SlotGap {
  Frame first, second;
  double outer_radius = 0, inner_radius = 0;  ///< half the width of the slot; pin; m
  double arc_radius = 0;                      ///< of the centre line; 0: straight; m
  std::optional<Clearance::Ends> ends;        ///< of the centre line; m, or rad on an arc
  /// lambda at the outer wall (straight: both walls), the inner wall of an arc, and the ends.
  double outer_scale = 1, inner_scale = 1, end_scale = 1;
  double share = 0.5;  ///< force_share()

  [[nodiscard]] static int contacts() { return 1; }
  [[nodiscard]] static std::string_view contact_name(int) { return "slot"; }
  [[nodiscard]] double clearance() const { return outer_radius - inner_radius; }

  /// Pin centre from the nearest point of the centre line; global axes.
  [[nodiscard]] Vec3 eccentricity(const Pose<double>& p1, const Pose<double>& p2) const {
    return p1.R * first.axes * nearest(host_view(first, second, false, share, p1, p2)).e;
  }

  [[nodiscard]] double ratio(const Pose<double>& p1, const Pose<double>& p2) const {
    return clearance() > 0 ? eccentricity(p1, p2).norm() / clearance() : 0;
  }

  [[nodiscard]] double depth(int, const Pose<double>& p1, const Pose<double>& p2) const {
    return nearest(host_view(first, second, false, share, p1, p2)).e.norm() - clearance();
  }

  template <class T, class Visit>
  void points(int, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    ContactPoint<T> point;
    if (contact(p1, p2, point) && point.depth > T(0.0)) visit(std::as_const(point));
  }

  template <class T>
  bool leading(int, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    using std::sqrt;
    if (!contact(p1, p2, out)) return false;
    const Vec3T<T> e = nearest(host_view(first, second, false, share, p1, p2)).e;
    out.depth = sqrt(e.dot(e)) - clearance();
    return true;
  }

  /// Where the wall is nearest, at whatever distance; false on the centre line. The force near an
  /// end has another direction, except at the touch.
  bool foremost(int, const Pose<double>& p1, const Pose<double>& p2,
                ContactPoint<double>& out) const {
    const HostView<double> v = host_view(first, second, false, share, p1, p2);
    const Vec3 e = nearest(v).e;
    const double distance = e.norm();
    if (distance < kNoDirection) return false;
    const Vec3 normal = e / distance;
    out = v.contact(v.o + normal * inner_radius, normal, distance - clearance());
    return true;
  }

  /// 0 none, 1 at a wall, 2 at an end.
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    const Nearest<double> at = nearest(host_view(first, second, false, share, p1, p2));
    return at.e.norm() <= clearance() ? 0 : at.beyond > 0 ? 2 : 1;
  }

  /// Where on the outline of a slot with ends the pin is nearest to its wall: from the beginning of
  /// the outer wall along it, round the far end and back; m. And 1/R of pin against wall there;
  /// 1/m.
  struct Place {
    double along, curvature;
  };
  [[nodiscard]] Place place(const Pose<double>& p1, const Pose<double>& p2) const {
    const HostView<double> v = host_view(first, second, false, share, p1, p2);
    const Nearest<double> at = nearest(v);
    const bool arc = arc_radius > 0;
    const double span = ends->to - ends->from, half_turn = std::numbers::pi * outer_radius;
    const double outer = (arc ? arc_radius + outer_radius : 1) * span,
                 inner = (arc ? arc_radius - outer_radius : 1) * span;
    // From the middle of the centre line along it.
    double along = (arc ? std::atan2(v.o[0], v.o[2]) : v.o[2]) - ends->from - 0.5 * span;
    if (arc) along = std::remainder(along, 2 * std::numbers::pi);
    const double pin = 1 / inner_radius;
    if (at.beyond > 0) {
      // Round an end, by the angle from the wall before it: e along the centre line and across it.
      const bool far = along > 0;
      const double bend = far ? ends->to : ends->from, c = std::cos(bend), s = std::sin(bend);
      const double forward = arc ? at.e[0] * c - at.e[2] * s : at.e[2],
                   outward = arc ? at.e[0] * s + at.e[2] * c : at.e[0];
      const double angle = far ? std::atan2(forward, outward) : std::atan2(-forward, -outward);
      return {(far ? outer : outer + half_turn + inner) + outer_radius * angle,
              pin - 1 / outer_radius};
    }
    const double part = std::clamp(along / span + 0.5, 0.0, 1.0);
    if (arc ? at.outside : at.e[0] >= 0)
      return {part * outer, arc ? pin - 1 / (arc_radius + outer_radius) : pin};
    return {outer + half_turn + (1 - part) * inner,
            arc ? pin + 1 / (arc_radius - outer_radius) : pin};
  }
  /// Length of that outline; m.
  [[nodiscard]] double perimeter() const {
    return 2 * (arc_radius > 0 ? arc_radius : 1) * (ends->to - ends->from) +
           2 * std::numbers::pi * outer_radius;
  }

 private:
  template <class T>
  struct Nearest {
    Vec3T<T> e;        ///< pin centre from the centre line, frame of the slot; m
    Vec3T<T> forward;  ///< unit vector along the centre line, away from the middle of the slot
    T beyond;      ///< how far past the nearer end, along the centre line; negative: before it; m
    bool outside;  ///< arc: on the side of the outer wall
  };

  template <class T>
  Nearest<T> nearest(const HostView<T>& v) const {
    return arc_radius > 0 ? nearest_on_arc(v) : nearest_on_line(v);
  }

  template <class T>
  Nearest<T> nearest_on_line(const HostView<T>& v) const {
    const T s = v.o[2];
    Nearest<T> out{
        v.o, {T(0.0), T(0.0), T(1.0)}, T(-std::numeric_limits<double>::infinity()), true};
    out.e[2] = T(0.0);
    if (!ends) return out;
    const double middle = 0.5 * (ends->from + ends->to);
    const double side = s < T(middle) ? -1 : 1;
    out.forward[2] = T(side);
    out.beyond = side * (s - (side < 0 ? ends->from : ends->to));
    if (out.beyond > T(0.0)) out.e[2] = side * out.beyond;
    return out;
  }

  template <class T>
  Nearest<T> nearest_on_arc(const HostView<T>& v) const {
    using std::atan2, std::sqrt, std::cos, std::sin;
    const T r = sqrt(v.o[0] * v.o[0] + v.o[2] * v.o[2] + kRegularSquare);
    // x of the frame is to the left of z: angles count anticlockwise.
    const Vec3T<T> radial(v.o[0] / r, T(0.0), v.o[2] / r), turn(radial[2], T(0.0), -radial[0]);
    Nearest<T> out{radial * (r - arc_radius), turn, T(-std::numeric_limits<double>::infinity()),
                   r >= T(arc_radius)};
    if (!ends) return out;
    const double middle = 0.5 * (ends->from + ends->to), half = 0.5 * (ends->to - ends->from);
    // Angle from the middle of the slot, never far from it.
    const T c = v.o[2] * std::cos(middle) + v.o[0] * std::sin(middle);
    const T s = v.o[0] * std::cos(middle) - v.o[2] * std::sin(middle);
    const T angle = atan2(s, c + 1e-300);
    const double side = angle < T(0.0) ? -1 : 1;
    out.forward = turn * T(side);
    out.beyond = arc_radius * (side * angle - half);
    if (out.beyond <= T(0.0)) return out;
    const double end = middle + side * half;
    out.e = v.o;
    out.e[1] = T(0.0);
    out.e[0] -= arc_radius * std::sin(end);
    out.e[2] -= arc_radius * std::cos(end);
    return out;
  }

  template <class T>
  bool contact(const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    using std::sqrt;
    const HostView<T> v = host_view(first, second, false, share, p1, p2);
    const Nearest<T> at = nearest(v);
    const T distance = sqrt(at.e.dot(at.e) + kRegularSquare);
    if (value_of(distance) <= 0.5 * clearance() || value_of(distance) < kNoDirection) return false;
    const T depth = distance - clearance();
    const Vec3T<T> n = at.e / distance;

    // Gradient of d_eff by the place of the pin centre: along the wall; near an end, where lambda
    // changes along the slot as well.
    const double wall = at.outside ? outer_scale : inner_scale;
    T lambda = T(wall);
    Vec3T<T> gradient = n * lambda;
    const T t = 1.0 + at.beyond / inner_radius;  // 0 along the wall, 1 from the end on
    if (t > T(0.0) && wall != end_scale) {
      const bool full = t >= T(1.0);
      const T blend = full ? T(1.0) : T(t * t * (3.0 - 2.0 * t));
      const T slope = full ? T(0.0) : T(6.0 * t * (1.0 - t) / inner_radius);
      lambda += (end_scale - wall) * blend;
      // `beyond` is measured on the centre line; on an arc the pin centre is on another radius.
      T advance = T(1.0);
      if (arc_radius > 0)
        advance = arc_radius / sqrt(v.o[0] * v.o[0] + v.o[2] * v.o[2] + kRegularSquare);
      gradient = n * lambda + at.forward * ((end_scale - wall) * slope * advance * depth);
    }
    const T steepness = sqrt(gradient.dot(gradient));
    const Vec3T<T> normal = gradient / steepness;
    // The force goes through the pin centre: the energy does not change when the pin turns.
    out = v.contact(v.o + normal * inner_radius, normal, depth);
    out.depth = lambda * depth;
    out.weight = steepness;
    return true;
  }
};

}  // namespace freeplay::joints
