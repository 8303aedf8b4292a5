// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/integrator.hpp"
#include "integrate/klu_factors.hpp"
#include "integrate/small_lu.hpp"
#include "integrate/sparse_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

// The linear systems of Radau's method: the Jacobian, and the factors of gamma/h - J and of the two
// lambda/h - J. Dense for few unknowns, in the structure of the problem for many.
namespace freeplay::integrate {

/// `rhs(y, f)` evaluates at the instant at which f(y) = slope, and is counted; `moved`, `rate`:
/// scratch.
class DenseSystems {
 public:
  explicit DenseSystems(const Problem& problem)
      : n_(problem.size() - problem.quadratures()), jacobian_(MatX::Zero(problem.size(), n_)) {
    real_.resize(n_);
    complex_.resize(n_);
  }

  /// By differences: Newton only needs it roughly, and for few states that is cheaper than exactly
  /// (13 evaluations against 70 for the four-bar with play).
  template <class Rhs>
  bool find_jacobian(const VecX& y, const VecX& slope, VecX& moved, VecX& rate, Rhs&& rhs) {
    for (Eigen::Index j = 0; j < n_; ++j) {
      moved = y;
      moved[j] += kDifference * std::max(std::abs(y[j]), 1.0);
      const double used = moved[j] - y[j];
      if (!rhs(moved, rate)) return false;
      jacobian_.col(j) = (rate - slope) / used;
    }
    return jacobian_.allFinite();
  }

  /// False when one is singular; here that shows as a solution that is not finite.
  bool factorise(double gamma, const ComplexPair& lambda) {
    using Eigen::Array2d;
    for (Eigen::Index i = 0; i < n_; ++i) {
      double* const real = real_.row(i);
      ComplexPair* const complex = complex_.row(i);
      for (Eigen::Index j = 0; j < n_; ++j) {
        real[j] = -jacobian_(i, j);
        complex[j] = {Array2d::Constant(-jacobian_(i, j)), Array2d::Zero()};
      }
      real[i] += gamma;
      complex[i].re += lambda.re;
      complex[i].im += lambda.im;
    }
    real_.factorise();
    complex_.factorise();
    return true;
  }
  void solve_real(double* x) { real_.solve(x); }
  void solve_complex(ComplexPair* x) { complex_.solve(x); }
  /// What a change x of the motion adds to the rates of the integrals taken along.
  template <class Rest>
  void add_to_quadratures(const VecX& x, Rest&& rest) const {
    rest += (jacobian_.bottomRows(jacobian_.rows() - n_) * x).eval();
  }

 private:
  // Difference quotients: the root of round-off, where truncation and cancellation are equal.
  static constexpr double kDifference = 1e-8;

  Eigen::Index n_;
  MatX jacobian_;
  SmallLu<double> real_;
  SmallLu<ComplexPair> complex_;
};

class SparseSystems {
 public:
  explicit SparseSystems(const Problem& problem)
      : jacobian_(problem.structure()),
        real_(jacobian_.starts(), jacobian_.rows()),
        first_(jacobian_.starts(), jacobian_.rows()),
        second_(jacobian_.starts(), jacobian_.rows()),
        one_(static_cast<std::size_t>(jacobian_.size())),
        other_(one_.size()) {}

  template <class Rhs>
  bool find_jacobian(const VecX& y, const VecX& slope, VecX& moved, VecX& rate, Rhs&& rhs) {
    return jacobian_.find(y, slope, moved, rate, rhs);
  }
  bool factorise(double gamma, const ComplexPair& lambda) {
    return factorise(real_, gamma) &&
           factorise(first_, std::complex<double>(lambda.re[0], lambda.im[0])) &&
           factorise(second_, std::complex<double>(lambda.re[1], lambda.im[1]));
  }
  void solve_real(double* x) { real_.solve(x); }
  void solve_complex(ComplexPair* x) {
    for (std::size_t k = 0; k < one_.size(); ++k) {
      one_[k] = {x[k].re[0], x[k].im[0]};
      other_[k] = {x[k].re[1], x[k].im[1]};
    }
    first_.solve(one_.data());
    second_.solve(other_.data());
    for (std::size_t k = 0; k < one_.size(); ++k) {
      x[k].re = {one_[k].real(), other_[k].real()};
      x[k].im = {one_[k].imag(), other_[k].imag()};
    }
  }
  /// Left out: integrals are smooth where the motion is, and what the filter takes off an error of
  /// the motion is less than the tolerance of an integral.
  template <class Rest>
  void add_to_quadratures(const VecX&, Rest&&) const {}

 private:
  template <class T>
  bool factorise(KluFactors<T>& factors, const T& diagonal) {
    std::vector<T>& values = factors.values();
    const std::vector<double>& j = jacobian_.values();
    for (std::size_t p = 0; p < values.size(); ++p) values[p] = -j[p];
    for (const int p : jacobian_.diagonal()) values[static_cast<std::size_t>(p)] += diagonal;
    return factors.factorise();
  }

  SparseJacobian jacobian_;
  KluFactors<double> real_;
  KluFactors<std::complex<double>> first_, second_;
  std::vector<std::complex<double>> one_, other_;
};

}  // namespace freeplay::integrate
