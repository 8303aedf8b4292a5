// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/modal_body.hpp"

// Small sums and views that both files of the modal body use.
namespace freeplay::dynamics {
namespace modal {

/// m x of a 3 x modes matrix, written out: its scalars may differ.
template <class T, class V>
Vec3T<T> sum(const MatX& m, const V& x) {
  Vec3T<T> out = Vec3T<T>::Zero();
  for (Eigen::Index k = 0; k < x.size(); ++k)
    for (int c = 0; c < 3; ++c) out[c] += m(c, k) * x[k];
  return out;
}
template <class V>
typename V::Scalar inner(const V& a, const V& b) {
  typename V::Scalar s(0.0);
  for (Eigen::Index k = 0; k < a.size(); ++k) s += a[k] * b[k];
  return s;
}
template <class T>
T along(const Vec3& e, const Vec3T<T>& x) {
  return e[0] * x[0] + e[1] * x[1] + e[2] * x[2];
}

}  // namespace modal

template <class T>
ModalBody::Modes<T> ModalBody::amplitudes(const T* from) const {
  Modes<T> out(basis_.modes);
  for (int k = 0; k < basis_.modes; ++k) out[k] = from[k];
  return out;
}
template <class T>
Mat3T<T> ModalBody::rotation(const T* q) const {
  return planar_ ? rotation_about_z(q[2]) : rotation_matrix(q[3], q[4], q[5], q[6]);
}
template <class T>
void ModalBody::split(const T* v, Vec3T<T>& linear, Vec3T<T>& angular) const {
  if (planar_) {
    linear = {v[0], v[1], T(0.0)};
    angular = {T(0.0), T(0.0), v[2]};
  } else {
    linear = {v[0], v[1], v[2]};
    angular = {v[3], v[4], v[5]};
  }
}
template <class T>
void ModalBody::put(const Vec3T<T>& linear, const Vec3T<T>& angular, T* out) const {
  out[0] = linear[0], out[1] = linear[1];
  if (planar_) {
    out[2] = angular[2];
    return;
  }
  out[2] = linear[2];
  for (int c = 0; c < 3; ++c) out[3 + c] = angular[c];
}

}  // namespace freeplay::dynamics
