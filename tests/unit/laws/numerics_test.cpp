// SPDX-License-Identifier: Apache-2.0
#include "laws/numerics.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace freeplay::laws {
namespace {

TEST(NumericsTest, ExactHysteresisSolvesItsRelationOnTheWholeRange) {
  EXPECT_EQ(exact_hysteresis(1), 0);
  EXPECT_EQ(exact_hysteresis(0), INFINITY);
  for (double c = 1e-6; c < 1; c *= 1.07) {
    const double beta = exact_hysteresis(c);
    EXPECT_NEAR(achieved_restitution(beta), c, 1e-13 * c) << "c = " << c;
    EXPECT_LE(beta * c, 1) << "c = " << c;
  }
  for (double loss = 0.1; loss > 1e-14; loss /= 3) {  // c -> 1: beta -> 3/2 (1 - c)
    const double c = 1 - loss, beta = exact_hysteresis(c);
    EXPECT_NEAR(achieved_restitution(beta), c, 1e-15);
    EXPECT_NEAR(beta, 1.5 * (1 - c), 2 * loss * loss + 1e-15) << "c = " << c;
  }
  // The two ways to solve meet.
  EXPECT_NEAR(exact_hysteresis(0.08 - 1e-13), exact_hysteresis(0.08), 1e-10);
  EXPECT_NEAR(exact_hysteresis(0.9), 0.166481950685, 1e-11);
}

TEST(NumericsTest, DampingRatiosInvertTheirRestitution) {
  EXPECT_EQ(release_damping_ratio(1), 0);
  EXPECT_EQ(release_damping_ratio(0), INFINITY);
  EXPECT_NEAR(release_restitution(1), std::exp(-2.0), 1e-15);
  for (double c = 1e-6; c < 1; c *= 1.07)
    EXPECT_NEAR(release_restitution(release_damping_ratio(c)), c, 1e-13) << c;
  for (double step = -1e-3; step < 1.1e-3; step += 1e-4)  // smooth through critical damping
    EXPECT_NEAR(release_restitution(1 + step), std::exp(-2.0) * (1 - 4.0 / 3 * step),
                3 * step * step + 1e-13);
  EXPECT_EQ(relaxed_damping_ratio(1), 0);
  EXPECT_EQ(relaxed_damping_ratio(0), 1);
}

TEST(NumericsTest, LambertIsQuietOutsideItsRange) {
  for (double x = 1e-300; x < 0.367; x *= 10) {
    const double w = lambert_wm1(-x);
    EXPECT_NEAR(std::log(-w) + w, std::log(x), 1e-13 * -w);
  }
  EXPECT_NEAR(lambert_wm1(-std::exp(-1.0)), -1, 1e-7);
  EXPECT_TRUE(std::isnan(lambert_wm1(NAN)));
  EXPECT_TRUE(std::isnan(lambert_wm1(-1)));
  EXPECT_TRUE(std::isnan(lambert_wm1(1)));
}

TEST(NumericsTest, QuotientsStayRegularAtZero) {
  using D = Dual<1>;
  EXPECT_EQ(tanh_over(0.0), 1);
  EXPECT_EQ(decay_over(0.0), 1);
  EXPECT_EQ(tanh_over(D::variable(0, 0)).d[0], 0);
  EXPECT_DOUBLE_EQ(decay_over(D::variable(0, 0)).d[0], -0.5);
  for (const double x : {0.02 * (1 - 1e-12), 0.02 * (1 + 1e-12)}) {  // both sides of the switch
    EXPECT_NEAR(tanh_over(x), std::tanh(x) / x, 1e-15);
    EXPECT_NEAR(decay_over(x), -std::expm1(-x) / x, 1e-14);
    EXPECT_NEAR(tanh_over(D::variable(x, 0)).d[0], -2 * x / 3 + 8 * x * x * x / 15, 2e-9);
    EXPECT_NEAR(decay_over(D::variable(x, 0)).d[0], -0.5 + x / 3 - x * x / 8 + x * x * x / 30,
                2e-9);
  }
  const Vec3T<D> rest(D::variable(0, 0), D(0), D(0));
  EXPECT_EQ(length_of(rest).d[0], 0);
}

TEST(NumericsTest, WorkOfAPower) {
  for (const double n : {1.0, 1.5, 2.0, 3.0})
    EXPECT_NEAR(
        work_to(0.3, [n](double d) { return std::pow(d, n); }) / (std::pow(0.3, n + 1) / (n + 1)),
        1, 1e-14);
}

TEST(NumericsTest, SteepPowerIsExactInValueAndCutInSlope) {
  EXPECT_EQ(steep_power(1e-9, 0.25, 1e-6), std::pow(1e-9, 0.25));
  EXPECT_DOUBLE_EQ(steep_power(Dual<1>::variable(1e-9, 0), 0.25, 1e-6).d[0],
                   0.25 * std::pow(1e-6, -0.75));
  EXPECT_DOUBLE_EQ(steep_power(Dual<1>::variable(1e-5, 0), 0.25, 1e-6).d[0],
                   0.25 * std::pow(1e-5, -0.75));
}

}  // namespace
}  // namespace freeplay::laws
