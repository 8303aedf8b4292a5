// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

// L U with row exchanges for a dozen unknowns, without what general libraries spend on blocks and
// on complex numbers that are not finite.
namespace freeplay::integrate {

/// Numbers of two complex systems that are solved side by side: each operation of a processor on
/// two doubles then serves both, whatever the number of unknowns.
struct ComplexPair {
  Eigen::Array2d re, im;
  ComplexPair& operator-=(const ComplexPair& x) {
    re -= x.re;
    im -= x.im;
    return *this;
  }
};

namespace small_lu {

inline double size(double x) { return std::abs(x); }
/// The lesser of the two: the systems exchange the same rows, and the pivot has to serve both.
inline double size(const ComplexPair& x) {
  const Eigen::Array2d both = x.re.abs() + x.im.abs();
  return std::min(both[0], both[1]);
}
inline double product(double a, double b) { return a * b; }
inline ComplexPair product(const ComplexPair& a, const ComplexPair& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline double inverse(double x) { return 1 / x; }
inline ComplexPair inverse(const ComplexPair& x) {
  const Eigen::Array2d s = 1 / (x.re * x.re + x.im * x.im);
  return {x.re * s, -x.im * s};
}

}  // namespace small_lu

/// T: double or ComplexPair.
template <class T>
class SmallLu {
 public:
  void resize(Eigen::Index n) {
    n_ = n;
    lu_.resize(static_cast<std::size_t>(n * n));
    exchange_.resize(static_cast<std::size_t>(n));
  }
  /// A row of the matrix, to be filled in before factorise(), which overwrites it.
  T* row(Eigen::Index i) { return lu_.data() + i * n_; }

  /// A singular matrix shows as a solution that is not finite.
  void factorise() {
    using namespace small_lu;
    const Eigen::Index n = n_;
    for (Eigen::Index k = 0; k < n; ++k) {
      Eigen::Index best = k;
      double largest = size(row(k)[k]);
      for (Eigen::Index i = k + 1; i < n; ++i)
        if (const double candidate = size(row(i)[k]); candidate > largest) {
          largest = candidate;
          best = i;
        }
      exchange_[static_cast<std::size_t>(k)] = best;
      if (best != k) std::swap_ranges(row(k), row(k) + n, row(best));
      T* const top = row(k);
      top[k] = inverse(top[k]);  // that is what is needed of it
      for (Eigen::Index i = k + 1; i < n; ++i) {
        T* const to = row(i);
        const T factor = to[k] = product(to[k], top[k]);
        for (Eigen::Index j = k + 1; j < n; ++j) to[j] -= product(top[j], factor);
      }
    }
  }

  void solve(T* x) const {
    using namespace small_lu;
    const Eigen::Index n = n_;
    for (Eigen::Index k = 0; k < n; ++k) std::swap(x[k], x[exchange_[static_cast<std::size_t>(k)]]);
    const T* from = lu_.data();
    for (Eigen::Index i = 0; i < n; ++i, from += n) {
      T sum = x[i];
      for (Eigen::Index j = 0; j < i; ++j) sum -= product(from[j], x[j]);
      x[i] = sum;
    }
    for (Eigen::Index i = n; i-- > 0;) {
      from -= n;
      T sum = x[i];
      for (Eigen::Index j = i + 1; j < n; ++j) sum -= product(from[j], x[j]);
      x[i] = product(sum, from[i]);
    }
  }

 private:
  Eigen::Index n_ = 0;
  std::vector<T> lu_;  // row after row
  std::vector<Eigen::Index> exchange_;
};

}  // namespace freeplay::integrate
