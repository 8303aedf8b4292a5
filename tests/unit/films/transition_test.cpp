// SPDX-License-Identifier: Apache-2.0
#include "films/film_laws.hpp"
#include "films/roughness.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace freeplay::films {
namespace {

TEST(TransitionTest, GivesItsSamples) {
  laws::for_each_type<TransitionLaw>([]<class L>(std::type_identity<L>) {
    const L law;
    for (const ShareSample& s : L::samples) {
      const Shares<double> share = law.shares(s.eccentricity, s.clearance);
      EXPECT_NEAR(share.film, s.film, 1e-9) << L::key;
      EXPECT_NEAR(share.dry, s.dry, 1e-9) << L::key;
    }
  });
}

TEST(TransitionTest, NeverJumps) {
  // The sum of a film force and a dry force along an approach at constant speed, from deep inside
  // the oil to deep in the wall: steps shrink with the spacing, whatever the rule.
  const double c = 1e-4;
  laws::for_each_type<TransitionLaw>([&]<class L>(std::type_identity<L>) {
    L rule;
    if constexpr (std::is_same_v<L, LiTransition>) rule.roughness = 2e-6;
    if constexpr (std::is_same_v<L, FloresTransition>) {
      rule.layer = 2e-6;
      rule.extension = 3e-6;
    }
    EXPECT_EQ(rule.conflict(), "");
    ShortBearing film;
    film.viscosity = 0.1;
    film.minimum_film = 1e-6;
    film.prepare({.radius = 0.01, .clearance = rule.film_clearance(c), .length = 0.01});
    const auto total = [&](double e) {
      const Shares<double> share = rule.shares(e, c);
      const double depth = e - c + rule.depth_offset();
      const double dry = depth > 0 ? -1e8 * depth : 0;
      return share.film * film.force(FilmMotion<>{e, 0, 1e-3, 0, 0, 50}).fx + share.dry * dry;
    };
    double jump[2] = {0, 0}, largest = 0;
    for (const int level : {0, 1}) {
      const int n = level ? 16000 : 8000;
      double before = total(0.5 * c);
      for (int i = 1; i <= n; ++i) {
        const double f = total(0.5 * c + 0.6 * c * i / n);
        ASSERT_TRUE(std::isfinite(f));
        jump[level] = std::max(jump[level], std::abs(f - before));
        largest = std::max(largest, std::abs(f));
        before = f;
      }
    }
    EXPECT_LT(jump[1], 0.6 * jump[0]) << L::key;
    EXPECT_LT(jump[1], 0.02 * largest) << L::key;
  });
}

TEST(GapFloorTest, IsSmoothAndKeepsTheThickFilm) {
  const double floor = 0.1;
  EXPECT_EQ(floored(0.2, floor), 0.2);
  EXPECT_EQ(floored(5.0, floor), 5.0);
  EXPECT_EQ(floored(0.0, floor), floor);
  EXPECT_EQ(floored(-3.0, floor), floor);
  double before = floored(-0.05, floor);
  for (double g = -0.05; g < 0.3; g += 1e-4) {
    const double v = floored(g, floor);
    EXPECT_GE(v, before);
    EXPECT_GE(v, std::max(g, floor) - 1e-15);
    const double h = 1e-6;
    EXPECT_NEAR(floored_slope(g, floor), (floored(g + h, floor) - floored(g - h, floor)) / (2 * h),
                1e-5);
    before = v;
  }
}

TEST(RoughnessTest, AsperityIntegralIsTheIntegral) {
  // F_5/2(0) = 2^(5/2) Gamma(7/4)/(2 sqrt(pi)) / 2^... by hand: E[s^2.5; s > 0].
  const double half = 0.5 * std::pow(2, 1.25) * std::tgamma(1.75) / std::sqrt(3.14159265358979);
  EXPECT_NEAR(asperity_integral(0), half, 1e-8);
  const auto brute = [](double H) {
    double sum = 0;
    const double top = 12, h = 1e-4;
    for (double s = H + 0.5 * h; s < top; s += h)
      sum += h * std::pow(s - H, 2.5) * std::exp(-0.5 * s * s);
    return sum / std::sqrt(2 * 3.14159265358979);
  };
  for (const double H : {-4.013, -1.0, 0.37, 1.0, 2.015, 3.0, 3.99})
    EXPECT_NEAR(asperity_integral(H) / brute(H), 1, 2e-6) << H;
  // The usual fit is 4 to 11 % low below 2 and four times low at 3, theory/films (F.28).
  const auto fit = [](double H) { return 4.4086e-5 * std::pow(4 - H, 6.804); };
  for (const double H : {0.0, 1.0, 2.0}) {
    EXPECT_GT(asperity_integral(H) / fit(H), 1.03);
    EXPECT_LT(asperity_integral(H) / fit(H), 1.13);
  }
  EXPECT_NEAR(asperity_integral(3) / fit(3), 4, 0.5);
  for (const double H : {-7.0, -5.99, -2.0, 0.5, 2.5, 6.0})
    EXPECT_NEAR(asperity_integral_slope(H),
                (asperity_integral(H + 1e-5) - asperity_integral(H - 1e-5)) / 2e-5,
                1e-5 * std::abs(asperity_integral_slope(H)))
        << H;
  EXPECT_NEAR(asperity_integral(-6 - 1e-9) / asperity_integral(-6 + 1e-9), 1, 1e-4);
}

TEST(RoughnessTest, AsperitiesPushTheJournalBack) {
  const Asperities a{
      .roughness = 1e-6, .summit_radius = 1e-5, .summit_density = 5e9, .composite_modulus = 1e11};
  const auto f = a.journal_force(99e-6, 0.0, 1e-4, 0.01, 0.01);
  EXPECT_LT(f.x, 0);
  EXPECT_NEAR(f.y, 0, 1e-9 * std::abs(f.x));
  EXPECT_EQ(a.journal_force(80e-6, 0.0, 1e-4, 0.01, 0.01).x, 0);
}

/// A film with summits less the same film without: what the summits alone carry.
template <class Motion>
auto summits_alone(const Motion& m, const FilmSite& site) {
  ReynoldsSwiftStieber bare, rough;
  bare.roughness = rough.roughness = 1e-6;
  rough.summit_radius = 1e-5;
  rough.summit_density = 5e9;
  rough.summit_modulus = 1e11;
  EXPECT_EQ(rough.conflict(), "");
  bare.prepare(site);
  rough.prepare(site);
  return std::pair{rough.force(m), bare.force(m)};
}

TEST(RoughnessTest, SummitsOfAFiniteFilmCarryTheIntegralOfTheirPressure) {
  const FilmSite site = kOilJournal;
  const Asperities a{
      .roughness = 1e-6, .summit_radius = 1e-5, .summit_density = 5e9, .composite_modulus = 1e11};
  const double e = site.clearance - 2e-6;
  const auto [rough, bare] = summits_alone(FilmMotion<>{e * 0.6, e * 0.8, 0, 0, 0, 100}, site);
  // By brute force: a thousand times as many points.
  double along = 0;
  const int points = 100000;
  for (int k = 0; k < points; ++k) {
    const double angle = 2 * std::numbers::pi * k / points;
    along += a.pressure(site.clearance - e * std::cos(angle)) * std::cos(angle);
  }
  along *= site.radius * site.length * 2 * std::numbers::pi / points;
  ASSERT_GT(along, 1);
  EXPECT_NEAR(rough.fx - bare.fx, -0.6 * along, 1e-6 * along);
  EXPECT_NEAR(rough.fy - bare.fy, -0.8 * along, 1e-6 * along);
  EXPECT_NEAR(rough.torque_inner, bare.torque_inner, 1e-9 * along * site.radius);
}

TEST(RoughnessTest, SummitsOfATiltedJournalPushItStraight) {
  const FilmSite site = kOilJournal;
  TiltedMotion<> m{{site.clearance - 6e-6, 0, 0, 0, 0, 0}, 0, 0, 0, 0};
  m.slope_x = 6e-6 / (0.5 * site.length);  // the far end touches
  const auto [rough, bare] = summits_alone(m, site);
  EXPECT_LT(rough.centre.fx - bare.centre.fx, -1);
  // The far end is pushed to -x, which turns the axis about -y: my is z x fx.
  EXPECT_LT(rough.my - bare.my, 0);
  EXPECT_NEAR(rough.mx - bare.mx, 0, 1e-9 * std::abs(rough.my));
}

TEST(RoughnessTest, SummitsNeedAllTheirNumbers) {
  ReynoldsSwiftStieber law;
  law.summit_radius = 1e-5;
  EXPECT_NE(law.conflict().find("summit_density"), std::string::npos);
}

TEST(RoughnessTest, FlowFactorsHaveTheirLimits) {
  EXPECT_NEAR(flow_factor(20), 1, 1e-4);
  EXPECT_NEAR(flow_factor(0.5), 1 - 0.9 * std::exp(-0.28), 1e-15);
  // The two pieces of the shear factor meet at 5 to the digits of the fit.
  EXPECT_NEAR(shear_flow_factor(5) / shear_flow_factor(5 + 1e-9), 1, 0.02);
}

}  // namespace
}  // namespace freeplay::films
