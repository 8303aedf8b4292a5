// SPDX-License-Identifier: Apache-2.0
#include "laws/catalogue.hpp"
#include "laws/contact_laws.hpp"
#include "support/recording.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <map>

// Stiffnesses against the numbers of theory/contact_laws (C.17) and verification/cases B4, and the
// forms of the conformal laws.
namespace freeplay::laws {
namespace {

double static_force(const char* key, const ContactSite& site, double depth) {
  ContactLaw law = make_law<ContactLaw>(key).value();
  EXPECT_EQ(misfit(law, site), "");
  prepare(law, site);
  return std::visit([&](const auto& l) { return l.elastic(depth); }, law);
}

TEST(LineContactTest, ForcesOfTheBook) {
  freeplay::testing::Check check("line contact laws",
                                 "bracketing root search of theory/contact_laws (C.15)");
  const std::map<const char*, double> at_1_um{{"johnson", 611.0},
                                              {"radzimovsky", 589.7},
                                              {"esdu-78035", 487.3},
                                              {"dubowsky-freudenstein", 514.3},
                                              {"goldsmith", 275.7}};
  for (const auto& [key, force] : at_1_um)
    check.near(std::string(key) + " at 1 um, N", static_force(key, kJournalSite, 1e-6), force,
               0.051);
  const std::map<const char*, double> at_10_um{
      {"johnson", 8775},    {"radzimovsky", 8321},
      {"esdu-78035", 6358}, {"dubowsky-freudenstein", 6843},
      {"goldsmith", 3151},  {"hertz", 2090}};
  for (const auto& [key, force] : at_10_um)
    check.near(std::string(key) + " at 10 um, N", static_force(key, kJournalSite, 1e-5), force,
               0.51);
  check.near("johnson at 100 um, N", static_force("johnson", kJournalSite, 1e-4), 170694, 1);
}

template <class L>
double greatest_depth_ratio() {
  L law;
  law.prepare(kJournalSite);
  return law.spring.max_depth() / kJournalSite.clearance();
}
TEST(LineContactTest, GreatestDepthsOfTheBook) {
  freeplay::testing::Check check("greatest depths of line contact laws",
                                 "theory/contact_laws (C.15)");
  check.near("johnson", greatest_depth_ratio<Johnson>(), 0.5413, 5e-5);
  check.near("radzimovsky", greatest_depth_ratio<Radzimovsky>(), 0.7165, 5e-5);
  check.near("esdu-78035", greatest_depth_ratio<Esdu78035>(), 4, 1e-12);
  check.near("dubowsky-freudenstein", greatest_depth_ratio<DubowskyFreudenstein>(), 2.368, 5e-4);
}

TEST(LineContactTest, SolvesTheImplicitEquation) {
  Johnson law;
  law.prepare(kJournalSite);
  const double B = std::numbers::pi * kSteel * 0.015, A = 4 * B * 0.0005;
  for (double depth = 1e-30; depth < law.depth_limit(); depth *= 7) {
    const double F = law.elastic(depth);
    EXPECT_NEAR(F / B * (std::log(A / F) - 1), depth, 1e-12 * depth);
  }
  EXPECT_EQ(law.elastic(1e-320), 0);
}

TEST(LineContactTest, GoesOnAlongTheTangentBeyondItsRange) {
  Johnson law;
  law.prepare(kJournalSite);
  const double end = law.depth_limit(), h = 1e-4 * end;
  EXPECT_NEAR(end, 0.9 * 0.541341133 * 0.0005, 1e-12);
  const double slope = (law.elastic(end) - law.elastic(end - h)) / h;
  EXPECT_NEAR((law.elastic(end + h) - law.elastic(end)) / h, slope, 1e-3 * slope);
  EXPECT_NEAR(law.elastic(end + 2 * h) - 2 * law.elastic(end + h) + law.elastic(end), 0,
              1e-9 * law.elastic(end));
}

TEST(LineContactTest, DubowskyFreudensteinIsEsduForTheRightLength) {
  ContactSite site = kJournalSite;
  site.length = 2 * std::sqrt(site.outer_radius * site.inner_radius);
  EXPECT_NEAR(static_force("dubowsky-freudenstein", site, 1e-5),
              static_force("esdu-78035", site, 1e-5), 1e-6);
}

TEST(PointContactTest, HertzStiffnesses) {
  freeplay::testing::Check check("B4 Hertz stiffness", "theory/contact_laws (C.2)");
  const auto K = [](double E, double outer, double inner, bool external) {
    return hertz_stiffness({.composite_modulus = E / (2 * 0.91),
                            .outer_radius = outer,
                            .inner_radius = inner,
                            .external_curvature = external});
  };
  check.near("210 GPa, 10/9.5 mm", K(210e9, 0.01, 0.0095, false), 6.706e10,
             5e6);  // papers/spatial_revolute
  check.near("207 GPa, 10/9.8 mm", K(207e9, 0.01, 0.0098, false), 1.0615e11, 5e6);
  check.near("207 GPa, 10/9.5 mm", K(207e9, 0.01, 0.0095, false), 6.6101984e10, 5e2);  // case B4
  check.near("two balls of 10 mm", K(207e9, 0.01, 0.01, true), 1.07231578e10, 5e1);
  check.near("ball on a plane", K(207e9, kInfinity, 0.01, false), 1.51648352e10, 5e1);
  check.near("ball on a plane, external", K(207e9, kInfinity, 0.01, true), 1.51648352e10, 5e1);
}

TEST(ConformalTest, LiuSteuermannTendsToRootTwoTimesHertzUnlessMadeConsistent) {
  ContactSite site = kBallSite;  // dR/R = 0.02
  site.outer_radius = 0.01, site.inner_radius = 0.0098;
  EXPECT_NEAR(static_force("liu-steuermann", site, 1e-10) / static_force("hertz", site, 1e-10),
              std::sqrt(2 * 10 / 9.8), 1e-5);
  EXPECT_NEAR(static_force("liu-steuermann", site, 1e-4) / static_force("hertz", site, 1e-4), 1.065,
              5e-4);

  LiuSteuermann printed, consistent;
  consistent.hertz_consistent = true;
  printed.prepare(site), consistent.prepare(site);
  EXPECT_NEAR(consistent.elastic(1e-10) / static_force("hertz", site, 1e-10), std::sqrt(10 / 9.8),
              1e-5);
  EXPECT_NEAR(consistent.elastic(1.0) / printed.elastic(1.0), 1, 1e-3);  // the same for d >> dR

  LiuSteuermann punch;
  punch.profile = 1e6, punch.prepare(site);
  const double a = site.outer_radius * std::sqrt(2 * 2e-4 * 1e-5 + 1e-10) / 2.1e-4;
  EXPECT_NEAR(punch.elastic(1e-5) / (2 * kSteel * a * 1e-5), 1, 1e-5);
}

TEST(ConformalTest, BaiZhaoAsPrintedIsTheTangentAndTooStiff) {
  BaiZhao law, printed;
  printed.as_printed = true;
  law.prepare(kJournalSite), printed.prepare(kJournalSite);
  const double dR = kJournalSite.clearance();
  for (const double d : {1e-8, 1e-6, 1e-5, 1e-4, 5e-4}) {
    const double K = std::numbers::pi * kSteel / 8 *
                     std::sqrt(2 * d * std::pow(3 * dR + 2 * d, 2) / std::pow(dR + d, 3));
    EXPECT_NEAR(printed.elastic(d), K * 0.015 * d, 1e-12 * K * 0.015 * d);
    const double ratio = printed.elastic(d) / law.elastic(d);
    EXPECT_TRUE(ratio > 1.249 && ratio < 1.5001) << ratio;
    EXPECT_NEAR(printed.potential(Dual<1>::variable(d, 0)).d[0], printed.elastic(d),
                1e-12 * printed.elastic(d));
  }
  EXPECT_NEAR(law.potential(1e-4), 3.1725323311724, 1e-10);  // quadrature in Python
}

TEST(ConformalTest, FoundationSumsOverFaceJournalAndBall) {
  // Sums by quadrature in Python, E = 1 GPa, nu = 0.4, h = 1 mm.
  EXPECT_NEAR(static_force("elastic-foundation", kFaceSite, 1e-5), 2142.85714, 1e-4);
  EXPECT_NEAR(static_force("elastic-foundation", kJournalSite, 1e-5), 846.197337, 1e-5);
  EXPECT_NEAR(static_force("elastic-foundation", kBallSite, 1e-5), 131.136948, 1e-5);
  // The series for small arcs meets the closed form.
  ElasticFoundation law;
  law.prepare(kJournalSite);
  const double seam = 5e-4 * (1 / std::cos(0.1) - 1);
  EXPECT_NEAR(law.elastic(seam * (1 + 1e-9)) / law.elastic(seam * (1 - 1e-9)), 1, 1e-8);
}

TEST(LineContactTest, PereiraIsNearJohnson) {
  for (const double dR : {1e-5, 1e-4, 5e-4, 1e-3}) {
    ContactSite site = kJournalSite;
    site.inner_radius = site.outer_radius - dR;
    const double ratio = static_force("pereira", site, 2e-6) / static_force("johnson", site, 2e-6);
    EXPECT_NEAR(ratio, 1, 0.16) << "clearance " << dR;
  }
  ContactSite tight = kJournalSite;
  tight.inner_radius = tight.outer_radius - 2e-6;
  EXPECT_THAT(Pereira{}.misfit(tight), ::testing::HasSubstr("clearance"));
  ContactSite external = kJournalSite;
  external.external_curvature = true;
  Pereira law;
  law.prepare(external);
  EXPECT_EQ(law.spring.n, 1.094);
  EXPECT_NEAR(law.elastic(1e-5),
              (0.39 * 19.5 + 0.85) * 15 * kSteel * 1e-6 / 19.5 * std::pow(0.01, 1.094), 1e-8);
}

}  // namespace
}  // namespace freeplay::laws
