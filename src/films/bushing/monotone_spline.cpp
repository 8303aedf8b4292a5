// SPDX-License-Identifier: Apache-2.0
#include "films/bushing/monotone_spline.hpp"

#include "core/cubic_piece.hpp"
#include "core/smooth_slopes.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::films {

MonotoneSpline::MonotoneSpline(double slope)
    : x_{-1, 0, 1},
      y_{-slope, 0, slope},
      slope_{slope, slope, slope},
      area_{0.5 * slope, 0, 0.5 * slope} {}

std::string MonotoneSpline::fault(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) return "as many x as y are needed";
  if (x.size() < 2) return "at least two points are needed";
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return "every number must be finite";
  for (std::size_t i = 1; i < x.size(); ++i)
    if (!(x[i] > x[i - 1])) return "x must increase from point to point";
  return {};
}

MonotoneSpline::MonotoneSpline(std::span<const double> x, std::span<const double> y) {
  odd_ = x.front() == 0 && y.front() == 0;
  // With its mirror image, so that the two halves join as smoothly as any other pieces.
  for (std::size_t i = x.size(); odd_ && i-- > 1;) {
    x_.push_back(-x[i]);
    y_.push_back(-y[i]);
  }
  x_.insert(x_.end(), x.begin(), x.end());
  y_.insert(y_.end(), y.begin(), y.end());
  slope_ = smooth_slopes(x_, y_);
  area_.push_back(0);
  for (std::size_t i = 0; i + 1 < x_.size(); ++i)
    area_.push_back(
        area_[i] +
        CubicPiece(x_[i + 1] - x_[i], y_[i], y_[i + 1], slope_[i], slope_[i + 1]).integral(1.0));
  const double origin = odd_ ? area_[x.size() - 1] : 0;
  for (double& area : area_) area -= origin;
}

MonotoneSpline::Point MonotoneSpline::at(double x, const PieceRange& pieces) const {
  const int n = static_cast<int>(x_.size());
  const int here = static_cast<int>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
  const int piece = std::clamp(here - 1, pieces.first, std::min(pieces.last, n - 1));
  if (piece < 0 || piece == n - 1) {
    const auto end = static_cast<std::size_t>(piece < 0 ? 0 : n - 1);
    const double d = x - x_[end], k = slope_[end];
    return {y_[end] + k * d, k, area_[end] + d * (y_[end] + 0.5 * k * d)};
  }
  const auto i = static_cast<std::size_t>(piece);
  const double h = x_[i + 1] - x_[i], u = (x - x_[i]) / h;
  const CubicPiece cubic(h, y_[i], y_[i + 1], slope_[i], slope_[i + 1]);
  return {cubic.value(u), cubic.slope(u) / h, area_[i] + cubic.integral(u)};
}

WatchedKnots MonotoneSpline::watched(double tolerance, bool distance) const {
  WatchedKnots out;
  for (const int knot : knots_that_count(x_, y_, slope_, tolerance)) {
    const double x = x_[static_cast<std::size_t>(knot)];
    if (distance && !(x > 0)) continue;
    out.knots.push_back(knot);
    out.places.push_back(distance ? x * x : x);
  }
  return out;
}

}  // namespace freeplay::films
