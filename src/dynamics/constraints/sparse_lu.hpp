// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

// L U of a sparse matrix with a symmetric pattern that never changes, and numbers that need not be
// symmetric: what SparseLdl is for symmetric ones. `analyse` does all symbolic work and all
// allocation; `factorise` and `solve` only touch memory that exists. No pivoting: the caller orders
// the unknowns so that the pivots are safe.
namespace freeplay::dynamics {

class SparseLu {
 public:
  /// `entries`: pairs of unknowns (row, column) that share a coefficient, each pair once, in either
  /// order, diagonal included. `order[k]` is the unknown eliminated k-th.
  void analyse(int n, std::span<const std::pair<int, int>> entries, std::span<const int> order);

  /// The coefficient of the e-th pair given to `analyse`, at (first, second) and at (second,
  /// first): the same one on the diagonal.
  double& value(std::size_t e) { return values_[slot_[e].forward]; }
  double& mirror(std::size_t e) { return values_[slot_[e].backward]; }

  /// False when a pivot vanishes or is not finite; `failed_unknown()` then says which.
  [[nodiscard]] bool factorise();
  [[nodiscard]] int failed_unknown() const { return failed_; }
  /// Solves in place; x in the caller's numbering.
  void solve(double* x) const;

  [[nodiscard]] std::size_t fill() const { return rows_.size(); }

 private:
  struct Slot {
    std::size_t forward = 0, backward = 0;
  };
  int n_ = 0, failed_ = -1;
  std::vector<int> order_, position_;       // permutation and its inverse
  std::vector<int> column_start_, row_of_;  // permuted upper triangle by columns, without diagonal
  std::vector<Slot> slot_;
  // Two numbers for every entry above the diagonal, that and its mirror; then the diagonal.
  std::vector<double> values_;
  std::vector<int> reach_start_, reach_;  // pattern of each row of L, in elimination order
  std::vector<int> l_start_, rows_;       // L by columns and U by rows, diagonal left out
  std::vector<double> l_, u_, d_;
  std::vector<int> filled_;  // scratch: entries of each column so far
  std::vector<double> along_;
  mutable std::vector<double> work_;
};

}  // namespace freeplay::dynamics
