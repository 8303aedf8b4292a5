// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rotation.hpp"

// Where a body is and how it moves: all that joints and force elements ever see of it. Global axes.
namespace freeplay {

template <class T>
struct Pose {
  Vec3T<T> r;        ///< centre of mass; m
  Mat3T<T> R;        ///< body axes to global axes
  Vec3T<T> v;        ///< m/s
  Vec3T<T> w;        ///< angular velocity; rad/s
  T angle = T(0.0);  ///< planar bodies: rotation about z, not wrapped; rad
};

/// A force and a moment about the body's centre of mass, global axes; N, N m.
template <class T>
struct Wrench {
  Vec3T<T> force = Vec3T<T>::Zero();
  Vec3T<T> moment = Vec3T<T>::Zero();

  /// Adds force f acting at the point `arm` away from the centre of mass.
  void add(const Vec3T<T>& f, const Vec3T<T>& arm) {
    force += f;
    moment += arm.cross(f);
  }
};

}  // namespace freeplay
