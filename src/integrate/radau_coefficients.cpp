// SPDX-License-Identifier: Apache-2.0
#include "integrate/radau_coefficients.hpp"

#include <Eigen/Dense>

#include <cmath>

namespace freeplay::integrate::radau {
namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, kStages, kStages>;
using Vector = Eigen::Matrix<Real, kStages, 1>;

/// P_s(2x - 1) - P_(s-1)(2x - 1), by the recurrence of Legendre's polynomials.
Real node_polynomial(Real x) {
  const Real u = 2 * x - 1;
  Real before = 1, now = u;
  for (int k = 1; k < kStages; ++k) {
    const Real next = ((2 * k + 1) * u * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  return now - before;
}

Vector nodes() {
  Vector c;
  int found = 0;
  constexpr int kPieces = 1000;  // nodes lie further apart
  for (int k = 0; k < kPieces && found < kStages - 1; ++k) {
    Real a = Real(k) / kPieces, b = Real(k + 1) / kPieces;
    if ((node_polynomial(a) > 0) == (node_polynomial(b) > 0)) continue;
    for (int halving = 0; halving < 70; ++halving) {
      const Real middle = (a + b) / 2;
      ((node_polynomial(a) > 0) == (node_polynomial(middle) > 0) ? a : b) = middle;
    }
    c[found++] = a;
  }
  c[kStages - 1] = 1;
  return c;
}

Coefficients compute() {
  Coefficients out;
  const Vector c = nodes();
  // Collocation: sum over j of a_ij c_j^(k-1) = c_i^k / k for k = 1 .. s.
  Matrix powers, integrals;
  for (int i = 0; i < kStages; ++i)
    for (int k = 0; k < kStages; ++k) {
      powers(i, k) = std::pow(c[i], Real(k));
      integrals(i, k) = std::pow(c[i], Real(k + 1)) / (k + 1);
    }
  const Matrix to_nodes = powers.inverse();
  const Matrix a = integrals * to_nodes, a_inverse = a.inverse();

  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(a_inverse.cast<double>());
  Eigen::MatrixXcd v = eigen.eigenvectors();
  const Eigen::MatrixXcd v_inverse = v.inverse();
  int column = 0;
  constexpr double kReal = 1e-9;  // imaginary parts are of order 1 or round-off
  for (int k = 0; k < kStages; ++k) {
    const std::complex<double> value = eigen.eigenvalues()[k];
    if (value.imag() < -kReal) continue;  // its conjugate stands for both
    const bool real = std::abs(value.imag()) <= kReal;
    const int at = real ? 0 : ++column;
    if (real)
      out.gamma = value.real();
    else
      out.lambda[at - 1] = value;
    for (int i = 0; i < kStages; ++i) {
      out.vectors[i][at] = v(i, k);
      out.inverse[at][i] = v_inverse(k, i);
    }
  }

  // Embedded quadrature that also uses f_0, with weight 1/gamma; its difference to the step.
  Vector moments;
  for (int k = 0; k < kStages; ++k)
    moments[k] = Real(1) / (k + 1) - (k == 0 ? 1 / Real(out.gamma) : 0);
  const Vector weights = to_nodes.transpose() * moments;
  const Vector error = a_inverse.transpose() * (weights - a.row(kStages - 1).transpose());
  for (int i = 0; i < kStages; ++i) {
    out.c[i] = static_cast<double>(c[i]);
    out.error[i] = out.gamma * static_cast<double>(error[i]);
    for (int j = 0; j < kStages; ++j) out.a[i][j] = static_cast<double>(a(i, j));
  }
  return out;
}

}  // namespace

const Coefficients& coefficients() {
  static const Coefficients all = compute();
  return all;
}

}  // namespace freeplay::integrate::radau
