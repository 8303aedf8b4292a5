// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "core/views.hpp"
#include "dynamics/bodies/spatial_beam.hpp"

// What both files of the spatial beam use: a node as a number of scalars.
namespace freeplay::dynamics {

template <class T>
struct SpatialBeam::Node {
  Vec3T<T> r;
  T p[4] = {};
  Mat3T<T> R;
  Vec3T<T> v, w;  // w in body axes
  Vec3 a, alpha;  // accelerations, alpha in body axes: never differentiated by
};

template <class T>
SpatialBeam::Node<T> SpatialBeam::read(const double* q, const double* v, const double* a,
                                       [[maybe_unused]] int first_variable) {
  const auto scalar = [&](double value, [[maybe_unused]] int k) {
    if constexpr (std::is_same_v<T, double>)
      return value;
    else
      return T::variable(value, first_variable + k);
  };
  Node<T> out;
  for (int c = 0; c < 3; ++c) {
    out.r[c] = scalar(q[c], c);
    out.v[c] = scalar(v[c], 7 + c);
    out.w[c] = scalar(v[3 + c], 10 + c);
  }
  for (int c = 0; c < 4; ++c) out.p[c] = scalar(q[3 + c], 3 + c);
  out.R = rotation_matrix(out.p[0], out.p[1], out.p[2], out.p[3]);
  out.a = a ? Vec3(vec3(a)) : Vec3::Zero();
  out.alpha = a ? Vec3(vec3(a + 3)) : Vec3::Zero();
  return out;
}

}  // namespace freeplay::dynamics
