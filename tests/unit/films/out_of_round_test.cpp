// SPDX-License-Identifier: Apache-2.0
#include "films/film_laws.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

// The Reynolds equation between surfaces that are not round: theory/films (F.29), (F.30).
namespace freeplay::films {
namespace {

constexpr double kPi = std::numbers::pi;

OutOfRound waves(double m, double amplitude, double phase) {
  return [=](double angle) -> Departure {
    const double x = m * (angle - phase);
    return {amplitude * std::cos(x), -m * amplitude * std::sin(x),
            -m * m * amplitude * std::cos(x)};
  };
}

ReynoldsSettings bearing(Cavitation cavitation, int around, int along, double length) {
  ReynoldsSettings s;
  s.around = around;
  s.along = along;
  s.cavitation = cavitation;
  s.radius = 0.015;
  s.clearance = 100e-6;
  s.viscosity = 0.02;
  s.length = length;
  s.minimum_film = 1e-9;
  return s;
}

/// Load per length of an endless full film between any surfaces that slide past each other: by
/// quadrature of the pressure gradient, p' = 12 eta R^2 (g - g0)/h^3 with g' = -V.r +
/// slip (w_b + w_j)' and the one g0 that closes it.
Planar<double> endless(const std::function<double(double)>& h,
                       const std::function<double(double)>& g, double R, double viscosity) {
  constexpr int n = 20000;
  const double d = 2 * kPi / n;
  double up = 0, down = 0;
  for (int k = 0; k < n; ++k) {
    const double t = k * d, h3 = std::pow(h(t), 3);
    up += g(t) / h3;
    down += 1 / h3;
  }
  // F = -int p r R dt = R int p' (sin, -cos) dt.
  Planar<double> out{0, 0};
  for (int k = 0; k < n; ++k) {
    const double t = k * d;
    const double slope = 12 * viscosity * R * (g(t) - up / down) / std::pow(h(t), 3) * R;
    out.x += R * slope * std::sin(t) * d;
    out.y -= R * slope * std::cos(t) * d;
  }
  return out;
}

TEST(OutOfRoundTest, AnEvenDepartureIsAnotherClearance) {
  for (const auto cavitation :
       {Cavitation::full_film, Cavitation::guembel, Cavitation::swift_stieber}) {
    auto worn = bearing(cavitation, 48, 12, 0.02), wide = worn;
    worn.bearing = [](double) -> Departure { return {20e-6, 0, 0}; };
    wide.clearance = 120e-6;
    const ReynoldsResult a = JournalReynolds(worn).solve(60e-6, 10e-6, -1e-3, -0.01, 100),
                         b = JournalReynolds(wide).solve(60e-6, 10e-6, -1e-3, -0.01, 100);
    EXPECT_NEAR(a.fx, b.fx, 1e-10 * std::hypot(b.fx, b.fy));
    EXPECT_NEAR(a.fy, b.fy, 1e-10 * std::hypot(b.fx, b.fy));
    // Shear counts in clearances.
    EXPECT_NEAR(a.shear / 100e-6, b.shear / 120e-6, 1e-10 * b.shear / 120e-6);
    EXPECT_EQ(a.twist, 0);
    EXPECT_NEAR(a.min_film, b.min_film, 1e-15);
    // A journal that is so much smaller, likewise.
    worn.bearing = {};
    worn.journal = [](double) -> Departure { return {-20e-6, 0, 0}; };
    const ReynoldsResult c =
        JournalReynolds(worn).solve(60e-6, 10e-6, -1e-3, -0.01, 100, true, 0.7);
    EXPECT_NEAR(c.fx, b.fx, 1e-10 * std::hypot(b.fx, b.fy));
    EXPECT_NEAR(c.dfx[0], b.dfx[0], 1e-9 * std::abs(b.dfx[0]));
  }
}

TEST(OutOfRoundTest, AnOvalBoreBearsWhatQuadratureSays) {
  // The middle of a long bearing: what 10 mm more of it bear. Its ends cancel.
  const double ex = 30e-6, ey = -20e-6, slip = 50, c = 100e-6, lift = 25e-6;
  const double vx = 0.5e-3 + slip * ey, vy = -slip * ex;  // bearing at rest: mean spin = slip
  double before = 0;
  for (const int around : {60, 120, 240}) {
    auto s = bearing(Cavitation::full_film, around, 96, 0.24);
    s.bearing = waves(2, lift, 0.3);
    auto longer = s;
    longer.length = 0.25;  // with cells of the same length
    longer.along = 100;
    const ReynoldsResult a = JournalReynolds(s).solve(ex, ey, vx, vy, slip),
                         b = JournalReynolds(longer).solve(ex, ey, vx, vy, slip);
    const auto h = [&](double t) {
      return c - ex * std::cos(t) - ey * std::sin(t) + lift * std::cos(2 * (t - 0.3));
    };
    // g' = -V.r + slip w_b'
    const auto g = [&](double t) {
      return -vx * std::sin(t) + vy * std::cos(t) + slip * lift * std::cos(2 * (t - 0.3));
    };
    const Planar<double> line = endless(h, g, s.radius, s.viscosity);
    const double off = std::hypot((b.fx - a.fx) / 0.01 - line.x, (b.fy - a.fy) / 0.01 - line.y) /
                       std::hypot(line.x, line.y);
    std::printf("%d around: off by %.2e\n", around, off);
    EXPECT_LT(off, 6e-4 * std::pow(60.0 / around, 2));
    if (before > 0) {
      EXPECT_LT(off, 0.35 * before);
    }
    before = off;
  }
}

TEST(OutOfRoundTest, LobesOnTheJournalAreLobesOfABearingThatTurnsBack) {
  // Seen from the journal: the same shape outside with the opposite sign, the same slip reversed.
  auto outside = bearing(Cavitation::full_film, 240, 12, 0.02), inside = outside;
  outside.bearing = waves(3, 8e-6, 0.4);
  inside.journal = waves(3, -8e-6, 0.1);
  const double slip = 40;
  const ReynoldsResult a = JournalReynolds(outside).solve(20e-6, 5e-6, 0, 0, -slip),
                       b = JournalReynolds(inside).solve(20e-6, 5e-6, 0, 0, slip, true, 0.3);
  EXPECT_NEAR(a.fx, b.fx, 1e-9 * std::hypot(a.fx, a.fy));
  EXPECT_NEAR(a.fy, b.fy, 1e-9 * std::hypot(a.fx, a.fy));
  EXPECT_NEAR(a.twist, -b.twist, 1e-9 * std::abs(a.twist) + 1e-18);
}

TEST(OutOfRoundTest, KnowsItsDerivatives) {
  for (const auto cavitation : {Cavitation::full_film, Cavitation::guembel,
                                Cavitation::swift_stieber, Cavitation::mass_conserving}) {
    auto s = bearing(cavitation, 48, 12, 0.02);
    s.bearing = waves(2, 20e-6, 0.3);
    s.journal = waves(3, 6e-6, -0.2);
    s.grooves = {{2.0, 0.3}};
    s.supply_pressure = 2e5;
    s.ambient_pressure = 5e4;
    const JournalReynolds film(s);
    const std::array<double, 6> x{30e-6, -20e-6, 1e-3, 2e-3, 60, 0.4},
        step{1e-10, 1e-10, 1e-7, 1e-7, 1e-4, 1e-6};
    const auto at = [&](const std::array<double, 6>& y) {
      return film.solve(y[0], y[1], y[2], y[3], y[4], true, y[5]);
    };
    const ReynoldsResult r = at(x);
    ASSERT_TRUE(r.converged);
    for (std::size_t i = 0; i < 6; ++i) {
      auto up = x, down = x;
      up[i] += step[i];
      down[i] -= step[i];
      const ReynoldsResult high = at(up), low = at(down);
      const double size = std::hypot(r.dfx[i], r.dfy[i]);
      EXPECT_NEAR(r.dfx[i], (high.fx - low.fx) / (2 * step[i]), 2e-5 * size) << i;
      EXPECT_NEAR(r.dfy[i], (high.fy - low.fy) / (2 * step[i]), 2e-5 * size) << i;
      EXPECT_NEAR(r.dtwist[i], (high.twist - low.twist) / (2 * step[i]),
                  1e-4 * (std::abs(r.dtwist[i]) + 1e-3 * size * 20e-6))
          << i;
      EXPECT_NEAR(r.dshear[i], (high.shear - low.shear) / (2 * step[i]),
                  1e-4 * (std::abs(r.dshear[i]) + 1e-3 * r.shear / (step[i] * 1e6)))
          << i;
    }
  }
}

TEST(OutOfRoundTest, RestsWithoutPressureAndSlidesWithIt) {
  auto s = bearing(Cavitation::swift_stieber, 60, 12, 0.02);
  s.bearing = waves(2, 25e-6, 0);
  const JournalReynolds film(s);
  // A round bearing with a centred journal makes no pressure; an oval one does: on both sides the
  // same, so that it bears no load.
  const ReynoldsResult centred = film.solve(0, 0, 0, 0, 50);
  EXPECT_GT(centred.max_pressure, 1e4);
  EXPECT_NEAR(std::hypot(centred.fx, centred.fy), 0, 1e-9 * centred.max_pressure * 3e-4);
  const ReynoldsResult still = film.solve(10e-6, 0, 0, 0, 0);
  EXPECT_EQ(still.fx, 0);
  EXPECT_EQ(still.max_pressure, 0);
}

}  // namespace
}  // namespace freeplay::films
