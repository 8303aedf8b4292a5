// SPDX-License-Identifier: Apache-2.0
#include "integrate/integrator.hpp"
#include "integrate/klu_factors.hpp"
#include "integrate/sparse_jacobian.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

// Radau's method in the structure of a problem: a chain of masses, each held to its neighbours by
// springs and stiff dampers, whose motion is known from its eigenvectors.
namespace freeplay::integrate {
namespace {

/// x'' = -k L x - c L x', L the second difference with both ends held; y = [x, v].
class Chain : public Problem {
 public:
  Chain(int masses, double stiffness, double damping, double tolerance)
      : n_(masses), k_(stiffness), c_(damping), tolerance_(tolerance) {}
  int size() const override { return 2 * n_; }
  bool rhs(double, const double* y, double* f) override {
    ++calls;
    for (int i = 0; i < n_; ++i) {
      const auto bend = [&](const double* x) {
        return 2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n_ ? x[i + 1] : 0);
      };
      f[i] = y[n_ + i];
      f[n_ + i] = -k_ * bend(y) - c_ * bend(y + n_);
    }
    return true;
  }
  bool jacobian(double, const double*, MatX&) override { return false; }
  Structure structure() const override {
    Structure out;
    for (int part = 0; part < 2; ++part)
      for (int i = 0; i < n_; ++i) {
        out.group.push_back(i);
        out.local.push_back(part == 0);
      }
    for (int i = 0; i + 1 < n_; ++i) out.links.emplace_back(i, i + 1);
    return out;
  }
  void weights(const double* y, double* w) const override {
    for (int i = 0; i < size(); ++i) w[i] = 1 / (tolerance_ * (std::abs(y[i]) + 1));
  }
  MatX matrix() {
    MatX out(size(), size());
    VecX unit(size()), column(size());
    for (int j = 0; j < size(); ++j) {
      unit.setZero();
      unit[j] = 1;
      EXPECT_TRUE(rhs(0, unit.data(), column.data()));
      out.col(j) = column;
    }
    return out;
  }
  VecX start() const {
    VecX y(size());
    for (int i = 0; i < size(); ++i) y[i] = std::sin(1.0 + i) / (1 + i % 7);
    return y;
  }
  std::int64_t calls = 0;

 protected:
  int n_;

 private:
  double k_, c_, tolerance_;
};

TEST(SparseJacobianTest, IsThatOfTheProblemInItsPattern) {
  Chain chain(30, 3, 7, 1e-8);
  SparseJacobian sparse(chain.structure());
  const VecX y = chain.start();
  VecX slope(y.size()), moved(y.size()), rate(y.size());
  ASSERT_TRUE(chain.rhs(0, y.data(), slope.data()));
  ASSERT_TRUE(sparse.find(y, slope, moved, rate, [&](const VecX& x, VecX& f) {
    return chain.rhs(0, x.data(), f.data());
  }));
  MatX found = MatX::Zero(y.size(), y.size());
  for (int j = 0; j < sparse.size(); ++j)
    for (int p = sparse.starts()[j]; p < sparse.starts()[j + 1]; ++p)
      found(sparse.rows()[p], j) = sparse.values()[p];
  EXPECT_LT((found - chain.matrix()).cwiseAbs().maxCoeff(), 1e-4);  // round-off over 1e-10
  for (int j = 0; j < sparse.size(); ++j) EXPECT_EQ(sparse.rows()[sparse.diagonal()[j]], j);
}

TEST(SparseJacobianTest, TakesAsManyEvaluationsForALongChainAsForAShortOne) {
  const int of_short = SparseJacobian(Chain(10, 1, 1, 1e-8).structure()).colours();
  EXPECT_EQ(SparseJacobian(Chain(1000, 1, 1, 1e-8).structure()).colours(), of_short);
  EXPECT_EQ(of_short, 6);  // a mass and its two neighbours, place and speed of each
}

template <class T>
class Klu : public ::testing::Test {};
using Numbers = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(Klu, Numbers);

TYPED_TEST(Klu, SolvesWhatEigenSolvesAlsoWhenPivotsChange) {
  constexpr int n = 20;
  std::mt19937 random(3);
  const auto number = [&] { return std::uniform_real_distribution<>(-1, 1)(random); };
  std::vector<int> starts{0}, rows;  // five bands
  for (int j = 0; j < n; ++j) {
    for (int i = std::max(0, j - 2); i <= std::min(n - 1, j + 2); ++i) rows.push_back(i);
    starts.push_back(static_cast<int>(rows.size()));
  }
  KluFactors<TypeParam> factors(starts, rows);
  using Matrix = Eigen::Matrix<TypeParam, Eigen::Dynamic, Eigen::Dynamic>;
  for (int round = 0; round < 5; ++round) {
    Matrix m = Matrix::Zero(n, n);
    for (int j = 0; j < n; ++j)
      for (int p = starts[j]; p < starts[j + 1]; ++p) {
        // Pivots that served one round are zero in the next.
        TypeParam x = rows[p] == j && (j + round) % 3 == 0 ? TypeParam(0) : TypeParam(number());
        if constexpr (!std::is_same_v<TypeParam, double>) x *= std::polar(1.0, number());
        factors.values()[p] = m(rows[p], j) = x;
      }
    ASSERT_TRUE(factors.factorise());
    Eigen::Matrix<TypeParam, Eigen::Dynamic, 1> b(n), x(n);
    for (int i = 0; i < n; ++i) x[i] = b[i] = TypeParam(number());
    factors.solve(x.data());
    EXPECT_LT((m * x - b).cwiseAbs().maxCoeff(), 1e-9) << "round " << round;
  }
}

TYPED_TEST(Klu, SaysThatAMatrixIsSingular) {
  const std::vector<int> starts{0, 2, 4}, rows{0, 1, 0, 1};
  KluFactors<TypeParam> factors(starts, rows);
  factors.values() = {TypeParam(1), TypeParam(2), TypeParam(2), TypeParam(4)};
  EXPECT_FALSE(factors.factorise());
  factors.values() = {TypeParam(1), TypeParam(2), TypeParam(2), TypeParam(1)};
  EXPECT_TRUE(factors.factorise());
}

TEST(SparseRadauTest, FollowsAStiffChainWithinItsTolerance) {
  for (const double tolerance : {1e-6, 1e-9}) {
    Chain chain(50, 1, 1e5, tolerance);  // the fastest mode dies out within 2.5 us
    ASSERT_TRUE(is_sparse(chain));
    const auto integrator = make_radau(chain, {});
    const VecX y0 = chain.start();
    integrator->start(0, y0, 0);
    while (integrator->time() < 1) ASSERT_TRUE(integrator->step(1).ok);
    const Eigen::EigenSolver<MatX> eigen(chain.matrix());
    const Eigen::VectorXcd modes =
        eigen.eigenvectors().partialPivLu().solve(y0.cast<std::complex<double>>());
    const VecX exact =
        (eigen.eigenvectors() * (eigen.eigenvalues().array().exp() * modes.array()).matrix())
            .real();
    EXPECT_LT((integrator->state() - exact).cwiseAbs().maxCoeff(), 100 * tolerance);
    EXPECT_LT(integrator->counters().steps, 200);
  }
}

TEST(SparseRadauTest, SmallAndDenseProblemsHaveNoStructureToUse) {
  EXPECT_FALSE(is_sparse(Chain(10, 1, 1, 1e-8)));
  class Net final : public Chain {
   public:
    using Chain::Chain;
    Structure structure() const override {
      Structure out = Chain::structure();
      for (int i = 0; i < n_; ++i)
        for (int j = 0; j < i; ++j) out.links.emplace_back(j, i);
      return out;
    }
  };
  EXPECT_FALSE(is_sparse(Net(50, 1, 1, 1e-8)));
}

}  // namespace
}  // namespace freeplay::integrate
