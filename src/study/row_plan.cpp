// SPDX-License-Identifier: Apache-2.0
#include "study/row_plan.hpp"

#include "study/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace freeplay::study {

double chebyshev_node(int k, int count) {
  return std::cos((2 * k + 1) * std::numbers::pi / (2 * count));
}

double count_rows(const Study& study) {
  const auto d = static_cast<double>(study.vary.size());
  const auto samples = static_cast<double>(study.samples);
  switch (study.kind) {
    case Kind::sweep:
    case Kind::periodic:
    case Kind::bifurcation: {
      double rows = samples;
      if (study.sampling == Sampling::grid) {
        rows = 1;
        for (const Variable& v : study.vary) rows *= static_cast<double>(v.values.size());
      } else if (study.sampling == Sampling::list) {
        rows = study.vary.empty() ? 0 : static_cast<double>(study.vary[0].values.size());
      }
      return study.both_ways ? 2 * rows : rows;
    }
    case Kind::monte_carlo:
      return samples;
    case Kind::sensitivity:
      return samples * (d + 2);
    case Kind::interval:
      return std::accumulate(study.vary.begin(), study.vary.end(), 1.0,
                             [&](double rows, const Variable&) { return rows * study.nodes; });
    case Kind::optimise:
    case Kind::fit:
    case Kind::wear:
      break;
  }
  return 0;  // as many as the search takes
}

RowPlan::RowPlan(const Study& study) : study_(study) {
  rows_ = static_cast<std::int64_t>(count_rows(study));
  branch_ = study.both_ways ? rows_ / 2 : rows_;
  jobs_ = study.continuation
              ? (study.both_ways ? 2 : 1) * std::min<std::int64_t>(study.chains, branch_)
              : rows_;
  if (study.correlation) correlation_factor_ = study.correlation->llt().matrixL();
}

std::pair<std::int64_t, std::int64_t> RowPlan::job(std::int64_t index) const {
  if (!study_.continuation) return {index, 1};
  const std::int64_t chains = study_.both_ways ? jobs_ / 2 : jobs_;
  const std::int64_t branch = index / chains, chain = index % chains;
  const std::int64_t first = chain * branch_ / chains, end = (chain + 1) * branch_ / chains;
  return {branch * branch_ + first, end - first};
}

std::int64_t RowPlan::rows_of(const Part& part) const {
  std::int64_t rows = 0;
  for (std::int64_t j = part.number - 1; j < jobs_; j += part.count) rows += job(j).second;
  return rows;
}

void RowPlan::unit_point(std::int64_t row, unsigned dimensions, double* out) const {
  const auto r = static_cast<std::uint64_t>(row);
  if (study_.sampling == Sampling::sobol) return sobol_point(study_.seed, r, dimensions, out);
  for (unsigned k = 0; k < dimensions; ++k) {
    if (study_.sampling == Sampling::latin_hypercube) {
      // Each of the equal layers of a variable is met once (McKay, Beckman & Conover 1979).
      const auto count = static_cast<std::uint64_t>(study_.samples);
      const auto layer = static_cast<double>(permuted(r, count, study_.seed, k));
      out[k] = (layer + uniform(study_.seed, Purpose::jitter, r, k)) / static_cast<double>(count);
    } else {
      out[k] = uniform(study_.seed, Purpose::sample, r, k);
    }
  }
}

double RowPlan::quantile(std::size_t variable, double u) const {
  return study_.vary[variable].distribution->quantile(u);
}

/// Gaussian copula: the given correlation is that of the normal scores.
void RowPlan::correlate(std::span<double> u) const {
  const auto n = static_cast<Eigen::Index>(u.size());
  VecX z(n);
  for (Eigen::Index i = 0; i < n; ++i) z[i] = normal_quantile(u[static_cast<std::size_t>(i)]);
  z = correlation_factor_ * z;
  for (Eigen::Index i = 0; i < n; ++i) {
    // Far out the share rounds to 0 or 1, which no quantile takes.
    u[static_cast<std::size_t>(i)] = std::clamp(normal_share(z[i]), 1e-300, 1 - 0x1p-53);
  }
}

void RowPlan::inputs(std::int64_t row, std::span<double> out) const {
  const std::size_t d = study_.vary.size();
  std::vector<double> u(2 * d);
  switch (study_.kind) {
    case Kind::sweep:
    case Kind::periodic:
    case Kind::bifurcation: {
      std::int64_t index = row % branch_;
      const bool down = study_.both_ways ? row >= branch_ : study_.backward;
      if (down) index = branch_ - 1 - index;
      if (study_.sampling == Sampling::grid) {
        for (std::size_t k = d; k-- > 0;) {  // the last variable changes fastest
          const auto count = static_cast<std::int64_t>(study_.vary[k].values.size());
          out[k] = study_.vary[k].values[static_cast<std::size_t>(index % count)];
          index /= count;
        }
        return;
      }
      if (study_.sampling == Sampling::list) {
        for (std::size_t k = 0; k < d; ++k)
          out[k] = study_.vary[k].values[static_cast<std::size_t>(index)];
        return;
      }
      unit_point(index, static_cast<unsigned>(d), u.data());
      for (std::size_t k = 0; k < d; ++k) out[k] = quantile(k, u[k]);
      return;
    }
    case Kind::monte_carlo:
      unit_point(row, static_cast<unsigned>(d), u.data());
      if (study_.correlation) correlate({u.data(), d});
      for (std::size_t k = 0; k < d; ++k) out[k] = quantile(k, u[k]);
      return;
    case Kind::sensitivity: {
      // Saltelli et al. 2010: points A and B, and A with one column of B each.
      const auto blocks = static_cast<std::int64_t>(d + 2);
      const std::int64_t block = row % blocks;
      unit_point(row / blocks, static_cast<unsigned>(2 * d), u.data());
      for (std::size_t k = 0; k < d; ++k) {
        const bool from_b = block == 1 || block == static_cast<std::int64_t>(k) + 2;
        out[k] = quantile(k, u[from_b ? d + k : k]);
      }
      return;
    }
    case Kind::interval: {
      std::int64_t index = row;
      for (std::size_t k = d; k-- > 0;) {
        const Variable& v = study_.vary[k];
        const double x = chebyshev_node(static_cast<int>(index % study_.nodes), study_.nodes);
        out[k] = 0.5 * (v.from + v.to) + 0.5 * (v.to - v.from) * x;
        index /= study_.nodes;
      }
      return;
    }
    case Kind::optimise:
    case Kind::fit:
    case Kind::wear:  // each of their rows follows from those before
      return;
  }
}

}  // namespace freeplay::study
