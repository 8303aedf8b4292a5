// SPDX-License-Identifier: Apache-2.0
#include "integrate/error_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>

// One part of a large problem moves: it is followed as accurately as if it were alone.
namespace freeplay::integrate {
namespace {

constexpr double kTolerance = 1e-9;

/// Oscillators x'' = -x side by side, each a group of its own.
class Oscillators final : public Problem {
 public:
  explicit Oscillators(int count) : count_(count) {}
  int size() const override { return 2 * count_; }
  bool rhs(double, const double* y, double* f) override {
    for (int i = 0; i < count_; ++i) f[2 * i] = y[2 * i + 1], f[2 * i + 1] = -y[2 * i];
    return true;
  }
  bool jacobian(double, const double*, MatX&) override { return false; }
  Structure structure() const override {
    Structure out;
    for (int i = 0; i < size(); ++i) {
      out.group.push_back(i / 2);
      out.local.push_back(i % 2 == 0);
    }
    return out;
  }
  void weights(const double* y, double* w) const override {
    for (int i = 0; i < size(); ++i) w[i] = 1 / (kTolerance * (std::abs(y[i]) + 1));
  }

 private:
  int count_;
};

double error_of(int count, std::unique_ptr<Integrator> (*make)(Problem&, const Settings&)) {
  Oscillators problem(count);
  const auto method = make(problem, {});
  VecX start = VecX::Zero(problem.size());
  start[0] = 1;
  method->start(0, start, 0);
  while (method->time() < 20) EXPECT_TRUE(method->step(20).ok);
  return std::abs(method->state()[0] - std::cos(20.0));
}

TEST(ErrorNormTest, IdleNeighboursDoNotMatter) {
  for (const auto make : {make_dop853, make_radau}) {
    const double alone = error_of(1, make);
    EXPECT_LT(alone, 50 * kTolerance);
    for (const int count : {30, 1000}) {
      constexpr double kRounding = 1e-13;  // over twenty radians
      EXPECT_NEAR(error_of(count, make), alone, 0.1 * alone + kRounding) << count;
    }
  }
}

TEST(ErrorNormTest, TheWorstGroupCounts) {
  Oscillators problem(100);
  ErrorNorm norm(problem);
  ASSERT_TRUE(norm.grouped());
  const VecX one = VecX::Ones(200);
  VecX x = VecX::Zero(200);
  x[40] = 3, x[41] = 4, x[100] = 1;
  EXPECT_DOUBLE_EQ(norm(x, one), std::sqrt(25.0 / 2));
  EXPECT_DOUBLE_EQ(norm(VecX::Ones(200), one), 1);
  x[7] = NAN;
  EXPECT_TRUE(std::isnan(norm(x, one)));
}

TEST(ErrorNormTest, SmallProblemsTakeTheMeanOfAll) {
  Oscillators problem(2);
  ErrorNorm norm(problem);
  EXPECT_FALSE(norm.grouped());
  EXPECT_DOUBLE_EQ(norm(Eigen::Vector4d(2, 0, 0, 0), VecX::Ones(4)), 1);
}

}  // namespace
}  // namespace freeplay::integrate
