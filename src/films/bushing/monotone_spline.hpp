// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cubic_piece.hpp"
#include "core/dual.hpp"
#include "core/table_knots.hpp"

#include <span>
#include <vector>

namespace freeplay::films {

/// A characteristic through measured points without overshoot: cubic pieces by `smooth_slopes`.
/// Beyond the ends it goes on straight. If the first point is (0, 0), the curve is odd: x < 0
/// mirrors it, with knots on that side too.
class MonotoneSpline {
 public:
  /// A straight line through the origin.
  explicit MonotoneSpline(double slope = 0);
  /// x strictly increasing, at least two points.
  MonotoneSpline(std::span<const double> x, std::span<const double> y);

  /// Why these points make no spline; empty if they do.
  [[nodiscard]] static std::string fault(std::span<const double> x, std::span<const double> y);

  struct Point {
    double value, slope, integral;  ///< the integral from 0, or from the first point
  };
  [[nodiscard]] Point at(double x, const PieceRange& pieces = {}) const;
  /// The knots that count at a tolerance. `distance`: the curve is one of a distance, which is
  /// watched as its square, since that is smooth where the distance is none.
  [[nodiscard]] WatchedKnots watched(double tolerance, bool distance) const;

  template <class T>
  [[nodiscard]] T operator()(const T& x, const PieceRange& pieces = {}) const {
    const Point p = at(value_of(x), pieces);
    if constexpr (std::is_same_v<T, double>)
      return p.value;
    else
      return T(p.value, x.d * p.slope);
  }
  /// f(x)/x of an odd curve, regular at 0.
  template <class T>
  [[nodiscard]] T ratio(const T& x, const PieceRange& pieces = {}) const {
    if (std::abs(value_of(x)) < 1e-12 * scale()) return T(at(0).slope);
    return (*this)(x, pieces) / x;
  }
  template <class T>
  [[nodiscard]] T integral(const T& x) const {
    const Point p = at(value_of(x));
    if constexpr (std::is_same_v<T, double>)
      return p.integral;
    else
      return T(p.integral, x.d * p.value);
  }
  [[nodiscard]] bool odd() const { return odd_; }

 private:
  [[nodiscard]] double scale() const { return x_.back(); }
  std::vector<double> x_, y_, slope_, area_;
  bool odd_ = true;
};

}  // namespace freeplay::films
