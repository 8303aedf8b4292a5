// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "joints/contact_point.hpp"
#include "model/evaluate_row.hpp"
#include <freeplay/model.hpp>

#include <cmath>
#include <limits>
#include <string_view>

// End stops of a joint coordinate as contacts: contact 0 is the lower stop, contact 1 the upper.
// A stop on a length pushes along the axis at the second joint point, one on an angle turns.
namespace freeplay::joints {

struct CoordinateStop {
  Joint joint;  ///< whose coordinate it is
  Coordinate coordinate = Coordinate::angle;
  bool planar = false;
  double turns = 0;  // planar: whole turns between the bodies as written; rad
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();

  [[nodiscard]] static int contacts() { return 2; }
  [[nodiscard]] static std::string_view contact_name(int k) { return k == 0 ? "lower" : "upper"; }
  [[nodiscard]] static double clearance() { return 0; }
  [[nodiscard]] static Vec3 eccentricity(const Pose<double>&, const Pose<double>&) {
    return Vec3::Zero();
  }

  [[nodiscard]] static double ratio(const Pose<double>&, const Pose<double>&) { return 0; }

  /// The coordinate and the direction along which it grows.
  template <class T>
  struct Measured {
    T value;
    Vec3T<T> axis;
  };
  template <class T>
  Measured<T> measure(const Pose<T>& p1, const Pose<T>& p2) const {
    using std::atan2;
    using std::sqrt;
    const auto axis1 = [&](int k) -> Vec3T<T> { return p1.R * joint.first.axes.col(k); };
    const auto axis2 = [&](int k) -> Vec3T<T> { return p2.R * joint.second.axes.col(k); };
    const Vec3T<T> d = p2.r + p2.R * joint.second.point - p1.r - p1.R * joint.first.point;
    switch (coordinate) {
      case Coordinate::displacement:
        if (const auto own = kind_of(joint).displacement) {
          const auto row = evaluate_row(own(joint), joint, place_of(joint, p1, p2), {}, planar);
          const double round = round_of(joint);
          return {round > 0 ? nearest(row.phi, round) : row.phi, row.v2};
        }
        return along(axis1(2), d);
      case Coordinate::displacement_x:
        return along(axis1(0), d);
      case Coordinate::displacement_y:
        return along(axis1(1), d);
      case Coordinate::length: {
        const T l = sqrt(d.dot(d));
        return {l, d / l};
      }
      case Coordinate::universal_second:
        return {nearest(-atan2(axis2(1).dot(axis1(2)), axis2(0).dot(axis1(2)))), axis2(2)};
      case Coordinate::angle:
        break;
    }
    if (planar) return {joint_angle(joint, p1, p2, planar) - turns, axis1(2)};
    return {nearest(joint_angle(joint, p1, p2, planar)), axis1(2)};
  }

  [[nodiscard]] double depth(int k, const Pose<double>& p1, const Pose<double>& p2) const {
    const double value = measure(p1, p2).value;
    const double out = k == 0 ? lower - value : value - upper;
    return std::isfinite(out) ? out : -1;  // no stop on this side
  }

  [[nodiscard]] bool exists(int k) const { return std::isfinite(k == 0 ? lower : upper); }
  template <class T>
  bool leading(int k, const Pose<T>& p1, const Pose<T>& p2, ContactPoint<T>& out) const {
    if (!exists(k)) return false;
    const Measured<T> now = measure(p1, p2);
    out.depth = k == 0 ? T(lower - now.value) : T(now.value - upper);
    out.normal = k == 0 ? Vec3T<T>(-now.axis) : now.axis;
    out.arm2 = p2.R * joint.second.point;
    out.arm1 = p2.r + out.arm2 - p1.r;
    out.couple = is_angle(coordinate);
    return true;
  }
  template <class T, class Visit>
  void points(int k, const Pose<T>& p1, const Pose<T>& p2, Visit&& visit) const {
    ContactPoint<T> point;
    if (leading(k, p1, p2, point) && value_of(point.depth) > 0) visit(point);
  }
  [[nodiscard]] int state(const Pose<double>& p1, const Pose<double>& p2) const {
    return depth(0, p1, p2) > 0 ? 1 : depth(1, p1, p2) > 0 ? 2 : 0;
  }

 private:
  template <class T>
  static Measured<T> along(const Vec3T<T>& axis, const Vec3T<T>& d) {
    return {axis.dot(d), axis};
  }
  /// Of all values that a whole round apart say the same, the one nearest to the middle of the
  /// stops.
  template <class T>
  T nearest(const T& value, double round = 2 * M_PI) const {
    const double middle = std::isfinite(lower) && std::isfinite(upper) ? 0.5 * (lower + upper)
                          : std::isfinite(lower)                       ? lower + 1
                          : std::isfinite(upper)                       ? upper - 1
                                                                       : 0;
    return value + round * std::round((middle - value_of(value)) / round);
  }
};

}  // namespace freeplay::joints
