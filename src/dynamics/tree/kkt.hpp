// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "dynamics/constraints/sparse_ldl.hpp"

#include <cstdint>
#include <utility>
#include <vector>

// The saddle-point system of a tree whose loops are closed by constraint rows,
//
//     [ M   J^T ] [ a      ]   [ tau   ]
//     [ J    0  ] [ lambda ] = [ gamma ],
//
// in joint coordinates. M couples a dof with those between it and the ground only, so eliminating
// dofs from the tips inward makes no fill (Featherstone 2008, 6.5); rows follow in minimum-degree
// order. Redundant rows and singular positions are treated as in the Cartesian solver (kkt.hpp).
namespace freeplay::dynamics {

class TreeKkt {
 public:
  /// `mass`: pairs of dofs that M couples, each once, diagonals included; `rows`: dofs of each row.
  /// Dofs must be numbered from the ground outward.
  void build(int dofs, const std::vector<std::pair<int, int>>& mass,
             const std::vector<std::vector<int>>& rows);
  [[nodiscard]] int dofs() const { return n_; }
  [[nodiscard]] int rows() const { return static_cast<int>(row_start_.size()) - 1; }
  double& mass(std::size_t entry) { return mass_[entry]; }
  double* gradient(int row) { return &gradient_[row_start_[row]]; }
  [[nodiscard]] int gradient_size(int row) const { return row_start_[row + 1] - row_start_[row]; }

  void calibrate(bool refine);
  /// Saves or restores what it found: it shows in the last digits.
  void carry(Archive& archive) { archive(row_scale_); }
  [[nodiscard]] bool factorise();
  [[nodiscard]] int failed_unknown() const { return ldl_.failed_unknown(); }
  void solve(double* x);
  void rates(const double* v, double* out) const;

 private:
  [[nodiscard]] bool factorise_shifted();
  void residual(const double* rhs, const double* x, double* out) const;

  int n_ = 0;
  bool refine_ = false, strong_ = false;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<double> mass_;
  std::vector<int> row_start_{0}, dof_;
  std::vector<double> gradient_, row_scale_;
  SparseLdl ldl_;
  std::size_t gradient_slot_ = 0, diagonal_slot_ = 0;
  std::vector<double> rhs_, correction_;
};

}  // namespace freeplay::dynamics
