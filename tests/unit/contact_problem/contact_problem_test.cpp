// SPDX-License-Identifier: Apache-2.0
#include "contact_problem/contact_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace freeplay::contact_problem {
namespace {

using Kind = Contact::Kind;

Contact unilateral(int row) {
  Contact e;
  e.kind = Kind::unilateral;
  e.row = row;
  return e;
}
Contact friction(int row, int count, double mu, double load) {
  Contact e;
  e.row = row;
  e.count = count;
  e.at_rest = e.sliding = mu;
  e.fixed = load;
  return e;
}

/// The conditions as the header states them, checked one by one.
void expect_met(const Problem& problem, const Solution& s) {
  ASSERT_TRUE(s.solved);
  const double scale = 1 + s.force.cwiseAbs().maxCoeff() + problem.b.cwiseAbs().maxCoeff();
  const VecX c = problem.W * s.force + problem.b;
  for (std::size_t e = 0; e < problem.elements.size(); ++e) {
    const Contact& element = problem.elements[e];
    const VecX p = s.force.segment(element.row, element.count),
               u = c.segment(element.row, element.count);
    if (element.kind == Kind::unilateral) {
      EXPECT_GE(p[0], -1e-11 * scale);
      EXPECT_GE(u[0], -1e-6 * scale);
      EXPECT_LE(std::abs(p[0] * u[0]), 1e-6 * scale * scale);
      continue;
    }
    double N = element.fixed;
    if (element.normal >= 0) N += std::max(0.0, s.force[element.normal]);
    if (element.response.size() > 0) N += (element.reaction + element.response * s.force).norm();
    const double mu = s.mode[e] == Mode::slip ? element.sliding : element.at_rest;
    EXPECT_LE(p.norm(), mu * N + 1e-11 * scale);
    if (s.mode[e] == Mode::stick) {
      EXPECT_LT(u.norm(), 2e-5 * scale);
    }
    if (s.mode[e] == Mode::slip && !element.slides) {
      EXPECT_NEAR(p.norm(), mu * N, 1e-11 * scale);
      EXPECT_NEAR(p.dot(u), -p.norm() * u.norm(), 1e-6 * scale * scale);
    }
  }
}

TEST(ContactProblem, OneBlockSticksBelowItsLimitAndSlidesAgainstThePullBeyondIt) {
  Problem problem{MatX::Constant(1, 1, 0.5), VecX::Constant(1, 1.0), {friction(0, 1, 0.3, 10)}};
  Solution s = solve(problem);
  EXPECT_EQ(s.mode[0], Mode::stick);
  EXPECT_NEAR(s.force[0], -2, 1e-12);
  problem.b[0] = -2;
  s = solve(problem);
  EXPECT_EQ(s.mode[0], Mode::slip);
  EXPECT_NEAR(s.force[0], 3, 1e-12);
  EXPECT_EQ(s.direction[0][0], -1);
}

TEST(ContactProblem, WhatDoesNotHoldSlidesWithTheSmallerCoefficient) {
  Problem problem{MatX::Identity(1, 1), VecX::Constant(1, 3.1), {friction(0, 1, 0.3, 10)}};
  problem.elements[0].sliding = 0.2;
  EXPECT_NEAR(solve(problem).force[0], -2, 1e-12);
  problem.b[0] = 2.9;
  EXPECT_NEAR(solve(problem).force[0], -2.9, 1e-12);
}

TEST(ContactProblem, RedundantRowsShareByLeastForce) {
  Problem problem{MatX::Ones(3, 3), VecX::Constant(3, 3.0), {}};
  for (int k = 0; k < 3; ++k) problem.elements.push_back(friction(k, 1, 1, 10));
  const Solution s = solve(problem);
  EXPECT_TRUE(s.redundant);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.force[k], -1, 1e-9);
  EXPECT_FALSE(solve({MatX::Identity(1, 1), VecX::Ones(1), {friction(0, 1, 1, 10)}}).redundant);
}

// A rod that slides on a rough table: beyond a critical friction no force will do (Painleve 1895).
TEST(ContactProblem, PainlevesParadoxIsNamed) {
  Problem problem;
  problem.W.resize(2, 2);
  problem.W << 1, 0.9, 0.9, 1;
  problem.b.resize(2);
  problem.b << -1, 0;
  problem.elements = {unilateral(0), friction(1, 1, 1.5, 0)};
  problem.elements[1].normal = 0;
  problem.elements[1].slides = true;
  problem.elements[1].direction = Vec3::UnitX();
  const Solution s = solve(problem);
  EXPECT_FALSE(s.solved);
  EXPECT_GE(s.culprit, 0);
  problem.elements[1].sliding = problem.elements[1].at_rest = 0.5;
  expect_met(problem, solve(problem));
}

// Random mechanisms: as many freedoms as rows, half as many (redundant), with loads of all kinds.
TEST(ContactProblem, ConditionsAreMetOnTenThousandRandomProblems) {
  std::mt19937 random(14);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  int unsolved = 0, redundant = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const int contacts = 1 + static_cast<int>(uniform(random) * 6);
    const bool planar = uniform(random) < 0.5;
    Problem problem;
    int rows = 0;
    for (int k = 0; k < contacts; ++k) {
      const double mu = 0.4 * uniform(random);
      if (uniform(random) < 0.6) {
        problem.elements.push_back(unilateral(rows++));
        problem.elements.push_back(friction(rows, planar ? 1 : 2, mu, 0));
        problem.elements.back().normal = rows - 1;
      } else {
        problem.elements.push_back(friction(rows, planar ? 1 : 2, mu, 5 * uniform(random)));
      }
      if (uniform(random) < 0.5) problem.elements.back().at_rest = 1.3 * mu;
      rows += planar ? 1 : 2;
    }
    const int freedoms = uniform(random) < 0.5 ? rows : std::max(1, rows / 2);
    const MatX J = MatX::NullaryExpr(rows, freedoms, [&] { return normal(random); });
    problem.W = J * J.transpose();
    problem.b = J * VecX::NullaryExpr(freedoms, [&] { return normal(random); });
    const Solution s = solve(problem);
    redundant += s.redundant;
    if (!s.solved) {
      ++unsolved;
      continue;
    }
    expect_met(problem, s);
    if (::testing::Test::HasFailure()) FAIL() << "trial " << trial;
  }
  EXPECT_LT(unsolved, 100);
  EXPECT_GT(redundant, 500);
}

}  // namespace
}  // namespace freeplay::contact_problem
