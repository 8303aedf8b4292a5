// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "dynamics/constraints/sparse_ldl.hpp"
#include <freeplay/math.hpp>

#include <cstdint>
#include <vector>

// The saddle-point system of constrained motion,
// clang-format off
//     [ M   J^T ] [ a      ]   [ Q     ]
//     [ J    0  ] [ lambda ] = [ gamma ],
// clang-format on
// with block-diagonal M and the sparse rows J of the joints. It is factored as L D L^T after a tiny
// shift that makes it quasi-definite (Vanderbei 1995): +delta on dofs (almost) without mass,
// -epsilon on the rows. Dofs with mass are eliminated first, then rows in minimum-degree order,
// light dofs last, so every pivot is safe; cost is linear in the number of bodies for chains and
// trees of loops. Where the shift could be felt (redundant rows, light dofs) the solution is
// refined against the unshifted system: the motion is then exact and the multipliers are those of
// least norm.
namespace freeplay::dynamics {

class Kkt {
 public:
  /// One body's share of a row: bit c of `columns` set when local velocity c may have a
  /// coefficient.
  struct Entry {
    int body = 0;  ///< 0-based among moving bodies
    std::uint8_t columns = 0;
  };

  /// `width` velocities per body (6 or 3); one list of entries per row.
  void build(int bodies, int width, const std::vector<std::vector<Entry>>& rows,
             const std::vector<bool>& light);

  [[nodiscard]] int dofs() const { return bodies_ * width_; }
  [[nodiscard]] int rows() const { return static_cast<int>(row_start_.size()) - 1; }
  [[nodiscard]] int size() const { return dofs() + rows(); }

  /// Coefficients of the k-th entry of a row: `width` numbers, zero outside its columns.
  double* gradient(int row, int k) {
    return &gradient_[static_cast<std::size_t>(row_start_[row] + k) * width_];
  }
  [[nodiscard]] const double* gradient(int row, int k) const {
    return &gradient_[static_cast<std::size_t>(row_start_[row] + k) * width_];
  }
  [[nodiscard]] int entries(int row) const { return row_start_[row + 1] - row_start_[row]; }
  [[nodiscard]] int body(int row, int k) const { return entry_[row_start_[row] + k].body; }

  /// Takes the error of round-off out of solutions once: for rows that hold for long.
  void set_polish(bool polish) { polish_ = polish; }
  /// A row that is not active is decoupled: its multiplier is 0. All are active at first.
  void set_active(int row, bool active) { active_[row] = active; }

  /// Mass block of a body, `width` x `width`.
  void set_mass(int body, const MatX& block);
  /// Sets the shifts from the present masses and gradients; call after either changes in kind.
  void calibrate(bool refine, double mass_scale, double inertia_scale);
  /// Saves or restores them: they show in the last digits.
  void carry(Archive& archive) { archive(row_scale_); }

  /// False when a pivot vanishes; `failed_unknown` then is the dof, or dofs() + row.
  [[nodiscard]] bool factorise();
  [[nodiscard]] int failed_unknown() const { return ldl_.failed_unknown(); }
  /// [dofs; rows] in place: right-hand side in, solution out.
  void solve(double* x);

  /// out = J v
  void rates(const double* v, double* out) const;
  /// out += factor J^T lambda
  void add_transposed(const double* lambda, double factor, double* out) const;
  /// Shifted pivot of a row relative to its own diagonal: tiny when other rows already hold it.
  [[nodiscard]] double relative_pivot(int row) const {
    return ldl_.pivot(dofs() + row) / row_scale_[row];
  }
  [[nodiscard]] double dof_pivot(int dof) const { return ldl_.pivot(dof); }
  [[nodiscard]] std::size_t fill() const { return ldl_.fill(); }

 private:
  [[nodiscard]] bool factorise_shifted();
  void residual(const double* rhs, const double* x, double* out) const;

  int bodies_ = 0, width_ = 0;
  bool refine_ = false, strong_ = false, polish_ = false;
  std::vector<int> row_start_;
  std::vector<Entry> entry_;
  std::vector<double> gradient_;
  std::vector<double> mass_;  // width x width per body
  std::vector<bool> light_;   // per dof
  std::vector<char> active_;  // per row
  std::vector<double> row_scale_, shift_;
  SparseLdl ldl_;
  struct Link {
    std::size_t slot, source;  // ldl entry <- gradient_
  };
  std::vector<Link> gradient_links_;
  std::vector<Link> mass_links_;    // ldl entry <- mass_
  std::size_t diagonal_start_ = 0;  // ldl entries of the row diagonals
  std::vector<double> rhs_, correction_;
};

}  // namespace freeplay::dynamics
