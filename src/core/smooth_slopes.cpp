// SPDX-License-Identifier: Apache-2.0
#include "core/smooth_slopes.hpp"

#include "core/cubic_piece.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace freeplay {
namespace {

class Slopes {
 public:
  Slopes(std::span<const double> x, std::span<const double> y)
      : n_(x.size()), y_(y), h_(n_ - 1), secant_(n_ - 1), slope_(n_), limited_(n_) {
    double largest = 0;
    for (std::size_t k = 0; k + 1 < n_; ++k) {
      h_[k] = x[k + 1] - x[k];
      secant_[k] = (y[k + 1] - y[k]) / h_[k];
    }
    for (const double value : y) largest = std::max(largest, std::abs(value));
    rounding_ = 1e-13 * largest;
  }

  std::vector<double> find() {
    if (n_ == 2) return {secant_[0], secant_[0]};
    keep_straight_lines();
    // Each round limits at least one more knot, and usually the first finds them all.
    do solve();
    while (limit_overshoots());
    return slope_;
  }

 private:
  /// Continuous second derivatives at the knots that are not limited (de Boor 1978, chapter IV).
  void solve() {
    std::vector<double> lower(n_, 0.0), diagonal(n_, 1.0), upper(n_, 0.0);
    std::vector<double>& m = slope_;
    for (std::size_t k = 1; k + 1 < n_; ++k) {
      lower[k] = h_[k];
      diagonal[k] = 2 * (h_[k - 1] + h_[k]);
      upper[k] = h_[k - 1];
      m[k] = 3 * (h_[k] * secant_[k - 1] + h_[k - 1] * secant_[k]);
    }
    const auto end = [&](std::size_t e, std::size_t next, std::vector<double>& beside, double h0,
                         double h1, double d0, double d1) {
      if (n_ == 3 && !limited_[next]) {  // natural: no second derivative
        diagonal[e] = 2, beside[e] = 1, m[e] = 3 * d0;
      } else if (limited_[next]) {  // a parabola: what lies beyond the knot says nothing
        beside[e] = 1, m[e] = 2 * d0;
      } else {  // not-a-knot: the third derivative is continuous at the next one
        diagonal[e] = h1, beside[e] = h0 + h1;
        m[e] = ((3 * h0 + 2 * h1) * h1 * d0 + h0 * h0 * d1) / (h0 + h1);
      }
    };
    end(0, 1, upper, h_[0], h_[1], secant_[0], secant_[1]);
    end(n_ - 1, n_ - 2, lower, h_[n_ - 2], h_[n_ - 3], secant_[n_ - 2], secant_[n_ - 3]);
    for (std::size_t k = 0; k < n_; ++k)
      if (limited_[k]) lower[k] = upper[k] = 0, diagonal[k] = 1, m[k] = *limited_[k];
    for (std::size_t k = 1; k < n_; ++k) {  // Thomas
      const double f = lower[k] / diagonal[k - 1];
      diagonal[k] -= f * upper[k - 1];
      m[k] -= f * m[k - 1];
    }
    for (std::size_t k = n_; k-- > 0;)
      m[k] = (m[k] - (k + 1 < n_ ? upper[k] * m[k + 1] : 0.0)) / diagonal[k];
  }

  /// What four points have in line stays a line: no ripple runs into it from the bend before.
  void keep_straight_lines() {
    for (std::size_t k = 1; k + 2 < n_; ++k) {
      const double d = secant_[k], near = 1e-9 * std::abs(d);
      if (std::abs(secant_[k - 1] - d) <= near && std::abs(secant_[k + 1] - d) <= near)
        limited_[k] = limited_[k + 1] = d;
    }
  }

  /// True when there were any.
  bool limit_overshoots() {
    bool any = false;
    for (std::size_t k = 0; k + 1 < n_; ++k) {
      if (overshoot(k) <= allowed(k) + rounding_) continue;
      for (const std::size_t end : {k, k + 1})
        if (const double m = monotone(end); !limited_[end] && m != slope_[end]) {
          limited_[end] = m;
          any = true;
        }
    }
    return any;
  }

  /// How far piece k runs back against the direction of its two points.
  [[nodiscard]] double overshoot(std::size_t k) const {
    const CubicPiece p(h_[k], y_[k], y_[k + 1], slope_[k], slope_[k + 1]);
    // Turning points: c1 + 2 c2 u + 3 c3 u^2 = 0.
    const double square = p.c2 * p.c2 - 3 * p.c1 * p.c3;
    if (square <= 0) return 0;
    const double q = -(p.c2 + std::copysign(std::sqrt(square), p.c2));
    double u[2] = {q != 0 ? p.c1 / q : -1, p.c3 != 0 ? q / (3 * p.c3) : -1};
    if (u[0] > u[1]) std::swap(u[0], u[1]);
    double last = y_[k], travelled = 0;
    for (const double at : u)
      if (at > 0 && at < 1) {
        travelled += std::abs(p.value(at) - last);
        last = p.value(at);
      }
    travelled += std::abs(y_[k + 1] - last);
    return 0.5 * (travelled - std::abs(y_[k + 1] - y_[k]));
  }

  /// Between knots a smooth function may turn, where the points rise before and fall after (or the
  /// other way round) and the second differences at two knots beside it agree: by h^2/8 of them,
  /// and twice that where the points are few.
  [[nodiscard]] double allowed(std::size_t k) const {
    if (n_ < 4) return 0;
    const double before = secant_[k > 0 ? k - 1 : k], after = secant_[k + 2 < n_ ? k + 1 : k];
    if (before * after >= 0) return 0;
    const std::size_t first = std::clamp<std::size_t>(k, 1, n_ - 3);
    const auto bend = [&](std::size_t at) {
      return 2 * (secant_[at] - secant_[at - 1]) / (h_[at - 1] + h_[at]);
    };
    const double a = bend(first), b = bend(first + 1);
    return a * b <= 0 ? 0 : std::min(std::abs(a), std::abs(b)) * h_[k] * h_[k] / 4;
  }

  /// The slope nearest to the present one with which both neighbours are monotone: between nothing
  /// and three times the lesser secant.
  [[nodiscard]] double monotone(std::size_t k) const {
    const double a = secant_[k == 0 ? 0 : k - 1], b = secant_[k + 1 == n_ ? k - 1 : k];
    if (a * b <= 0) return 0;
    const double most = 3 * std::min(std::abs(a), std::abs(b));
    return a > 0 ? std::clamp(slope_[k], 0.0, most) : std::clamp(slope_[k], -most, 0.0);
  }

  std::size_t n_;
  std::span<const double> y_;
  std::vector<double> h_, secant_, slope_;
  std::vector<std::optional<double>> limited_;
  double rounding_ = 0;
};

}  // namespace

std::vector<double> smooth_slopes(std::span<const double> x, std::span<const double> y) {
  return Slopes(x, y).find();
}

}  // namespace freeplay
