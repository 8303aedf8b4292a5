// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rotation.hpp"
#include "core/scalars.hpp"
#include "joints/contact_point.hpp"
#include <freeplay/model.hpp>

#include <cmath>
#include <random>
#include <utility>

// Two bodies held where the tests want them, and the load of an elastic law on a geometry.
namespace freeplay::joints {

using Random = std::mt19937_64;
inline double between(Random& random, double low, double high) {
  return std::uniform_real_distribution<>(low, high)(random);
}
inline Vec3 vector_within(Random& random, double size) {
  return {between(random, -size, size), between(random, -size, size), between(random, -size, size)};
}
inline Mat3 turned(const Vec3& theta) { return rotation_matrix(quaternion_exp(theta)); }

/// Frames on two bodies, anywhere; of a planar mechanism if told so (z in the plane, y across it).
struct Rig {
  Frame first, second;
  Pose<double> p1, p2;
  bool planar = false;

  Rig(Random& random, bool in_plane) : planar(in_plane) {
    const auto frame = [&](BodyIndex body) {
      Frame out;
      out.body = body;
      out.point = vector_within(random, 0.05);
      out.axes = turned(vector_within(random, 2));
      if (in_plane) {
        out.point[2] = 0;
        const double angle = between(random, -3, 3);
        out.axes.col(2) << std::cos(angle), std::sin(angle), 0;
        out.axes.col(1) << 0, 0, 1;
        out.axes.col(0) = out.axes.col(1).cross(out.axes.col(2));
      }
      return out;
    };
    first = frame(BodyIndex(1));
    second = frame(BodyIndex(2));
    p1.r = vector_within(random, 0.3);
    p1.R = turned(vector_within(random, 2));
    if (in_plane) {
      p1.r[2] = 0;
      p1.R = rotation_about_z(between(random, -3, 3));
    }
    p1.v = p1.w = p2.v = p2.w = Vec3::Zero();
    place(Vec3::Zero(), Vec3::Zero());
  }

  /// Puts the second frame at `o`, turned by `theta`, both as seen in the first frame.
  void place(const Vec3& o, const Vec3& theta) {
    p2.R = p1.R * first.axes * turned(theta) * second.axes.transpose();
    p2.r = p1.r + p1.R * (first.point + first.axes * o) - p2.R * second.point;
  }

  /// Speeds of the bodies; the second one's on top of the motion with the first.
  void move(Random& random, double speed) {
    const auto in_plane = [&](Vec3 v, bool turn) {
      if (planar && turn) return Vec3(0, 0, v[2]);
      if (planar) v[2] = 0;
      return v;
    };
    p1.v = in_plane(vector_within(random, speed), false);
    p1.w = in_plane(vector_within(random, 10 * speed), true);
    p2.w = p1.w + in_plane(vector_within(random, 10 * speed), true);
    p2.v = p1.v + p1.w.cross(p2.r - p1.r) + in_plane(vector_within(random, speed), false);
  }

  /// The same rig after a time, its speeds kept.
  [[nodiscard]] Rig after(double t) const {
    Rig out = *this;
    for (Pose<double>* p : {&out.p1, &out.p2}) {
      p->r += p->v * t;
      p->R = turned(p->w * t) * p->R;
    }
    return out;
  }
};

/// K d^1.5 on the contact surface, k d on faces; both with d'/v damping where it is asked for.
struct Elastic {
  double K = 1e10, k = 1e8, damping = 0;

  template <class T>
  T force(const ContactPoint<T>& p, const T& rate) const {
    using std::pow;
    const T e = p.surface == kFaceSurface ? T(k * p.depth) : T(K * pow(p.depth, 1.5));
    return e * (1.0 + damping * rate);
  }
  template <class T>
  T energy(const ContactPoint<T>& p) const {
    using std::pow;
    return p.surface == kFaceSurface ? T(0.5 * k * p.depth * p.depth)
                                     : T(0.4 * K * pow(p.depth, 2.5));
  }
};

template <class T>
struct Load {
  Wrench<T> on_first, on_second;
  T power = T(0.0);   ///< of the normal forces on both bodies; W
  double energy = 0;  ///< J
  int points = 0, edges = 0;
};

/// What the contacts of a geometry do. `scaled`: weights are slopes of the depth, not shares of an
/// energy (slots).
template <class T, class G>
Load<T> load(const G& geometry, const Pose<T>& p1, const Pose<T>& p2, const Elastic& law,
             bool scaled = false) {
  Load<T> out;
  for (int k = 0; k < geometry.contacts(); ++k)
    geometry.points(k, p1, p2, [&](const ContactPoint<T>& p) {
      const ContactMotion<T> motion = motion_at(p, p1, p2);
      const T force = p.weight * law.force(p, motion.rate);
      const Vec3T<T> on_inner = p.normal * T(-force);
      out.on_second.add(on_inner, p.arm2);
      out.on_first.add(-on_inner, p.arm1);
      out.power += on_inner.dot(p2.v + p2.w.cross(p.arm2) - p1.v - p1.w.cross(p.arm1));
      if constexpr (std::is_same_v<T, double>)
        out.energy += (scaled ? 1 : p.weight) * law.energy(p);
      ++out.points;
    });
  if constexpr (requires { geometry.edges(0, p1, p2, [](const ContactPoint<T>&) {}); })
    for (int k = 0; k < geometry.contacts(); ++k)
      geometry.edges(k, p1, p2, [&](const ContactPoint<T>& p) {
        const Vec3T<T> on_inner = p.normal * T(-p.weight * law.energy(p));
        out.on_second.add(on_inner, p.arm2);
        out.on_first.add(-on_inner, p.arm1);
        out.power += on_inner.dot(p2.v + p2.w.cross(p.arm2) - p1.v - p1.w.cross(p.arm1));
        ++out.edges;
      });
  return out;
}

/// Moment on the second body about its joint point, and the force, in the first frame.
inline std::pair<Vec3, Vec3> in_first_frame(const Rig& rig, const Wrench<double>& on_second) {
  const Mat3 axes = rig.p1.R * rig.first.axes;
  const Vec3 arm = rig.p2.R * rig.second.point;
  return {axes.transpose() * on_second.force,
          axes.transpose() * (on_second.moment - arm.cross(on_second.force))};
}

}  // namespace freeplay::joints
