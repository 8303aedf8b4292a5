// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <algorithm>
#include <cmath>

// The length of the first step (Hairer, Norsett, Wanner 1993, section II.4).
namespace freeplay::integrate {

/// A step of a method of order 8 whose Euler error is about a hundredth of the tolerance. `ahead`:
/// s until where it has to end; `evaluate(h, y, f)`: f at y and h s from now. `there` and
/// `slope_there` are scratch.
template <class Evaluate>
double first_step(const VecX& y, const VecX& slope, const VecX& weight, Eigen::Index count,
                  double ahead, VecX& there, VecX& slope_there, Evaluate&& evaluate) {
  // Norms in units of the tolerance that are too small to say anything, and then a step relative to
  // the way ahead.
  constexpr double kNoScale = 1e-5, kNoSlope = 1e-15, kBlindStep = 1e-6;
  // It is no shorter than this share of the way ahead: a start that is zero but for round-off says
  // nothing of the scale of the motion.
  constexpr double kShortestFirst = 1e-9;
  // Where the motion cannot be evaluated after it, or nothing changes, a thousandth of it.
  constexpr double kMoreCareful = 1e-3;

  const double n = static_cast<double>(count);
  const auto norm = [&](const auto& v) {
    return std::sqrt(v.head(count).cwiseProduct(weight.head(count)).squaredNorm() / n);
  };
  const double d0 = norm(y), d1 = norm(slope);
  double h = d0 < kNoScale || d1 < kNoScale ? kBlindStep * ahead : 0.01 * d0 / d1;
  h = std::clamp(h, kShortestFirst * ahead, ahead);
  there = y + h * slope;
  if (!evaluate(h, there, slope_there)) return kMoreCareful * h;
  const double d2 = norm(slope_there - slope) / h;
  const double worst = std::max(d1, d2);
  const double h1 = worst <= kNoSlope ? std::max(kBlindStep * ahead, h * kMoreCareful)
                                      : std::pow(0.01 / worst, 1.0 / 8);
  return std::min({100 * h, h1, ahead});
}

}  // namespace freeplay::integrate
