// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

// Three or four numbers of a long array, seen as a vector.
namespace freeplay {

inline Eigen::Map<Vec3> vec3(double* x) { return Eigen::Map<Vec3>(x); }
inline Eigen::Map<const Vec3> vec3(const double* x) { return Eigen::Map<const Vec3>(x); }
inline Eigen::Map<Vec4> vec4(double* x) { return Eigen::Map<Vec4>(x); }
inline Eigen::Map<const Vec4> vec4(const double* x) { return Eigen::Map<const Vec4>(x); }

}  // namespace freeplay
