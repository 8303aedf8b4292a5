// SPDX-License-Identifier: Apache-2.0
#include "study/sections.hpp"

#include "study/repeatability.hpp"
#include "support/small_systems.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

namespace freeplay::study {
namespace {

Map logistic(double r) {
  return {1, [r](const double* x, double* y) { y[0] = r * x[0] * (1 - x[0]); },
          [r](const double* x, double* J) { J[0] = r * (1 - 2 * x[0]); }};
}

Points orbit(double r, int transient, int count) {
  const Map map = logistic(r);
  Points out{1, {}};
  double x = 0.3, y = 0;
  for (int k = 0; k < transient + count; ++k) {
    map.step(&x, &y);
    x = y;
    if (k >= transient) out.values.push_back(x);
  }
  return out;
}

/// r at which the cycle of that period becomes unstable by a multiplier of -1.
double doubling(int period, double low, double high) {
  for (int k = 0; k < 48; ++k) {
    const double r = 0.5 * (low + high);
    // A point of the cycle: where the orbit settles while it is stable; continued beyond from
    // there.
    const double start = orbit(std::min(r, high), 200000, 1).values[0];
    const Cycle cycle = find_cycle(logistic(r), VecX::Constant(1, start), period);
    (cycle.found && cycle.multiplier(0, 0) > -1 ? low : high) = r;
  }
  return low;
}

TEST(SectionsTest, LogisticMapDoublesItsPeriodWhereItShould) {
  EXPECT_NEAR(doubling(1, 2.8, 3.2), 3, 1e-6);
  EXPECT_NEAR(doubling(2, 3.3, 3.5), 1 + std::sqrt(6.0), 1e-6);
  EXPECT_NEAR(doubling(4, 3.48, 3.56), 3.544090, 1e-6);
}

TEST(SectionsTest, DoublingsFollowFeigenbaum) {
  const double r3 = doubling(4, 3.48, 3.56), r4 = doubling(8, 3.55, 3.567),
               r5 = doubling(16, 3.565, 3.5692), r6 = doubling(32, 3.5689, 3.5698);
  EXPECT_NEAR((r5 - r4) / (r6 - r5), 4.669201, 0.01);
  EXPECT_GT((r5 - r4) / (r6 - r5), (r4 - r3) / (r5 - r4));  // from below
}

TEST(SectionsTest, PeriodsAreToldApart) {
  EXPECT_EQ(period_of(orbit(2.9, 2000, 100), 1e-6, 32), 1);
  EXPECT_EQ(period_of(orbit(3.2, 2000, 100), 1e-6, 32), 2);
  EXPECT_EQ(period_of(orbit(3.5, 2000, 100), 1e-6, 32), 4);
  EXPECT_EQ(period_of(orbit(3.83, 2000, 100), 1e-6, 32), 3);
  EXPECT_EQ(period_of(orbit(4.0, 2000, 100), 1e-6, 32), 0);
}

TEST(SectionsTest, ShortRecordIsNotTakenForALongPeriod) {
  EXPECT_EQ(period_of(orbit(3.5, 2000, 6), 1e-6, 32), 0);
  EXPECT_EQ(period_of(orbit(3.5, 2000, 8), 1e-6, 32), 4);
  EXPECT_EQ(period_of({1, {}}, 1e-6, 32), 0);
}

TEST(SectionsTest, HarmonicOscillatorCutsItsSectionOncePerTurn) {
  const Flow flow{
      2, [](double, const double* x, double* f) { f[0] = x[1], f[1] = -x[0]; },
      [](double, const double*, double* J) { J[0] = 0, J[1] = 1, J[2] = -1, J[3] = 0; }};
  TransversalSection settings;
  settings.section = [](const VecX& x) { return x[0]; };
  settings.transient = 1;
  settings.count = 5;
  VecX start(2);
  start << 0.5, 0;
  const Points points = transversal_section(flow, start, settings);
  ASSERT_EQ(points.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(points[k][0], 0, 1e-12);
    EXPECT_NEAR(points[k][1], 0.5, 1e-7);
  }
  const Points strobe = stroboscopic_section(flow, start, 2 * std::numbers::pi, 0.01, 3, 4);
  EXPECT_EQ(classify(strobe, 0.5, 1e-6).period, 1);
}

TEST(SectionsTest, RecurrenceTellsRegularFromIrregular) {
  const Recurrence regular = recurrence(orbit(3.5, 2000, 200), 1e-3);
  EXPECT_NEAR(regular.rate, 0.25, 0.01);  // one pair in four
  EXPECT_NEAR(regular.determinism, 1, 1e-12);
  const Recurrence chaotic = recurrence(orbit(4.0, 2000, 200), 1e-3);
  EXPECT_LT(chaotic.rate, 0.02);
  EXPECT_LT(chaotic.longest, 20);
  EXPECT_LT(chaotic.determinism, regular.determinism);
}

TEST(RepeatabilityTest, StatisticsOfAFewTurns) {
  const double extremes[] = {1.0, 1.2, 0.9, 1.1};
  const Repeatability r = repeatability(extremes);
  EXPECT_NEAR(r.mean, 1.05, 1e-15);
  EXPECT_NEAR(r.range, 0.3, 1e-15);
  EXPECT_NEAR(r.standard_deviation, std::sqrt(0.05 / 3), 1e-15);
  EXPECT_NEAR(r.six_sigma, 6 * std::sqrt(0.05 / 3), 1e-14);
  EXPECT_EQ(repeatability(std::span<const double>{}).range, 0);
}

TEST(RepeatabilityTest, ExtremeLiesBetweenSamples) {
  // y = (t - 0.37)^2 + 2, then higher by 1: samples miss both lowest points.
  Extremes lowest(true), highest(false);
  for (int turn = 0; turn < 2; ++turn) {
    for (double u : {0.0, 0.15, 0.3, 0.55, 0.7, 1.0}) {
      const double y = (u - 0.37) * (u - 0.37) + 2;
      lowest.add(turn + u, y);
      highest.add(turn + u, -y);
    }
    EXPECT_NEAR(lowest.end_turn(), 2, 1e-14);
    EXPECT_NEAR(highest.end_turn(), -2, 1e-14);
  }
}

}  // namespace
}  // namespace freeplay::study
