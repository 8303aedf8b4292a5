// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/kkt.hpp"

#include "dynamics/constraints/shifts.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

/// Where redundant rows are refined; see factorise_shifted().
constexpr double kRedundantShift = 1e-4;
/// Keeps a quotient finite; below every mass.
constexpr double kNotZero = 1e-300;

}  // namespace

void TreeKkt::build(int dofs, const std::vector<std::pair<int, int>>& mass,
                    const std::vector<std::vector<int>>& rows) {
  n_ = dofs;
  pairs_ = mass;
  mass_.assign(mass.size(), 0.0);
  row_start_.assign(1, 0);
  dof_.clear();
  for (const auto& row : rows) {
    dof_.insert(dof_.end(), row.begin(), row.end());
    row_start_.push_back(static_cast<int>(dof_.size()));
  }
  gradient_.assign(dof_.size(), 0.0);
  const int m = static_cast<int>(rows.size());

  std::vector<std::pair<int, int>> entries = mass;
  gradient_slot_ = entries.size();
  for (int r = 0; r < m; ++r)
    for (int d : rows[r]) entries.emplace_back(n_ + r, d);
  diagonal_slot_ = entries.size();
  for (int r = 0; r < m; ++r) entries.emplace_back(n_ + r, n_ + r);

  // Rows that share a dof meet when it is eliminated.
  std::vector<std::vector<int>> touching(n_);
  for (int r = 0; r < m; ++r)
    for (int d : rows[r]) touching[d].push_back(r);

  std::vector<int> order;
  for (int d = n_; d-- > 0;) order.push_back(d);
  for (const int row : minimum_degree(m, touching)) order.push_back(n_ + row);
  ldl_.analyse(n_ + m, entries, order);
  row_scale_.assign(m, 1.0);
  rhs_.assign(n_ + m, 0.0);
  correction_.assign(n_ + m, 0.0);
}

void TreeKkt::calibrate(bool refine) {
  refine_ = refine;
  std::vector<double> diagonal(n_, 1.0);
  double largest = 0;
  for (std::size_t e = 0; e < pairs_.size(); ++e)
    if (pairs_[e].first == pairs_[e].second) {
      diagonal[pairs_[e].first] = mass_[e];
      largest = std::max(largest, mass_[e]);
    }
  for (int r = 0; r < rows(); ++r) {
    double s = 0;  // diagonal of J M^-1 J^T, with the diagonal of M
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e)
      s += gradient_[e] * gradient_[e] / diagonal[dof_[e]];
    row_scale_[r] = s > 0 ? s : 1 / std::max(largest, kNotZero);
  }
}

bool TreeKkt::factorise() {
  strong_ = refine_;
  if (!factorise_shifted()) return false;
  if (strong_) return true;
  for (int r = 0; r < rows(); ++r)
    if (std::abs(ldl_.pivot(n_ + r)) < kNearlyDependent * row_scale_[r]) strong_ = true;
  return !strong_ || factorise_shifted();
}

bool TreeKkt::factorise_shifted() {
  for (std::size_t e = 0; e < mass_.size(); ++e) ldl_.value(e) = mass_[e];
  for (std::size_t e = 0; e < gradient_.size(); ++e) ldl_.value(gradient_slot_ + e) = gradient_[e];
  // Off the manifold redundant rows contradict each other by the violation v, and what makes them
  // differ is as small: the shift must be well above v^2, or the solution follows the
  // contradiction. A cut loop gathers the errors of all its joints, and stages of a step stray by a
  // thousandth: Bricard's mechanism at 1e-9 loses 2e-7 of its energy with 1e-7, 5e-9 with 1e-5,
  // 9e-11 with 1e-4. Near singular positions, where rows only repeat each other in passing, as in
  // kkt.cpp.
  const double relative = refine_ ? kRedundantShift : strong_ ? kStrongShift : kUnfeltShift;
  for (int r = 0; r < rows(); ++r) ldl_.value(diagonal_slot_ + r) = -relative * row_scale_[r];
  return ldl_.factorise();
}

void TreeKkt::residual(const double* rhs, const double* x, double* out) const {
  std::copy_n(rhs, n_, out);
  for (std::size_t e = 0; e < pairs_.size(); ++e) {
    const auto [i, j] = pairs_[e];
    out[i] -= mass_[e] * x[j];
    if (i != j) out[j] -= mass_[e] * x[i];
  }
  for (int r = 0; r < rows(); ++r) {
    double s = rhs[n_ + r];
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e) {
      out[dof_[e]] -= gradient_[e] * x[n_ + r];
      s -= gradient_[e] * x[dof_[e]];
    }
    out[n_ + r] = s;
  }
}

void TreeKkt::solve(double* x) {
  if (!strong_) return ldl_.solve(x);
  ldl_.solve_refined(
      x, [this](const double* rhs, const double* at, double* out) { residual(rhs, at, out); }, rhs_,
      correction_);
}

void TreeKkt::rates(const double* v, double* out) const {
  for (int r = 0; r < rows(); ++r) {
    double s = 0;
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e) s += gradient_[e] * v[dof_[e]];
    out[r] = s;
  }
}

}  // namespace freeplay::dynamics
