// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/sparse_lu.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace freeplay::dynamics {
namespace {

TEST(SparseLuTest, SolvesUnsymmetricSystemsInAnyOrder) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 25;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        if (i == j || number(random) > 0.7) {
          // A pair may be given either way round.
          if (number(random) > 0)
            entries.emplace_back(i, j);
          else
            entries.emplace_back(j, i);
          A(i, j) = 0.5 * number(random);
          A(j, i) = i == j ? (i < 15 ? 6.0 : -6.0) : 0.5 * number(random);
        }
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    SparseLu lu;
    lu.analyse(n, entries, order);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      lu.value(e) = A(entries[e].first, entries[e].second);
      lu.mirror(e) = A(entries[e].second, entries[e].first);
    }
    for (int again = 0; again < 2; ++again) {
      ASSERT_TRUE(lu.factorise());
      Eigen::VectorXd x = Eigen::VectorXd::Random(n), b = A * x;
      lu.solve(b.data());
      EXPECT_LT((b - x).norm(), 1e-12);
    }
  }
}

TEST(SparseLuTest, NamesTheUnknownWithoutPivotAndGoesOn) {
  SparseLu lu;
  const std::vector<std::pair<int, int>> entries{{0, 0}, {1, 1}, {1, 0}};
  const std::vector<int> order{0, 1};
  lu.analyse(2, entries, order);
  lu.value(0) = 1, lu.value(1) = 6, lu.value(2) = 2, lu.mirror(2) = 3;  // [[1 3] [2 6]]
  EXPECT_FALSE(lu.factorise());
  EXPECT_EQ(lu.failed_unknown(), 1);
  lu.value(1) = 7;
  ASSERT_TRUE(lu.factorise());
  double x[] = {1, 0};
  lu.solve(x);
  EXPECT_DOUBLE_EQ(x[0], 7);
  EXPECT_DOUBLE_EQ(x[1], -2);
}

}  // namespace
}  // namespace freeplay::dynamics
