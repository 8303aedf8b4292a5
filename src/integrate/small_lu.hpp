// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

// L U with row exchanges for a dozen unknowns, real or complex, without what general libraries
// spend on blocks and on complex numbers that are not finite.
namespace freeplay::integrate {

namespace small_lu {

inline double size(double x) { return std::abs(x); }
inline double size(const std::complex<double>& x) {
  return std::abs(x.real()) + std::abs(x.imag());
}
inline double product(double a, double b) { return a * b; }
inline std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
inline double inverse(double x) { return 1 / x; }
inline std::complex<double> inverse(const std::complex<double>& x) {
  const double s = 1 / (x.real() * x.real() + x.imag() * x.imag());
  return {x.real() * s, -x.imag() * s};
}

}  // namespace small_lu

template <class T>
class SmallLu {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  /// A singular matrix shows as a solution that is not finite.
  void factorise(const Matrix& m) {
    using namespace small_lu;
    lu_ = m;
    const Eigen::Index n = lu_.rows();
    exchange_.resize(static_cast<std::size_t>(n));
    for (Eigen::Index k = 0; k < n; ++k) {
      Eigen::Index best = k;
      for (Eigen::Index i = k + 1; i < n; ++i)
        if (size(lu_(i, k)) > size(lu_(best, k))) best = i;
      exchange_[static_cast<std::size_t>(k)] = best;
      if (best != k)
        for (Eigen::Index j = 0; j < n; ++j) std::swap(lu_(k, j), lu_(best, j));
      const T pivot = inverse(lu_(k, k));
      T* const factor = &lu_(0, k);
      for (Eigen::Index i = k + 1; i < n; ++i) factor[i] = product(factor[i], pivot);
      for (Eigen::Index j = k + 1; j < n; ++j) {
        T* const column = &lu_(0, j);
        const T top = column[k];
        for (Eigen::Index i = k + 1; i < n; ++i) column[i] -= product(factor[i], top);
      }
      lu_(k, k) = pivot;  // its inverse is what is needed
    }
  }

  void solve(Vector& x) const {
    using namespace small_lu;
    const Eigen::Index n = lu_.rows();
    for (Eigen::Index k = 0; k < n; ++k) {
      std::swap(x[k], x[exchange_[static_cast<std::size_t>(k)]]);
    }
    for (Eigen::Index k = 0; k < n; ++k) {
      const T* const factor = &lu_(0, k);
      const T top = x[k];
      for (Eigen::Index i = k + 1; i < n; ++i) x[i] -= product(factor[i], top);
    }
    for (Eigen::Index k = n - 1; k >= 0; --k) {
      const T* const column = &lu_(0, k);
      x[k] = product(x[k], column[k]);
      const T top = x[k];
      for (Eigen::Index i = 0; i < k; ++i) x[i] -= product(column[i], top);
    }
  }

 private:
  Matrix lu_;
  std::vector<Eigen::Index> exchange_;
};

}  // namespace freeplay::integrate
