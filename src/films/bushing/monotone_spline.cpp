// SPDX-License-Identifier: Apache-2.0
#include "films/bushing/monotone_spline.hpp"

#include "core/cubic_piece.hpp"
#include "core/smooth_slopes.hpp"

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
  if (odd_) {
    // With its mirror image, so that the two halves join as smoothly as any other pieces.
    std::vector<double> both_x(x_.rbegin(), x_.rend() - 1), both_y(y_.rbegin(), y_.rend() - 1);
    for (double& v : both_x) v = -v;
    for (double& v : both_y) v = -v;
    both_x.insert(both_x.end(), x_.begin(), x_.end());
    both_y.insert(both_y.end(), y_.begin(), y_.end());
    const std::vector<double> slopes = smooth_slopes(both_x, both_y);
    std::copy(slopes.begin() + static_cast<std::ptrdiff_t>(n) - 1, slopes.end(), slope_.begin());
  } else {
    slope_ = smooth_slopes(x_, y_);
  }
  for (std::size_t i = 0; i + 1 < n; ++i)
    area_[i + 1] =
        area_[i] +
        CubicPiece(x_[i + 1] - x_[i], y_[i], y_[i + 1], slope_[i], slope_[i + 1]).integral(1.0);
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
  const double h = x_[i + 1] - x_[i], u = (x - x_[i]) / h;
  const CubicPiece piece(h, y_[i], y_[i + 1], slope_[i], slope_[i + 1]);
  return {piece.value(u), piece.slope(u) / h, area_[i] + piece.integral(u)};
}

}  // namespace freeplay::films
