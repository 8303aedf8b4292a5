// SPDX-License-Identifier: Apache-2.0
#include "study/optimise.hpp"

#include "study/random.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace freeplay::study {
namespace {

/// Branin's function on the unit square; least value 0.397887 at three points.
double branin(const VecX& u) {
  const double x = 15 * u[0] - 5, y = 15 * u[1], pi = 3.14159265358979;
  return std::pow(y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6, 2) +
         10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

Search of_branin(Algorithm algorithm, std::int64_t evaluations) {
  Search problem;
  problem.variables = 2;
  problem.algorithm = algorithm;
  problem.evaluations = evaluations;
  problem.precision = 1e-6;
  problem.seed = 5;
  problem.evaluate = [](const VecX& x, bool) { return Evaluation{true, branin(x), {}}; };
  return problem;
}

TEST(OptimiseTest, EveryAlgorithmFindsALowestPointOfBranin) {
  for (const Algorithm a :
       {Algorithm::cobyla, Algorithm::bobyqa, Algorithm::nelder_mead, Algorithm::subplex,
        Algorithm::direct, Algorithm::crs, Algorithm::isres}) {
    const SearchResult found = search(of_branin(a, 3000));
    EXPECT_TRUE(found.found);
    EXPECT_NEAR(found.goal, 0.397887, 1e-2) << static_cast<int>(a);
    EXPECT_LE(found.evaluations, 3000);
  }
}

TEST(OptimiseTest, KrigingNeedsFewEvaluations) {
  const SearchResult found = search(of_branin(Algorithm::kriging, 50));
  EXPECT_NEAR(found.goal, 0.397887, 0.05);
  EXPECT_LE(found.evaluations, 50);
}

TEST(OptimiseTest, KrigingSmoothsOverNoise) {
  std::vector<VecX> points;
  VecX values(60);
  for (int i = 0; i < 60; ++i) {
    const double x = (i + 0.5) / 60;
    points.push_back(VecX::Constant(1, x));
    values[i] = std::sin(6 * x) +
                0.2 * (2 * uniform(1, Purpose::jitter, static_cast<std::uint64_t>(i), 0) - 1);
  }
  const Kriging model(points, values, 1);
  double worst = 0;
  for (double x = 0.1; x < 0.9; x += 0.05)
    worst = std::max(worst, std::abs(model.predict(VecX::Constant(1, x)).mean - std::sin(6 * x)));
  EXPECT_LT(worst, 0.12);  // below the noise
  EXPECT_GT(model.nugget(), 1e-4);
}

TEST(OptimiseTest, KrigingReproducesWhatIsNotNoisy) {
  std::vector<VecX> points;
  VecX values(12);
  for (int i = 0; i < 12; ++i) {
    points.push_back(VecX::Constant(1, i / 11.0));
    values[i] = std::cos(4 * i / 11.0);
  }
  const Kriging model(points, values, 1);
  EXPECT_NEAR(model.predict(points[5]).mean, values[5], 1e-4);
  EXPECT_NEAR(model.predict(VecX::Constant(1, 0.53)).mean, std::cos(4 * 0.53), 1e-3);
  EXPECT_LT(model.expected_improvement(points[5], values.minCoeff()), 1e-4);
}

TEST(OptimiseTest, ConstraintsAreKept) {
  // Least x + y with x y >= 0.25: both 0.5.
  for (const Algorithm a : {Algorithm::cobyla, Algorithm::isres}) {
    Search problem;
    problem.variables = 2;
    problem.constraints = 1;
    problem.algorithm = a;
    problem.evaluations = a == Algorithm::cobyla ? 500 : 5000;
    problem.precision = 1e-7;
    problem.evaluate = [](const VecX& x, bool) {
      return Evaluation{true, x.sum(), {0.25 - x[0] * x[1]}};
    };
    const SearchResult found = search(problem);
    EXPECT_TRUE(found.found);
    EXPECT_NEAR(found.goal, 1, a == Algorithm::cobyla ? 1e-3 : 2e-2);
  }
}

TEST(OptimiseTest, SearchesRepeatThemselves) {
  for (const Algorithm a : {Algorithm::crs, Algorithm::kriging}) {
    std::vector<double> seen[2];
    for (auto& list : seen) {
      Search problem = of_branin(a, 25);
      problem.evaluate = [&](const VecX& x, bool) {
        list.insert(list.end(), {x[0], x[1]});
        return Evaluation{true, branin(x), {}};
      };
      (void)search(problem);
    }
    EXPECT_EQ(seen[0], seen[1]);
  }
}

TEST(OptimiseTest, FailedPointsAreAvoidedNotFatal) {
  Search problem = of_branin(Algorithm::crs, 2000);
  problem.evaluate = [](const VecX& x, bool) { return Evaluation{x[0] > 0.4, branin(x), {}}; };
  const SearchResult found = search(problem);
  EXPECT_TRUE(found.found);
  EXPECT_GT(found.x[0], 0.4);
  EXPECT_NEAR(found.goal, 0.397887, 0.02);
}

}  // namespace
}  // namespace freeplay::study
