// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_types.hpp"

// Constraint rows of joints (row_spec.hpp) at work. A row knows its violation, its gradient with
// respect to the velocities of both bodies, and the part of its second derivative that holds no
// acceleration.
namespace freeplay {

template <class T>
RowValue<T> evaluate_row(const RowSpec& row, const Joint& joint, const JointPlace<T>& g, Jet drive,
                         bool planar_mechanism) {
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
      const Vec3T<T> a = p1.R * row.a;
      out.phi = a.dot(g.d) - drive.x;
      out.gamma = drive.ddx - set_travel(a, g, out);
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
      const LooseTurn<T> turn = loose_turn<T>(p1.R * row.a, p2.R * row.b, p1, p2);
      out.phi = wrapped(T(joint_angle(joint, p1, p2, planar_mechanism) - drive.x));
      out.v1 = out.v2 = zero;
      out.w1 = -turn.gradient;
      out.w2 = turn.gradient;
      out.gamma = drive.ddx - turn.bias;
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
    case RowSpec::Kind::own:
      return JointTypes::own_row<T>(row, joint, g, drive, planar_mechanism);
  }
  return out;
}

}  // namespace freeplay
