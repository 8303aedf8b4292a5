// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/sparse_ldl.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace freeplay::dynamics {
namespace {

TEST(SparseLdlTest, SolvesQuasiDefiniteSystemsInAnyOrder) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 25;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        if (i == j || number(random) > 0.7) {
          entries.emplace_back(i, j);
          A(i, j) = A(j, i) = i == j ? (i < 15 ? 6.0 : -6.0) : 0.5 * number(random);
        }
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    SparseLdl ldl;
    ldl.analyse(n, entries, order);
    for (std::size_t e = 0; e < entries.size(); ++e)
      ldl.value(e) = A(entries[e].first, entries[e].second);
    ASSERT_TRUE(ldl.factorise());
    Eigen::VectorXd x = Eigen::VectorXd::Random(n), b = A * x;
    ldl.solve(b.data());
    EXPECT_LT((b - x).norm(), 1e-12);
  }
}

TEST(SparseLdlTest, NamesTheUnknownWithoutPivot) {
  SparseLdl ldl;
  const std::vector<std::pair<int, int>> entries{{0, 0}, {1, 1}, {1, 0}};
  const std::vector<int> order{0, 1};
  ldl.analyse(2, entries, order);
  ldl.value(0) = 1, ldl.value(1) = 1, ldl.value(2) = 1;  // [[1 1] [1 1]]
  EXPECT_FALSE(ldl.factorise());
  EXPECT_EQ(ldl.failed_unknown(), 1);
}

}  // namespace
}  // namespace freeplay::dynamics
