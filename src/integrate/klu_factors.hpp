// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <vector>

// L U of a sparse matrix whose pattern never changes, by KLU (Davis & Palamadai Natarajan 2010):
// ordered once, factorised with row exchanges where the pivots ask for it, and with the same ones
// again as long as they serve.
namespace freeplay::integrate {

/// T: double or std::complex<double>.
template <class T>
class KluFactors {
 public:
  /// By columns, as KLU reads them; both outlive this.
  KluFactors(const std::vector<int>& starts, const std::vector<int>& rows);
  ~KluFactors();
  KluFactors(const KluFactors&) = delete;
  KluFactors& operator=(const KluFactors&) = delete;

  /// The values of the matrix, to be filled in before factorise().
  [[nodiscard]] std::vector<T>& values() { return values_; }
  /// False when it is singular.
  [[nodiscard]] bool factorise();
  /// In place.
  void solve(T* x);

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  const std::vector<int>&starts_, &rows_;
  std::vector<T> values_;
};

}  // namespace freeplay::integrate
