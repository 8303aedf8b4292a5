// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "dynamics/constraints/sparse_ldl.hpp"
#include <freeplay/math.hpp>

#include <cstdint>
#include <functional>
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
  /// A body's share of the dofs.
  struct Block {
    int width = 6;  ///< velocities
    /// May dofs i > j of the body be coupled by its mass?
    std::function<bool(int i, int j)> couples;
  };
  /// One dof.
  struct Dof {
    bool turns = false;  ///< its inertia is measured in kg m^2
    bool light = false;  ///< it has (almost) none
  };
  /// One body's share of a row: bit c of `columns` set when local velocity c may have a
  /// coefficient; the last bit speaks for all from there on.
  struct Entry {
    int body = 0;  ///< 0-based among moving bodies
    std::uint8_t columns = 0;
  };
  static constexpr std::uint8_t kAllColumns = 0xff;

  /// Dofs body by body; one list of entries per row.
  void build(const std::vector<Block>& bodies, std::vector<Dof> dofs,
             const std::vector<std::vector<Entry>>& rows);

  [[nodiscard]] int dofs() const { return static_cast<int>(dof_.size()); }
  [[nodiscard]] int rows() const { return static_cast<int>(row_start_.size()) - 1; }
  [[nodiscard]] int size() const { return dofs() + rows(); }

  /// Coefficients of the k-th entry of a row: as many as the body has velocities, zero outside its
  /// columns. The first of them belongs to dof `first_dof`.
  double* gradient(int row, int k) { return &gradient_[share(row, k).gradient]; }
  [[nodiscard]] const double* gradient(int row, int k) const {
    return &gradient_[share(row, k).gradient];
  }
  [[nodiscard]] int entries(int row) const { return row_start_[row + 1] - row_start_[row]; }
  [[nodiscard]] int body(int row, int k) const { return share(row, k).body; }
  [[nodiscard]] int first_dof(int row, int k) const { return share(row, k).dof; }
  [[nodiscard]] int width(int row, int k) const { return share(row, k).width; }

  /// Takes the error of round-off out of solutions once: for rows that hold for long.
  void set_polish(bool polish) { polish_ = polish; }
  /// A row that is not active is decoupled: its multiplier is 0. All are active at first.
  void set_active(int row, bool active) { active_[row] = active; }

  /// Mass block of a body, square and symmetric; only what the body couples is looked at.
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

  struct Share {  // of a body in a row
    int body, dof, width;
    std::size_t gradient;  // its first coefficient
  };
  struct Mass {  // of a body
    int dof, width;
    std::size_t first;             // of its block, row by row
    int band;                      // no dofs further apart are coupled
    std::size_t links, links_end;  // its entries in mass_links_
  };
  [[nodiscard]] const Share& share(int row, int k) const { return share_[row_start_[row] + k]; }
  /// Inertia of a dof on the diagonal.
  [[nodiscard]] double inertia(int body, int dof) const;

  bool refine_ = false, strong_ = false, polish_ = false;
  std::vector<int> row_start_;
  std::vector<Share> share_;
  std::vector<double> gradient_;
  std::vector<Mass> body_;
  std::vector<double> mass_;
  std::vector<Dof> dof_;
  std::vector<char> active_;  // per row
  std::vector<double> row_scale_, shift_;
  SparseLdl ldl_;
  struct Link {
    std::size_t slot, source;  // ldl entry <- gradient_
  };
  std::vector<Link> gradient_links_;
  struct MassLink {
    std::size_t slot, source;  // ldl entry <- mass_
    int shifted;               // the dof, on the diagonal; -1: elsewhere
  };
  std::vector<MassLink> mass_links_;
  std::size_t diagonal_start_ = 0;  // ldl entries of the row diagonals
  std::vector<double> rhs_, correction_;
};

}  // namespace freeplay::dynamics
