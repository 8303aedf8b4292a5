// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/kkt.hpp"

#include "dynamics/constraints/shifts.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

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
  std::vector<Eigen::Triplet<double>> pattern;
  for (const auto& list : touching)
    for (int a : list)
      for (int b : list) pattern.emplace_back(a, b, 1.0);
  Eigen::SparseMatrix<double> graph(m, m);
  graph.setFromTriplets(pattern.begin(), pattern.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation(m);
  if (m > 0) Eigen::AMDOrdering<int>()(graph, permutation);
  return {permutation.indices().data(), permutation.indices().data() + m};
}

}  // namespace

void Kkt::build(int bodies, int width, const std::vector<std::vector<Entry>>& rows,
                const std::vector<bool>& light) {
  bodies_ = bodies;
  width_ = width;
  light_ = light;
  const int n = bodies * width, m = static_cast<int>(rows.size());

  row_start_.assign(1, 0);
  entry_.clear();
  for (const auto& row : rows) {
    entry_.insert(entry_.end(), row.begin(), row.end());
    row_start_.push_back(static_cast<int>(entry_.size()));
  }
  gradient_.assign(entry_.size() * width, 0.0);
  mass_.assign(static_cast<std::size_t>(bodies) * width * width, 0.0);

  // Pattern: mass blocks (translation diagonal, rotation full), gradients, row diagonals.
  std::vector<std::pair<int, int>> entries;
  gradient_links_.clear();
  mass_links_.clear();
  for (int b = 0; b < bodies; ++b)
    for (int i = 0; i < width; ++i)
      for (int j = 0; j <= i; ++j) {
        const bool rotation_pair = width == 6 && i >= 3 && j >= 3;
        if (i != j && !rotation_pair) continue;
        mass_links_.push_back(
            {entries.size(), (static_cast<std::size_t>(b) * width + i) * width + j});
        entries.emplace_back(b * width + i, b * width + j);
      }
  for (int r = 0; r < m; ++r)
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e)
      for (int c = 0; c < width; ++c)
        if (entry_[e].columns >> c & 1) {
          gradient_links_.push_back({entries.size(), static_cast<std::size_t>(e) * width + c});
          entries.emplace_back(n + r, entry_[e].body * width + c);
        }
  diagonal_start_ = entries.size();
  for (int r = 0; r < m; ++r) entries.emplace_back(n + r, n + r);

  std::vector<int> order;
  for (int d = 0; d < n; ++d)
    if (!light_[d]) order.push_back(d);
  for (int r : order_rows(bodies, rows)) order.push_back(n + r);
  for (int d = 0; d < n; ++d)
    if (light_[d]) order.push_back(d);
  ldl_.analyse(n + m, entries, order);

  row_scale_.assign(m, 1.0);
  active_.assign(m, 1);
  shift_.assign(n + m, 0.0);
  rhs_.assign(n + m, 0.0);
  correction_.assign(n + m, 0.0);
}

void Kkt::set_mass(int body, const MatX& block) {
  for (int i = 0; i < width_; ++i)
    for (int j = 0; j < width_; ++j)
      mass_[(static_cast<std::size_t>(body) * width_ + i) * width_ + j] = block(i, j);
}

void Kkt::calibrate(bool refine, double mass_scale, double inertia_scale) {
  refine_ = refine;
  for (int d = 0; d < dofs(); ++d) {
    const bool rotation = d % width_ >= (width_ == 6 ? 3 : 2);
    shift_[d] = light_[d] ? 1e-10 * (rotation ? inertia_scale : mass_scale) : 0.0;
  }
  for (int r = 0; r < rows(); ++r) {
    double s = 0;  // diagonal of J M^-1 J^T, with the diagonal of M
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e)
      for (int c = 0; c < width_; ++c) {
        const int d = entry_[e].body * width_ + c;
        const bool rotation = c >= (width_ == 6 ? 3 : 2);
        const double g = gradient_[static_cast<std::size_t>(e) * width_ + c];
        const double m =
            light_[d] ? (rotation ? inertia_scale : mass_scale)
                      : mass_[(static_cast<std::size_t>(entry_[e].body) * width_ + c) * width_ + c];
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
  for (const Link& link : mass_links_) ldl_.value(link.slot) = mass_[link.source];
  for (const Link& link : gradient_links_) ldl_.value(link.slot) = gradient_[link.source];
  // With refinement the shift may be large enough to tame redundant rows off the manifold, where
  // they contradict each other by the size of the violation; without, it must not be felt at all.
  const double relative = strong_ ? kStrongShift : kUnfeltShift;
  for (int r = 0; r < rows(); ++r)
    ldl_.value(diagonal_start_ + r) = active_[r] ? -relative * row_scale_[r] : -row_scale_[r];
  if (refine_)
    for (const Link& link : mass_links_) {
      const std::size_t block = static_cast<std::size_t>(width_) * width_;
      const std::size_t within = link.source % block, i = within / width_, j = within % width_;
      if (i == j) ldl_.value(link.slot) += shift_[link.source / block * width_ + i];
    }
  return ldl_.factorise();
}

void Kkt::residual(const double* rhs, const double* x, double* out) const {
  const int n = dofs();
  for (int b = 0; b < bodies_; ++b)
    for (int i = 0; i < width_; ++i) {
      double s = rhs[b * width_ + i];
      const double* row = &mass_[(static_cast<std::size_t>(b) * width_ + i) * width_];
      for (int j = 0; j < width_; ++j) s -= row[j] * x[b * width_ + j];
      out[b * width_ + i] = s;
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
      const double* g = &gradient_[static_cast<std::size_t>(e) * width_];
      const double* u = v + entry_[e].body * width_;
      for (int c = 0; c < width_; ++c) s += g[c] * u[c];
    }
    out[r] = s;
  }
}

void Kkt::add_transposed(const double* lambda, double factor, double* out) const {
  for (int r = 0; r < rows(); ++r) {
    const double f = factor * lambda[r];
    for (int e = row_start_[r]; e < row_start_[r + 1]; ++e) {
      const double* g = &gradient_[static_cast<std::size_t>(e) * width_];
      double* o = out + entry_[e].body * width_;
      for (int c = 0; c < width_; ++c) o[c] += f * g[c];
    }
  }
}

}  // namespace freeplay::dynamics
