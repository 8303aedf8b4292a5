// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <cmath>

// Forward automatic differentiation: a number that carries its derivatives with respect to N
// independent variables. Laws and joint kinematics are written once, templated on the scalar, so
// the exact Jacobian comes from the same text as the value. Fixed size, no heap.
namespace freeplay {

template <int N>
struct Dual {
  using Derivative = Eigen::Array<double, N, 1>;
  double value = 0;
  Derivative d = Derivative::Zero();

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT: constants mix freely with duals
  Dual(double v, Derivative dv) : value(v), d(std::move(dv)) {}
  static Dual variable(double v, int index) {
    Dual x(v);
    x.d[index] = 1;
    return x;
  }

  Dual& operator+=(const Dual& o) {
    value += o.value;
    d += o.d;
    return *this;
  }
  Dual& operator-=(const Dual& o) {
    value -= o.value;
    d -= o.d;
    return *this;
  }
  Dual& operator*=(const Dual& o) {
    d = d * o.value + o.d * value;
    value *= o.value;
    return *this;
  }
  Dual& operator/=(const Dual& o) { return *this = *this / o; }

  friend Dual operator-(const Dual& a) { return {-a.value, -a.d}; }
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.d + b.d}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.d - b.d}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.d * b.value + b.d * a.value};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double inverse = 1 / b.value, quotient = a.value * inverse;
    return {quotient, (a.d - b.d * quotient) * inverse};
  }
  friend Dual operator+(const Dual& a, double b) { return {a.value + b, a.d}; }
  friend Dual operator+(double a, const Dual& b) { return {a + b.value, b.d}; }
  friend Dual operator-(const Dual& a, double b) { return {a.value - b, a.d}; }
  friend Dual operator-(double a, const Dual& b) { return {a - b.value, -b.d}; }
  friend Dual operator*(const Dual& a, double b) { return {a.value * b, a.d * b}; }
  friend Dual operator*(double a, const Dual& b) { return {a * b.value, b.d * a}; }
  friend Dual operator/(const Dual& a, double b) { return {a.value / b, a.d / b}; }

  // Comparisons look at the value only: branches follow the point at which we differentiate.
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }

  friend Dual sqrt(const Dual& a) {
    const double root = std::sqrt(a.value);
    return {root, a.d * (0.5 / root)};
  }
  friend Dual sin(const Dual& a) { return {std::sin(a.value), a.d * std::cos(a.value)}; }
  friend Dual cos(const Dual& a) { return {std::cos(a.value), a.d * -std::sin(a.value)}; }
  friend Dual exp(const Dual& a) {
    const double e = std::exp(a.value);
    return {e, a.d * e};
  }
  friend Dual log(const Dual& a) { return {std::log(a.value), a.d / a.value}; }
  friend Dual tanh(const Dual& a) {
    const double t = std::tanh(a.value);
    return {t, a.d * (1 - t * t)};
  }
  friend Dual abs(const Dual& a) { return a.value < 0 ? -a : a; }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const double r2 = x.value * x.value + y.value * y.value;
    return {std::atan2(y.value, x.value), (y.d * x.value - x.d * y.value) / r2};
  }
  /// a^n for a >= 0 and constant n; at a = 0 the derivative is that of the limit (0 for n > 1).
  friend Dual pow(const Dual& a, double n) {
    const double slope = a.value > 0 ? n * std::pow(a.value, n - 1) : (n == 1 ? 1.0 : 0.0);
    return {std::pow(a.value, n), a.d * slope};
  }
};

/// The plain value of a scalar, dual or not.
inline double value_of(double x) { return x; }
template <int N>
double value_of(const Dual<N>& x) {
  return x.value;
}

}  // namespace freeplay

namespace Eigen {
template <int N>
struct NumTraits<freeplay::Dual<N>> : NumTraits<double> {
  using Real = freeplay::Dual<N>;
  using NonInteger = freeplay::Dual<N>;
  using Nested = freeplay::Dual<N>;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = N,
    AddCost = N,
    MulCost = 2 * N
  };
};
template <int N, class Op>
struct ScalarBinaryOpTraits<freeplay::Dual<N>, double, Op> {
  using ReturnType = freeplay::Dual<N>;
};
template <int N, class Op>
struct ScalarBinaryOpTraits<double, freeplay::Dual<N>, Op> {
  using ReturnType = freeplay::Dual<N>;
};
}  // namespace Eigen
