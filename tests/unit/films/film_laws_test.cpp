// SPDX-License-Identifier: Apache-2.0
#include "core/scalars.hpp"
#include "films/catalogue.hpp"
#include "films/evaluate.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>

// What every film law owes, whatever its formula: the samples it prints, exact derivatives, no
// force in a rigid rotation, balanced moments, dissipation, and a number for every eccentricity.
namespace freeplay::films {
namespace {

/// Derivatives by the six numbers of a motion.
using Scalar = Dual<6>;

template <class V>
struct AsTypes;
template <class... L>
struct AsTypes<std::variant<L...>> {
  using type = ::testing::Types<L...>;
};

// Prepared once: some laws are solved for a table then.
template <class L>
const L& ready() {
  static const L law = [] {
    L out;
    out.prepare(L::sample_site);
    return out;
  }();
  return law;
}

// A ball moving in the plane answers like a journal.
template <class L, class T>
FilmForce<T> force_of(const L& law, const FilmMotion<T>& m) {
  if constexpr (L::spherical) {
    const T zero(0.0);
    const auto f = law.force(BallMotion<T>{{m.ex, m.ey, zero},
                                           {m.ex_dot, m.ey_dot, zero},
                                           {zero, zero, m.spin_outer},
                                           {zero, zero, m.spin_inner}});
    return {f.force[0], f.force[1], f.torque_inner[2], f.torque_outer[2]};
  } else {
    return law.force(m);
  }
}

// Ratios, directions, speeds over clearance and spins that visit every branch of the laws.
std::vector<FilmMotion<>> motions(double c) {
  std::vector<FilmMotion<>> out;
  for (const double ratio : {1e-3, 0.05, 0.3, 0.7, 0.93})
    for (const double turn : {0.3, 2.9, 4.4})
      for (const auto& [radial, across] : {std::pair{30.0, 5.0}, {-40.0, 20.0}, {2.0, -90.0}}) {
        const double n[2] = {std::cos(turn), std::sin(turn)};
        out.push_back({ratio * c * n[0], ratio * c * n[1], c * (radial * n[0] - across * n[1]),
                       c * (radial * n[1] + across * n[0]), -40, 130});
      }
  return out;
}

template <class L>
class FilmLawTest : public ::testing::Test {};
TYPED_TEST_SUITE(FilmLawTest, AsTypes<FilmLaw>::type);

TYPED_TEST(FilmLawTest, GivesItsSamples) {
  const auto& law = ready<TypeParam>();
  for (const FilmSample& s : TypeParam::samples) {
    const FilmForce<> f = force_of(law, s.at);
    const double size = std::hypot(f.fx, f.fy);
    EXPECT_NEAR(f.fx, s.fx, 2e-6 * size) << ::testing::PrintToString(f.fx);
    EXPECT_NEAR(f.fy, s.fy, 2e-6 * size) << ::testing::PrintToString(f.fy);
  }
}

TYPED_TEST(FilmLawTest, HasExactDerivatives) {
  const auto& law = ready<TypeParam>();
  const double c = law.c;
  // Tables are differentiable once, and differences straddle their pieces.
  const bool table = std::is_same_v<TypeParam, BallReynolds>;
  for (const FilmMotion<>& at : motions(c)) {
    const double x[6] = {at.ex, at.ey, at.ex_dot, at.ey_dot, at.spin_outer, at.spin_inner};
    const double step[6] = {c * 1e-6, c * 1e-6, c * 1e-4, c * 1e-4, 1e-4, 1e-4};
    Scalar d[6];
    for (int i = 0; i < 6; ++i) d[i] = Scalar::variable(x[i], i);
    const auto exact = force_of(law, FilmMotion<Scalar>{d[0], d[1], d[2], d[3], d[4], d[5]});
    const FilmForce<> plain = force_of(law, at);
    EXPECT_NEAR(exact.fx.value, plain.fx, 1e-12 * std::hypot(plain.fx, plain.fy));
    const double size = std::hypot(plain.fx, plain.fy);
    for (int i = 0; i < 6; ++i) {
      double up[6], down[6];
      std::copy(x, x + 6, up);
      std::copy(x, x + 6, down);
      up[i] += step[i];
      down[i] -= step[i];
      const auto a = force_of(law, FilmMotion<>{up[0], up[1], up[2], up[3], up[4], up[5]});
      const auto b =
          force_of(law, FilmMotion<>{down[0], down[1], down[2], down[3], down[4], down[5]});
      const double unit[6] = {c, c, 50 * c, 50 * c, 50, 50};
      const double tolerance = (table ? 2e-3 : 2e-6) * size * 30;
      // Where the direction of a short eccentricity counts, differences are good to (step/e)^2.
      const auto near = [&](double slope) { return tolerance + 1e-5 * std::abs(slope * unit[i]); };
      EXPECT_NEAR(exact.fx.d[i] * unit[i], (a.fx - b.fx) / (2 * step[i]) * unit[i],
                  near(exact.fx.d[i]))
          << "variable " << i << " at ratio " << std::hypot(at.ex, at.ey) / c;
      EXPECT_NEAR(exact.fy.d[i] * unit[i], (a.fy - b.fy) / (2 * step[i]) * unit[i],
                  near(exact.fy.d[i]))
          << "variable " << i << " at ratio " << std::hypot(at.ex, at.ey) / c;
      EXPECT_NEAR(exact.torque_inner.d[i] * unit[i],
                  (a.torque_inner - b.torque_inner) / (2 * step[i]) * unit[i],
                  tolerance * c + 1e-5 * std::abs(plain.torque_inner))
          << "variable " << i << " at ratio " << std::hypot(at.ex, at.ey) / c;
    }
  }
}

TYPED_TEST(FilmLawTest, EvaluatesAlikeThroughTheCatalogue) {
  // The joint's way in, whose derivatives are chained, against the law itself.
  const FilmLaw law = ready<TypeParam>();
  EXPECT_EQ(is_spherical(law), TypeParam::spherical);
  for (const FilmMotion<>& m : motions(ready<TypeParam>().c)) {
    const std::array<double, 6> x{m.ex, m.ey, m.ex_dot, m.ey_dot, m.spin_outer, m.spin_inner};
    std::array<Scalar, 6> own;
    std::array<PairDual, 6> pair;  // each number moves with two variables of the bodies
    for (int i = 0; i < 6; ++i) {
      const auto k = static_cast<std::size_t>(i);
      own[k] = Scalar::variable(x[k], i);
      pair[k] = PairDual::variable(x[k], i);
      pair[k].d[20 + i] = 3;
    }
    const FilmForce<Scalar> direct = force_of(
        ready<TypeParam>(), FilmMotion<Scalar>{own[0], own[1], own[2], own[3], own[4], own[5]});
    const FilmMotion<PairDual> d{pair[0], pair[1], pair[2], pair[3], pair[4], pair[5]};
    FilmForce<PairDual> f;
    if constexpr (TypeParam::spherical) {
      const PairDual zero(0.0);
      const auto ball = ball_force(law, BallMotion<PairDual>{{d.ex, d.ey, zero},
                                                             {d.ex_dot, d.ey_dot, zero},
                                                             {zero, zero, d.spin_outer},
                                                             {zero, zero, d.spin_inner}});
      f = {ball.force[0], ball.force[1], ball.torque_inner[2], ball.torque_outer[2]};
      EXPECT_TRUE(std::isnan(journal_force(law, m).fx));
    } else {
      f = journal_force(law, d);
      EXPECT_NEAR(journal_force(law, m).fx, f.fx.value, 1e-12 * std::hypot(f.fx.value, f.fy.value));
      // Untilted, the tilted form says the same.
      const PairDual zero(0.0);
      const auto tilted = journal_force(law, TiltedMotion<PairDual>{d, zero, zero, zero, zero});
      if constexpr (!std::is_same_v<TypeParam, ReynoldsMassConserving>) {
        EXPECT_NEAR(tilted.centre.fx.value, f.fx.value, 1e-9 * std::hypot(f.fx.value, f.fy.value));
      }
      EXPECT_NEAR(observe(law, m).min_film, ready<TypeParam>().c - std::hypot(m.ex, m.ey), 1e-18);
    }
    for (const auto& [a, b] :
         {std::pair{f.fx, direct.fx}, {f.fy, direct.fy}, {f.torque_inner, direct.torque_inner}}) {
      EXPECT_NEAR(a.value, b.value, 1e-12 * std::abs(b.value) + 1e-15);
      const double size = b.d.matrix().norm();
      for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(a.d[i], b.d[i], 1e-9 * size);
        EXPECT_NEAR(a.d[20 + i], 3 * b.d[i], 3e-9 * size);
      }
    }
  }
}

TEST(FilmMemoryTest, OnlyTheMassConservingFilmHasStates) {
  laws::for_each_type<FilmLaw>([]<class L>(std::type_identity<L>) {
    const FilmLaw law = ready<L>();
    const bool conserving = std::is_same_v<L, ReynoldsMassConserving>;
    EXPECT_EQ(film_states(law) > 0, conserving) << L::key;
    if constexpr (!L::spherical) {
      std::vector<double> before(film_states(law), 0.0), after(film_states(law));
      const FilmMotion<> m{-30e-6, 0, 1e-4, 0, 0, 300};
      const FilmForce<> f = journal_force(law, m, before, 1e-4, after);
      EXPECT_TRUE(std::isfinite(f.fx)) << L::key;
      if (!conserving) {
        EXPECT_EQ(f.fx, journal_force(law, m).fx);
      }
    }
  });
}

TYPED_TEST(FilmLawTest, FeelsNothingWhenEverythingTurnsTogether) {
  const auto& law = ready<TypeParam>();
  const double w = 120, c = law.c;
  for (const double ratio : {0.0, 0.04, 0.5, 0.95, 1.2}) {
    const double ex = 0.6 * ratio * c, ey = 0.8 * ratio * c;
    const FilmForce<> f = force_of(law, FilmMotion<>{ex, ey, -w * ey, w * ex, w, w});
    const FilmForce<> moving = force_of(law, FilmMotion<>{ex, ey, -w * ey, w * ex, 0, w});
    const double size = std::max(std::hypot(moving.fx, moving.fy), 1e-12);
    EXPECT_LT(std::hypot(f.fx, f.fy), 1e-12 * size + 1e-12) << ratio;
    EXPECT_LT(std::abs(f.torque_inner), 1e-15) << ratio;
  }
}

TYPED_TEST(FilmLawTest, BalancesMoments) {
  const auto& law = ready<TypeParam>();
  for (const FilmMotion<>& m : motions(law.c)) {
    const FilmForce<> f = force_of(law, m);
    const double lever = m.ex * f.fy - m.ey * f.fx;
    const double size = std::abs(f.torque_inner) + std::abs(f.torque_outer) + std::abs(lever);
    EXPECT_NEAR(f.torque_inner + f.torque_outer + lever, 0, 1e-13 * size);
  }
}

TYPED_TEST(FilmLawTest, NeverMakesEnergyWithoutRotation) {
  const auto& law = ready<TypeParam>();
  for (FilmMotion<> m : motions(law.c)) {
    m.spin_inner = m.spin_outer = 0;
    const FilmForce<> f = force_of(law, m);
    EXPECT_LE(f.fx * m.ex_dot + f.fy * m.ey_dot, 0);
  }
}

TYPED_TEST(FilmLawTest, TurnsWithTheAxes) {
  // Numerical films with a groove, or on a grid, know a direction: the grid by its own error.
  const auto& law = ready<TypeParam>();
  double tolerance = 1e-11;
  if constexpr (requires { TypeParam::cavitation; }) tolerance = 0.02;
  if constexpr (std::is_same_v<TypeParam, ReynoldsMassConserving>) return;
  const double turn = 0.7, c = std::cos(turn), s = std::sin(turn);
  for (const FilmMotion<>& m : motions(law.c)) {
    const FilmForce<> a = force_of(law, m);
    const FilmForce<> b = force_of(
        law, FilmMotion<>{c * m.ex - s * m.ey, s * m.ex + c * m.ey, c * m.ex_dot - s * m.ey_dot,
                          s * m.ex_dot + c * m.ey_dot, m.spin_outer, m.spin_inner});
    const double size = std::hypot(a.fx, a.fy);
    EXPECT_NEAR(b.fx, c * a.fx - s * a.fy, tolerance * size);
    EXPECT_NEAR(b.fy, s * a.fx + c * a.fy, tolerance * size);
  }
}

TYPED_TEST(FilmLawTest, StaysFiniteAtEveryEccentricity) {
  const auto& law = ready<TypeParam>();
  const double c = law.c;
  double before = 0;
  for (double ratio = 0.9; ratio < 1.1; ratio += 1e-3) {
    const double f = force_of(law, FilmMotion<>{ratio * c, 0, 20 * c, 3 * c, 0, 100}).fx;
    ASSERT_TRUE(std::isfinite(f)) << ratio;
    EXPECT_LT(f, 0) << ratio;
    // No jump: between neighbours it changes by less than half, even where the film is thinnest.
    if (before != 0) {
      EXPECT_LT(std::abs(std::log(f / before)), 2.0) << ratio;
    }
    before = f;
  }
  for (const double ratio : {0.999, 1.0, 1.001, 1.5, 3.0, 100.0})
    for (const auto& [vx, vy] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {-1.0, 1.0}, {0.0, 1e3}}) {
      const FilmForce<Scalar> f =
          force_of(law, FilmMotion<Scalar>{Scalar::variable(ratio * c, 0), Scalar::variable(0, 1),
                                           Scalar::variable(vx * c, 2), Scalar::variable(vy * c, 3),
                                           Scalar::variable(3, 4), Scalar::variable(100, 5)});
      for (const Scalar& x : {f.fx, f.fy, f.torque_inner, f.torque_outer}) {
        EXPECT_TRUE(std::isfinite(x.value)) << ratio;
        EXPECT_TRUE(x.d.isFinite().all()) << ratio;
      }
    }
}

TYPED_TEST(FilmLawTest, IsRegularAtTheCentreAndAtRest) {
  const auto& law = ready<TypeParam>();
  const double c = law.c;
  for (const auto& [e, v, spin] :
       {std::tuple{0.0, 0.0, 0.0}, {0.0, 1.0, 100.0}, {0.0, 0.0, 100.0}}) {
    const FilmForce<Scalar> f =
        force_of(law, FilmMotion<Scalar>{Scalar::variable(e, 0), Scalar::variable(0, 1),
                                         Scalar::variable(v * c, 2), Scalar::variable(0, 3),
                                         Scalar::variable(0, 4), Scalar::variable(spin, 5)});
    for (const Scalar& x : {f.fx, f.fy, f.torque_inner, f.torque_outer}) {
      EXPECT_TRUE(std::isfinite(x.value));
      EXPECT_TRUE(x.d.isFinite().all());
    }
    EXPECT_LT(f.fx.d[2], 0) << "the film resists at the centre";
    EXPECT_LT(f.fy.d[3], 0);
  }
  // Continuous there, whatever the direction of approach.
  const FilmForce<> at = force_of(law, FilmMotion<>{0, 0, c, 0.5 * c, 0, 0});
  for (const double turn : {0.0, 1.0, 2.5, 5.0}) {
    const double e = 1e-5 * c;
    const FilmForce<> near =
        force_of(law, FilmMotion<>{e * std::cos(turn), e * std::sin(turn), c, 0.5 * c, 0, 0});
    // `squeeze` resists along the line of centres only, by intention.
    if constexpr (std::is_same_v<TypeParam, Squeeze>) continue;
    EXPECT_NEAR(near.fx / at.fx, 1, 1e-3);
    EXPECT_NEAR(near.fy / at.fy, 1, 2e-3);
  }
}

TYPED_TEST(FilmLawTest, RefusesTheWrongSite) {
  TypeParam law;
  EXPECT_EQ(law.misfit(TypeParam::sample_site), "");
  EXPECT_NE(law.misfit(TypeParam::spherical ? kOilJournal : kOilBall), "");
  FilmSite site = TypeParam::sample_site;
  site.clearance = 0;
  EXPECT_NE(law.misfit(site), "");
  law.minimum_film = TypeParam::sample_site.clearance;
  EXPECT_NE(law.misfit(TypeParam::sample_site), "");
}

TEST(FilmCatalogueTest, TellsAllAboutEachLaw) {
  std::set<std::string_view> keys;
  auto all = film_catalogue();
  for (auto& e : transition_catalogue()) all.push_back(e);
  for (auto& e : bushing_catalogue()) all.push_back(e);
  const std::set<std::string_view> units{"1", "1/m^2", "m", "Pa", "Pa s", "rad", "s", "N/m"};
  for (const laws::Entry& law : all) {
    EXPECT_TRUE(keys.insert(law.key).second) << law.key;
    for (const std::string_view text : {law.title, law.cite, law.formula, law.limits})
      EXPECT_FALSE(text.empty()) << law.key;
    EXPECT_FALSE(law.traits.empty()) << law.key;
    EXPECT_FALSE(law.samples.empty()) << law.key;
    for (const laws::Parameter& p : law.parameters) {
      EXPECT_FALSE(p.doc.empty()) << law.key << "." << p.key;
      EXPECT_TRUE(p.is_flag || units.contains(p.unit)) << law.key << "." << p.key << " " << p.unit;
      EXPECT_TRUE(p.is_flag || std::isnan(p.fallback) ||
                  (p.fallback >= p.min && p.fallback <= p.max))
          << law.key << "." << p.key;
    }
    EXPECT_THAT(laws::to_text(law), ::testing::HasSubstr(law.title));
  }
  EXPECT_EQ(all.size(), std::variant_size_v<FilmLaw> + std::variant_size_v<TransitionLaw> + 1);
}

TEST(FilmCatalogueTest, FindsFaults) {
  FilmLaw law = laws::make_law<FilmLaw>("reynolds").value();
  EXPECT_TRUE(faults(law).empty());
  *laws::find_parameter(law, "cells_along") = 7;
  EXPECT_THAT(faults(law).at(0).message, ::testing::HasSubstr("even"));
  *laws::find_parameter(law, "viscosity") = -1;
  EXPECT_EQ(faults(law).at(0).key, "viscosity");
  FilmLaw conserving = laws::make_law<FilmLaw>("reynolds-mass-conserving").value();
  *laws::find_parameter(conserving, "grooves") = 0;
  EXPECT_THAT(faults(conserving).at(0).message, ::testing::HasSubstr("runs dry"));
  TransitionLaw blend = FloresTransition{};
  EXPECT_TRUE(faults(blend).empty());
  *laws::find_parameter(blend, "extension") = 1e-6;
  EXPECT_THAT(faults(blend).at(0).message, ::testing::HasSubstr("exceed"));
}

}  // namespace
}  // namespace freeplay::films
