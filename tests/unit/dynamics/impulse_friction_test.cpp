// SPDX-License-Identifier: Apache-2.0
#include "dynamics/nonsmooth/impulse_problem.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

// Friction of an ideal joint in an impulse problem, under the impulses of the joint's own rows,
// beside a frictional contact: answers of random problems against the laws, in numbers of their
// own.
namespace freeplay::dynamics {
namespace {

constexpr int kDofs = 6, kRows = 2;  // two bodies of three velocities, a joint between them

struct RandomJoint {
  RandomJoint(std::mt19937& random, int tangents, double friction)
      : tangents_(tangents), mu_(friction) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto draw = [&] { return uniform(random); };
    ImpulseProblem::Pattern pattern;
    for (int b = 0; b < 2; ++b) pattern.bodies.push_back({3, [](int i, int k) { return i == k; }});
    pattern.light.assign(kDofs, false);
    pattern.rows.assign(kRows, {{0, 1}});
    pattern.surfaces.push_back({-1, 1, 1, 1});
    ImpulseProblem::Surfaces rubbing{0, 1, tangents, 1};
    rubbing.rubs = true;
    rubbing.pressed_by = {0, 1};
    pattern.surfaces.push_back(rubbing);
    problem.build(pattern);
    mass_ = VecX::NullaryExpr(kDofs, [&] { return std::exp(draw()); });
    v_ = VecX::NullaryExpr(kDofs, draw);
    f = 0.3 * VecX::NullaryExpr(kDofs, draw);
    J_ = MatX::NullaryExpr(kRows, kDofs, draw);
    const MatX back = mass_.cwiseInverse().asDiagonal() * J_.transpose();
    v_ -= back * (J_ * back).inverse() * J_ * v_;
    for (int d = 0; d < kDofs; ++d)
      problem.add_mass(d, d, mass_[d]), problem.set_scale(d, mass_[d]);
    for (int r = 0; r < kRows; ++r)
      for (int k = 0; k < 2; ++k) {
        const VecX share = J_.row(r).segment(3 * k, 3);
        problem.set_row(r, k, share.data(), share.data());
      }
    problem.scale_rows();
    ImpulseProblem::Contact touching, sliding;
    touching.place = problem.place_of(0);
    touching.tangents = 1;
    touching.restitution = 0.4;
    touching.at_rest = touching.sliding = mu_;
    H_ = MatX::Zero(kDofs, 2 + tangents);
    for (int i = 0; i < 2; ++i)
      for (int c = 0; c < 3; ++c) H_(3 + c, i) = problem.gradient(touching.place, i)[c] = draw();
    problem.take(touching, v_.data());
    sliding.place = problem.place_of(1);
    sliding.tangents = tangents;
    sliding.load = preload_ = 0.1 * std::abs(draw());
    sliding.at_rest = sliding.sliding = mu_;
    sliding.mode = ImpulseProblem::Mode::slip;
    for (int i = 0; i < tangents; ++i)
      for (int c = 0; c < kDofs; ++c)
        H_(c, 2 + i) = problem.gradient(sliding.place, 1 + i)[c] = draw();
    R_ = MatX::NullaryExpr(3, kRows, draw);
    for (int r = 0; r < kRows; ++r) problem.presses(sliding.place)[r] = R_.col(r);
    problem.take(sliding, v_.data());
  }

  /// What the answer is off the laws and the balance, over the impulses at play.
  [[nodiscard]] double off() {
    const Eigen::Map<const VecX> dv(problem.change(), kDofs), L(problem.multipliers(), kRows);
    const auto &touching = problem.contacts()[0], &sliding = problem.contacts()[1];
    VecX P(2 + tangents_);
    P << touching.impulse.head<2>(), sliding.impulse.segment(1, tangents_);
    const VecX before = H_.transpose() * v_, u = before + H_.transpose() * dv;
    const VecX balance = mass_.cwiseProduct(dv) + J_.transpose() * L - H_ * P - f;
    double most = std::max(balance.cwiseAbs().maxCoeff(), (J_ * dv).cwiseAbs().maxCoeff());
    const auto gap = [](double p, double speed) { return std::abs(p - std::max(0.0, p - speed)); };
    const auto cone = [](const VecX& p, const VecX& slip, double limit) {
      const VecX target = p - slip;
      return (p - std::min(1.0, limit / std::max(target.norm(), 1e-300)) * target).norm();
    };
    most = std::max(most, gap(P[0], u[0] + 0.4 * std::min(0.0, before[0])));
    most = std::max(most, cone(P.segment(1, 1), u.segment(1, 1), mu_ * std::max(0.0, P[0])));
    const double load = preload_ + (R_ * L).norm();
    most = std::max(most, std::abs(load - sliding.impulse[0]));
    most = std::max(most, cone(P.tail(tangents_), u.tail(tangents_), mu_ * load));
    return most / std::max({1.0, P.cwiseAbs().maxCoeff(), L.cwiseAbs().maxCoeff()});
  }

  ImpulseProblem problem;
  VecX f, g = VecX::Zero(kRows);

 private:
  int tangents_;
  double mu_, preload_ = 0;
  VecX mass_, v_;
  MatX J_, H_, R_;
};

TEST(ImpulseFrictionTest, RandomJointsMeetTheLaws) {
  std::mt19937 random(5);
  int unsolved = 0, lessened = 0;
  constexpr int kTrials = 3000;
  for (int trial = 0; trial < kTrials && !::testing::Test::HasFailure(); ++trial) {
    RandomJoint one(random, 1 + trial % 3, 0.05 + 0.2 * (trial % 7));
    if (!one.problem.solve(one.f.data(), one.g.data())) {
      ++unsolved;
      continue;
    }
    EXPECT_LT(one.problem.residual(), 1e-12) << "trial " << trial;
    if (one.problem.lessened())
      ++lessened;
    else
      EXPECT_LT(one.off(), 1e-10) << "trial " << trial;
  }
  std::printf("%d joints with friction, %d bounced less, %d not solved\n", kTrials, lessened,
              unsolved);
  EXPECT_LE(unsolved, kTrials / 50);
}

}  // namespace
}  // namespace freeplay::dynamics
