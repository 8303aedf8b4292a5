// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/law.hpp"
#include "laws/numerics.hpp"

#include <cmath>

// The elastic parts that several laws share: force and stored energy as functions of the depth.
namespace freeplay::laws {

/// F = K d^n.
struct PowerSpring {
  double K = kUnprepared, n = 1.5;  ///< N/m^n, 1

  template <class T>
  T force(const T& depth) const {
    using std::pow, std::sqrt;
    if (!(depth > T(0))) return T(0);
    return n == 1.5 ? K * depth * sqrt(depth) : K * pow(depth, n);  // a root is cheaper
  }
  template <class T>
  T energy(const T& depth) const {
    using std::pow;
    return depth > T(0) ? K / (n + 1) * pow(depth, n + 1) : T(0);
  }
};

/// Depth below which the infinite slope of a damping term d^p, p < 1, is cut off in Jacobians: a
/// millionth of the depth that the mass reaches at 0.1 m/s (theory/contact_laws (C.10)); m.
[[nodiscard]] inline double slope_floor(const PowerSpring& spring, double mass) {
  const double speed = 0.1;
  return 1e-6 *
         std::pow(0.5 * (spring.n + 1) * mass * speed * speed / spring.K, 1 / (spring.n + 1));
}

/// The logarithmic line contact d = F/B ln(A/F), on the branch that starts at 0: F = -B d/W(-B d/A)
/// with the branch -1 of Lambert's W, theory/contact_laws (C.16). Its slope is infinite at d_max =
/// A/(e B); from 0.9 d_max on the force goes on along the tangent.
struct LineSpring {
  double A = kUnprepared, B = kUnprepared;  ///< N, N/m
  double limit = kUnprepared;               ///< depth at which the tangent takes over; m
  double limit_force = 0, limit_slope = 0, limit_energy = 0;

  LineSpring() = default;
  LineSpring(double a, double b) : A(a), B(b), limit(kInfinity) {
    const double end = 0.9 * max_depth();
    const Point p = at(end);
    limit_force = p.force, limit_slope = p.slope, limit_energy = p.energy;
    limit = end;
  }
  [[nodiscard]] double max_depth() const { return A / (B * std::exp(1.0)); }

  template <class T>
  T force(const T& depth) const {
    const Point p = at(value_of(depth));
    return with_slope(p.force, p.slope, depth);
  }
  template <class T>
  T energy(const T& depth) const {
    const Point p = at(value_of(depth));
    return with_slope(p.energy, p.force, depth);
  }

 private:
  struct Point {
    double force, slope, energy;
  };
  [[nodiscard]] Point at(double d) const {
    const double x = B * d / A;
    if (x < 1e-300) return {0, 0, 0};
    if (d > limit) {
      const double beyond = d - limit;
      return {limit_force + limit_slope * beyond, limit_slope,
              limit_energy + beyond * (limit_force + 0.5 * limit_slope * beyond)};
    }
    // U = F d - integral of d dF; with ln(A/F) = B d/F = -W this is F d/2 - F^2/(4 B).
    const double w = lambert_wm1(-x), f = -B * d / w;
    return {f, -B / (1 + w), f * d / 2 - f * f / (4 * B)};
  }
};

/// F = k d sqrt(d/(gap + d)): an elastic foundation under two nearly equal radii.
struct ConformalSpring {
  double k = kUnprepared, gap = kUnprepared;  ///< N/m, m

  template <class T>
  T force(const T& depth) const {
    using std::sqrt;
    return depth > T(0) ? k * depth * sqrt(depth / (gap + depth)) : T(0);
  }
  /// dF/dd; N/m
  template <class T>
  T tangent(const T& depth) const {
    using std::sqrt;
    return depth > T(0) ? k * sqrt(depth / (gap + depth)) * (1.5 * gap + depth) / (gap + depth)
                        : T(0);
  }
  template <class T>
  T energy(const T& depth) const {
    if (depth <= T(0)) return T(0);
    const double U = work_to(value_of(depth), [this](double d) { return force(d); });
    return with_slope(U, value_of(force(depth)), depth);
  }
};

}  // namespace freeplay::laws
