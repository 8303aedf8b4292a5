// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/bushing/monotone_spline.hpp"
#include <freeplay/math.hpp>

#include <Eigen/Dense>

#include <array>
#include <span>
#include <utility>

// A characteristic for each kind of motion (Ambrosio & Verissimo 2009; theory/bushings (B.4)):
// radial, axial, twist about the axis, and tilt across it, in the frame B_i of the outer part, z
// along the axis. Elastic forces come from a potential, so that a closed cycle costs nothing: the
// moment is conjugate to the rotation *vector*, which makes it right at large angles too.
namespace freeplay::films {

/// Of B_j against B_i, in axes of B_i.
template <class T = double>
struct BushingMotion {
  Vec3T<T> d, d_dot;  ///< B_i^T (P_j - P_i) and its rate there; m, m/s
  Vec3T<T> theta;     ///< rotation vector of B_i^T B_j; rad
  Vec3T<T> omega;     ///< relative angular velocity; rad/s
};
/// On the inner part, at P_j, in axes of B_i. The outer part gets -f and -m - d x f.
template <class T = double>
struct BushingForce {
  Vec3T<T> f, m;  ///< N, N m
};

/// Rubber that relaxes: a spring in series with a damper, beside the rest.
struct MaxwellBranch {
  std::array<double, 6> stiffness{};  ///< x, y, z in N/m; about x, y, z in N m/rad
  double time = 1;                    ///< of relaxation; s
};

struct SixBushing {
  MonotoneSpline radial, axial;  ///< N of m
  MonotoneSpline twist, tilt;    ///< N m of rad, about z and across it
  /// Further linear elasticity, symmetric: couples translations with rotations; SI.
  Eigen::Matrix<double, 6, 6> coupling = Eigen::Matrix<double, 6, 6>::Zero();
  /// Viscous damping; SI.
  Eigen::Matrix<double, 6, 6> damping = Eigen::Matrix<double, 6, 6>::Zero();
  std::vector<MaxwellBranch> branches;

  [[nodiscard]] std::size_t states() const { return 6 * branches.size(); }

  static constexpr int kCurves = 4;
  static constexpr std::array<const char*, kCurves> kCurveNames{"radial", "axial", "twist", "tilt"};
  /// The pieces of each curve that hold at present.
  using Pieces = std::array<PieceRange, kCurves>;
  [[nodiscard]] const MonotoneSpline& curve(int k) const {
    return *std::array{&radial, &axial, &twist, &tilt}[static_cast<std::size_t>(k)];
  }
  /// Radial and tilt are curves of a distance.
  static constexpr bool of_distance(int k) { return k == 0 || k == 3; }
  /// What curve k is watched by, and its rate: its coordinate, or the square of a distance.
  [[nodiscard]] static std::pair<double, double> coordinate(int k, const BushingMotion<double>& m) {
    const Vec3 theta_dot = rate_matrix(m.theta) * m.omega;
    const auto square = [](const Vec3& x, const Vec3& v) {
      return std::pair{x[0] * x[0] + x[1] * x[1], 2 * (x[0] * v[0] + x[1] * v[1])};
    };
    if (k == 0) return square(m.d, m.d_dot);
    if (k == 1) return {m.d[2], m.d_dot[2]};
    if (k == 2) return {m.theta[2], theta_dot[2]};
    return square(m.theta, theta_dot);
  }

  /// `z`: forces in the branches, states() numbers from State; `z_dot`: their rates.
  template <class T>
  BushingForce<T> force(const BushingMotion<T>& m, std::span<const T> z, std::span<T> z_dot,
                        const Pieces& pieces = {}) const {
    using std::sqrt;
    using Vec6T = Eigen::Matrix<T, 6, 1>;
    const Mat3T<T> inverse = rate_matrix(m.theta);
    const Vec3T<T> theta_dot = inverse * m.omega;
    Vec6T x, v, g;  // generalised displacement, rate, force that resists
    x << m.d, m.theta;
    v << m.d_dot, theta_dot;
    const T rho2 = m.d[0] * m.d[0] + m.d[1] * m.d[1];
    const T tilt2 = m.theta[0] * m.theta[0] + m.theta[1] * m.theta[1];
    const T kr = radial.ratio(value_of(rho2) > 0 ? T(sqrt(rho2)) : T(0.0), pieces[0]);
    const T kt = tilt.ratio(value_of(tilt2) > 0 ? T(sqrt(tilt2)) : T(0.0), pieces[3]);
    g << kr * m.d[0], kr * m.d[1], axial(m.d[2], pieces[1]), kt * m.theta[0], kt * m.theta[1],
        twist(m.theta[2], pieces[2]);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        if (coupling(i, j) != 0) g[i] += coupling(i, j) * x[j];
        if (damping(i, j) != 0) g[i] += damping(i, j) * v[j];
      }
    for (std::size_t b = 0; b < branches.size(); ++b)
      for (std::size_t i = 0; i < 6; ++i) {
        const T& f = z[6 * b + i];
        g[static_cast<int>(i)] += f;
        z_dot[6 * b + i] = branches[b].stiffness[i] * v[static_cast<int>(i)] - f / branches[b].time;
      }
    BushingForce<T> out;
    out.f = Vec3T<T>(-g[0], -g[1], -g[2]);
    const Vec3T<T> resist(g[3], g[4], g[5]);
    out.m = -(inverse.transpose() * resist);
    return out;
  }

  /// Energy stored in the tables and the coupling, and in the branches; J.
  template <class T>
  T potential(const BushingMotion<T>& m, std::span<const T> z) const {
    using std::sqrt;
    const T rho2 = m.d[0] * m.d[0] + m.d[1] * m.d[1];
    const T tilt2 = m.theta[0] * m.theta[0] + m.theta[1] * m.theta[1];
    T u = radial.integral(value_of(rho2) > 0 ? T(sqrt(rho2)) : T(0.0)) + axial.integral(m.d[2]) +
          tilt.integral(value_of(tilt2) > 0 ? T(sqrt(tilt2)) : T(0.0)) + twist.integral(m.theta[2]);
    Eigen::Matrix<T, 6, 1> x;
    x << m.d, m.theta;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        if (coupling(i, j) != 0) u += 0.5 * coupling(i, j) * x[i] * x[j];
    for (std::size_t b = 0; b < branches.size(); ++b)
      for (std::size_t i = 0; i < 6; ++i)
        if (branches[b].stiffness[i] > 0)
          u += 0.5 / branches[b].stiffness[i] * z[6 * b + i] * z[6 * b + i];
    return u;
  }

  /// What is wrong with it; empty if nothing.
  [[nodiscard]] std::string fault() const {
    if (!coupling.isApprox(coupling.transpose(), 1e-9) && !coupling.isZero())
      return "the coupling matrix must be symmetric, or the bushing makes energy";
    if (!radial.odd() || !tilt.odd()) return "radial and tilt tables must start at (0, 0)";
    for (const MaxwellBranch& b : branches) {
      if (!(b.time > 0)) return "the relaxation time of a branch must be positive";
      for (const double k : b.stiffness)
        if (!(k >= 0)) return "the stiffness of a branch must not be negative";
    }
    return {};
  }

  /// d(theta)/dt = A omega for a rotation vector: I - x/2 + (1/t^2 - (1 + cos t)/(2 t sin t)) x^2,
  /// x = theta cross, t = |theta| < 2 pi.
  template <class T>
  static Mat3T<T> rate_matrix(const Vec3T<T>& theta) {
    using std::cos, std::sin, std::sqrt;
    const T t2 = theta.dot(theta);
    T k(1.0 / 12);
    if (value_of(t2) > 1e-4) {
      const T t = sqrt(t2);
      k = 1.0 / t2 - (1.0 + cos(t)) / (2.0 * t * sin(t));
    } else {
      k = 1.0 / 12 + t2 / 720.0 + t2 * t2 / 30240.0;
    }
    Mat3T<T> x;
    x << T(0.0), -theta[2], theta[1], theta[2], T(0.0), -theta[0], -theta[1], theta[0], T(0.0);
    Mat3T<T> out = x * x * k - x * T(0.5);
    for (int i = 0; i < 3; ++i) out(i, i) += 1.0;
    return out;
  }
};

}  // namespace freeplay::films
