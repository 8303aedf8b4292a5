// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

// L D L^T of a sparse symmetric matrix whose pattern never changes. `analyse` does all symbolic
// work and all allocation; `factorise` and `solve` only touch memory that exists, so they may run
// in the step loop. No pivoting: the caller orders the unknowns so that the pivots are safe (see
// kkt.hpp). Hand-written because Eigen's SimplicialLDLT allocates in every factorisation and KLU
// refactorises an unsymmetric matrix at twice the work (docs/decisions/002-kkt-solver.md).
namespace freeplay::dynamics {

/// Minimum-degree order of n rows; those in one list meet when what they share is eliminated.
[[nodiscard]] std::vector<int> minimum_degree(int n, const std::vector<std::vector<int>>& meeting);

class SparseLdl {
 public:
  /// `entries`: positions (row, column) of the lower or upper triangle, each once, diagonal
  /// included. `order[k]` is the unknown eliminated k-th.
  void analyse(int n, std::span<const std::pair<int, int>> entries, std::span<const int> order);

  /// The numeric value of the e-th entry given to `analyse`.
  double& value(std::size_t e) { return values_[slot_[e]]; }
  [[nodiscard]] double value(std::size_t e) const { return values_[slot_[e]]; }

  /// False when a pivot vanishes or is not finite; `failed_unknown()` then says which.
  [[nodiscard]] bool factorise();
  [[nodiscard]] int failed_unknown() const { return failed_; }

  /// Solves in place; x in the caller's numbering.
  void solve(double* x) const;
  /// Solves a system near the factorised one by iterative refinement, in place;
  /// `residual(rhs, x, out)` knows the system that is meant. `rhs` and `correction` are scratch.
  template <class Residual>
  void solve_refined(double* x, const Residual& residual, std::vector<double>& rhs,
                     std::vector<double>& correction) const {
    std::copy_n(x, n_, rhs.begin());
    solve(x);
    for (int pass = 0; pass < 10; ++pass) {
      residual(rhs.data(), x, correction.data());
      solve(correction.data());
      double moved = 0, size = 0;
      for (int k = 0; k < n_; ++k) {
        x[k] += correction[k];
        moved = std::max(moved, std::abs(correction[k]));
        size = std::max(size, std::abs(x[k]));
      }
      constexpr double kRefined = 1e-14;  // of the solution: no further than round-off
      if (moved <= kRefined * size) break;
    }
  }

  /// Pivot of an unknown in the last factorisation.
  [[nodiscard]] double pivot(int unknown) const { return d_[position_[unknown]]; }
  [[nodiscard]] std::size_t fill() const { return rows_.size(); }

 private:
  int n_ = 0, failed_ = -1;
  std::vector<int> order_, position_;       // permutation and its inverse
  std::vector<int> column_start_, row_of_;  // permuted upper triangle by columns
  std::vector<std::size_t> slot_;           // caller's entry -> values_
  std::vector<double> values_;
  std::vector<int> reach_start_, reach_;  // pattern of each row of L, in elimination order
  std::vector<int> l_start_, rows_;       // L by columns, diagonal left out
  std::vector<double> l_, d_;
  std::vector<int> filled_;  // scratch: entries of each column so far
  mutable std::vector<double> work_;
};

}  // namespace freeplay::dynamics
