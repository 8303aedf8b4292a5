// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/cyclic_band.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::films {
namespace {

// y -= a x. Plain enough for the compiler to vectorise.
inline void subtract(double* __restrict y, const double* __restrict x, double a, int n) {
  for (int i = 0; i < n; ++i) y[i] -= a * x[i];
}

}  // namespace

void CyclicBand::resize(int blocks, int width) {
  if (blocks == blocks_ && width == width_) return;
  blocks_ = blocks;
  width_ = width;
  banded_ = (blocks - 1) * width;
  w_ = static_cast<std::size_t>(width);
  stride_ = 2 * w_ + 1;
  const auto rows = static_cast<std::size_t>(banded_);
  band_.resize(rows * stride_);
  column_.resize(rows * w_);
  row_.resize(rows * w_);
  corner_.resize(w_ * w_);
  bordered_ = true;
}

void CyclicBand::clear(bool bordered) {
  std::fill(band_.begin(), band_.end(), 0.0);
  std::fill(corner_.begin(), corner_.end(), 0.0);
  // The border is only touched while it is in use.
  if (bordered || bordered_) {
    std::fill(column_.begin(), column_.end(), 0.0);
    std::fill(row_.begin(), row_.end(), 0.0);
  }
  bordered_ = bordered;
}

bool CyclicBand::factor() {
  const int w = width_;
  for (int i = 0; i < banded_; ++i) {
    double* pivot_row = &band_[static_cast<std::size_t>(i) * stride_];
    const double pivot = pivot_row[w];
    if (pivot == 0 || !std::isfinite(pivot)) return false;
    const double inverse = 1 / pivot;
    pivot_row[w] = inverse;
    const int reach = std::min(w, banded_ - 1 - i);
    const double* upper = pivot_row + w + 1;
    double* own_column = &column_[static_cast<std::size_t>(i) * w_];
    for (int r = 1; r <= reach; ++r) {
      double* row = &band_[static_cast<std::size_t>(i + r) * stride_] + (w - r);
      if (row[0] == 0) continue;
      const double factor = row[0] *= inverse;
      subtract(row + 1, upper, factor, reach);
      if (bordered_)
        subtract(&column_[static_cast<std::size_t>(i + r) * w_], own_column, factor, w);
    }
    if (!bordered_) continue;
    double* own_row = &row_[static_cast<std::size_t>(i) * w_];
    for (int q = 0; q < w; ++q) own_row[q] *= inverse;
    for (int t = 1; t <= reach; ++t)
      if (upper[t - 1] != 0)
        subtract(&row_[static_cast<std::size_t>(i + t) * w_], own_row, upper[t - 1], w);
    for (int q = 0; q < w; ++q)
      if (own_row[q] != 0)
        subtract(&corner_[static_cast<std::size_t>(q) * w_], own_column, own_row[q], w);
  }
  for (int i = 0; i < w; ++i) {
    double* pivot_row = &corner_[static_cast<std::size_t>(i) * w_];
    if (pivot_row[i] == 0 || !std::isfinite(pivot_row[i])) return false;
    pivot_row[i] = 1 / pivot_row[i];
    for (int r = i + 1; r < w; ++r) {
      double* row = &corner_[static_cast<std::size_t>(r) * w_];
      row[i] *= pivot_row[i];
      subtract(row + i + 1, pivot_row + i + 1, row[i], w - i - 1);
    }
  }
  return true;
}

template <int K>
void CyclicBand::solve(double* x) const {
  const int w = width_;
  // y -= sum of coefficients[t] times the K numbers at from + t K.
  const auto gather = [](double* y, const double* coefficients, const double* from, int count) {
    double sum[K];
    for (int k = 0; k < K; ++k) sum[k] = y[k];
    for (int t = 0; t < count; ++t)
      for (int k = 0; k < K; ++k) sum[k] -= coefficients[t] * from[t * K + k];
    for (int k = 0; k < K; ++k) y[k] = sum[k];
  };
  const auto axpy = [](double* y, const double* from, double a) {
    for (int k = 0; k < K; ++k) y[k] -= a * from[k];
  };
  double* last = x + static_cast<std::size_t>(banded_) * K;
  for (int i = 0; i < banded_; ++i) {
    double* xi = x + static_cast<std::size_t>(i) * K;
    const int reach = std::min(w, i);
    gather(xi, &band_[static_cast<std::size_t>(i) * stride_ + static_cast<std::size_t>(w - reach)],
           xi - static_cast<std::ptrdiff_t>(reach) * K, reach);
    if (bordered_)
      for (int q = 0; q < w; ++q)
        axpy(last + q * K, xi,
             row_[static_cast<std::size_t>(i) * w_ + static_cast<std::size_t>(q)]);
  }
  for (int i = 0; i < w; ++i)
    gather(last + i * K, &corner_[static_cast<std::size_t>(i * w)], last, i);
  for (int i = w - 1; i >= 0; --i) {
    const double* row = &corner_[static_cast<std::size_t>(i * w)];
    gather(last + i * K, row + i + 1, last + (i + 1) * K, w - 1 - i);
    for (int k = 0; k < K; ++k) last[i * K + k] *= row[i];
  }
  for (int i = banded_ - 1; i >= 0; --i) {
    double* xi = x + static_cast<std::size_t>(i) * K;
    const double* row = &band_[static_cast<std::size_t>(i) * stride_] + w;
    gather(xi, row + 1, xi + K, std::min(w, banded_ - 1 - i));
    if (bordered_) gather(xi, &column_[static_cast<std::size_t>(i) * w_], last, w);
    for (int k = 0; k < K; ++k) xi[k] *= row[0];
  }
}

template void CyclicBand::solve<1>(double*) const;
template void CyclicBand::solve<4>(double*) const;
template void CyclicBand::solve<6>(double*) const;
template void CyclicBand::solve<10>(double*) const;

}  // namespace freeplay::films
