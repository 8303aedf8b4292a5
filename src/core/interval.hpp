// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

// Interval arithmetic: a set of numbers that contains every value an expression can take while its
// variables run through theirs (Moore 1966). What is not defined everywhere on an interval is
// enclosed by the whole line, never by a NaN. Bounds are widened by the rounding of the operation.
namespace freeplay {

struct Interval {
  double low = 0, high = 0;

  Interval() = default;
  Interval(double value) : low(value), high(value) {}  // NOLINT: constants mix freely
  Interval(double l, double h) : low(l), high(h) {}

  static Interval whole() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {-infinity, infinity};
  }
  /// [l, h] and what rounding may have cut off.
  static Interval around(double l, double h) {
    if (std::isnan(l) || std::isnan(h)) return whole();
    constexpr double kRounding = 4e-16;  // two units in the last place
    return {l - kRounding * std::abs(l), h + kRounding * std::abs(h)};
  }

  [[nodiscard]] bool holds(double x) const { return low <= x && x <= high; }
  [[nodiscard]] double width() const { return high - low; }
  /// Largest absolute value.
  [[nodiscard]] double size() const { return std::max(std::abs(low), std::abs(high)); }

  friend Interval operator-(const Interval& a) { return {-a.high, -a.low}; }
  friend Interval operator+(const Interval& a, const Interval& b) {
    return around(a.low + b.low, a.high + b.high);
  }
  friend Interval operator-(const Interval& a, const Interval& b) {
    return around(a.low - b.high, a.high - b.low);
  }
  friend Interval operator*(const Interval& a, const Interval& b) {
    const auto times = [](double x, double y) { return x == 0 || y == 0 ? 0.0 : x * y; };
    const auto [l, h] = std::minmax(
        {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
    return around(l, h);
  }
  friend Interval operator/(const Interval& a, const Interval& b) {
    if (b.holds(0)) return a.low == 0 && a.high == 0 ? Interval(0.0) : whole();
    return a * around(1 / b.high, 1 / b.low);
  }
  Interval& operator+=(const Interval& o) { return *this = *this + o; }
  Interval& operator-=(const Interval& o) { return *this = *this - o; }
};

/// f of an interval on which f increases.
template <class F>
Interval increasing(const Interval& x, F&& f) {
  return Interval::around(f(x.low), f(x.high));
}

inline Interval exp(const Interval& x) {
  return increasing(x, [](double v) { return std::exp(v); });
}
inline Interval log(const Interval& x) {
  return x.low > 0 ? increasing(x, [](double v) { return std::log(v); }) : Interval::whole();
}
inline Interval sqrt(const Interval& x) {
  return x.low >= 0 ? increasing(x, [](double v) { return std::sqrt(v); }) : Interval::whole();
}
inline Interval sin(const Interval& x) {
  constexpr double kTurn = 2 * std::numbers::pi, kQuarter = std::numbers::pi / 2;
  if (!(x.width() < kTurn) || x.size() > 1e15) return {-1, 1};
  // A maximum at pi/2 + 2 pi k, a minimum half a turn later; a little early to be sure of it.
  const auto passes = [&](double where) {
    const double slack = 1e-15 * (1 + x.size());
    return std::floor((x.high + slack - where) / kTurn) >
           std::floor((x.low - slack - where) / kTurn);
  };
  const auto [l, h] = std::minmax({std::sin(x.low), std::sin(x.high)});
  const Interval ends = Interval::around(l, h);
  return {passes(-kQuarter) ? -1 : std::max(ends.low, -1.0),
          passes(kQuarter) ? 1 : std::min(ends.high, 1.0)};
}
inline Interval cos(const Interval& x) { return sin(x + Interval(std::numbers::pi / 2)); }
inline Interval tan(const Interval& x) {
  const Interval c = cos(x);
  return c.holds(0) ? Interval::whole() : increasing(x, [](double v) { return std::tan(v); });
}
inline Interval asin(const Interval& x) {
  return x.low >= -1 && x.high <= 1 ? increasing(x, [](double v) { return std::asin(v); })
                                    : Interval::whole();
}
inline Interval acos(const Interval& x) {
  return x.low >= -1 && x.high <= 1 ? Interval::around(std::acos(x.high), std::acos(x.low))
                                    : Interval::whole();
}
inline Interval atan(const Interval& x) {
  return increasing(x, [](double v) { return std::atan(v); });
}
inline Interval sinh(const Interval& x) {
  return increasing(x, [](double v) { return std::sinh(v); });
}
inline Interval cosh(const Interval& x) {
  const auto [l, h] = std::minmax({std::cosh(x.low), std::cosh(x.high)});
  return x.holds(0) ? Interval{1, Interval::around(l, h).high} : Interval::around(l, h);
}
inline Interval tanh(const Interval& x) {
  return increasing(x, [](double v) { return std::tanh(v); });
}
inline Interval abs(const Interval& x) {
  const auto [l, h] = std::minmax({std::abs(x.low), std::abs(x.high)});
  return {x.holds(0) ? 0 : l, h};
}
/// x^n for a constant n.
inline Interval pow(const Interval& x, double n) {
  if (n < 0) return Interval(1.0) / pow(x, -n);
  const bool whole = std::floor(n) == n;
  if (!whole && x.low < 0) return Interval::whole();
  const auto f = [n](double v) { return std::pow(v, n); };
  if (whole && std::fmod(n, 2) == 0 && x.low < 0) return increasing(abs(x), f);
  return increasing(x, f);
}

}  // namespace freeplay
