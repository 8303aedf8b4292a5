// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "core/pose.hpp"
#include "model/row_spec.hpp"
#include <freeplay/model.hpp>

// What rows and coordinates of joints are computed from, templated on the scalar so that exact
// derivatives come from the same text.
namespace freeplay {

/// Joint kinematics shared by the rows of one joint; global axes.
template <class T>
struct JointPlace {
  const Pose<T>*first, *second;
  Vec3T<T> s1, s2;    ///< centre of mass to joint point
  Vec3T<T> d, d_dot;  ///< first joint point to second
  Vec3T<T> kappa;     ///< w2 x (w2 x s2) - w1 x (w1 x s1)
};

template <class T>
JointPlace<T> place_of(const Joint& joint, const Pose<T>& first, const Pose<T>& second) {
  JointPlace<T> g;
  g.first = &first;
  g.second = &second;
  g.s1 = first.R * joint.first.point;
  g.s2 = second.R * joint.second.point;
  g.d = second.r + g.s2 - first.r - g.s1;
  const Vec3T<T> u1 = first.w.cross(g.s1), u2 = second.w.cross(g.s2);
  g.d_dot = second.v + u2 - first.v - u1;
  g.kappa = second.w.cross(u2) - first.w.cross(u1);
  return g;
}

/// A row at one instant: gradient over [v1, w1, v2, w2] (global axes) and right-hand side.
template <class T>
struct RowValue {
  T phi = T(0.0);    ///< violation
  T gamma = T(0.0);  ///< J a = gamma
  double phi_t = 0;  ///< explicit time derivative of the violation
  Vec3T<T> v1, w1, v2, w2;
};

/// Brings an angle difference into (-pi, pi]; the derivative is that of the angle.
template <class T>
T wrapped(const T& angle) {
  const double a = value_of(angle);
  return angle - (a - wrap_angle(a));
}

/// Angle of axis `hand` of the second frame about the first frame's z axis, in (-pi, pi]; for
/// planar bodies the unwrapped difference of their angles.
template <class T>
T angle_of_hand(const Joint& joint, int hand, const Pose<T>& first, const Pose<T>& second,
                bool planar_mechanism) {
  using std::atan2;
  if (planar_mechanism) {
    const double offset = std::atan2(joint.second.axes(1, 0), joint.second.axes(0, 0)) -
                          std::atan2(joint.first.axes(1, 0), joint.first.axes(0, 0));
    return second.angle - first.angle + offset;
  }
  const Vec3T<T> x1 = first.R * joint.first.axes.col(0), y1 = first.R * joint.first.axes.col(1),
                 h = second.R * joint.second.axes.col(hand);
  return atan2(y1.dot(h), x1.dot(h));
}

/// Sets the gradient of a . d for a direction `a` fixed in the first body, and returns the part of
/// its second derivative that holds no acceleration.
template <class T>
T set_travel(const Vec3T<T>& a, const JointPlace<T>& g, RowValue<T>& out) {
  const Vec3T<T>& w = g.first->w;
  const Vec3T<T> a_dot = w.cross(a);
  out.v1 = -a;
  out.v2 = a;
  out.w1 = a.cross(g.d + g.s1);
  out.w2 = g.s2.cross(a);
  return w.cross(a_dot).dot(g.d) + 2.0 * a_dot.dot(g.d_dot) + a.dot(g.kappa);
}

/// The turn theta = atan2(y1.h, x1.h) of a hand h of the second body about z of the first, whatever
/// the tilt: theta' = gradient . (w2 - w1), theta'' = gradient . (w2' - w1') + bias.
template <class T>
struct LooseTurn {
  Vec3T<T> gradient;
  T bias;
};
/// With c = z.h and h's shadow p = h - c z on the first's xy plane,
/// theta' = (z - c p/p.p) . (w2 - w1).
template <class T>
LooseTurn<T> loose_turn(const Vec3T<T>& z, const Vec3T<T>& h, const Pose<T>& p1,
                        const Pose<T>& p2) {
  const Vec3T<T> w = p2.w - p1.w;
  const Vec3T<T> z_dot = p1.w.cross(z), h_dot = p2.w.cross(h);
  const T c = z.dot(h), c_dot = z_dot.dot(h) + z.dot(h_dot);
  const Vec3T<T> p = h - z * c, p_dot = h_dot - z_dot * c - z * c_dot;
  const T s = 1.0 - c * c;  // p.p
  const T ratio = c / s, ratio_dot = c_dot * (1.0 + c * c) / (s * s);
  return {z - p * ratio, (z_dot - p_dot * ratio - p * ratio_dot).dot(w)};
}

}  // namespace freeplay
