// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sin_cos.hpp"
#include "tape/traced.hpp"
#include <freeplay/math.hpp>

// Vectors and small matrices of the tree's sweeps, in space (Rd = 3) and in the plane (Rd = 1: one
// angle, two lengths).
namespace freeplay::dynamics {

template <int Rd>
struct TreeSpace {
  static constexpr int Ld = Rd == 3 ? 3 : 2;
  template <class T>
  using Rot = Eigen::Matrix<T, Rd, 1>;
  template <class T>
  using Lin = Eigen::Matrix<T, Ld, 1>;
  template <class T>
  using Orient = Eigen::Matrix<T, Ld, Ld>;
  // Blocks of an inertia.
  template <class T>
  using A = Eigen::Matrix<T, Rd, Rd>;
  template <class T>
  using B = Eigen::Matrix<T, Rd, Ld>;
  template <class T>
  using C = Eigen::Matrix<T, Ld, Ld>;
  /// Scalar of a product.
  template <class M, class X>
  using Mixed =
      typename Eigen::ScalarBinaryOpTraits<typename M::Scalar, typename X::Scalar>::ReturnType;

  // Small products written out: at this size Eigen's general loops cost more than the arithmetic.

  /// M x, of lengths
  template <class T, class M, class X>
  static Lin<T> times(const M& m, const X& x) {
    if constexpr (Ld == 3)
      return Lin<T>(m(0, 0) * x[0] + m(0, 1) * x[1] + m(0, 2) * x[2],
                    m(1, 0) * x[0] + m(1, 1) * x[1] + m(1, 2) * x[2],
                    m(2, 0) * x[0] + m(2, 1) * x[1] + m(2, 2) * x[2]);
    else
      return Lin<T>(m(0, 0) * x[0] + m(0, 1) * x[1], m(1, 0) * x[0] + m(1, 1) * x[1]);
  }
  /// M^T x, of lengths
  template <class T, class M, class X>
  static Lin<T> transposed_times(const M& m, const X& x) {
    if constexpr (Ld == 3)
      return Lin<T>(m(0, 0) * x[0] + m(1, 0) * x[1] + m(2, 0) * x[2],
                    m(0, 1) * x[0] + m(1, 1) * x[1] + m(2, 1) * x[2],
                    m(0, 2) * x[0] + m(1, 2) * x[1] + m(2, 2) * x[2]);
    else
      return Lin<T>(m(0, 0) * x[0] + m(1, 0) * x[1], m(0, 1) * x[0] + m(1, 1) * x[1]);
  }
  /// Rotation vectors between body and global axes; in the plane there is only one.
  template <class T, class M, class X>
  static Rot<T> to_global(const M& R, const X& x) {
    if constexpr (Rd == 3)
      return times<T>(R, x);
    else
      return x;
  }
  template <class T, class M, class X>
  static Rot<T> to_body(const M& R, const X& x) {
    if constexpr (Rd == 3)
      return transposed_times<T>(R, x);
    else
      return x;
  }
  template <class T, class M, class N>
  static Orient<T> product(const M& a, const N& b) {
    Orient<T> out;
    for (int k = 0; k < Ld; ++k) out.col(k) = times<T>(a, b.col(k));
    return out;
  }
  /// A x, B x, B^T x with the coupling blocks of inertias.
  template <class M, class X>
  static auto rotated(const M& a, const X& x) {
    if constexpr (Rd == 3)
      return Rot<Mixed<M, X>>(times<Mixed<M, X>>(a, x));
    else
      return Rot<Mixed<M, X>>(a(0, 0) * x[0]);
  }
  template <class M, class X>
  static auto coupled(const M& b, const X& x) {
    if constexpr (Rd == 3)
      return Rot<Mixed<M, X>>(times<Mixed<M, X>>(b, x));
    else
      return Rot<Mixed<M, X>>(b(0, 0) * x[0] + b(0, 1) * x[1]);
  }
  template <class M, class X>
  static auto coupled_back(const M& b, const X& x) {
    if constexpr (Rd == 3)
      return Lin<Mixed<M, X>>(transposed_times<Mixed<M, X>>(b, x));
    else
      return Lin<Mixed<M, X>>(b(0, 0) * x[0], b(0, 1) * x[0]);
  }
  template <class X, class Y>
  static auto dot(const X& x, const Y& y) {
    if constexpr (X::RowsAtCompileTime == 3)
      return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    else if constexpr (X::RowsAtCompileTime == 2)
      return x[0] * y[0] + x[1] * y[1];
    else
      return x[0] * y[0];
  }
  /// R M R^T for a symmetric M in body axes.
  template <class T, class M>
  static C<T> turned(const Orient<T>& R, const M& m) {
    const C<T> half = product<T>(R, m);
    C<T> out;
    for (int i = 0; i < Ld; ++i)
      for (int j = 0; j <= i; ++j) {
        T sum = half(i, 0) * R(j, 0) + half(i, 1) * R(j, 1);
        if constexpr (Ld == 3) sum += half(i, 2) * R(j, 2);
        out(i, j) = out(j, i) = sum;
      }
    return out;
  }

  /// w x d
  template <class T, class W, class D>
  static Lin<T> cross(const W& w, const D& d) {
    if constexpr (Rd == 3)
      return Lin<T>(w[1] * d[2] - w[2] * d[1], w[2] * d[0] - w[0] * d[2],
                    w[0] * d[1] - w[1] * d[0]);
    else
      return Lin<T>(-w[0] * d[1], w[0] * d[0]);
  }
  /// d x f
  template <class T, class D, class F>
  static Rot<T> torque(const D& d, const F& f) {
    if constexpr (Rd == 3)
      return Rot<T>(d[1] * f[2] - d[2] * f[1], d[2] * f[0] - d[0] * f[2],
                    d[0] * f[1] - d[1] * f[0]);
    else
      return Rot<T>(d[0] * f[1] - d[1] * f[0]);
  }
  /// [d x] C
  template <class T>
  static B<T> skew_times(const Lin<T>& d, const C<T>& c) {
    B<T> out;
    for (int k = 0; k < Ld; ++k) out.col(k) = torque<T>(d, c.col(k));
    return out;
  }
  template <class T>
  static Rot<T> rotation_part(const Vec3T<T>& v) {
    if constexpr (Rd == 3)
      return v;
    else
      return Rot<T>(v[2]);
  }
  template <class T>
  static Lin<T> linear_part(const Vec3T<T>& v) {
    if constexpr (Rd == 3)
      return v;
    else
      return Lin<T>(v[0], v[1]);
  }
  template <class T>
  static Vec3T<T> rotation_in_space(const Rot<T>& w) {
    if constexpr (Rd == 3)
      return w;
    else
      return Vec3T<T>(T(0.0), T(0.0), w[0]);
  }
  template <class T>
  static Vec3T<T> in_space(const Lin<T>& v) {
    if constexpr (Rd == 3)
      return v;
    else
      return Vec3T<T>(v[0], v[1], T(0.0));
  }
};

inline bool positive(double x) { return x > 0; }  // of traced numbers: see there

/// Inverse of a symmetric matrix by cofactors; false when it is not positive.
template <class T>
bool invert(const Eigen::Matrix<T, 1, 1>& A, Eigen::Matrix<T, 1, 1>& out) {
  out(0, 0) = 1.0 / A(0, 0);
  return positive(A(0, 0));
}
template <class T>
bool invert(const Eigen::Matrix<T, 2, 2>& A, Eigen::Matrix<T, 2, 2>& out) {
  const T det = A(0, 0) * A(1, 1) - A(0, 1) * A(0, 1), inverse = 1.0 / det;
  out << A(1, 1) * inverse, -A(0, 1) * inverse, -A(0, 1) * inverse, A(0, 0) * inverse;
  return positive(det) && positive(A(0, 0));
}
template <class T>
bool invert(const Eigen::Matrix<T, 3, 3>& A, Eigen::Matrix<T, 3, 3>& out) {
  const T a = A(0, 0), b = A(0, 1), c = A(0, 2), d = A(1, 1), e = A(1, 2), f = A(2, 2);
  const T c00 = d * f - e * e, c01 = c * e - b * f, c02 = b * e - c * d;
  const T det = a * c00 + b * c01 + c * c02, inverse = 1.0 / det;
  out(0, 0) = c00 * inverse;
  out(0, 1) = out(1, 0) = c01 * inverse;
  out(0, 2) = out(2, 0) = c02 * inverse;
  out(1, 1) = (a * f - c * c) * inverse;
  out(1, 2) = out(2, 1) = (b * c - a * e) * inverse;
  out(2, 2) = (a * d - b * b) * inverse;
  return positive(det) && positive(a);
}

/// Rotation by Euler parameters of any length: stages of a step lie off the unit sphere, and only a
/// matrix that is orthogonal there too leaves the equations, and their derivatives, consistent.
template <class T>
Mat3T<T> turned_by(const T* p) {
  const T s = 2.0 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  const T x = s * p[1], y = s * p[2], z = s * p[3];
  const T wx = x * p[0], wy = y * p[0], wz = z * p[0], xx = x * p[1], xy = x * p[2], xz = x * p[3],
          yy = y * p[2], yz = y * p[3], zz = z * p[3];
  Mat3T<T> R;
  R(0, 0) = 1.0 - (yy + zz), R(0, 1) = xy - wz, R(0, 2) = xz + wy;
  R(1, 0) = xy + wz, R(1, 1) = 1.0 - (xx + zz), R(1, 2) = yz - wx;
  R(2, 0) = xz - wy, R(2, 1) = yz + wx, R(2, 2) = 1.0 - (xx + yy);
  return R;
}

}  // namespace freeplay::dynamics
