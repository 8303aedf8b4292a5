// SPDX-License-Identifier: Apache-2.0
#include "core/archive.hpp"
#include "integrate/integrator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

// When DOP853 says that stiffness holds it back, and when it must not.
namespace freeplay::integrate {
namespace {

/// y' = f(t, y) with errors measured against |y| + 1.
class Plain final : public Problem {
 public:
  using Rhs = std::function<void(double t, const double* y, double* f)>;
  Plain(int size, double tolerance, Rhs rhs)
      : size_(size), tolerance_(tolerance), rhs_(std::move(rhs)) {}
  int size() const override { return size_; }
  bool rhs(double t, const double* y, double* f) override {
    rhs_(t, y, f);
    return true;
  }
  bool jacobian(double, const double*, MatX&) override { return false; }
  void weights(const double* y, double* w) const override {
    for (int i = 0; i < size_; ++i) w[i] = 1 / (tolerance_ * (std::abs(y[i]) + 1));
  }

 private:
  int size_;
  double tolerance_;
  Rhs rhs_;
};

/// Steps until it is found stiff, at most `most` or to the end; -1: it is not.
int steps_until_stiff(Plain problem, const VecX& start, double end, int most) {
  const auto method = make_dop853(problem, {});
  method->start(0, start, 0);
  for (int k = 1; k <= most && method->time() < end; ++k) {
    EXPECT_TRUE(method->step(end).ok);
    if (method->stiff()) return k;
  }
  return -1;
}

/// Prothero & Robinson 1974: y = cos t, whatever lambda is.
Plain follower(double lambda, double tolerance) {
  return {1, tolerance, [lambda](double t, const double* y, double* f) {
            f[0] = -lambda * (y[0] - std::cos(t)) - std::sin(t);
          }};
}

TEST(StiffnessTest, DampersAreNoticedAtEveryTolerance) {
  for (const double lambda : {1e3, 1e4, 1e6})
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      const int steps =
          steps_until_stiff(follower(lambda, tolerance), VecX::Constant(1, 1.0), 10, 400);
      EXPECT_GT(steps, 0) << "lambda " << lambda << ", tolerance " << tolerance;
    }
}

// A spring in parallel with its damper, pulled to and fro.
TEST(StiffnessTest, SpringsWithTheirDampersAreNoticed) {
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    Plain problem(2, tolerance, [](double t, const double* y, double* f) {
      f[0] = y[1];
      f[1] = -1e4 * y[1] - 2e5 * (y[0] - std::cos(t));
    });
    const int steps = steps_until_stiff(problem, Eigen::Vector2d(1, 0), 10, 400);
    EXPECT_GT(steps, 0) << tolerance;
  }
}

TEST(StiffnessTest, ADamperThatHardlyCountsIsNoReason) {
  for (const double tolerance : {1e-6, 1e-9, 1e-12})
    EXPECT_EQ(steps_until_stiff(follower(1, tolerance), VecX::Constant(1, 1.0), 100, 100000), -1)
        << tolerance;
}

// An oscillator is to be followed, however fast, and however slow what it sits on.
TEST(StiffnessTest, VibrationThatCountsIsFollowed) {
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    Plain problem(4, tolerance, [](double, const double* y, double* f) {
      f[0] = y[1], f[1] = -1e6 * y[0];
      f[2] = y[3], f[3] = -y[2];
    });
    VecX start(4);
    start << 1e-3, 0, 1, 0;
    EXPECT_EQ(steps_until_stiff(problem, start, 1, 100000), -1) << tolerance;
  }
}

TEST(StiffnessTest, NothingThatRestsIsStiff) {
  Plain problem(1, 1e-9, [](double, const double*, double* f) { f[0] = 0; });
  EXPECT_EQ(steps_until_stiff(problem, VecX::Zero(1), 1, 1000), -1);
}

// Steps that something else keeps short, not the error, say nothing.
TEST(StiffnessTest, ShortStepsByOrderAreNoReason) {
  Plain problem = follower(100, 1e-9);
  Settings settings;
  settings.max_step = 5e-3;
  const auto method = make_dop853(problem, settings);
  method->start(0, VecX::Constant(1, 1.0), 0);
  while (method->time() < 2) ASSERT_TRUE(method->step(2).ok);
  EXPECT_FALSE(method->stiff());
}

TEST(StiffnessTest, WhatWasSeenIsSaved) {
  Plain problem = follower(1e4, 1e-9);
  const auto through = make_dop853(problem, {}), taken_up = make_dop853(problem, {});
  through->start(0, VecX::Constant(1, 1.0), 0);
  taken_up->start(0, VecX::Constant(1, 1.0), 0);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(through->step(10).ok);
  ASSERT_FALSE(through->stiff());
  std::vector<double> saved;
  Archive out = Archive::saving(saved), in = Archive::restoring(saved);
  through->carry(out);
  taken_up->carry(in);
  EXPECT_TRUE(in.at_end());
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(through->step(10).ok);
    ASSERT_TRUE(taken_up->step(10).ok);
    ASSERT_EQ(through->stiff(), taken_up->stiff()) << k;
    ASSERT_EQ(through->state()[0], taken_up->state()[0]) << k;
  }
  EXPECT_TRUE(through->stiff());
}

}  // namespace
}  // namespace freeplay::integrate
