// SPDX-License-Identifier: Apache-2.0
#include "films/film_laws.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <ctime>

// The Reynolds equation of the finite bearing: against its limits, against published and recomputed
// tables (verification/cases C3), against itself on finer grids.
namespace freeplay::films {
namespace {

constexpr double kPi = std::numbers::pi;

ReynoldsSettings unit_bearing(double slenderness, Cavitation cavitation, int around, int along) {
  ReynoldsSettings s;
  s.around = around;
  s.along = along;
  s.cavitation = cavitation;
  s.radius = s.clearance = s.viscosity = 1;
  s.length = 2 * slenderness;
  s.minimum_film = 1e-6;
  return s;
}

// Radial and tangential force over L, units eta R^3/c^2, at (eps, eps', W).
Planar<double> polar_force(const JournalReynolds& film, double eps, double rate, double W) {
  const ReynoldsResult r = film.solve(eps, 0, rate, -0.5 * W * eps, 0.5 * W);
  EXPECT_TRUE(r.converged);
  return {r.fx / film.settings().length, r.fy / film.settings().length};
}

double size_of(const Planar<double>& f) { return std::hypot(f.x, f.y); }
double distance(const Planar<double>& a, const Planar<double>& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

TEST(ReynoldsTest, MatchesAnotherScheme) {
  // Given there to about three digits, from 160 x 40 volumes of another scheme.
  struct Row {
    double slenderness, eps;
    Planar<double> guembel, swift_stieber;
  };
  for (const Row& r : {Row{0.5, 0.6, {-0.577, 0.728}, {-0.663, 0.743}},
                       {1, 0.6, {-1.257, 1.939}, {-1.617, 2.068}},
                       {1, 0.9, {-12.0, 7.21}, {-15.1, 7.60}},
                       {4, 0.6, {-2.41, 4.77}, {-2.73, 6.85}}}) {
    const JournalReynolds a(unit_bearing(r.slenderness, Cavitation::guembel, 160, 40));
    const JournalReynolds b(unit_bearing(r.slenderness, Cavitation::swift_stieber, 160, 40));
    EXPECT_LT(distance(polar_force(a, r.eps, 0, 1), r.guembel), 0.005 * size_of(r.guembel));
    EXPECT_LT(distance(polar_force(b, r.eps, 0, 1), r.swift_stieber),
              0.005 * size_of(r.swift_stieber));
  }
  const JournalReynolds squeeze(unit_bearing(1, Cavitation::guembel, 160, 40));
  EXPECT_NEAR(polar_force(squeeze, 0.6, 0.5, 0).x, -14.7, 0.05);
}

TEST(ReynoldsTest, TendsToTheShortBearing) {
  const double slenderness = 0.02;
  ShortBearing closed;
  closed.viscosity = 1;
  closed.minimum_film = 1e-6;
  closed.prepare({1, 1, 2 * slenderness});
  const JournalReynolds film(unit_bearing(slenderness, Cavitation::guembel, 1024, 16));
  for (const auto& [eps, rate, W] :
       {std::array{0.3, 0.0, 1.0}, {0.6, 0.0, 1.0}, {0.6, 0.5, 1.0}, {0.7, -0.4, 1.0}}) {
    const FilmForce<> f = closed.force(FilmMotion<>{eps, 0, rate, 0, 0, W});
    const Planar<double> exact{f.fx / (2 * slenderness), f.fy / (2 * slenderness)};
    std::printf("short bearing, ratio %g: off %.4f %%\n", eps,
                100 * distance(polar_force(film, eps, rate, W), exact) / size_of(exact));
    EXPECT_LT(distance(polar_force(film, eps, rate, W), exact), 1e-3 * size_of(exact)) << eps;
  }
}

TEST(ReynoldsTest, TendsToTheLongBearing) {
  // The ends cost a share in proportion to D/L: two lengths tell the limit.
  const double eps = 0.5;
  for (const auto cavitation : {Cavitation::full_film, Cavitation::guembel}) {
    const auto at = [&](double slenderness) {
      return polar_force(
          JournalReynolds(unit_bearing(slenderness, cavitation, 192, slenderness > 9 ? 160 : 96)),
          eps, 0, 1);
    };
    const Planar<double> a = at(6), b = at(12);
    const Planar<double> limit{2 * b.x - a.x, 2 * b.y - a.y};
    const double q = 1 - eps * eps, k = 2 + eps * eps;
    const Planar<double> exact =
        cavitation == Cavitation::full_film
            ? Planar<double>{0, 12 * kPi * eps / (k * std::sqrt(q))}
            : Planar<double>{-12 * eps * eps / (k * q), 6 * kPi * eps / (k * std::sqrt(q))};
    std::printf("long bearing, %s: L/D 12 off %.2f %%, extrapolated off %.4f %%\n",
                cavitation == Cavitation::guembel ? "half film" : "full film",
                100 * distance(b, exact) / size_of(exact),
                100 * distance(limit, exact) / size_of(exact));
    EXPECT_LT(distance(limit, exact), 1e-3 * size_of(exact));
  }
}

TEST(ReynoldsTest, RupturesWhereSwiftAndStieberSay) {
  // Long bearing, full supply at the widest gap: (-4.7766, 6.6312), rupture at 213.08 degrees from
  // there by quadrature. The ends of a very long bearing take 1/(3 m) each.
  auto s = unit_bearing(2000, Cavitation::swift_stieber, 720, 4);
  s.grooves = {{kPi, 0}};
  const double ends = 1 - 2.0 / (3 * 4);
  for (const auto cavitation : {Cavitation::swift_stieber, Cavitation::mass_conserving}) {
    s.cavitation = cavitation;
    const JournalReynolds film(s);
    const Planar<double> f = polar_force(film, 0.6, 0, 1);
    EXPECT_NEAR(f.x / ends, -4.7766, 2e-3);
    EXPECT_NEAR(f.y / ends, 6.6312, 2e-3);
    const auto p = film.pressure();
    const auto angles = film.angles();
    double rupture = 0;
    for (std::size_t k = 0; k < angles.size(); ++k)
      if (p[k * 5 + 2] > 0) rupture = std::max(rupture, angles[k] - kPi);
    EXPECT_NEAR(rupture * 180 / kPi, 213.08, 0.6);
  }
}

TEST(ReynoldsTest, ConvergesWithItsOrder) {
  struct Case {
    const char* name;
    Cavitation cavitation;
    double order, band;
  };
  for (const Case& c : {Case{"full film", Cavitation::full_film, 2, 0.15},
                        {"Guembel", Cavitation::guembel, 2, 0.3},
                        {"Swift-Stieber", Cavitation::swift_stieber, 2, 0.4},
                        {"mass-conserving", Cavitation::mass_conserving, 1, 0.4}}) {
    // The free boundary moves from node to node: the mean of several ratios is what converges
    // smoothly. A groove in the opening gap makes voids travel and the film form again.
    double mean = 0;
    int count = 0;
    for (const double eps : {0.45, 0.5, 0.55, 0.6, 0.65}) {
      const auto at = [&](int n) {
        auto s = unit_bearing(1, c.cavitation, 4 * n, n);
        s.grooves = {{0.5 * kPi, 0}};
        return polar_force(JournalReynolds(s), eps, 0, 1);
      };
      const Planar<double> coarse = at(12), middle = at(24), fine = at(48);
      mean += std::log2(distance(coarse, middle) / distance(middle, fine));
      ++count;
    }
    mean /= count;
    std::printf("journal, %s: observed order %.2f\n", c.name, mean);
    EXPECT_NEAR(mean, c.order, c.band) << c.name;
  }
}

TEST(ReynoldsTest, KnowsItsDerivatives) {
  for (const auto cavitation : {Cavitation::full_film, Cavitation::guembel,
                                Cavitation::swift_stieber, Cavitation::mass_conserving}) {
    auto s = unit_bearing(0.8, cavitation, 48, 12);
    s.grooves = {{2.0, 0.3}};
    s.supply_pressure = 0.2;
    s.ambient_pressure = 0.05;
    if (cavitation != Cavitation::mass_conserving) s.compliance = 0.02;
    const JournalReynolds film(s);
    const std::array<double, 5> x{0.4, -0.3, 0.1, 0.25, 0.6};
    const auto at = [&](const std::array<double, 5>& y) {
      return film.solve(y[0], y[1], y[2], y[3], y[4]);
    };
    const ReynoldsResult r = at(x);
    ASSERT_TRUE(r.converged);
    for (std::size_t i = 0; i < 5; ++i) {
      auto up = x, down = x;
      up[i] += 1e-6;
      down[i] -= 1e-6;
      EXPECT_NEAR(r.dfx[i], (at(up).fx - at(down).fx) / 2e-6, 2e-5 * (1 + std::abs(r.dfx[i]))) << i;
      EXPECT_NEAR(r.dfy[i], (at(up).fy - at(down).fy) / 2e-6, 2e-5 * (1 + std::abs(r.dfy[i]))) << i;
    }
  }
}

TEST(ReynoldsTest, RightsATiltedJournal) {
  for (const auto cavitation : {Cavitation::guembel, Cavitation::swift_stieber}) {
    const JournalReynolds film(unit_bearing(1, cavitation, 64, 16));
    const ReynoldsResult parallel = film.solve(0.4, 0.1, 0.2, -0.3);
    const ReynoldsResult same = film.solve_tilted(0.4, 0.1, 0.2, -0.3, 0, 0, 0, 0);
    EXPECT_NEAR(same.fx, parallel.fx, 1e-9 * std::abs(parallel.fx));
    EXPECT_NEAR(same.fy, parallel.fy, 1e-9 * std::abs(parallel.fx));
    EXPECT_NEAR(same.mx, 0, 1e-9 * std::abs(parallel.fx));
    // Tilting motion is resisted in both directions.
    EXPECT_LT(same.dmy[7], 0);  // my against slope_x'
    EXPECT_GT(same.dmx[8], 0);  // mx against -slope_y'
    // Derivatives of a really tilted one.
    const std::array<double, 8> x{0.3, 0.1, 0.2, -0.3, 0.1, -0.15, 0.05, 0.1};
    const auto at = [&](const std::array<double, 8>& y) {
      return film.solve_tilted(y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]);
    };
    const ReynoldsResult r = at(x);
    for (std::size_t i = 0; i < 8; ++i) {
      auto up = x, down = x;
      up[i] += 1e-6;
      down[i] -= 1e-6;
      const std::size_t g = i < 4 ? i : i + 1;  // the slip has no part in this
      EXPECT_NEAR(r.dmx[g], (at(up).mx - at(down).mx) / 2e-6, 1e-5 * (1 + std::abs(r.dmx[g]))) << i;
      EXPECT_NEAR(r.dmy[g], (at(up).my - at(down).my) / 2e-6, 1e-5 * (1 + std::abs(r.dmy[g]))) << i;
      EXPECT_NEAR(r.dfx[g], (at(up).fx - at(down).fx) / 2e-6, 1e-5 * (1 + std::abs(r.dfx[g]))) << i;
    }
  }
}

TEST(ReynoldsTest, TellsHowFarSlicesAreOff) {
  // Sliced short theory, theory/films (F.21), neglects dh/dz and dV/dz in the axial flow. At L/D ->
  // 0 its force is right and its moment exceeds that of the Reynolds equation by exactly 3/2 for a
  // tilt at rest and by 3 for a tilting motion: p = z (L^2/4 - z^2) times 1 against 3/2, 1/6
  // against 1/2.
  ShortBearing closed;
  closed.viscosity = 1;
  closed.full_film = true;
  closed.minimum_film = 1e-6;
  closed.prepare({1, 1, 0.04});
  const JournalReynolds film(unit_bearing(0.02, Cavitation::full_film, 128, 32));
  const double slope = 0.3;  // 0.006 of the clearance at the ends
  const TiltedForce<> a = closed.force(TiltedMotion<>{{0.4, 0, 0.1, 0, 0, 0}, slope, 0, 0, 0});
  const ReynoldsResult b = film.solve_tilted(0.4, 0, 0.1, 0, slope, 0, 0, 0);
  EXPECT_NEAR(b.fx / a.centre.fx, 1, 0.003);
  EXPECT_NEAR(a.my / b.my, 1.5, 0.02);
  const TiltedForce<> c = closed.force(TiltedMotion<>{{0.4, 0, 0, 0, 0, 0}, 0, 0, 1, 0});
  const ReynoldsResult d = film.solve_tilted(0.4, 0, 0, 0, 0, 0, 1, 0);
  EXPECT_NEAR(c.my / d.my, 3, 0.03);
  EXPECT_LT(d.my, 0);
}

TEST(MassConservingTest, SettlesFromAnyHistory) {
  auto s = unit_bearing(0.7, Cavitation::mass_conserving, 48, 8);
  s.grooves = {{0.5 * kPi, 0.2}};
  s.supply_pressure = 0.1;
  const JournalReynolds film(s);
  const double eps = 0.6, W = 1;
  const ReynoldsResult steady = film.solve(eps, 0, 0, -0.5 * W * eps, 0.5 * W);
  std::vector<double> voids(film.states(), 0.0), next(film.states());
  ReynoldsResult r;
  std::vector<double> distance;
  for (int i = 0; i < 400; ++i) {
    r = film.solve_step(eps, 0, 0, -0.5 * W * eps, 0.5 * W, voids, 0.3, next);
    ASSERT_TRUE(r.converged);
    voids = next;
    distance.push_back(std::hypot(r.fx - steady.fx, r.fy - steady.fy));
  }
  EXPECT_GT(distance.front(), 1e-3) << "voids need time to form";
  EXPECT_LT(distance.back(), 1e-9);
  for (const double d : voids) EXPECT_GE(d, 0);
  for (const double a : film.content()) {
    EXPECT_GE(a, 0);
    EXPECT_LE(a, 1);
  }
}

TEST(MassConservingTest, RemembersAGapThatOpened) {
  // Pull the journal off and push it back: the void must be filled before pressure returns, which
  // the Reynolds condition does not know.
  auto s = unit_bearing(0.7, Cavitation::mass_conserving, 48, 8);
  s.grooves = {{kPi, 0.2}};
  const JournalReynolds film(s);
  std::vector<double> voids(film.states(), 0.0), next(film.states());
  double e = 0.6;
  for (int i = 0; i < 20; ++i) {
    e -= 0.02;
    ASSERT_TRUE(film.solve_step(e, 0, -0.02 / 0.01, 0, 0, voids, 0.01, next).converged);
    voids = next;
  }
  const double closing_after_void = film.solve_step(e, 0, 2, 0, 0, voids, 0.01, next).fx;
  const std::vector<double> full(film.states(), 0.0);
  const double closing_full = film.solve_step(e, 0, 2, 0, 0, full, 0.01, next).fx;
  EXPECT_LT(closing_full, 0);
  EXPECT_GT(closing_after_void, 0.7 * closing_full) << "less force with voids to fill";
}

TEST(ElasticTest, LinerAndMatrixAgree) {
  auto s = unit_bearing(0.5, Cavitation::swift_stieber, 32, 8);
  const double k = 0.05;
  const JournalReynolds rigid(s);
  s.compliance = k;
  const JournalReynolds lined(s);
  std::vector<double> matrix(rigid.states() * rigid.states(), 0.0);
  for (std::size_t i = 0; i < rigid.states(); ++i) matrix[i * rigid.states() + i] = k;
  const double eps = 0.7;
  const ReynoldsResult a = lined.solve(eps, 0, 0, -0.5 * eps, 0.5);
  const ReynoldsResult b = rigid.solve_elastic(eps, 0, 0, -0.5 * eps, 0.5, matrix);
  const ReynoldsResult c = rigid.solve(eps, 0, 0, -0.5 * eps, 0.5);
  ASSERT_TRUE(a.converged);
  ASSERT_TRUE(b.converged);
  EXPECT_NEAR(a.fx, b.fx, 1e-5 * std::abs(a.fx));
  EXPECT_NEAR(a.fy, b.fy, 1e-5 * std::abs(a.fx));
  EXPECT_LT(a.max_pressure, 0.95 * c.max_pressure) << "a soft liner flattens the peak";
  EXPECT_GT(a.min_film, c.min_film);
}

TEST(ElasticTest, StiffLinerIsRigid) {
  auto s = unit_bearing(0.5, Cavitation::swift_stieber, 32, 8);
  const ReynoldsResult c = JournalReynolds(s).solve(0.7, 0, 0, -0.35, 0.5);
  s.compliance = 1e-9;
  const ReynoldsResult a = JournalReynolds(s).solve(0.7, 0, 0, -0.35, 0.5);
  EXPECT_NEAR(a.fx, c.fx, 1e-6 * std::abs(c.fx));
}

TEST(ReynoldsTest, RoughnessHoldsBackTheFlow) {
  auto s = unit_bearing(0.5, Cavitation::swift_stieber, 64, 16);
  const double smooth = JournalReynolds(s).solve(0.7, 0, 0, -0.35, 0.5).fx;
  s.roughness = 0.1;  // H = 3 at the thinnest place
  const double rough = JournalReynolds(s).solve(0.7, 0, 0, -0.35, 0.5).fx;
  EXPECT_LT(rough, 1.05 * smooth);
  s.roughness = 1e-4;
  EXPECT_NEAR(JournalReynolds(s).solve(0.7, 0, 0, -0.35, 0.5).fx, smooth, 1e-9 * std::abs(smooth));
}

TEST(ReynoldsTest, TheWetSetDoesNotDependOnWhereItStarted) {
  const auto s = unit_bearing(0.6, Cavitation::swift_stieber, 64, 16);
  const JournalReynolds warm(s);
  for (int i = 0; i < 40; ++i) {
    const double a = 0.35 * i, e = 0.3 + 0.015 * i;
    const double ex = e * std::cos(a), ey = e * std::sin(a), vx = std::sin(3 * a), vy = std::cos(a);
    const ReynoldsResult w = warm.solve(ex, ey, vx, vy);
    const ReynoldsResult cold = JournalReynolds(s).solve(ex, ey, vx, vy);
    ASSERT_TRUE(w.converged && cold.converged);
    EXPECT_NEAR(w.fx, cold.fx, 1e-11 * std::abs(w.fx));
    EXPECT_NEAR(w.fy, cold.fy, 1e-11 * std::abs(w.fx));
  }
}

TEST(TableTest, StandsForTheSolver) {
  ReynoldsSwiftStieber law;
  law.prepare(kOilJournal);
  ReynoldsSwiftStieber fast;
  fast.tabulated = true;
  fast.prepare(kOilJournal);
  const double c = law.c;
  double worst = 0;
  for (const double ratio : {0.0, 0.13, 0.42, 0.68, 0.87, 0.95})
    for (double turn = 0; turn < 6.2; turn += 0.37) {
      const FilmMotion<> m{ratio * c, 0, 3 * c * std::cos(turn), 3 * c * std::sin(turn), 0, 5};
      const FilmForce<> a = law.force(m), b = fast.force(m);
      const double off = std::hypot(a.fx - b.fx, a.fy - b.fy) / std::hypot(a.fx, a.fy);
      if (off > 0.003) std::printf("ratio %g turn %g: %.3f %%\n", ratio, turn, 100 * off);
      worst = std::max(worst, off);
      EXPECT_NEAR(a.torque_inner, b.torque_inner, 0.03 * std::abs(a.torque_inner));
    }
  std::printf("table against solver: %.3f %% at worst\n", 100 * worst);
  EXPECT_LT(worst, 0.01);
}

TEST(TableTest, IsSolvedOnceForAllBearingsOfOneShape) {
  ReynoldsSwiftStieber a, b, longer;
  a.tabulated = b.tabulated = longer.tabulated = true;
  a.prepare(kOilJournal);
  b.viscosity = 7 * a.viscosity;
  FilmSite wide = kOilJournal;
  wide.clearance *= 3;  // the floor follows it
  b.prepare(wide);
  EXPECT_EQ(a.table, b.table);
  FilmSite other = kOilJournal;
  other.length *= 2;
  longer.prepare(other);
  EXPECT_NE(a.table, longer.table);
  // Shared or not, it is that of the bearing it serves.
  ReynoldsSwiftStieber solved;
  solved.viscosity = b.viscosity;
  solved.prepare(wide);
  const FilmMotion<> m{0.5 * b.c, 0.2 * b.c, 3 * b.c, -20 * b.c, 0, 40};
  const FilmForce<> f = b.force(m), exact = solved.force(m);
  const double size = std::hypot(exact.fx, exact.fy);
  EXPECT_NEAR(f.fx, exact.fx, 0.005 * size);
  EXPECT_NEAR(f.fy, exact.fy, 0.005 * size);
  EXPECT_NEAR(b.seen(m).max_pressure / solved.seen(m).max_pressure, 1, 0.02);
  EXPECT_NEAR(b.seen(m).wet_share, solved.seen(m).wet_share, 0.02);
}

TEST(ReynoldsTest, IsFastEnoughForAMechanism) {
  // Printed, and bounded loosely: the bench has the numbers, this catches a lost warm start.
  for (const auto& [name, cavitation] : {std::pair{"full film", Cavitation::full_film},
                                         {"Guembel", Cavitation::guembel},
                                         {"Swift-Stieber", Cavitation::swift_stieber},
                                         {"mass-conserving", Cavitation::mass_conserving}}) {
    auto s = unit_bearing(1, cavitation, 64, 16);
    if (cavitation == Cavitation::mass_conserving) s.grooves = {{kPi, 0}};
    const JournalReynolds film(s);
    const int count = 300;
    int sweeps = 0;
    const std::clock_t begin = std::clock();
    for (int i = 0; i < count; ++i) {
      const double a = 0.003 * i;
      sweeps += film.solve(0.6 * std::cos(a), 0.6 * std::sin(a), 0.1 * std::sin(3 * a),
                           0.3 * std::cos(a), 0.5)
                    .sweeps;
    }
    const double us = 1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / count;
    std::printf("64 x 16, %s: %.0f us per force with derivatives, %.2f solves\n", name, us,
                static_cast<double>(sweeps) / count);
    EXPECT_LT(sweeps, 4 * count) << name;
  }
}

}  // namespace
}  // namespace freeplay::films
