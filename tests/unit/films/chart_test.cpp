// SPDX-License-Identifier: Apache-2.0
#include "films/chart.hpp"

#include "support/recording.hpp"

#include <Eigen/Eigenvalues>
#include <gmock/gmock.h>

#include <cmath>

// The designer's chart against the tables (verification/cases C1, C3, C4, C6).
namespace freeplay::films {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;

template <class L>
BearingCase unit_bearing(double slenderness, int around, int along) {
  L law;
  law.viscosity = 1;
  law.minimum_film = 1e-6;
  if constexpr (requires { law.cells_around; }) {
    law.cells_around = around;
    law.cells_along = along;
    law.full_shear = true;
  }
  return {law, {1, 1, 2 * slenderness}, 1.0, 0, false};
}

TEST(ChartTest, ShortBearingIsCaseC1) {
  freeplay::testing::Check check("C1 chart of the short bearing", "closed form of Ocvirk 1953");
  const auto bearing = unit_bearing<ShortBearing>(0.5, 0, 0);
  for (const auto& [eps, phi, S] : {std::array{0.1, 82.70775, 0.98997911},
                                    {0.5, 53.68020, 0.10604941},
                                    {0.9, 20.82610, 0.00331488}}) {
    const auto p = point_at_ratio(bearing, eps);
    ASSERT_TRUE(p);
    check.near("attitude, deg", p->attitude / kDegree, phi, 6e-6);
    check.near("Sommerfeld number x (L/D)^2", p->sommerfeld * 0.25, S, 6e-9);
    const auto back = point_at_load(bearing, p->load);
    ASSERT_TRUE(back);
    check.near("ratio found back", back->ratio, eps, 1e-10);
  }
}

TEST(ChartTest, FiniteBearingIsCaseC3) {
  freeplay::testing::Check check("C3 finite bearing",
                                 "Raimondi & Boyd 1958; recomputed on two grids, extrapolated");
  struct Row {
    double slenderness, eps;
    double inlet_S, inlet_phi, inlet_f, periodic_S, periodic_phi;
    double guembel_S, guembel_phi, guembel_f, guembel_peak;
  };
  const std::vector<Row> table{
      {1, .1, 1.3298, 79.41, 26.43, 1.3032, 83.84, 1.39935, 84.917, 27.811, .0359464},
      {1, .2, .63177, 73.86, 12.82, .62436, 77.66, .673889, 79.776, 13.675, .0765901},
      {1, .4, .26039, 62.57, 5.786, .2602, 65.13, .286537, 69.047, 6.358, .198324},
      {1, .6, .12094, 50.53, 3.216, .12141, 51.98, .137921, 57.035, 3.6548, .481586},
      {1, .8, .04456, 36.23, 1.702, .044721, 36.79, .0527916, 41.824, 2.0035, 1.63485},
      {1, .9, .018822, 26.48, 1.053, .018863, 26.70, .0227118, 30.884, 1.2595, 4.89977},
      {.25, .1, 16.223, 82.47, 321.9, 16.226, 82.80, 16.2614, 83.038, 322.65, .00317277},
      {.25, .2, 7.5782, 75.38, 152.8, 7.5829, 75.62, 7.6128, 76.088, 153.47, .00714158},
      {.25, .4, 2.8412, 61.20, 61.37, 2.8434, 61.31, 2.87581, 62.225, 62.114, .0223638},
      {.25, .6, 1.0779, 46.82, 26.82, 1.0785, 46.86, 1.10727, 48.208, 27.544, .0732324},
      {.25, .8, .26331, 31.25, 8.87, .26335, 31.26, .279551, 33.021, 9.4148, .409548},
      {.25, .9, .073621, 21.78, 3.501, .073624, 21.78, .0813021, 23.695, 3.8626, 1.90857}};
  for (const Row& r : table) {
    SCOPED_TRACE(::testing::Message() << "L/D " << r.slenderness << ", ratio " << r.eps);
    auto inlet = unit_bearing<ReynoldsSwiftStieber>(r.slenderness, 128, 32);
    inlet.inlet_at_widest_gap = true;
    const auto a = point_at_ratio(inlet, r.eps);
    const auto b =
        point_at_ratio(unit_bearing<ReynoldsSwiftStieber>(r.slenderness, 128, 32), r.eps);
    const auto c = point_at_ratio(unit_bearing<ReynoldsGuembel>(r.slenderness, 128, 32), r.eps);
    ASSERT_TRUE(a && b && c);
    check.near("inlet, S", a->sommerfeld, r.inlet_S, 0.005 * r.inlet_S);
    check.near("inlet, attitude, deg", a->attitude / kDegree, r.inlet_phi, 0.3);
    check.near("inlet, friction", a->friction, r.inlet_f, 0.005 * r.inlet_f);
    check.near("periodic, S", b->sommerfeld, r.periodic_S, 0.005 * r.periodic_S);
    check.near("periodic, attitude, deg", b->attitude / kDegree, r.periodic_phi, 0.3);
    check.near("Guembel, S", c->sommerfeld, r.guembel_S, 0.005 * r.guembel_S);
    check.near("Guembel, attitude, deg", c->attitude / kDegree, r.guembel_phi, 0.3);
    check.near("Guembel, friction", c->friction, r.guembel_f, 0.005 * r.guembel_f);
    check.near("Guembel, peak pressure", c->max_pressure / 6, r.guembel_peak,
               0.005 * r.guembel_peak);
  }
}

TEST(ChartTest, TwoGroovesAreCaseC4) {
  freeplay::testing::Check check("C4 two axial grooves", "Lund & Thomsen 1978, L/D = 0.5");
  struct Row {
    double S, eps, phi;
    std::array<double, 4> K;
    std::array<double, 4> B;
  };
  for (const Row& r : {Row{1.656, .244, 65.85, {1.69, 5.06, -2.20, 1.95}, {9.93, 2.15, 2.15, 4.80}},
                       {0.917, .372, 57.45, {2.12, 4.01, -1.30, 1.85}, {7.70, 2.06, 2.06, 3.23}},
                       {0.580, .477, 51.01, {2.67, 3.70, -0.78, 1.75}, {6.96, 1.94, 1.94, 2.40}},
                       {0.379, .570, 45.43, {3.33, 3.64, -0.43, 1.68}, {6.76, 1.87, 1.87, 1.89}},
                       {0.244, .655, 40.25, {4.21, 3.74, -0.13, 1.64}, {6.87, 1.82, 1.82, 1.54}}}) {
    SCOPED_TRACE(::testing::Message() << "S = " << r.S);
    auto bearing = unit_bearing<ReynoldsSwiftStieber>(0.5, 108, 24);
    auto& law = std::get<ReynoldsSwiftStieber>(bearing.law);
    law.grooves = 2;
    law.groove_angle = 90 * kDegree;
    law.groove_width = 20 * kDegree;
    const auto p = point_at_load(bearing, 1 / (kPi * r.S));
    ASSERT_TRUE(p);
    check.near("S", p->sommerfeld, r.S, 1e-9);
    check.near("ratio", p->ratio, r.eps, 0.01);
    check.near("attitude, deg", p->attitude / kDegree, r.phi, 0.5);
    for (std::size_t i = 0; i < 4; ++i) {
      // 6 % of each, or of the largest over 40 for the coefficient that passes through zero.
      check.near("stiffness", p->stiffness_number[i], r.K[i],
                 0.06 * std::max(std::abs(r.K[i]), 0.7));
      check.near("damping", p->damping_number[i], r.B[i], 0.06 * std::abs(r.B[i]));
    }
    // Damping of a film is symmetric.
    check.near("damping is symmetric", p->damping_number[1], p->damping_number[2],
               0.005 * p->damping_number[1]);
  }
}

BearingCase two_grooves(double angle) {
  auto bearing = unit_bearing<ReynoldsSwiftStieber>(0.5, 64, 16);
  auto& law = std::get<ReynoldsSwiftStieber>(bearing.law);
  law.minimum_film = laws::kDerived;  // as `freeplay bearing` has it
  law.grooves = 2;
  law.groove_angle = angle;
  law.groove_width = 20 * kDegree;
  bearing.refine = true;
  return bearing;
}

TEST(ChartTest, LoadsBetweenTwoGroovesAreFoundFromTinyToHuge) {
  for (const double angle : {90 * kDegree, 45 * kDegree, -45 * kDegree})
    for (const double load : {1e-4, 1e-2, 0.1, 1.0, 10.0, 30.0, 100.0}) {
      const auto p = point_at_load(two_grooves(angle), load);
      ASSERT_TRUE(p) << load;
      EXPECT_NEAR(p->load, load, 1e-8 * load);
      EXPECT_LE(p->load_error, kLoadError);
      EXPECT_LE(p->stiffness_error, kStiffnessError);
    }
  // Beyond what the film carries below a ratio of 0.999 there is none.
  EXPECT_FALSE(point_at_load(two_grooves(90 * kDegree), 1e6));
}

TEST(ChartTest, RefinesUntilTheErrorIsAsSmallAsPromised) {
  // L/D = 0.5 without grooves, computed on 1024 x 64 intervals.
  struct Row {
    double eps, load, xy, yx;
  };
  for (const Row& r : {Row{0.1, 0.07371, 10.3209, -9.7771},
                       {0.3, 0.26044, 4.3000, -2.6906},
                       {0.5, 0.62347, 3.6514, -0.9507},
                       {0.8, 3.46743, 4.5106, 0.5526},
                       {0.9, 10.18442, 5.8521, 1.3014},
                       {0.95, 26.65900, 7.8387, 2.2184}}) {
    auto bearing = unit_bearing<ReynoldsSwiftStieber>(0.5, 64, 16);
    bearing.refine = true;
    const auto p = point_at_ratio(bearing, r.eps);
    ASSERT_TRUE(p);
    EXPECT_NEAR(p->load, r.load, kLoadError * r.load) << r.eps;
    const double floor = 0.2 * std::max(std::abs(r.xy), std::abs(r.yx));
    EXPECT_NEAR(p->stiffness_number[1], r.xy, kStiffnessError * std::abs(r.xy)) << r.eps;
    EXPECT_NEAR(p->stiffness_number[2], r.yx, kStiffnessError * std::max(std::abs(r.yx), floor))
        << r.eps;
    EXPECT_LE(p->load_error, kLoadError);
    EXPECT_LE(p->stiffness_error, kStiffnessError);
  }
}

TEST(ChartTest, KeepsAGivenGridAndOwnsUpToItsError) {
  const auto p = point_at_ratio(unit_bearing<ReynoldsSwiftStieber>(0.5, 64, 16), 0.95);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->cells_around, 64);
  EXPECT_GT(p->stiffness_error, kStiffnessError);
  const auto closed = point_at_ratio(unit_bearing<ShortBearing>(0.5, 0, 0), 0.95);
  EXPECT_EQ(closed->cells_around, 0);
  EXPECT_TRUE(std::isnan(closed->load_error));
}

TEST(ChartTest, HydroTestBearingIsCaseC6) {
  ShortBearing law;
  law.viscosity = 0.01985;
  const auto p = point_at_load(
      {law, {.radius = 0.015, .clearance = 90e-6, .length = 0.02}, 200 * kPi}, 53.955);
  ASSERT_TRUE(p);
  EXPECT_NEAR(p->ratio, 0.29974006, 5e-9);
  EXPECT_NEAR(p->attitude / kDegree, 68.196906, 5e-7);
}

TEST(ChartTest, RatioAndLoadAgreeAndPetroffIsTheLimit) {
  const auto bearing = unit_bearing<ReynoldsGuembel>(1, 64, 16);
  const auto p = point_at_ratio(bearing, 0.5);
  ASSERT_TRUE(p);
  const auto q = point_at_load(bearing, p->load);
  ASSERT_TRUE(q);
  EXPECT_NEAR(q->ratio, 0.5, 1e-9);
  EXPECT_NEAR(q->stiffness[1], p->stiffness[1], 1e-6 * std::abs(p->stiffness[1]));
  // f R/c -> 2 pi^2 S as the journal gets centred.
  const auto centred = point_at_ratio(bearing, 0.01);
  EXPECT_NEAR(centred->friction / (2 * kPi * kPi * centred->sommerfeld), 1, 1e-3);
  EXPECT_FALSE(point_at_load(bearing, 1e12).has_value());
}

TEST(ChartTest, WhirlsAboveTheCriticalMass) {
  // Eigenvalues of m x'' + C x' + K x = 0 on both sides of the predicted mass.
  const auto p = point_at_ratio(unit_bearing<ShortBearing>(0.5, 0, 0), 0.3);
  ASSERT_TRUE(p);
  const auto worst = [&](double mass) {
    Eigen::Matrix4d a = Eigen::Matrix4d::Zero();
    a(0, 2) = a(1, 3) = 1;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        a(2 + i, j) = -p->stiffness[static_cast<std::size_t>(2 * i + j)] / mass;
        a(2 + i, 2 + j) = -p->damping[static_cast<std::size_t>(2 * i + j)] / mass;
      }
    return a.eigenvalues().real().maxCoeff();
  };
  ASSERT_TRUE(std::isfinite(p->critical_mass));
  EXPECT_LT(worst(0.99 * p->critical_mass), 0);
  EXPECT_GT(worst(1.01 * p->critical_mass), 0);
  // Above a ratio of 0.76 the short bearing is stable at any mass.
  EXPECT_TRUE(
      std::isinf(point_at_ratio(unit_bearing<ShortBearing>(0.5, 0, 0), 0.8)->critical_mass));
}

TEST(ChartTest, OilThatLeavesWasBroughtIn) {
  // Side flow of the half film at L/D -> 0 is what rotation brings: w R L c eps.
  const auto p = point_at_ratio(unit_bearing<ReynoldsGuembel>(0.05, 200, 16), 0.6);
  const auto q = point_at_ratio(unit_bearing<ShortBearing>(0.05, 0, 0), 0.6);
  ASSERT_TRUE(p && q);
  EXPECT_NEAR(p->side_flow / q->side_flow, 1, 0.02);
  EXPECT_NEAR(p->max_pressure / q->max_pressure, 1, 0.02);
}

}  // namespace
}  // namespace freeplay::films
