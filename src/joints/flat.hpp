// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/contact_point.hpp"
#include <freeplay/model.hpp>

#include <cmath>
#include <type_traits>

// Joints of planar mechanisms seen from their bearing: plane vectors in the axes of the body that
// carries it.
namespace freeplay::joints {

template <class T>
struct Flat {
  T x, y;
  template <class U>
  [[nodiscard]] auto dot(const Flat<U>& o) const {
    return x * o.x + y * o.y;
  }
  template <class U>
  [[nodiscard]] auto cross(const Flat<U>& o) const {
    return x * o.y - y * o.x;
  }
  [[nodiscard]] Flat left() const { return {-y, x}; }  ///< turned by a quarter, anticlockwise
  friend Flat operator+(const Flat& a, const Flat& b) { return {a.x + b.x, a.y + b.y}; }
  friend Flat operator-(const Flat& a, const Flat& b) { return {a.x - b.x, a.y - b.y}; }
  friend Flat operator-(const Flat& a) { return {-a.x, -a.y}; }
  friend Flat operator*(const Flat& a, const T& s) { return {a.x * s, a.y * s}; }
};
template <class T>
Flat<T> lifted(const Flat<double>& a) {
  return {T(a.x), T(a.y)};
}

/// Where the journal is: its centre and how far its body is turned, as the bearing's body sees it.
template <class T>
struct FlatView {
  Flat<T> axis1;       ///< x axis of the bearing's body, global
  Flat<T> centre;      ///< of the journal; m
  Flat<T> turn;        ///< cosine and sine of its turn
  Flat<T> arm1, arm2;  ///< centres of mass to joint points, global; m

  /// The contact at Q, bearing axes.
  void put(const Flat<T>& Q, const Flat<T>& normal, const T& depth, ContactPoint<T>& out) const {
    const auto global = [&](const Flat<T>& a) {
      return Vec3T<T>(axis1.x * a.x - axis1.y * a.y, axis1.y * a.x + axis1.x * a.y, T(0.0));
    };
    out.depth = depth;
    out.normal = global(normal);
    out.arm1 = Vec3T<T>(arm1.x, arm1.y, T(0.0)) + global(Q);
    out.arm2 = Vec3T<T>(arm2.x, arm2.y, T(0.0)) + global(Q - centre);
  }
  /// From the axes of the journal's body to those of the bearing's.
  [[nodiscard]] Flat<T> turned(const Flat<double>& a) const {
    return {turn.x * a.x - turn.y * a.y, turn.y * a.x + turn.x * a.y};
  }
};

template <class T>
Flat<T> flat_arm(const Frame& frame, const Pose<T>& pose) {
  const Vec3& s = frame.point;
  return {pose.R(0, 0) * s[0] + pose.R(0, 1) * s[1], pose.R(1, 0) * s[0] + pose.R(1, 1) * s[1]};
}

template <class T>
FlatView<T> flat_view(const Frame& first, const Frame& second, const Pose<T>& p1,
                      const Pose<T>& p2) {
  FlatView<T> out;
  out.axis1 = {p1.R(0, 0), p1.R(1, 0)};
  const Flat<T> axis2{p2.R(0, 0), p2.R(1, 0)};
  out.arm1 = flat_arm(first, p1);
  out.arm2 = flat_arm(second, p2);
  const Flat<T> e{p2.r[0] + out.arm2.x - p1.r[0] - out.arm1.x,
                  p2.r[1] + out.arm2.y - p1.r[1] - out.arm1.y};
  out.centre = {out.axis1.dot(e), out.axis1.cross(e)};
  out.turn = {out.axis1.dot(axis2), out.axis1.cross(axis2)};
  return out;
}

/// The same without derivatives.
inline const FlatView<double>& values_of(const FlatView<double>& view) { return view; }
template <class T>
FlatView<double> values_of(const FlatView<T>& view) {
  const auto value = [](const Flat<T>& a) { return Flat<double>{value_of(a.x), value_of(a.y)}; };
  return {value(view.axis1), value(view.centre), value(view.turn), value(view.arm1),
          value(view.arm2)};
}

}  // namespace freeplay::joints
