// SPDX-License-Identifier: Apache-2.0
#include "laws/catalogue.hpp"
#include "laws/contact_laws.hpp"
#include "unit/laws/free_impact.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <string>
#include <vector>

// What the laws restitute when two free bodies collide, by integrating the impact:
// verification/cases B1, B2, B3 and B5, the table theory/contact_laws (C.7), its formulas (C.9) to
// (C.12).
namespace freeplay::laws {
namespace {

using test::free_impact;
using test::FreeImpact;

constexpr ContactSite kUnitMass{.mass = 1};

/// An impact with the law of that name, K and n given.
FreeImpact impact(const char* key, double restitution, double stiffness, double exponent,
                  double mass, double speed, double gravity = 0) {
  ContactLaw law = make_law<ContactLaw>(key).value();
  const std::map<std::string, double> values{{"restitution", restitution},
                                             {"stiffness", stiffness},
                                             {"exponent", exponent},
                                             {"mass", mass}};
  for (const auto& [name, value] : values)
    if (double* at = find_parameter(law, name)) *at = value;
  EXPECT_EQ(misfit(law, kUnitMass), "");
  prepare(law, kUnitMass);
  return std::visit([&](const auto& l) { return free_impact(l, mass, speed, gravity); }, law);
}

TEST(RestitutionTest, AchievedAgainstPrescribedAsInCaseB1) {
  const std::map<const char*, std::array<double, 9>> table{
      {"hunt-crossley",
       {.515833, .546854, .581288, .619736, .662962, .711950, .768000, .832870, .909016}},
      {"herbert-mcwhannell",
       {.490698, .500779, .519967, .550309, .593624, .651073, .722683, .806980, .900893}},
      {"lee-wang",
       {.686663, .711950, .738995, .768000, .799199, .832870, .869343, .909016, .952370}},
      {"lankarani-nikravesh",
       {.665265, .672262, .684225, .701635, .725241, .756149, .795973, .847102, .913177}},
      {"flores", {.069444, .155540, .256208, .362872, .470445, .577276, .683184, .788539, .893921}},
      {"gharib-hurmuzlu",
       {.099982, .196980, .281877, .352379, .410720, .459491, .500779, .536160, .566812}},
      {"carvalho-martins",
       {.128940, .211588, .303974, .401093, .500174, .599967, .699965, .799989, .899999}},
      {"exact", {.1, .2, .3, .4, .5, .6, .7, .8, .9}}};
  double worst = 0;
  for (const auto& [key, row] : table)
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double achieved = impact(key, 0.1 * (i + 1), 1e8, 1.5, 1, 0.5).restitution;
      EXPECT_NEAR(achieved, row[i], 1e-6) << key << " " << 0.1 * (i + 1);
      worst = std::max(worst, std::abs(achieved - row[i]));
    }
  std::printf("case B1, 72 impacts: worst deviation %.1e (table has 6 decimals)\n", worst);
}

// One entry of the table is corrected: Zhiying-Qishao at 0.1 is .2175 (its relation solved in
// Python), so .217 where the table prints .218.
TEST(RestitutionTest, TableOfPhysicsForAnyExponentMassAndSpeed) {
  const std::array prescribed{0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95};
  const std::map<const char*, std::array<double, 8>> table{
      {"hunt-crossley", {.501, .516, .581, .663, .768, .833, .909, .952}},
      {"herbert-mcwhannell", {.488, .491, .520, .594, .723, .807, .901, .950}},
      {"lee-wang", {.675, .687, .739, .799, .869, .909, .952, .976}},
      {"lankarani-nikravesh", {.664, .665, .684, .725, .796, .847, .913, .954}},
      {"gonthier", {.050, .101, .304, .488, .670, .768, .876, .936}},
      {"zhiying-qishao", {.197, .217, .327, .483, .680, .787, .896, .949}},
      {"flores", {.033, .069, .256, .470, .683, .789, .894, .947}},
      {"gharib-hurmuzlu", {.050, .100, .282, .411, .501, .536, .567, .581}},
      {"hu-guo", {.035, .074, .271, .488, .697, .799, .900, .950}},
      {"exact", {.050, .100, .300, .500, .700, .800, .900, .950}}};
  double worst = 0;
  for (const auto& [key, row] : table)
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double achieved = impact(key, prescribed[i], 3e7, 1.1, 0.2, 2.0).restitution;
      EXPECT_NEAR(achieved, row[i], 5.01e-4) << key << " " << prescribed[i];
      worst = std::max(worst, std::abs(achieved - row[i]));
    }
  std::printf("table (C.7): worst deviation %.1e (table has 3 decimals)\n", worst);
}

TEST(RestitutionTest, OneImpactInDetailAsInCaseB2) {
  const double m = 1, K = 1e8, v0 = 0.5;
  const FreeImpact elastic = impact("hertz", 1, K, 1.5, m, v0);
  EXPECT_NEAR(elastic.max_depth, 3.962232981e-4, 1e-13);
  // The case prints this formula and the value 2.33238826e-3 s, which is not its value: 6e-8 off.
  EXPECT_NEAR(elastic.duration, 2.9432751843 * elastic.max_depth / v0, 1e-10 * elastic.duration);
  EXPECT_NEAR(elastic.duration, 2.33238826e-3, 2e-10);
  EXPECT_NEAR(K * std::pow(elastic.max_depth, 1.5), 788.6966806, 1e-6);

  struct Row {
    const char* key;
    double c, restitution, max_depth, duration;
  };
  for (const Row& r : {Row{"hunt-crossley", 0.5, 0.662962, 3.38965399e-4, 2.4681183e-3},
                       Row{"hunt-crossley", 0.9, 0.909016, 3.81562800e-4, 2.3567090e-3},
                       Row{"lankarani-nikravesh", 0.5, 0.725241, 3.50231914e-4, 2.4314011e-3},
                       Row{"lankarani-nikravesh", 0.9, 0.913177, 3.82244239e-4, 2.3554494e-3},
                       Row{"flores", 0.5, 0.470445, 3.01121735e-4, 2.6488586e-3},
                       Row{"flores", 0.9, 0.893921, 3.79081330e-4, 2.3614107e-3}}) {
    const FreeImpact i = impact(r.key, r.c, K, 1.5, m, v0);
    EXPECT_NEAR(i.restitution, r.restitution, 1e-6) << r.key;
    EXPECT_NEAR(i.max_depth, r.max_depth, 1e-12) << r.key;
    EXPECT_NEAR(i.duration, r.duration, 1e-10) << r.key;
    const double lost = 0.5 * m * v0 * v0 * (1 - i.restitution * i.restitution);
    EXPECT_NEAR(i.loop_area, lost, 1e-9 * lost) << r.key;
  }
}

TEST(RestitutionTest, BallDroppedFromOneMetreAsInCaseB5) {
  const double g = 9.81, v = std::sqrt(2 * g);
  EXPECT_NEAR(v, 4.429447, 5e-7);
  const FreeImpact half = impact("lankarani-nikravesh", 0.5, 1.4e8, 1.5, 1, v, g);
  EXPECT_NEAR(half.restitution * v, 3.209743, 1e-6);
  EXPECT_NEAR(std::pow(half.restitution * v, 2) / (2 * g), 0.525099, 1e-6);
  EXPECT_NEAR(half.max_depth, 1.754269e-3, 1e-9);
  const double high = impact("lankarani-nikravesh", 0.9, 1.4e8, 1.5, 1, v, g).restitution * v;
  EXPECT_NEAR(high, 4.043963, 1e-6);
  EXPECT_NEAR(high * high / (2 * g), 0.833519, 1e-6);
  const double hunt = impact("hunt-crossley", 0.7, 1.4e8, 1.5, 1, v, g).restitution * v;
  EXPECT_NEAR(hunt, 3.399523, 1e-6);
  EXPECT_NEAR(hunt * hunt / (2 * g), 0.589029, 1e-6);
}

TEST(RestitutionTest, KelvinVoigtWithAndWithoutTension) {
  for (const double zeta : {0.01, 0.2, 0.7, 0.99, 3.0}) {
    KelvinVoigt law;
    law.stiffness = 1e6, law.damping = 2 * zeta * std::sqrt(1e6);
    law.prepare(kUnitMass);
    EXPECT_NEAR(free_impact(law, 1, 0.3).restitution, release_restitution(zeta), 1e-9) << zeta;
    // the same in another form of theory/contact_laws (C.12)
    const double root = std::sqrt(1 - zeta * zeta);
    const double angle = std::numbers::pi - std::atan2(2 * zeta * root, 1 - 2 * zeta * zeta);
    EXPECT_TRUE(zeta > 1 ||
                std::abs(release_restitution(zeta) - std::exp(-zeta / root * angle)) < 1e-14)
        << zeta;
    law.tension = true;
    if (zeta < 0.9) {
      EXPECT_NEAR(free_impact(law, 1, 0.3).restitution, std::exp(-std::numbers::pi * zeta / root),
                  1e-9)
          << zeta;
    }
  }
  EXPECT_NEAR(release_restitution(0.2), 0.5717, 5e-5);
  EXPECT_NEAR(std::exp(-std::numbers::pi * 0.2 / std::sqrt(0.96)), 0.5266, 5e-5);
  EXPECT_NEAR(relaxed_damping_ratio(0.5), 0.21545376, 1e-8);  // case B3
  EXPECT_NEAR(relaxed_damping_ratio(0.9), 0.03351845, 1e-8);
}

TEST(RestitutionTest, AnagnostopoulosIsExactOnlyWithTension) {
  const std::map<double, double> cut{{0.3, 0.397}, {0.5, 0.550}, {0.9, 0.902}};
  for (const auto& [c, achieved] : cut) {
    Anagnostopoulos law;
    law.restitution = c;
    law.prepare(kUnitMass);
    EXPECT_NEAR(free_impact(law, 1, 0.2).restitution, achieved, 5e-4) << c;
    law.tension = true;
    EXPECT_NEAR(free_impact(law, 1, 0.2).restitution, c, 1e-9) << c;
  }
}

TEST(RestitutionTest, JankowskiToThreeDigits) {
  const std::map<double, double> table{{0.3, 0.292}, {0.5, 0.495}, {0.7, 0.698}, {0.9, 0.900}};
  for (const auto& [c, achieved] : table)
    EXPECT_NEAR(impact("jankowski", c, 1e9, 1.5, 0.3, 0.4).restitution, achieved, 5e-4) << c;
}

TEST(RestitutionTest, MemoryFreeIsExactAtAnySpeedAndExponent) {
  double worst = 0;
  for (const double c : {0.05, 0.13, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0})
    for (const double n : {1.0, 1.5, 2.0})
      for (const double speed : {1e-3, 1.0}) {
        const double achieved = impact("memory-free", c, 1e9, n, 0.5, speed).restitution;
        EXPECT_NEAR(achieved, c, 1e-6) << c << ", n = " << n;
        worst = std::max(worst, std::abs(achieved - c));
      }
  std::printf("memory-free: worst deviation %.1e\n", worst);
}

TEST(RestitutionTest, TsujiRestitutesWhatItIsToldAndLeavesAtZeroDepth) {
  const double K = 1e9, m = 0.5;
  double worst = 0;
  for (const double c : {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9})
    for (const double speed : {1e-3, 1.0}) {
      const double achieved = impact("tsuji", c, K, 1.5, m, speed).restitution;
      EXPECT_NEAR(achieved, c, 1e-6) << c;
      worst = std::max(worst, std::abs(achieved - c));
      // The published form, written out, with alpha as its parameter.
      Tsuji law;
      law.stiffness = K, law.mass = m;
      law.alpha = -std::sqrt(5.0) * std::log(c) / std::hypot(std::numbers::pi, std::log(c));
      law.prepare(kUnitMass);
      EXPECT_NEAR(law.restitution, c, 1e-14);
      EXPECT_NEAR(test::free_impact(law, m, speed).restitution, c, 1e-6);
      for (const double d : {1e-7, 1e-5})
        for (const double rate : {0.3, -0.3})
          EXPECT_NEAR(
              law.force(Contact<>{d, rate, 1}),
              K * std::pow(d, 1.5) + law.alpha * std::sqrt(m * K) * std::pow(d, 0.25) * rate,
              1e-12 * K * std::pow(d, 1.5) + 1e-9);
    }
  std::printf("tsuji: worst deviation %.1e\n", worst);
  // Cut off where the force vanishes, the same damper gives more (see its limits).
  for (const auto& [c, cut] : {std::pair{0.3, 0.397}, {0.7, 0.718}, {0.9, 0.902}})
    EXPECT_NEAR(release_restitution(relaxed_damping_ratio(c)), cut, 5e-4);
}

/// The damping of theory/contact_laws (C.9) on any elastic law: 2 zeta sqrt(m) E/sqrt(2 U).
template <class Elastic>
struct MemoryFreeOn {
  Elastic elastic_law;
  double zeta, mass;
  double force(const Contact<>& c) const {
    if (c.depth <= 0) return 0;
    const double E = elastic_law.elastic(c.depth), U = potential(c.depth);
    return never_tensile(E + 2 * zeta * std::sqrt(mass) * E / std::sqrt(2 * U) * c.rate);
  }
  double potential(double depth) const { return elastic_law.potential(depth); }
};

TEST(RestitutionTest, MemoryFreeDampingServesTheLineLawsToo) {
  Johnson johnson;
  johnson.prepare(kJournalSite);
  for (const double c : {0.3, 0.7, 0.9}) {
    const MemoryFreeOn<Johnson> cut{johnson, release_damping_ratio(c), 1};
    EXPECT_NEAR(free_impact(cut, 1, 0.5).restitution, c, 1e-6) << c;
    // with the damping ratio that is exact for a contact that may pull
    const MemoryFreeOn<Johnson> relaxed{johnson, relaxed_damping_ratio(c), 1};
    EXPECT_NEAR(free_impact(relaxed, 1, 0.5).restitution,
                c == 0.3   ? 0.397
                : c == 0.7 ? 0.718
                           : 0.902,
                5e-4)
        << c;
  }
}

TEST(RestitutionTest, StatementsInTheCatalogueHold) {
  EXPECT_NEAR(achieved_restitution(HuntCrossley::hysteresis(0)), 0.4877, 1e-4);
  EXPECT_NEAR(achieved_restitution(HerbertMcWhannell::hysteresis(0)), 0.4877, 1e-4);
  EXPECT_NEAR(achieved_restitution(LankaraniNikravesh::hysteresis(0)), 0.6630, 1e-4);
  EXPECT_NEAR(achieved_restitution(GharibHurmuzlu::hysteresis(1)), 0.5936, 1e-4);
}

}  // namespace
}  // namespace freeplay::laws
