// SPDX-License-Identifier: Apache-2.0
#include "integrate/small_lu.hpp"

#include <Eigen/LU>
#include <gmock/gmock.h>

#include <complex>
#include <random>
#include <vector>

// Against Eigen's own factors, for the sizes that occur and matrices made as Radau makes them: a
// number on the diagonal less a matrix that both complex systems share. Its diagonal is such that
// rows have to be exchanged.
namespace freeplay::integrate {
namespace {

using Complex = std::complex<double>;
using Eigen::Array2d;

constexpr double kAgreement = 1e-12;  // rounding times the condition of a random matrix

class Matrices : public ::testing::TestWithParam<int> {
 protected:
  int n = GetParam();
  std::mt19937 random{7};
  double number() { return std::uniform_real_distribution<>(-1, 1)(random); }
  Eigen::MatrixXd matrix() {
    return Eigen::MatrixXd::NullaryExpr(n, n, [&] { return number(); });
  }
};

TEST_P(Matrices, RealSystemIsSolved) {
  Eigen::MatrixXd m = matrix();
  if (n > 1) m(0, 0) = 0;  // no pivot
  const Eigen::VectorXd b = Eigen::VectorXd::NullaryExpr(n, [&] { return number(); });
  SmallLu<double> lu;
  lu.resize(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) lu.row(i)[j] = m(i, j);
  lu.factorise();
  Eigen::VectorXd x = b;
  lu.solve(x.data());
  const Eigen::VectorXd expected = m.partialPivLu().solve(b);
  EXPECT_LT((x - expected).norm(), kAgreement * expected.norm());
}

TEST_P(Matrices, BothComplexSystemsAreSolved) {
  const Eigen::MatrixXd shared = matrix();
  const Complex shift[2] = {{shared(0, 0), 1e-9}, {0.4, 0.7}};  // the first leaves no pivot
  Eigen::MatrixXcd m[2];
  Eigen::VectorXcd b[2];
  SmallLu<ComplexPair> lu;
  lu.resize(n);
  std::vector<ComplexPair> x(n);
  for (int s = 0; s < 2; ++s) {
    m[s] = -shared.cast<Complex>();
    m[s].diagonal().array() += shift[s];
    b[s] = Eigen::VectorXcd::NullaryExpr(n, [&] { return Complex(number(), number()); });
    for (int i = 0; i < n; ++i) {
      x[i].re[s] = b[s][i].real();
      x[i].im[s] = b[s][i].imag();
      for (int j = 0; j < n; ++j) {
        lu.row(i)[j].re[s] = m[s](i, j).real();
        lu.row(i)[j].im[s] = m[s](i, j).imag();
      }
    }
  }
  lu.factorise();
  lu.solve(x.data());
  for (int s = 0; s < 2; ++s) {
    const Eigen::VectorXcd expected = m[s].partialPivLu().solve(b[s]);
    Eigen::VectorXcd found(n);
    for (int i = 0; i < n; ++i) found[i] = {x[i].re[s], x[i].im[s]};
    EXPECT_LT((found - expected).norm(), kAgreement * expected.norm()) << "system " << s;
  }
}

INSTANTIATE_TEST_SUITE_P(SmallLu, Matrices, ::testing::Values(1, 2, 5, 11, 12));

}  // namespace
}  // namespace freeplay::integrate
