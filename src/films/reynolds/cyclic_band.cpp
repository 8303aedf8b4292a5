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
  const auto axpy = [](double* y, const double* from, double a) {
    for (int k = 0; k < K; ++k) y[k] -= a * from[k];
  };
  double* last = x + static_cast<std::size_t>(banded_) * K;
  for (int i = 0; i < banded_; ++i) {
    const double* xi = x + static_cast<std::size_t>(i) * K;
    const int reach = std::min(w, banded_ - 1 - i);
    for (int r = 1; r <= reach; ++r) {
      const double l =
          band_[static_cast<std::size_t>(i + r) * stride_ + static_cast<std::size_t>(w - r)];
      if (l != 0) axpy(x + static_cast<std::size_t>(i + r) * K, xi, l);
    }
    if (bordered_)
      for (int q = 0; q < w; ++q)
        axpy(last + q * K, xi,
             row_[static_cast<std::size_t>(i) * w_ + static_cast<std::size_t>(q)]);
  }
  for (int i = 0; i < w; ++i)
    for (int r = i + 1; r < w; ++r)
      axpy(last + r * K, last + i * K, corner_[static_cast<std::size_t>(r * w + i)]);
  for (int i = w - 1; i >= 0; --i) {
    for (int t = i + 1; t < w; ++t)
      axpy(last + i * K, last + t * K, corner_[static_cast<std::size_t>(i * w + t)]);
    for (int k = 0; k < K; ++k) last[i * K + k] *= corner_[static_cast<std::size_t>(i * w + i)];
  }
  for (int i = banded_ - 1; i >= 0; --i) {
    double* xi = x + static_cast<std::size_t>(i) * K;
    const double* row = &band_[static_cast<std::size_t>(i) * stride_] + w;
    const int reach = std::min(w, banded_ - 1 - i);
    for (int t = 1; t <= reach; ++t) axpy(xi, xi + static_cast<std::size_t>(t) * K, row[t]);
    if (bordered_)
      for (int q = 0; q < w; ++q)
        axpy(xi, last + q * K,
             column_[static_cast<std::size_t>(i) * w_ + static_cast<std::size_t>(q)]);
    for (int k = 0; k < K; ++k) xi[k] *= row[0];
  }
}

template void CyclicBand::solve<1>(double*) const;
template void CyclicBand::solve<5>(double*) const;
template void CyclicBand::solve<9>(double*) const;

}  // namespace freeplay::films
