// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/sparse_ldl.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {

std::vector<int> minimum_degree(int n, const std::vector<std::vector<int>>& meeting) {
  std::vector<Eigen::Triplet<double>> pattern;
  for (const auto& list : meeting)
    for (int a : list)
      for (int b : list) pattern.emplace_back(a, b, 1.0);
  Eigen::SparseMatrix<double> graph(n, n);
  graph.setFromTriplets(pattern.begin(), pattern.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation(n);
  if (n > 0) Eigen::AMDOrdering<int>()(graph, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

void SparseLdl::analyse(int n, std::span<const std::pair<int, int>> entries,
                        std::span<const int> order) {
  n_ = n;
  order_.assign(order.begin(), order.end());
  position_.assign(n, 0);
  for (int k = 0; k < n; ++k) position_[order_[k]] = k;

  // Upper triangle of the permuted matrix, by columns.
  column_start_.assign(n + 1, 0);
  std::vector<std::pair<int, int>> permuted(entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto [i, j] = std::minmax(position_[entries[e].first], position_[entries[e].second]);
    permuted[e] = {i, j};
    ++column_start_[j + 1];
  }
  for (int k = 0; k < n; ++k) column_start_[k + 1] += column_start_[k];
  row_of_.resize(entries.size());
  slot_.resize(entries.size());
  values_.assign(entries.size(), 0.0);
  std::vector<int> next(column_start_.begin(), column_start_.end() - 1);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const int p = next[permuted[e].second]++;
    row_of_[p] = permuted[e].first;
    slot_[e] = static_cast<std::size_t>(p);
  }

  // Elimination tree; row k of L is what the tree paths from the entries of column k reach (Davis
  // 2006, section 4.2). The rows are stored, so the numeric phase never walks the tree.
  std::vector<int> parent(n, -1), mark(n, -1), count(n, 0);
  reach_start_.assign(n + 1, 0);
  reach_.clear();
  std::vector<int> row;
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
  l_start_.assign(n + 1, 0);
  for (int k = 0; k < n; ++k) l_start_[k + 1] = l_start_[k] + count[k];
  rows_.assign(l_start_[n], 0);
  filled_.assign(n, 0);
  for (int k = 0; k < n; ++k)
    for (int r = reach_start_[k]; r < reach_start_[k + 1]; ++r) {
      const int i = reach_[r];
      rows_[l_start_[i] + filled_[i]++] = k;
    }
  l_.assign(rows_.size(), 0.0);
  d_.assign(n, 0.0);
  work_.assign(n, 0.0);
}

bool SparseLdl::factorise() {
  // Up-looking: row k of L solves a triangular system with the rows above it.
  std::fill(filled_.begin(), filled_.end(), 0);
  double* x = work_.data();
  for (int k = 0; k < n_; ++k) {
    double d = 0;
    for (int p = column_start_[k]; p < column_start_[k + 1]; ++p)
      (row_of_[p] == k ? d : x[row_of_[p]]) += values_[p];
    for (int r = reach_start_[k]; r < reach_start_[k + 1]; ++r) {
      const int i = reach_[r];
      const double xi = x[i];
      x[i] = 0;
      const int begin = l_start_[i], end = begin + filled_[i];
      for (int p = begin; p < end; ++p) x[rows_[p]] -= l_[p] * xi;
      const double l = xi / d_[i];
      d -= l * xi;
      l_[end] = l;
      ++filled_[i];
    }
    if (d == 0 || !std::isfinite(d)) {
      failed_ = order_[k];
      std::fill(work_.begin(), work_.end(), 0.0);
      return false;
    }
    d_[k] = d;
  }
  failed_ = -1;
  return true;
}

void SparseLdl::solve(double* b) const {
  double* x = work_.data();
  for (int k = 0; k < n_; ++k) x[k] = b[order_[k]];
  for (int k = 0; k < n_; ++k) {
    const double xk = x[k];
    for (int p = l_start_[k]; p < l_start_[k + 1]; ++p) x[rows_[p]] -= l_[p] * xk;
  }
  for (int k = n_ - 1; k >= 0; --k) {
    double xk = x[k] / d_[k];
    for (int p = l_start_[k]; p < l_start_[k + 1]; ++p) xk -= l_[p] * x[rows_[p]];
    x[k] = xk;
  }
  for (int k = 0; k < n_; ++k) {
    b[order_[k]] = x[k];
    x[k] = 0;
  }
}

}  // namespace freeplay::dynamics
