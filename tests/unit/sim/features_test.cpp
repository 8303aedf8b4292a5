// SPDX-License-Identifier: Apache-2.0
#include "sim/features.hpp"

#include "io/expression.hpp"
#include "model/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace freeplay::sim {
namespace {

Formula formula(const std::string& text, const io::Variables& variables = io::kOfTime) {
  return io::compile_formula(io::parse_expression(text, variables),
                             [](const std::string& name, std::size_t offset) -> io::Quantity {
                               throw io::ExpressionError(offset, name);
                             });
}

std::vector<Feature::Span> intervals(Feature& feature, double start, double end) {
  std::vector<Feature::Span> out;
  for (double t = start; t < end; t = out.back().end) out.push_back(feature.at(t));
  return out;
}

TEST(FeatureTest, PolynomialsLimitNothing) {
  Feature feature(formula("1 - 3*t + 0.5*t^4"), 2, 0, 1000, 1e-9);
  const auto found = intervals(feature, 0, 1000);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].still);
  EXPECT_EQ(feature.latest(3, 0.5), 1000);
}

TEST(FeatureTest, SineIsAboutTwoIntervalsAPeriod) {
  Feature feature(formula("2 + sin(10*t)"), 2, 0, 100, 1e-9);
  const double period = 2 * std::numbers::pi / 10;
  const auto found = intervals(feature, 0, 100);
  EXPECT_GT(static_cast<double>(found.size()), 1.5 * 100 / period);
  EXPECT_LT(static_cast<double>(found.size()), 3 * 100 / period);
  for (const auto& i : found) EXPECT_FALSE(i.still);
  // Steps without events may be of nearly a period, far longer than any that are accurate.
  EXPECT_GT(feature.latest(99, 2) - 99, 0.5 * period);
}

TEST(FeatureTest, NoStepJumpsOverAPulse) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(0.01, 0.99);
  for (const double width : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
    for (const int rates : {0, 2})
      for (int k = 0; k < 20; ++k) {
        const double at = place(random);
        Feature feature(formula("0.05*exp(-((t - " + std::to_string(at) + ")/" +
                                std::to_string(width) + ")^2)"),
                        rates, 0, 1, 1e-9);
        // The longest steps there are: how many of them end within two widths of the pulse?
        int inside = 0, steps = 0;
        for (double t = 0; t < 1; ++steps) {
          t = feature.latest(t, 2);
          if (std::abs(t - at) < 2 * width) ++inside;
        }
        EXPECT_GE(inside, 3) << at << " " << width;
        EXPECT_LE(steps, 60) << at << " " << width;
      }
}

TEST(FeatureTest, ManyPulsesAreAllSeen) {
  // A comb of pulses a thousandth of their distance wide.
  Feature feature(formula("exp(-(sin(31.41592653589793*t)/0.003)^2)"), 0, 0, 1, 1e-9);
  int inside = 0;
  for (double t = 0; t < 1;) {
    t = feature.latest(t, 2);
    if (std::abs(std::sin(10 * std::numbers::pi * t)) < 0.006) ++inside;
  }
  EXPECT_GE(inside, 9 * 3);
}

TEST(FeatureTest, CornerIsReachedExactly) {
  Feature feature(formula("abs(t - 0.5371)"), 0, 0, 1, 1e-9);
  double nearest = 1;
  int steps = 0;
  for (double t = 0; t < 1; ++steps) {
    t = feature.latest(t, 2);
    nearest = std::min(nearest, std::abs(t - 0.5371));
  }
  EXPECT_LT(nearest, 1e-8);
  EXPECT_LT(steps, 60);
}

TEST(FeatureTest, SingularFormulasEnd) {
  for (const char* text :
       {"1/(t - 0.3)", "sqrt(t)", "log(t)", "tan(20*t)", "1e300*exp(500*t)", "sin(1/(t + 1e-3))"}) {
    Feature feature(formula(text), 2, 0, 1, 1e-9);
    int steps = 0;
    for (double t = 0; t < 1 && steps < 100000; ++steps) t = feature.latest(t, 2);
    EXPECT_LT(steps, 20000) << text;
  }
}

TEST(FeatureTest, PartsInTimeOfALawOfMotion) {
  const auto parts =
      model::parts_in_time(formula("-40*x*exp(-(t - 3)^2) + 2*sin(5*t)*3 - v*2", io::kOfMotion));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].code.size(), 7u);  // t 3 - 2 ^ negate exp
  EXPECT_EQ(parts[1].code.size(), 8u);  // 2 5 t * sin * 3 *
  EXPECT_TRUE(model::parts_in_time(formula("-40*x - v", io::kOfMotion)).empty());
  EXPECT_EQ(model::parts_in_time(formula("sin(t)")).size(), 1u);
}

}  // namespace
}  // namespace freeplay::sim
