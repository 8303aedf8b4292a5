// SPDX-License-Identifier: Apache-2.0
#include "core/smooth_slopes.hpp"

#include "core/cubic_piece.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace freeplay {
namespace {

using Points = std::vector<double>;

CubicPiece piece(const Points& x, const Points& y, const Points& m, std::size_t k) {
  return {x[k + 1] - x[k], y[k], y[k + 1], m[k], m[k + 1]};
}

TEST(SmoothSlopesTest, ReproduceACubic) {
  const Points x{-1, -0.7, -0.3, 0.1, 0.3, 0.7, 1.2, 1.4, 1.7, 2};
  Points y;
  for (const double v : x) y.push_back(1 + v * (2 + v * (-3 + v)));
  const Points m = smooth_slopes(x, y);
  for (std::size_t k = 0; k < x.size(); ++k)
    EXPECT_NEAR(m[k], 2 + x[k] * (-6 + 3 * x[k]), 1e-13) << k;
}

TEST(SmoothSlopesTest, ErrorOnASmoothFunctionFallsWithTheFourthPowerOfTheSpacing) {
  // Turning points lie between knots: nothing is limited there.
  double before = 0;
  for (const std::size_t n : {21, 41, 81, 161}) {
    Points x, y;
    for (std::size_t k = 0; k < n; ++k) {
      x.push_back(0.123 + 6.0 * static_cast<double>(k) / static_cast<double>(n - 1));
      y.push_back(std::sin(x.back()));
    }
    const Points m = smooth_slopes(x, y);
    double error = 0, jump = 0;
    for (std::size_t k = 0; k + 1 < n; ++k) {
      const CubicPiece p = piece(x, y, m, k);
      for (const double u : {0.25, 0.5, 0.75})
        error = std::max(error, std::abs(p.value(u) - std::sin(x[k] + u * p.h)));
      if (k > 0) {
        const CubicPiece left = piece(x, y, m, k - 1);
        jump = std::max(jump, std::abs(left.bend(1) - p.bend(0)) / (p.h * p.h));
      }
    }
    EXPECT_LT(jump, 1e-10);  // twice continuously differentiable
    if (before > 0) {
      EXPECT_GT(before / error, 12) << n;
    }
    before = error;
  }
}

TEST(SmoothSlopesTest, ABlowRingsNowhere) {
  // 0.1 ms in a table of 1 s: the spline through it reaches 1e7 times its height.
  const Points x{0, 0.2, 0.4, 0.5, 0.50005, 0.5001, 0.6, 0.8, 1}, y{0, 0, 0, 0, 1000, 0, 0, 0, 0};
  const Points m = smooth_slopes(x, y);
  for (const double slope : m) EXPECT_EQ(slope, 0);
}

TEST(SmoothSlopesTest, DeadBandIsDeadAndWhatIsStraightStaysStraight) {
  const Points x{-2, -1, 0, 1, 2, 3, 4}, y{0, 0, 0, 1, 2, 3, 4};
  const Points m = smooth_slopes(x, y);
  EXPECT_EQ(m[0], 0);
  EXPECT_EQ(m[1], 0);
  EXPECT_EQ(m[2], 0);
  for (std::size_t k = 3; k < x.size(); ++k) EXPECT_NEAR(m[k], 1, 1e-15);
}

TEST(SmoothSlopesTest, MonotoneDataGiveMonotonePieces) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> decade(-6, 0);
  for (int trial = 0; trial < 500; ++trial) {
    Points x{0}, y{0};
    for (int k = 0; k < 12; ++k) {
      x.push_back(x.back() + std::pow(10, decade(random)));
      y.push_back(y.back() + std::pow(10, decade(random)));
    }
    const Points m = smooth_slopes(x, y);
    for (std::size_t k = 0; k + 1 < x.size(); ++k) {
      const CubicPiece p = piece(x, y, m, k);
      double last = y[k];
      for (int i = 1; i <= 50; ++i) {
        const double now = p.value(i / 50.0);
        EXPECT_GE(now, last - 2e-12 * y.back()) << trial << " " << k;
        last = now;
      }
    }
  }
}

TEST(SmoothSlopesTest, TwoAndThreePoints) {
  EXPECT_EQ(smooth_slopes(Points{0, 2}, Points{1, 5}), (Points{2, 2}));
  // Natural: no second derivative at the ends.
  const Points m = smooth_slopes(Points{0, 1, 2}, Points{0, 1, 3});
  EXPECT_NEAR(2 * m[0] + m[1], 3 * 1, 1e-14);
  EXPECT_NEAR(m[1] + 2 * m[2], 3 * 2, 1e-14);
}

}  // namespace
}  // namespace freeplay
