// SPDX-License-Identifier: Apache-2.0
#include "study/distribution.hpp"
#include "study/random.hpp"
#include "study/row_plan.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

namespace freeplay::study {
namespace {

using ::testing::ElementsAre;

TEST(RandomTest, PhiloxGivesTheWordsOfItsAuthors) {
  // Known answers of Random123 (kat_vectors, philox4x32 10).
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(
      philox({0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu}, {0xffffffffu, 0xffffffffu}),
      ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(
      philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
      ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

TEST(RandomTest, UniformNumbersFillTheOpenInterval) {
  double sum = 0, square = 0;
  for (std::uint64_t row = 0; row < 100000; ++row) {
    const double u = uniform(7, Purpose::sample, row, 3);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    square += u * u;
  }
  EXPECT_NEAR(sum / 1e5, 0.5, 4 * std::sqrt(1.0 / 12 / 1e5));
  EXPECT_NEAR(square / 1e5, 1.0 / 3, 5e-3);
  EXPECT_NE(uniform(7, Purpose::sample, 5, 0), uniform(8, Purpose::sample, 5, 0));
}

TEST(RandomTest, PermutationMeetsEveryNumberOnce) {
  for (const std::uint64_t count : {1u, 2u, 7u, 64u, 1000u}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) seen.insert(permuted(i, count, 3, 1));
    EXPECT_EQ(seen.size(), count);
    EXPECT_EQ(*seen.rbegin(), count - 1);
  }
}

TEST(RandomTest, SobolPointsFillEveryBoxOfAHalvingOnce) {
  // The first 64 points: one in each of 64 equal parts of every coordinate.
  std::set<int> parts[3];
  double x[3];
  for (std::uint64_t row = 0; row < 64; ++row) {
    sobol_point(11, row, 3, x);
    for (int k = 0; k < 3; ++k) parts[k].insert(static_cast<int>(64 * x[k]));
  }
  for (const auto& p : parts) EXPECT_EQ(p.size(), 64u);
}

TEST(DistributionTest, QuantilesOfTheLaws) {
  Distribution d;
  d.law = Distribution::Law::normal;
  d.mean = 2;
  d.standard_deviation = 0.5;
  EXPECT_NEAR(d.quantile(0.975), 2 + 0.5 * 1.959963984540054, 1e-12);
  d.lower = 2;  // half of it
  EXPECT_NEAR(d.quantile(0.5), 2 + 0.5 * 0.6744897501960817, 1e-12);
  d = {};
  d.law = Distribution::Law::lognormal;
  d.mean = 3;
  d.standard_deviation = 1;
  double sum = 0, square = 0;
  const int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double x = d.quantile((i + 0.5) / n);
    sum += x;
    square += x * x;
  }
  EXPECT_NEAR(sum / n, 3, 1e-3);
  EXPECT_NEAR(std::sqrt(square / n - 9), 1, 5e-3);
  d = {};
  d.law = Distribution::Law::triangular;
  d.from = 1, d.mode = 2, d.to = 5;
  EXPECT_NEAR(d.quantile(0.25), 2, 1e-12);  // (2-1)/(5-1) of the area lies below the mode
  EXPECT_NEAR(d.quantile(1 - 1e-12), 5, 1e-5);
}

Study two_variables(Kind kind) {
  Study study;
  study.kind = kind;
  for (const char* path : {"a", "b"}) {
    Variable v;
    v.path = path;
    v.from = 0, v.to = 1;
    v.values = {0, 0.5, 1};
    v.distribution = Distribution{};
    study.vary.push_back(v);
  }
  study.vary[1].values = {10, 20};
  return study;
}

TEST(RowPlanTest, GridCombinesAllWithAllTheLastFastest) {
  const Study study = two_variables(Kind::sweep);
  const RowPlan plan(study);
  ASSERT_EQ(plan.rows(), 6);
  double x[2];
  plan.inputs(0, x);
  EXPECT_THAT(x, ElementsAre(0, 10));
  plan.inputs(1, x);
  EXPECT_THAT(x, ElementsAre(0, 20));
  plan.inputs(5, x);
  EXPECT_THAT(x, ElementsAre(1, 20));
}

TEST(RowPlanTest, BothWaysGoesUpAndDownInChains) {
  Study study = two_variables(Kind::bifurcation);
  study.vary.pop_back();
  study.vary[0].values = {1, 2, 3, 4, 5};
  study.continuation = study.both_ways = true;
  study.chains = 2;
  const RowPlan plan(study);
  ASSERT_EQ(plan.rows(), 10);
  ASSERT_EQ(plan.jobs(), 4);
  double x[1];
  plan.inputs(4, x);
  EXPECT_EQ(x[0], 5);
  plan.inputs(5, x);
  EXPECT_EQ(x[0], 5);
  plan.inputs(9, x);
  EXPECT_EQ(x[0], 1);
  std::int64_t next = 0;
  for (std::int64_t j = 0; j < 4; ++j) {
    const auto [first, count] = plan.job(j);
    EXPECT_EQ(first, next);
    next = first + count;
  }
  EXPECT_EQ(next, 10);
}

TEST(RowPlanTest, LatinHypercubeMeetsEveryLayerOnce) {
  Study study = two_variables(Kind::monte_carlo);
  study.sampling = Sampling::latin_hypercube;
  study.samples = 50;
  const RowPlan plan(study);
  std::set<int> layers[2];
  double x[2];
  for (std::int64_t row = 0; row < 50; ++row) {
    plan.inputs(row, x);
    for (int k = 0; k < 2; ++k) layers[k].insert(static_cast<int>(50 * x[k]));
  }
  EXPECT_EQ(layers[0].size(), 50u);
  EXPECT_EQ(layers[1].size(), 50u);
}

TEST(RowPlanTest, CorrelationIsThatOfTheSamples) {
  Study study = two_variables(Kind::monte_carlo);
  study.sampling = Sampling::random;
  study.samples = 20000;
  for (Variable& v : study.vary) v.distribution->law = Distribution::Law::normal;
  MatX c = MatX::Identity(2, 2);
  c(0, 1) = c(1, 0) = 0.8;
  study.correlation = c;
  const RowPlan plan(study);
  double x[2], product = 0;
  for (std::int64_t row = 0; row < study.samples; ++row) {
    plan.inputs(row, x);
    product += x[0] * x[1];
  }
  EXPECT_NEAR(product / 20000, 0.8, 0.03);
}

}  // namespace
}  // namespace freeplay::study
