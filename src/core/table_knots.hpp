// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace freeplay {

/// Knots of a curve of cubic pieces through (x, y) with those slopes at which a step has to end:
/// where the cubics of both sides part by more than `tolerance` of the largest |y| over the longer
/// of the two. Beyond its ends the curve goes on straight.
[[nodiscard]] std::vector<int> knots_that_count(std::span<const double> x,
                                                std::span<const double> y,
                                                std::span<const double> slope, double tolerance);

/// Such knots, and where they are in the coordinate that is watched for them: that of the curve, or
/// any that grows with it.
struct WatchedKnots {
  std::vector<int> knots;      ///< increasing
  std::vector<double> places;  ///< of each, likewise
};

}  // namespace freeplay
