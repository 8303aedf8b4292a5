// SPDX-License-Identifier: Apache-2.0
#include "films/bushing/monotone_spline.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::films {

MonotoneSpline::MonotoneSpline(double slope)
    : x_{0, 1}, y_{0, slope}, slope_{slope, slope}, area_{0, 0.5 * slope} {}

std::string MonotoneSpline::fault(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) return "as many x as y are needed";
  if (x.size() < 2) return "at least two points are needed";
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return "every number must be finite";
  for (std::size_t i = 1; i < x.size(); ++i)
    if (!(x[i] > x[i - 1])) return "x must increase from point to point";
  return {};
}

MonotoneSpline::MonotoneSpline(std::span<const double> x, std::span<const double> y)
    : x_(x.begin(), x.end()), y_(y.begin(), y.end()), slope_(x.size()), area_(x.size(), 0.0) {
  odd_ = x_.front() == 0 && y_.front() == 0;
  const std::size_t n = x_.size();
  std::vector<double> secant(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) secant[i] = (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
  slope_.front() = secant.front();
  slope_.back() = secant.back();
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double a = secant[i - 1], b = secant[i];
    // Zero at an extremum; otherwise the harmonic mean weighted by the intervals (Fritsch &
    // Butland), which is always admissible.
    if (a * b <= 0) continue;
    const double h0 = x_[i] - x_[i - 1], h1 = x_[i + 1] - x_[i];
    const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    slope_[i] = (w0 + w1) / (w0 / a + w1 / b);
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = x_[i + 1] - x_[i];
    area_[i + 1] =
        area_[i] + 0.5 * h * (y_[i] + y_[i + 1]) + h * h / 12 * (slope_[i] - slope_[i + 1]);
  }
}

MonotoneSpline::Point MonotoneSpline::at(double x) const {
  if (odd_ && x < 0) {
    const Point p = at(-x);
    return {-p.value, p.slope, p.integral};
  }
  if (x <= x_.front()) {
    const double d = x - x_.front(), k = slope_.front();
    return {y_.front() + k * d, k, d * (y_.front() + 0.5 * k * d)};
  }
  if (x >= x_.back()) {
    const double d = x - x_.back(), k = slope_.back();
    return {y_.back() + k * d, k, area_.back() + d * (y_.back() + 0.5 * k * d)};
  }
  const auto i =
      static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i], t = (x - x_[i]) / h;
  const double d0 = slope_[i] * h, d1 = slope_[i + 1] * h, rise = y_[i + 1] - y_[i];
  const double c2 = 3 * rise - 2 * d0 - d1, c3 = d0 + d1 - 2 * rise;
  return {y_[i] + t * (d0 + t * (c2 + t * c3)), (d0 + t * (2 * c2 + 3 * t * c3)) / h,
          area_[i] + h * t * (y_[i] + t * (d0 / 2 + t * (c2 / 3 + t * c3 / 4)))};
}

}  // namespace freeplay::films
