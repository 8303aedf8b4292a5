// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/kkt.hpp"

#include "dynamics/constraints/shifts.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

/// Minimum-degree order of the rows, seen through the bodies they share.
std::vector<int> order_rows(int bodies, const std::vector<std::vector<Kkt::Entry>>& rows) {
  const int m = static_cast<int>(rows.size());
  std::vector<std::vector<int>> touching(bodies);
  for (int r = 0; r < m; ++r)
    for (const Kkt::Entry& e : rows[r]) touching[e.body].push_back(r);
  return minimum_degree(m, touching);
}

}  // namespace

void Kkt::build(const std::vector<Block>& bodies, std::vector<Dof> dofs,
                const std::vector<std::vector<Entry>>& rows) {
  dof_ = std::move(dofs);
  const int n = this->dofs(), m = static_cast<int>(rows.size());
  const int count = static_cast<int>(bodies.size());

  // Pattern: mass blocks, gradients, row diagonals.
  std::vector<std::pair<int, int>> entries;
  body_.clear();
  mass_links_.clear();
  std::size_t numbers = 0;
  int dof = 0;
  for (const Block& body : bodies) {
    body_.push_back({dof, body.width, numbers, 0, mass_links_.size(), 0});
    for (int i = 0; i < body.width; ++i)
      for (int j = 0; j <= i; ++j) {
        if (i != j && !body.couples(i, j)) continue;
        body_.back().band = std::max(body_.back().band, i - j);
        mass_links_.push_back({entries.size(),
                               numbers + static_cast<std::size_t>(i) * body.width + j,
                               i == j ? dof + i : -1});
        entries.emplace_back(dof + i, dof + j);
      }
    body_.back().links_end = mass_links_.size();
    numbers += static_cast<std::size_t>(body.width) * body.width;
    dof += body.width;
  }
  mass_.assign(numbers, 0.0);

  row_start_.assign(1, 0);
  share_.clear();
  gradient_links_.clear();
  std::size_t coefficients = 0;
  for (int r = 0; r < m; ++r) {
    for (const Entry& e : rows[r]) {
      const Mass& body = body_[e.body];
      share_.push_back({e.body, body.dof, body.width, coefficients});
      for (int c = 0; c < body.width; ++c)
        if (e.columns >> std::min(c, 7) & 1) {
          gradient_links_.push_back({entries.size(), coefficients + c});
          entries.emplace_back(n + r, body.dof + c);
        }
      coefficients += body.width;
    }
    row_start_.push_back(static_cast<int>(share_.size()));
  }
  gradient_.assign(coefficients, 0.0);
  diagonal_start_ = entries.size();
  for (int r = 0; r < m; ++r) entries.emplace_back(n + r, n + r);

  std::vector<int> order;
  for (int d = 0; d < n; ++d)
    if (!dof_[d].light) order.push_back(d);
  for (int r : order_rows(count, rows)) order.push_back(n + r);
  for (int d = 0; d < n; ++d)
    if (dof_[d].light) order.push_back(d);
  ldl_.analyse(n + m, entries, order);

  row_scale_.assign(m, 1.0);
  active_.assign(m, 1);
  shift_.assign(n + m, 0.0);
  rhs_.assign(n + m, 0.0);
  correction_.assign(n + m, 0.0);
}

void Kkt::set_mass(int body, const MatX& block) {
  const Mass& at = body_[body];
  for (std::size_t k = at.links; k < at.links_end; ++k) {  // work grows with what is coupled
    const std::size_t place = mass_links_[k].source - at.first;
    const auto i = static_cast<Eigen::Index>(place / at.width),
               j = static_cast<Eigen::Index>(place % at.width);
    mass_[at.first + static_cast<std::size_t>(i * at.width + j)] = block(i, j);
    mass_[at.first + static_cast<std::size_t>(j * at.width + i)] = block(i, j);
  }
}

double Kkt::inertia(int body, int dof) const {
  const Mass& at = body_[body];
  const auto i = static_cast<std::size_t>(dof - at.dof);
  return mass_[at.first + i * at.width + i];
}

void Kkt::calibrate(bool refine, double mass_scale, double inertia_scale) {
  refine_ = refine;
  const auto scale = [&](const Dof& dof) { return dof.turns ? inertia_scale : mass_scale; };
  for (int d = 0; d < dofs(); ++d) shift_[d] = dof_[d].light ? kLightShift * scale(dof_[d]) : 0.0;
  for (int r = 0; r < rows(); ++r) {
    double s = 0;  // diagonal of J M^-1 J^T, with the diagonal of M
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e)
      for (int c = 0; c < share_[e].width; ++c) {
        const int d = share_[e].dof + c;
        const double g = gradient_[share_[e].gradient + c];
        const double m = dof_[d].light ? scale(dof_[d]) : inertia(share_[e].body, d);
        s += g * g / m;
      }
    row_scale_[r] = s > 0 ? s : 1 / mass_scale;
  }
}

bool Kkt::factorise() {
  strong_ = refine_;
  if (!factorise_shifted()) return false;
  if (strong_) return true;
  // Near a singular position rows that are independent elsewhere repeat each other: treat them like
  // redundant ones there, or round-off in the vanishing direction would throw the mechanism onto
  // another branch.
  for (int r = 0; r < rows(); ++r)
    if (std::abs(relative_pivot(r)) < kNearlyDependent) strong_ = true;
  return !strong_ || factorise_shifted();
}

bool Kkt::factorise_shifted() {
  for (const MassLink& link : mass_links_) ldl_.value(link.slot) = mass_[link.source];
  for (const Link& link : gradient_links_) ldl_.value(link.slot) = gradient_[link.source];
  // With refinement the shift may be large enough to tame redundant rows off the manifold, where
  // they contradict each other by the size of the violation; without, it must not be felt at all.
  const double relative = strong_ ? kStrongShift : kUnfeltShift;
  for (int r = 0; r < rows(); ++r)
    ldl_.value(diagonal_start_ + r) = active_[r] ? -relative * row_scale_[r] : -row_scale_[r];
  if (refine_)
    for (const MassLink& link : mass_links_)
      if (link.shifted >= 0) ldl_.value(link.slot) += shift_[link.shifted];
  return ldl_.factorise();
}

void Kkt::residual(const double* rhs, const double* x, double* out) const {
  const int n = dofs();
  for (const Mass& body : body_)
    for (int i = 0; i < body.width; ++i) {
      double s = rhs[body.dof + i];
      const double* row = &mass_[body.first + static_cast<std::size_t>(i) * body.width];
      const int end = std::min(body.width, i + body.band + 1);
      for (int j = std::max(0, i - body.band); j < end; ++j) s -= row[j] * x[body.dof + j];
      out[body.dof + i] = s;
    }
  add_transposed(x + n, -1.0, out);
  rates(x, out + n);
  for (int r = 0; r < rows(); ++r)
    out[n + r] = active_[r] ? rhs[n + r] - out[n + r] : rhs[n + r] + row_scale_[r] * x[n + r];
}

void Kkt::solve(double* x) {
  if (!strong_) {
    if (polish_) std::copy_n(x, size(), rhs_.begin());
    ldl_.solve(x);
    if (!polish_) return;
    residual(rhs_.data(), x, correction_.data());
    ldl_.solve(correction_.data());
    for (int k = 0; k < size(); ++k) x[k] += correction_[k];
    return;
  }
  ldl_.solve_refined(
      x, [this](const double* rhs, const double* at, double* out) { residual(rhs, at, out); }, rhs_,
      correction_);
}

void Kkt::rates(const double* v, double* out) const {
  for (int r = 0; r < rows(); ++r) {
    double s = 0;
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e) {
      const Share& share = share_[e];
      const double* g = &gradient_[share.gradient];
      const double* u = v + share.dof;
      for (int c = 0; c < share.width; ++c) s += g[c] * u[c];
    }
    out[r] = s;
  }
}

void Kkt::add_transposed(const double* lambda, double factor, double* out) const {
  for (int r = 0; r < rows(); ++r) {
    const double f = factor * lambda[r];
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e) {
      const Share& share = share_[e];
      const double* g = &gradient_[share.gradient];
      double* o = out + share.dof;
      for (int c = 0; c < share.width; ++c) o[c] += f * g[c];
    }
  }
}

}  // namespace freeplay::dynamics
