// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"

// One place where two surfaces are near, as geometry sees it, and how the material there moves.
// Both bodies are pushed at one common point Q, midway between the two surfaces, and the velocities
// are those of the material at Q: anything else makes a couple or a slip from nowhere (physics
// 0, 2.1).
namespace freeplay::joints {

template <class T>
struct ContactPoint {
  T depth;              ///< > 0: penetration; m
  Vec3T<T> normal;      ///< from the outer part outward through the contact
  Vec3T<T> arm1, arm2;  ///< from each body's centre of mass to Q; m
  T weight = T(1.0);    ///< share of the patch's law this point carries: ds/L on a line, dA/A on a
                        ///< face; 1 for a point contact
  int surface = 0;      ///< 0: the joint's contact law; 1: its face law
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
  const T rate = relative.dot(normal);
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

}  // namespace freeplay::joints
