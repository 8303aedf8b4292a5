// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "joints/contact_point.hpp"
#include "joints/small_numbers.hpp"
#include <freeplay/model.hpp>

#include <string_view>

// Ball in socket and, in the plane, journal in bearing (theory/gaps (G.4)): one contact where the
// line of centres meets the wall.
namespace freeplay::joints {

struct RadialGap {
  Frame first, second;
  double outer_radius = 0, inner_radius = 0;  // m
  double share = 0.5;                         ///< force_share()

  [[nodiscard]] static int contacts() { return 1; }
  [[nodiscard]] static std::string_view contact_name(int) { return "wall"; }
  [[nodiscard]] double clearance() const { return outer_radius - inner_radius; }

  /// Inner minus outer centre; global axes.
  template <class T>
  Vec3T<T> eccentricity(const Pose<T>& p1, const Pose<T>& p2) const {
    return p2.r + turned(p2.R, second.point) - p1.r - turned(p1.R, first.point);
  }

  /// e - c. Well defined at e = 0 too.
  [[nodiscard]] double depth(int, const Pose<double>& p1, const Pose<double>& p2) const {
    const Vec3 e = eccentricity(p1, p2);
    return std::sqrt(freeplay::dot(e, e)) - clearance();
  }

  /// The point where the line of centres meets the wall.
  template <class T>
  void measure(const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    using std::sqrt;
    const Vec3T<T> s1 = turned(p1.R, first.point), s2 = turned(p2.R, second.point);
    const Vec3T<T> e = p2.r + s2 - p1.r - s1;
    const T distance = sqrt(freeplay::dot(e, e) + kRegularSquare);
    out.depth = distance - clearance();
    out.normal = e / distance;
    // Q = P_1 + (R_1 + share depth) n, the same point seen from both centres.
    out.arm1 = s1 + (outer_radius + share * out.depth) * out.normal;
    out.arm2 = s2 + (inner_radius - (1 - share) * out.depth) * out.normal;
  }
  /// At the centre there is no direction at all.
  [[nodiscard]] bool off_centre(double depth) const { return depth + clearance() >= kNoDirection; }
  /// Near it there is no contact either.
  [[nodiscard]] bool has_direction(double depth) const {
    return depth + clearance() > 0.5 * clearance() && off_centre(depth);
  }
  /// Where the wall is nearest, at whatever distance; false at the centre.
  bool foremost(int, const Pose<double>& p1, const Pose<double>& p2,
                ContactPoint<double>& out) const {
    measure(p1, p2, out);
    return off_centre(out.depth);
  }
  template <class T>
  bool contact(const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    measure(p1, p2, out);
    return has_direction(value_of(out.depth));
  }

  template <class T, class Visit>
  void points(int, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    ContactPoint<T> point;
    if (contact(p1, p2, point) && value_of(point.depth) > 0) visit(point);
  }
  template <class T>
  bool leading(int, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    return contact(p1, p2, out);
  }
  [[nodiscard]] double ratio(const Pose<double>& p1, const Pose<double>& p2) const {
    return clearance() > 0 ? eccentricity(p1, p2).norm() / clearance() : 0;
  }
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    return depth(0, p1, p2) > 0 ? 1 : 0;
  }
};

}  // namespace freeplay::joints
