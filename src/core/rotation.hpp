// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <cmath>

// Finite rotations by Euler parameters p = (e0, e1, e2, e3), w first: theory/multibody (M.1).
namespace freeplay {

/// A = (2 e0^2 - 1) I + 2 (e e^T + e0 e~), written out; body axes to global axes.
template <class T>
Mat3T<T> rotation_matrix(const T& e0, const T& e1, const T& e2, const T& e3) {
  Mat3T<T> A;
  A(0, 0) = 2.0 * (e0 * e0 + e1 * e1) - 1.0;
  A(0, 1) = 2.0 * (e1 * e2 - e0 * e3);
  A(0, 2) = 2.0 * (e1 * e3 + e0 * e2);
  A(1, 0) = 2.0 * (e1 * e2 + e0 * e3);
  A(1, 1) = 2.0 * (e0 * e0 + e2 * e2) - 1.0;
  A(1, 2) = 2.0 * (e2 * e3 - e0 * e1);
  A(2, 0) = 2.0 * (e1 * e3 - e0 * e2);
  A(2, 1) = 2.0 * (e2 * e3 + e0 * e1);
  A(2, 2) = 2.0 * (e0 * e0 + e3 * e3) - 1.0;
  return A;
}
inline Mat3 rotation_matrix(const Vec4& p) { return rotation_matrix(p[0], p[1], p[2], p[3]); }

/// R v, written out: at this size Eigen's general product costs more than the arithmetic.
template <class T, class V>
Vec3T<T> turned(const Mat3T<T>& R, const V& v) {
  return {R(0, 0) * v[0] + R(0, 1) * v[1] + R(0, 2) * v[2],
          R(1, 0) * v[0] + R(1, 1) * v[1] + R(1, 2) * v[2],
          R(2, 0) * v[0] + R(2, 1) * v[1] + R(2, 2) * v[2]};
}

/// a . b, written out: the order in which Eigen adds depends on the scalar, and so would the last
/// bit.
template <class A, class B>
auto dot(const A& a, const B& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Rotation by `angle` about z.
template <class T>
Mat3T<T> rotation_about_z(const T& angle) {
  using std::cos, std::sin;
  const T c = cos(angle), s = sin(angle), zero(0.0), one(1.0);
  Mat3T<T> A;
  A << c, -s, zero, s, c, zero, zero, zero, one;
  return A;
}

/// Product of two quaternions, w first.
inline Vec4 quaternion_product(const Vec4& a, const Vec4& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

/// Quaternion of a rotation vector (axis times angle).
inline Vec4 quaternion_exp(const Vec3& theta) {
  const double angle = theta.norm();
  // sin(x/2)/x by its series near 0, where the quotient loses digits.
  const double s = angle > 1e-4 ? std::sin(angle / 2) / angle : 0.5 - angle * angle / 48;
  return {std::cos(angle / 2), s * theta[0], s * theta[1], s * theta[2]};
}

/// Euler parameters of a rotation matrix, by the largest component (never a small divisor).
inline Vec4 quaternion_of(const Mat3& R) {
  const Eigen::Quaterniond q(R);
  return Vec4(q.w(), q.x(), q.y(), q.z()).normalized();
}

/// Angle brought into (-pi, pi].
inline double wrap_angle(double angle) {
  return angle - 2 * M_PI * std::ceil(angle / (2 * M_PI) - 0.5);
}

}  // namespace freeplay
