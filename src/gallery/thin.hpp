// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gallery/track.hpp"
#include "report/figure.hpp"

// A page of a hundred diagrams must stay small: lines keep only the points that show.
namespace freeplay::gallery {

/// Over time: the first, lowest and highest value of each of some hundred intervals, so that every
/// peak stays, and of these the points that bend the line visibly.
[[nodiscard]] report::FigureLine thinned(const Curve& curve);

/// A portrait, one curve over the other, both on the same times.
[[nodiscard]] report::FigureLine thinned(const Curve& x, const Curve& y);

/// Leaves out points from which the line through the others is no further than `visible` times the
/// extent of the line (Ramer 1972, Douglas & Peucker 1973). The ends stay.
[[nodiscard]] report::FigureLine simplified(const report::FigureLine& line, double visible);

}  // namespace freeplay::gallery
