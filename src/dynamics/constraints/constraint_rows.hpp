// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "core/pose.hpp"
#include <freeplay/model.hpp>

// Joints as scalar rows, a handful of primitive ones each: theory/multibody (M.10) to (M.16).
// clang-format off
//   point        e_k . d = 0             two points coincide, one global direction at a time
//   dot_axes     a . b = 0               a direction of the first normal to one of the second
//   dot_distance a . d = f(t)            second point in a plane of the first, or driven along
//   length       |d| = f(t)              two points at a distance
//   turn         theta - f(t) = 0        rotation about an axis that both bodies share, driven
//   loose_turn   theta - f(t) = 0        the same where play or rubber lets the axes tilt
//   screw        z . d - pitch theta/2pi = 0
// clang-format on
// with d from the first joint point to the second. A row knows its violation, its gradient with
// respect to the velocities of both bodies, and the part of its second derivative that holds no
// acceleration.
namespace freeplay::dynamics {

struct RowSpec {
  enum class Kind { point, dot_axes, dot_distance, length, turn, loose_turn, second_turn, screw };
  Kind kind = Kind::point;
  int component = 0;      ///< point: global direction
  Vec3 a = Vec3::Zero();  ///< axis in the first body's axes
  Vec3 b = Vec3::Zero();  ///< axis in the second body's axes
  int drive = -1;         ///< into Joint::drives; -1: the right-hand side is constant
  double constant = 0;    ///< value of the right-hand side where there is no drive (length)
  double scale = 1;  ///< divides the violation in convergence tests: L for lengths, 1 for angles
  const char* label = "";  ///< for messages: "position x", "axis"

  /// Speaks of rotations only; its violation is an angle.
  [[nodiscard]] bool turns() const {
    using enum Kind;
    return kind == dot_axes || kind == turn || kind == loose_turn || kind == second_turn;
  }
};

/// The structural rows of a joint, then one row per drive. A joint held by force has no structural
/// rows: its parts are free in the play, and a drive prescribes its one coordinate alone.
std::vector<RowSpec> rows_of(const Joint& joint, bool planar_mechanism, double length_scale);

/// Joint kinematics shared by the rows of one joint; global axes.
template <class T>
struct JointGeometry {
  const Pose<T>*first, *second;
  Vec3T<T> s1, s2;    ///< centre of mass to joint point
  Vec3T<T> d, d_dot;  ///< first joint point to second
  Vec3T<T> kappa;     ///< w2 x (w2 x s2) - w1 x (w1 x s1)
};

template <class T>
JointGeometry<T> geometry(const Joint& joint, const Pose<T>& first, const Pose<T>& second) {
  JointGeometry<T> g;
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
  T phi;             ///< violation
  T gamma;           ///< J a = gamma
  double phi_t = 0;  ///< explicit time derivative of the violation
  Vec3T<T> v1, w1, v2, w2;
};

/// Angle of the second frame's x axis (universal joints: of the cross axis, its z) about the first
/// frame's z axis, in (-pi, pi]; for planar bodies the unwrapped difference of their angles.
template <class T>
T joint_angle(const Joint& joint, const Pose<T>& first, const Pose<T>& second,
              bool planar_mechanism) {
  using std::atan2;
  if (planar_mechanism) {
    const double offset = std::atan2(joint.second.axes(1, 0), joint.second.axes(0, 0)) -
                          std::atan2(joint.first.axes(1, 0), joint.first.axes(0, 0));
    return second.angle - first.angle + offset;
  }
  const Vec3T<T> x1 = first.R * joint.first.axes.col(0), y1 = first.R * joint.first.axes.col(1),
                 hand =
                     second.R * joint.second.axes.col(joint.type == JointType::universal ? 2 : 0);
  return atan2(y1.dot(hand), x1.dot(hand));
}

/// Universal joint: angle of the second body about its own cross axis (its frame's z).
template <class T>
T second_angle(const Joint& joint, const Pose<T>& first, const Pose<T>& second) {
  using std::atan2;
  const Vec3T<T> h = first.R * joint.first.axes.col(2), x2 = second.R * joint.second.axes.col(0),
                 y2 = second.R * joint.second.axes.col(1);
  return -atan2(y2.dot(h), x2.dot(h));
}

/// Brings an angle difference into (-pi, pi]; the derivative is that of the angle.
template <class T>
T wrapped(const T& angle) {
  const double a = value_of(angle);
  return angle - (a - wrap_angle(a));
}

template <class T>
RowValue<T> evaluate_row(const RowSpec& row, const Joint& joint, const JointGeometry<T>& g,
                         Jet drive, bool planar_mechanism) {
  using std::sqrt;
  const Pose<T>&p1 = *g.first, &p2 = *g.second;
  const Vec3T<T> zero = Vec3T<T>::Zero();
  RowValue<T> out;
  out.phi_t = -drive.dx;
  switch (row.kind) {
    case RowSpec::Kind::point: {
      const int k = row.component;
      const Vec3 e = Vec3::Unit(k);
      out.phi = g.d[k];
      out.v1 = (-e).template cast<T>();
      out.v2 = e.template cast<T>();
      out.w1 = out.v2.cross(g.s1);
      out.w2 = g.s2.cross(out.v2);
      out.gamma = -g.kappa[k];
      break;
    }
    case RowSpec::Kind::dot_axes: {
      const Vec3T<T> a = p1.R * row.a, b = p2.R * row.b;
      const Vec3T<T> a_dot = p1.w.cross(a), b_dot = p2.w.cross(b);
      out.phi = a.dot(b);
      out.v1 = out.v2 = zero;
      out.w1 = a.cross(b);
      out.w2 = -out.w1;
      out.gamma = -(p1.w.cross(a_dot).dot(b) + a.dot(p2.w.cross(b_dot)) + 2.0 * a_dot.dot(b_dot));
      break;
    }
    case RowSpec::Kind::dot_distance: {
      const Vec3T<T> a = p1.R * row.a, a_dot = p1.w.cross(a);
      out.phi = a.dot(g.d) - drive.x;
      out.v1 = -a;
      out.v2 = a;
      out.w1 = a.cross(g.d + g.s1);
      out.w2 = g.s2.cross(a);
      out.gamma =
          drive.ddx - (p1.w.cross(a_dot).dot(g.d) + 2.0 * a_dot.dot(g.d_dot) + a.dot(g.kappa));
      break;
    }
    case RowSpec::Kind::length: {
      // |d| - l rather than (d.d - l^2)/2: the multiplier is then the force in the link; N.
      const T l = sqrt(g.d.dot(g.d));
      const Vec3T<T> u = g.d / l;
      const T rate = u.dot(g.d_dot);
      out.phi = l - (row.constant + drive.x);
      out.v1 = -u;
      out.v2 = u;
      out.w1 = u.cross(g.s1);
      out.w2 = g.s2.cross(u);
      out.gamma = drive.ddx - ((g.d_dot.dot(g.d_dot) - rate * rate) / l + u.dot(g.kappa));
      break;
    }
    case RowSpec::Kind::turn:
    case RowSpec::Kind::second_turn: {
      // theta' = axis . (w2 - w1) as long as the joint's own rows hold.
      const bool second = row.kind == RowSpec::Kind::second_turn;
      const Vec3T<T> a = second ? Vec3T<T>(p2.R * row.b) : Vec3T<T>(p1.R * row.a);
      const T theta =
          second ? second_angle(joint, p1, p2) : joint_angle(joint, p1, p2, planar_mechanism);
      out.phi = wrapped(T(theta - drive.x));
      out.v1 = out.v2 = zero;
      out.w1 = -a;
      out.w2 = a;
      out.gamma = drive.ddx - (second ? p2.w : p1.w).cross(a).dot(p2.w - p1.w);
      break;
    }
    case RowSpec::Kind::loose_turn: {
      // theta = atan2(y1.h, x1.h) for the hand h = x2, whatever the tilt. With c = z1.h and h's
      // shadow p = h - c z1 on the first's xy plane,  theta' = (z1 - c p/p.p) . (w2 - w1).
      const Vec3T<T> z = p1.R * row.a, h = p2.R * row.b, w = p2.w - p1.w;
      const Vec3T<T> z_dot = p1.w.cross(z), h_dot = p2.w.cross(h);
      const T c = z.dot(h), c_dot = z_dot.dot(h) + z.dot(h_dot);
      const Vec3T<T> p = h - z * c, p_dot = h_dot - z_dot * c - z * c_dot;
      const T s = 1.0 - c * c;  // p.p
      const T ratio = c / s, ratio_dot = c_dot * (1.0 + c * c) / (s * s);
      const Vec3T<T> gradient = z - p * ratio;
      out.phi = wrapped(T(joint_angle(joint, p1, p2, planar_mechanism) - drive.x));
      out.v1 = out.v2 = zero;
      out.w1 = -gradient;
      out.w2 = gradient;
      out.gamma = drive.ddx - (z_dot - p_dot * ratio - p * ratio_dot).dot(w);
      break;
    }
    case RowSpec::Kind::screw: {
      // z.d = pitch theta / 2 pi; the nearest turn is taken, so no count of turns is needed.
      const Vec3T<T> a = p1.R * row.a, a_dot = p1.w.cross(a);
      const double lead = row.constant;  // m/rad
      const T theta = joint_angle(joint, p1, p2, planar_mechanism);
      out.phi = lead * wrapped(T(a.dot(g.d) / lead - theta));
      out.v1 = -a;
      out.v2 = a;
      out.w1 = a.cross(g.d + g.s1) + lead * a;
      out.w2 = g.s2.cross(a) - lead * a;
      out.gamma = -(p1.w.cross(a_dot).dot(g.d) + 2.0 * a_dot.dot(g.d_dot) + a.dot(g.kappa)) +
                  lead * a_dot.dot(p2.w - p1.w);
      break;
    }
  }
  return out;
}

/// Value and row of a joint coordinate, for drives, springs, efforts, couplings and recording.
/// Spatial angles come wrapped; `phi` is the coordinate itself.
RowSpec coordinate_row(const Joint& joint, Coordinate coordinate);

}  // namespace freeplay::dynamics
