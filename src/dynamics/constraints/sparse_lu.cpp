// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/sparse_lu.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {

void SparseLu::analyse(int n, std::span<const std::pair<int, int>> entries,
                       std::span<const int> order) {
  const auto size = static_cast<std::size_t>(n);
  n_ = n;
  order_.assign(order.begin(), order.end());
  position_.assign(size, 0);
  for (int k = 0; k < n; ++k) position_[order_[k]] = k;

  // Upper triangle of the permuted matrix, by columns; the lower one is its mirror.
  column_start_.assign(size + 1, 0);
  for (const auto& [a, b] : entries)
    if (a != b) ++column_start_[std::max(position_[a], position_[b]) + 1];
  for (int k = 0; k < n; ++k) column_start_[k + 1] += column_start_[k];
  const auto above = static_cast<std::size_t>(column_start_[n]);
  row_of_.assign(above, 0);
  slot_.resize(entries.size());
  values_.assign(2 * above + size, 0.0);
  std::vector<int> next(column_start_.begin(), column_start_.end() - 1);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const int i = position_[entries[e].first], j = position_[entries[e].second];
    if (i == j) {
      slot_[e].forward = slot_[e].backward = 2 * above + static_cast<std::size_t>(i);
      continue;
    }
    const auto p = static_cast<std::size_t>(next[std::max(i, j)]++);
    row_of_[p] = std::min(i, j);
    slot_[e] = i < j ? Slot{2 * p, 2 * p + 1} : Slot{2 * p + 1, 2 * p};
  }

  // Elimination tree; row k of L is what the tree paths from the entries of column k reach (Davis
  // 2006, section 4.2).
  std::vector<int> parent(size, -1), mark(size, -1), count(size, 0), row;
  reach_start_.assign(size + 1, 0);
  reach_.clear();
  for (int k = 0; k < n; ++k) {
    mark[k] = k;
    row.clear();
    for (int p = column_start_[k]; p < column_start_[k + 1]; ++p)
      for (int i = row_of_[p]; mark[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        mark[i] = k;
        row.push_back(i);
        ++count[i];
      }
    std::sort(row.begin(), row.end());  // ascending is a topological order
    reach_.insert(reach_.end(), row.begin(), row.end());
    reach_start_[k + 1] = static_cast<int>(reach_.size());
  }
  l_start_.assign(size + 1, 0);
  for (int k = 0; k < n; ++k) l_start_[k + 1] = l_start_[k] + count[k];
  rows_.assign(reach_.size(), 0);
  filled_.assign(size, 0);
  for (int k = 0; k < n; ++k)
    for (int r = reach_start_[k]; r < reach_start_[k + 1]; ++r) {
      const int i = reach_[r];
      rows_[l_start_[i] + filled_[i]++] = k;
    }
  l_.assign(rows_.size(), 0.0);
  u_.assign(rows_.size(), 0.0);
  d_.assign(size, 0.0);
  along_.assign(size, 0.0);
  work_.assign(size, 0.0);
}

bool SparseLu::factorise() {
  // Row k of L and column k of U, each by a triangular solve with what stands before them.
  std::fill(filled_.begin(), filled_.end(), 0);
  double *down = work_.data(), *along = along_.data();  // of the column, of the row
  const double* diagonal = values_.data() + 2 * row_of_.size();
  for (int k = 0; k < n_; ++k) {
    double d = diagonal[k];
    for (int p = column_start_[k]; p < column_start_[k + 1]; ++p) {
      down[row_of_[p]] = values_[2 * static_cast<std::size_t>(p)];
      along[row_of_[p]] = values_[2 * static_cast<std::size_t>(p) + 1];
    }
    for (int r = reach_start_[k]; r < reach_start_[k + 1]; ++r) {
      const int i = reach_[r];
      const double u = down[i], l = along[i] / d_[i];
      down[i] = along[i] = 0;
      const int begin = l_start_[i], end = begin + filled_[i];
      for (int p = begin; p < end; ++p) {
        down[rows_[p]] -= l_[p] * u;
        along[rows_[p]] -= l * u_[p];
      }
      d -= l * u;
      l_[end] = l;
      u_[end] = u;
      ++filled_[i];
    }
    if (d == 0 || !std::isfinite(d)) {
      failed_ = order_[k];
      std::fill(work_.begin(), work_.end(), 0.0);
      std::fill(along_.begin(), along_.end(), 0.0);
      return false;
    }
    d_[k] = d;
  }
  failed_ = -1;
  return true;
}

void SparseLu::solve(double* b) const {
  double* x = work_.data();
  for (int k = 0; k < n_; ++k) x[k] = b[order_[k]];
  for (int k = 0; k < n_; ++k) {
    const double xk = x[k];
    for (int p = l_start_[k]; p < l_start_[k + 1]; ++p) x[rows_[p]] -= l_[p] * xk;
  }
  for (int k = n_ - 1; k >= 0; --k) {
    double xk = x[k];
    for (int p = l_start_[k]; p < l_start_[k + 1]; ++p) xk -= u_[p] * x[rows_[p]];
    x[k] = xk / d_[k];
  }
  for (int k = 0; k < n_; ++k) {
    b[order_[k]] = x[k];
    x[k] = 0;
  }
}

}  // namespace freeplay::dynamics
