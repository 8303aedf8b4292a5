// SPDX-License-Identifier: Apache-2.0
#include "integrate/klu_factors.hpp"

#include <klu.h>

#include <new>
#include <type_traits>

namespace freeplay::integrate {
namespace {

// Least of |pivot| over the largest entry left of its column, in the worst column: below, the old
// exchanges of rows no longer serve. chosen: Newton's iteration needs few digits.
constexpr double kLeastGrowth = 1e-8;

// KLU only reads what it takes as int* and double*.
int* pointer(const std::vector<int>& x) { return const_cast<int*>(x.data()); }  // NOLINT
double* pointer(double* x) { return x; }
double* pointer(std::complex<double>* x) { return reinterpret_cast<double*>(x); }  // NOLINT

}  // namespace

template <class T>
struct KluFactors<T>::Library {
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  static constexpr bool kComplex = !std::is_same_v<T, double>;

  void drop() {
    if (!numeric) return;
    if constexpr (kComplex)
      klu_z_free_numeric(&numeric, &common);
    else
      klu_free_numeric(&numeric, &common);
    numeric = nullptr;
  }
  ~Library() {
    drop();
    if (symbolic) klu_free_symbolic(&symbolic, &common);
  }
};

template <class T>
KluFactors<T>::KluFactors(const std::vector<int>& starts, const std::vector<int>& rows)
    : library_(std::make_unique<Library>()), starts_(starts), rows_(rows), values_(rows.size()) {
  klu_defaults(&library_->common);
  library_->common.scale = 2;  // rows of positions and of velocities have other units
  library_->symbolic = klu_analyze(static_cast<int>(starts.size()) - 1, pointer(starts_),
                                   pointer(rows_), &library_->common);
  if (!library_->symbolic) throw std::bad_alloc();
}

template <class T>
KluFactors<T>::~KluFactors() = default;

template <class T>
bool KluFactors<T>::factorise() {
  Library& k = *library_;
  int *ap = pointer(starts_), *ai = pointer(rows_);
  double* ax = pointer(values_.data());
  if (k.numeric) {
    bool good = false;
    if constexpr (Library::kComplex)
      good = klu_z_refactor(ap, ai, ax, k.symbolic, k.numeric, &k.common) != 0 &&
             klu_z_rgrowth(ap, ai, ax, k.symbolic, k.numeric, &k.common) != 0;
    else
      good = klu_refactor(ap, ai, ax, k.symbolic, k.numeric, &k.common) != 0 &&
             klu_rgrowth(ap, ai, ax, k.symbolic, k.numeric, &k.common) != 0;
    if (good && k.common.status == KLU_OK && k.common.rgrowth > kLeastGrowth) return true;
    k.drop();
  }
  if constexpr (Library::kComplex)
    k.numeric = klu_z_factor(ap, ai, ax, k.symbolic, &k.common);
  else
    k.numeric = klu_factor(ap, ai, ax, k.symbolic, &k.common);
  if (k.numeric && k.common.status == KLU_OK) return true;
  k.drop();
  return false;
}

template <class T>
void KluFactors<T>::solve(T* x) {
  Library& k = *library_;
  const int n = static_cast<int>(starts_.size()) - 1;
  if constexpr (Library::kComplex)
    klu_z_solve(k.symbolic, k.numeric, n, 1, pointer(x), &k.common);
  else
    klu_solve(k.symbolic, k.numeric, n, 1, pointer(x), &k.common);
}

template class KluFactors<double>;
template class KluFactors<std::complex<double>>;

}  // namespace freeplay::integrate
