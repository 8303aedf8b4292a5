// SPDX-License-Identifier: Apache-2.0
#include "core/series.hpp"

#include <gtest/gtest.h>

#include <random>

namespace freeplay {
namespace {

/// Something of every function a formula may use, on arguments where all are defined.
template <class T>
T everything(const T& t) {
  const T u = T(0.3) + T(0.2) * sin(t);
  return exp(-(t * t)) * cos(T(3.0) * t) + log(T(2.0) + t) / sqrt(T(3.0) + t) + tan(u) -
         asin(u) * acos(u) + atan(t) + sinh(u) * cosh(t) - tanh(T(2.0) * t) + power(u, 2.5) +
         power(t, 3.0) + power(u, t) + power(T(2.0) + t, -2.0) + abs(t - T(5.0));
}

TEST(SeriesTest, CoefficientsAreThoseOfTheShiftedFunction) {
  // f(t + h) summed from the series at t: the remainder is of the order of the first left out.
  using Number = Series<double, 9>;
  for (const double t : {-0.7, 0.0, 0.4}) {
    const Number at = everything(Number::variable(t));
    for (const double h : {0.02, -0.01}) {
      double sum = 0;
      for (int k = 8; k >= 0; --k) sum = sum * h + at.c[static_cast<std::size_t>(k)];
      const double exact = everything(Series<double, 1>(t + h)).c[0];
      EXPECT_NEAR(sum, exact, 2e-13 * std::abs(exact)) << t << " " << h;
    }
  }
}

TEST(SeriesTest, WholePowersHoldAtZeroAndBelow) {
  using Number = Series<double, 4>;
  const Number cube = power(Number::variable(0.0), 3.0);
  EXPECT_EQ(cube.c[0], 0);
  EXPECT_EQ(cube.c[1], 0);
  EXPECT_EQ(cube.c[3], 1);
  const Number below = power(Number::variable(-2.0), Number(3.0));
  EXPECT_EQ(below.c[0], -8);
  EXPECT_EQ(below.c[1], 12);
}

TEST(IntervalTest, EnclosesValuesAndDerivativesOfRandomPoints) {
  using Bounds = Series<Interval, 5>;
  using Number = Series<double, 5>;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-0.9, 0.9), share(0, 1);
  for (int k = 0; k < 2000; ++k) {
    const double a = place(random), b = a + 0.3 * std::pow(10, -4 * share(random));
    const Bounds bounds = everything(Bounds::variable({a, b}));
    const double t = a + (b - a) * share(random);
    const Number at = everything(Number::variable(t));
    for (std::size_t d = 0; d < 5; ++d) {
      const double slack = 1e-12 * (1 + std::abs(at.c[d]));  // rounding of the point itself
      EXPECT_GE(at.c[d], bounds.c[d].low - slack) << a << " " << b << " " << d;
      EXPECT_LE(at.c[d], bounds.c[d].high + slack) << a << " " << b << " " << d;
    }
  }
}

TEST(IntervalTest, WhatIsNotDefinedIsTheWholeLine) {
  const Interval across(-1, 1);
  for (const Interval& x : {log(across), sqrt(across), Interval(1.0) / across, asin(across * 2),
                            tan(across * 2), pow(across, 0.5), pow(across, -1)}) {
    EXPECT_EQ(x.low, -INFINITY);
    EXPECT_EQ(x.high, INFINITY);
  }
  EXPECT_EQ(pow(across, 2).low, 0);
  EXPECT_EQ(abs(across).low, 0);
  EXPECT_EQ(cosh(across).low, 1);
  EXPECT_EQ(sin(Interval(0, 100)).high, 1);
  EXPECT_EQ(sin(Interval(1, 2)).high, 1);
  EXPECT_LT(sin(Interval(1.6, 2)).high, 1);
}

TEST(IntervalTest, KinkHasBothSlopesAndNoSecondDerivative) {
  const auto kink = abs(Series<Interval, 3>::variable({-1, 2}));
  EXPECT_EQ(kink.c[0].high, 2);
  EXPECT_EQ(kink.c[1].low, -1);
  EXPECT_EQ(kink.c[1].high, 1);
  EXPECT_EQ(kink.c[2].high, INFINITY);
}

}  // namespace
}  // namespace freeplay
