// SPDX-License-Identifier: Apache-2.0
#include "core/sin_cos.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>

namespace freeplay {
namespace {

/// Error of a double in units of its last place.
double ulps(double got, long double exact) {
  const double near = static_cast<double>(exact);
  const double ulp =
      std::nextafter(std::abs(near), std::numeric_limits<double>::infinity()) - std::abs(near);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact)) / ulp;
}

TEST(SinCos, AreWithinOneUnitOfTheLastPlace) {
  std::mt19937 random(3);
  double worst = 0;
  for (const double range : {1e-8, 0.8, 3.2, 100.0, 7e5}) {
    std::uniform_real_distribution<double> any(-range, range);
    for (int k = 0; k < 200000; ++k) {
      const double x = any(random);
      double s = 0, c = 0;
      sin_cos(x, s, c);
      worst = std::max({worst, ulps(s, std::sin(static_cast<long double>(x))),
                        ulps(c, std::cos(static_cast<long double>(x)))});
    }
  }
  EXPECT_LT(worst, 1);
}

TEST(SinCos, HoldNearMultiplesOfAQuarterTurn) {
  for (int k = -2000; k <= 2000; ++k) {
    const double x = k * (std::acos(-1.0) / 2);
    double s = 0, c = 0;
    sin_cos(x, s, c);
    EXPECT_LT(ulps(s, std::sin(static_cast<long double>(x))), 1) << x;
    EXPECT_LT(ulps(c, std::cos(static_cast<long double>(x))), 1) << x;
  }
}

TEST(SinCos, AreThoseOfTheLibraryWhereAnglesAreHuge) {
  for (const double x : {1e6, -3e9, 1e300}) {
    double s = 0, c = 0;
    sin_cos(x, s, c);
    EXPECT_EQ(s, std::sin(x));
    EXPECT_EQ(c, std::cos(x));
  }
  double s = 0, c = 0;
  sin_cos(std::numeric_limits<double>::infinity(), s, c);
  EXPECT_TRUE(std::isnan(s) && std::isnan(c));
}

}  // namespace
}  // namespace freeplay
