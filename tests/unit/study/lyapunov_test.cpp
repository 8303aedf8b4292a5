// SPDX-License-Identifier: Apache-2.0
#include "study/neighbours.hpp"
#include "support/recording.hpp"
#include "support/small_systems.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

// The flows and maps of verification/cases E, at their tolerances.
namespace freeplay::study {
namespace {

Map logistic(double r) {
  return {1, [r](const double* x, double* y) { y[0] = r * x[0] * (1 - x[0]); },
          [r](const double* x, double* J) { J[0] = r * (1 - 2 * x[0]); }};
}

Map henon() {
  return {2,
          [](const double* x, double* y) {
            y[0] = 1 - 1.4 * x[0] * x[0] + x[1];
            y[1] = 0.3 * x[0];
          },
          [](const double* x, double* J) {
            J[0] = -2.8 * x[0], J[1] = 1;
            J[2] = 0.3, J[3] = 0;
          }};
}

Flow lorenz(double rho = 28) {
  return {3,
          [rho](double, const double* x, double* f) {
            f[0] = 10 * (x[1] - x[0]);
            f[1] = x[0] * (rho - x[2]) - x[1];
            f[2] = x[0] * x[1] - 8.0 / 3 * x[2];
          },
          [rho](double, const double* x, double* J) {
            J[0] = -10, J[1] = 10, J[2] = 0;
            J[3] = rho - x[2], J[4] = -1, J[5] = -x[0];
            J[6] = x[1], J[7] = x[0], J[8] = -8.0 / 3;
          }};
}

Flow roessler(double c = 5.7) {
  return {3,
          [c](double, const double* x, double* f) {
            f[0] = -x[1] - x[2];
            f[1] = x[0] + 0.2 * x[1];
            f[2] = 0.2 + x[2] * (x[0] - c);
          },
          [c](double, const double* x, double* J) {
            J[0] = 0, J[1] = -1, J[2] = -1;
            J[3] = 1, J[4] = 0.2, J[5] = 0;
            J[6] = x[2], J[7] = 0, J[8] = x[0] - c;
          }};
}

Flow ueda(double amplitude = 7.5) {
  return {2,
          [amplitude](double t, const double* x, double* f) {
            f[0] = x[1];
            f[1] = -0.05 * x[1] - x[0] * x[0] * x[0] + amplitude * std::cos(t);
          },
          [](double, const double* x, double* J) {
            J[0] = 0, J[1] = 1;
            J[2] = -3 * x[0] * x[0], J[3] = -0.05;
          }};
}

TEST(LyapunovTest, LogisticMapAtFourDoublesDeviationsEachStep) {
  freeplay::testing::Check check("E logistic map, r = 4", "closed form: ln 2");
  const auto found = lyapunov_spectrum(logistic(4), VecX::Constant(1, 0.3), {.length = 1e6});
  check.near("largest exponent", found.exponents[0], std::numbers::ln2, 1e-3);
  EXPECT_TRUE(found.chaotic());
}

TEST(LyapunovTest, HenonMap) {
  freeplay::testing::Check check("E Henon map", "published exponents; sum = ln 0.3 exactly");
  const auto found = lyapunov_spectrum(henon(), VecX::Constant(2, 0.1), {.length = 2e6});
  check.near("first exponent", found.exponents[0], 0.4192, 1e-3);
  check.near("second exponent", found.exponents[1], -1.6232, 1e-3);
  check.near("sum", found.sum(), std::log(0.3), 1e-10);  // the Jacobian's determinant is constant
  EXPECT_TRUE(found.chaotic());
}

TEST(LyapunovTest, TwoTrajectoriesAgreeWithTheVariationalExponentOfHenon) {
  const Map map = henon();
  TwoTrajectory settings;
  settings.advance = [&](VecX& x, long long) {
    VecX next(2);
    map.step(x.data(), next.data());
    x = next;
  };
  settings.transient = 100;
  settings.count = 1000000;
  EXPECT_NEAR(two_trajectory(VecX::Constant(2, 0.1), settings).exponents[0], 0.4192, 2e-3);
}

TEST(LyapunovTest, Lorenz) {
  freeplay::testing::Check check("E Lorenz", "published exponents; sum = -41/3 exactly");
  const auto found = lyapunov_spectrum(
      lorenz(), VecX::Constant(3, 1.0),
      // Steps of 0.01 would leave 1e-4 of truncation in the sum.
      {.transient = 100, .length = 1e5, .interval = 0.5, .step = 0.005, .blocks = 50});
  check.near("first exponent", found.exponents[0], 0.9056, 1e-3);
  check.near("second exponent", found.exponents[1], 0, 1e-3);
  check.near("third exponent", found.exponents[2], -14.572, 2e-3);
  check.near("sum", found.sum(), -41.0 / 3, 1e-4);  // the mean divergence, exactly
  EXPECT_LT(found.standard_error[0], 1e-3);
  EXPECT_TRUE(found.chaotic());
}

TEST(LyapunovTest, LorenzByNeighboursAsOfMechanisms) {
  freeplay::testing::Check check("E Lorenz by neighbours",
                                 "published exponents; sum = -41/3 exactly");
  // The way studies go: no derivatives, a motion and three neighbours that are brought together.
  const Flow flow = lorenz();
  const double interval = 0.5;
  const auto advance = [&](State& state) {
    Trajectory trajectory(flow, state.time, state.y, 0);
    trajectory.advance(state.time + interval, 0.005);
    state.y = trajectory.state();
    state.time = trajectory.time();
  };
  State centre;
  centre.y = VecX::Constant(3, 1.0);
  centre.layout = std::make_shared<const Layout>("flow");
  for (int k = 0; k < 200; ++k) advance(centre);
  Neighbours near(centre, VecX::Constant(3, 10.0), 3, 3, 1);
  StretchingAverage average(3, interval, 20, 4000);
  for (int k = -20; k < 4000; ++k) {
    const std::vector<double> before = near.lengths(centre);
    advance(centre);
    for (State& state : near.states()) advance(state);
    std::vector<double> logarithms = near.lengths(centre);
    for (std::size_t i = 0; i < 3; ++i) logarithms[i] = std::log(logarithms[i] / before[i]);
    if (k >= 0) average.add(logarithms.data());
    near.bring_together(centre);
  }
  const Lyapunov found = average.result();
  check.near("first exponent", found.exponents[0], 0.9056, 4 * found.standard_error[0]);
  EXPECT_LT(found.standard_error[0], 0.01);
  check.near("second exponent", found.exponents[1], 0, 0.005);
  check.near("sum", found.sum(), -41.0 / 3, 1e-3);
}

TEST(LyapunovTest, Roessler) {
  freeplay::testing::Check check("E Roessler", "published exponents");
  const auto found = lyapunov_spectrum(
      roessler(), VecX::Constant(3, 1.0),
      {.transient = 500, .length = 1e5, .interval = 1, .step = 0.02, .blocks = 50});
  check.near("first exponent", found.exponents[0], 0.0714, 1e-3);
  check.near("second exponent", found.exponents[1], 0, 1e-3);
  check.near("third exponent", found.exponents[2], -5.394, 0.01);
  EXPECT_TRUE(found.chaotic());
}

TEST(LyapunovTest, UedaOscillator) {
  freeplay::testing::Check check("E Ueda oscillator", "recomputed; sum = -0.05 exactly");
  const double period = 2 * std::numbers::pi;
  const auto found = lyapunov_spectrum(ueda(), VecX::Constant(2, 1.0),
                                       {.transient = 200 * period,
                                        .length = 16000 * period,
                                        .interval = period,
                                        .step = period / 200,
                                        .blocks = 50});
  check.near("largest exponent", found.exponents[0], 0.1025, 2e-3);
  check.near("sum", found.sum(), -0.05, 1e-4);
  EXPECT_TRUE(found.chaotic());
}

TEST(LyapunovTest, TwoTrajectoriesAgreeWithTheVariationalExponentOfUeda) {
  const double period = 2 * std::numbers::pi;
  const Flow flow = ueda();
  TwoTrajectory settings;
  settings.advance = [&](VecX& x, long long) {
    Trajectory trajectory(flow, 0, x, 0);  // the forcing has the period of the interval
    trajectory.advance(period, period / 200);
    x = trajectory.state();
  };
  settings.interval = period;
  settings.transient = 200;
  settings.count = 8000;
  EXPECT_NEAR(two_trajectory(VecX::Constant(2, 1.0), settings).exponents[0], 0.1025, 3e-3);
}

TEST(LyapunovTest, PeriodicAttractorsAreNotCalledChaotic) {
  // Logistic 3.2: period 2. Lorenz 350: a limit cycle (exponents 0, -, -). Ueda's oscillator with a
  // weak forcing: follows it.
  const auto map = lyapunov_spectrum(logistic(3.2), VecX::Constant(1, 0.3), {.length = 1e4});
  EXPECT_FALSE(map.chaotic());
  EXPECT_LT(map.exponents[0], -0.5);
  const auto cycle =
      lyapunov_spectrum(lorenz(350), VecX::Constant(3, 1.0),
                        {.transient = 200, .length = 1000, .interval = 0.1, .step = 0.002});
  EXPECT_FALSE(cycle.chaotic());
  EXPECT_NEAR(cycle.exponents[0], 0, 0.01);
  EXPECT_LT(cycle.exponents[1], -0.05);
  const double period = 2 * std::numbers::pi;
  const auto forced =
      lyapunov_spectrum(ueda(0.1), VecX::Zero(2),
                        {.transient = 100 * period, .length = 500 * period, .interval = period});
  EXPECT_FALSE(forced.chaotic());
  EXPECT_NEAR(forced.exponents[0], -0.025, 1e-3);  // half the damping, once the pair is complex
}

}  // namespace
}  // namespace freeplay::study
