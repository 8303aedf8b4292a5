// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace freeplay {

/// Slopes at the knots of the piecewise cubic through (x, y), x increasing strictly: those of the
/// cubic spline (twice continuously differentiable, not-a-knot at both ends, natural for three
/// points), except where that overshoots the data. There the slopes are limited so that the cubic
/// is monotone (Fritsch & Carlson 1980), and the spline goes on from them on both sides. A table of
/// a smooth function keeps the accuracy h^4 of the spline; a step or a blow rings nowhere.
[[nodiscard]] std::vector<double> smooth_slopes(std::span<const double> x,
                                                std::span<const double> y);

}  // namespace freeplay
