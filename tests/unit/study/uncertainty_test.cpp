// SPDX-License-Identifier: Apache-2.0
#include "study/uncertainty.hpp"

#include "study/row_plan.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

namespace freeplay::study {
namespace {

using std::numbers::pi;

Study three_angles(Kind kind) {
  Study study;
  study.kind = kind;
  for (int k = 0; k < 3; ++k) {
    Variable v;
    v.from = -pi, v.to = pi;
    v.distribution = Distribution{};
    v.distribution->from = -pi, v.distribution->to = pi;
    study.vary.push_back(v);
  }
  return study;
}

double ishigami(const double* x) {
  return std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) +
         0.1 * std::pow(x[2], 4) * std::sin(x[0]);
}

TEST(UncertaintyTest, SobolIndicesOfTheIshigamiFunction) {
  // Ishigami & Homma 1990 with a = 7, b = 0.1: closed forms of the variances.
  const double a = 7, b = 0.1, p4 = std::pow(pi, 4), p8 = p4 * p4;
  const double v1 = 0.5 * std::pow(1 + b * p4 / 5, 2), v2 = a * a / 8, v13 = b * b * p8 * 8 / 225.0,
               v = v1 + v2 + v13;
  Study study = three_angles(Kind::sensitivity);
  study.sampling = Sampling::sobol;
  study.samples = 8192;
  study.seed = 1;
  const RowPlan plan(study);
  std::vector<double> outputs;
  double x[3];
  for (std::int64_t row = 0; row < plan.rows(); ++row) {
    plan.inputs(row, x);
    outputs.push_back(ishigami(x));
  }
  const std::vector<char> good(8192, 1);
  const SobolIndices found = sobol_indices(outputs, 3, good, 0.95, 1);
  EXPECT_NEAR(found.first[0], v1 / v, 0.01);
  EXPECT_NEAR(found.first[1], v2 / v, 0.01);
  EXPECT_NEAR(found.first[2], 0, 0.01);
  EXPECT_NEAR(found.total[0], (v1 + v13) / v, 0.01);
  EXPECT_NEAR(found.total[1], v2 / v, 0.01);
  EXPECT_NEAR(found.total[2], v13 / v, 0.01);
  for (double e : found.first_error) EXPECT_LT(e, 0.05);
  // A failed row takes its base point with it, and nothing else.
  std::vector<double> broken = outputs;
  broken[2] = 1e6;
  std::vector<char> marked = good;
  marked[0] = 0;
  EXPECT_NEAR(sobol_indices(broken, 3, marked, 0.95, 1).total[0], (v1 + v13) / v, 0.01);
}

TEST(UncertaintyTest, ChebyshevBoundsAreThoseOfTheFunction) {
  // exp(x) sin(2y) on [0, 1] x [0, 2]: least e sin(4), greatest e.
  Study study = three_angles(Kind::interval);
  study.vary.pop_back();
  study.vary[0].from = 0, study.vary[0].to = 1;
  study.vary[1].from = 0, study.vary[1].to = 2;
  study.nodes = 12;
  const RowPlan plan(study);
  ASSERT_EQ(plan.rows(), 144);
  std::vector<double> values;
  double x[2];
  for (std::int64_t row = 0; row < plan.rows(); ++row) {
    plan.inputs(row, x);
    values.push_back(std::exp(x[0]) * std::sin(2 * x[1]));
  }
  const ChebyshevSurrogate surrogate(values, 2, study.nodes);
  const double at[] = {0.3, -0.7};
  EXPECT_NEAR(surrogate(at), std::exp(0.65) * std::sin(2 * 0.3), 1e-7);
  const auto bounds = surrogate.bounds();
  EXPECT_NEAR(bounds.lower, std::exp(1) * std::sin(4.0), 1e-6);
  EXPECT_NEAR(bounds.upper, std::exp(1), 1e-6);
  EXPECT_LE(bounds.outer_lower, bounds.lower);
  EXPECT_GE(bounds.outer_upper, bounds.upper);
  EXPECT_LT(bounds.tail, 1e-5);
  EXPECT_NEAR(bounds.upper_at[0], 1, 1e-6);
  EXPECT_NEAR(bounds.upper_at[1], pi / 4 - 1, 1e-3);
}

TEST(UncertaintyTest, MomentsAndTheirInterval) {
  std::vector<double> values;
  for (int i = 1; i <= 101; ++i) values.push_back(i);
  const Moments m = moments(values, 0.9);
  EXPECT_DOUBLE_EQ(m.mean, 51);
  EXPECT_DOUBLE_EQ(m.median, 51);
  EXPECT_DOUBLE_EQ(m.low, 6);
  EXPECT_DOUBLE_EQ(m.high, 96);
  EXPECT_NEAR(m.standard_deviation, std::sqrt(101.0 * 102 / 12), 1e-9);
  EXPECT_NEAR(m.mean_high - m.mean, 1.6448536 * m.standard_deviation / std::sqrt(101.0), 1e-6);
}

TEST(UncertaintyTest, ShareHasTheIntervalOfClopperAndPearson) {
  const Share none = share(0, 100, 0.95);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.025, 0.01), 1e-12);  // closed form for no hit
  const Share some = share(10, 100, 0.95);
  EXPECT_NEAR(some.low, 0.0490, 1e-4);
  EXPECT_NEAR(some.high, 0.1762, 1e-4);
}

}  // namespace
}  // namespace freeplay::study
