// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "core/pose.hpp"
#include <freeplay/model.hpp>

#include <utility>

// One place where two surfaces are near, as geometry sees it, and how the material there moves.
// Both bodies are pushed at one common point Q between the two surfaces, midway unless the model
// says otherwise (ForcePoint), and the velocities are those of the material at Q: two points would
// make a couple or a slip from nowhere (docs/theory/conventions.md).
//
// A geometry is a struct of numbers with
//
//   contacts()                 patches: each has one touch and separation, one memory
//   contact_name(k)            "radial A", "upper left", ...
//   depth(k, p1, p2)           deepest depth of a patch, continuous for all poses; m
//   points(k, p1, p2, visit)   its points in contact: one, or the nodes of a quadrature
//   leading(k, p1, p2, out)    its deepest point; false where there is no direction
//   eccentricity(p1, p2)       inner minus outer centre, global axes; m
//   clearance()                length to which the eccentricity ratio refers; m
//   ratio(p1, p2)              eccentricity over clearance
//   state(p1, p2)              label of the contact state; 0: none
//
// and, where a part can slide out of the other, edges(k, p1, p2, visit): places at which the end
// of a part cuts a pressed line short, pushed with weight x potential(depth) of the contact law.
//
// The nodes of a quadrature are chosen from the values of the pose and count as fixed in the
// material when derivatives are taken. That is exact: force per length is zero where the contact
// ends, so that a moving end adds nothing to the derivative of the integral (Leibniz).
namespace freeplay::joints {

/// Which law answers at a contact point.
inline constexpr int kContactSurface = 0;  ///< the joint's contact law
inline constexpr int kFaceSurface = 1;     ///< its end faces: a linear foundation

/// How far Q lies from the surface of the outer part to that of the inner one, over the depth.
constexpr double force_share(ForcePoint point) {
  return point == ForcePoint::socket ? 0.0 : point == ForcePoint::ball ? 1.0 : 0.5;
}

template <class T>
struct ContactPoint {
  T depth;                        ///< > 0: penetration; m
  Vec3T<T> normal;                ///< from the outer part outward through the contact
  Vec3T<T> arm1, arm2;            ///< from each body's centre of mass to Q; m
  T weight = T(1.0);              ///< share of the law that this point carries
  int surface = kContactSurface;  ///< which law
  bool couple = false;  ///< a stop that turns: depth in rad, the "force" is a moment along `normal`
};

/// Motion of the inner material relative to the outer at Q.
template <class T>
struct ContactMotion {
  T rate;         ///< > 0: approach; m/s
  Vec3T<T> slip;  ///< tangential velocity; m/s
};

template <class T>
ContactMotion<T> motion_at(const Vec3T<T>& normal, const Vec3T<T>& arm1, const Vec3T<T>& arm2,
                           const Pose<T>& first, const Pose<T>& second) {
  const Vec3T<T> relative = second.v + second.w.cross(arm2) - first.v - first.w.cross(arm1);
  const T rate = freeplay::dot(relative, normal);
  return {rate, relative - rate * normal};
}
template <class T>
ContactMotion<T> motion_at(const ContactPoint<T>& point, const Pose<T>& first,
                           const Pose<T>& second) {
  if (point.couple) return {point.normal.dot(second.w - first.w), Vec3T<T>::Zero()};
  return motion_at(point.normal, point.arm1, point.arm2, first, second);
}

/// Lets force f (a moment where the point says so) act on the inner part and its reverse on the
/// outer.
template <class T>
void push(const ContactPoint<T>& point, const Vec3T<T>& f, Wrench<T>& on_first,
          Wrench<T>& on_second) {
  if (point.couple) {
    on_second.moment += f;
    on_first.moment -= f;
    return;
  }
  on_second.add(f, point.arm2);
  on_first.add(-f, point.arm1);
}

/// The same pose without derivatives.
inline const Pose<double>& values_of(const Pose<double>& pose) { return pose; }
template <class T>
Pose<double> values_of(const Pose<T>& pose) {
  Pose<double> out;
  for (int i = 0; i < 3; ++i) {
    out.r[i] = value_of(pose.r[i]);
    out.v[i] = value_of(pose.v[i]);
    out.w[i] = value_of(pose.w[i]);
    for (int j = 0; j < 3; ++j) out.R(i, j) = value_of(pose.R(i, j));
  }
  out.angle = value_of(pose.angle);
  return out;
}

}  // namespace freeplay::joints
