// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

// The size of an error vector: the root mean square of its components in tolerances. In a large
// mechanism that is taken group by group (what constraints hold together, core/structure.hpp), and
// the worst group counts: over all of them, an impact of two bodies among a thousand would be lost
// in the mean, and be followed thirty times less accurately than in a mechanism of three.
namespace freeplay::integrate {

class ErrorNorm {
 public:
  explicit ErrorNorm(const Problem& problem) {
    if (!is_sparse(problem)) return;
    group_ = problem.structure().group;
    const int groups = 1 + *std::max_element(group_.begin(), group_.end());
    count_.assign(static_cast<std::size_t>(groups), 0.0);
    for (const int g : group_) ++count_[static_cast<std::size_t>(g)];
    // Nothing depends on the integrals taken along: they stay one group.
    group_.resize(static_cast<std::size_t>(problem.size()), groups);
    count_.push_back(std::max(1.0, static_cast<double>(problem.quadratures())));
    sum_.assign(count_.size(), 0.0);
    other_ = sum_;
  }
  [[nodiscard]] bool grouped() const { return !group_.empty(); }

  /// Of components in tolerances, x[i] w[i].
  [[nodiscard]] double operator()(const VecX& x, const VecX& weight) {
    if (!grouped())
      return std::sqrt(x.cwiseProduct(weight).squaredNorm() / static_cast<double>(x.size()));
    take(x, weight, sum_);
    return worst([](double square, double) { return square; });
  }
  /// Sums of squares, group by group, of two vectors; then the worst of them by a formula of the
  /// two mean squares of a group, which gives the square of the norm.
  void take_first(const VecX& x, const VecX& weight) { take(x, weight, sum_); }
  void take_second(const VecX& x, const VecX& weight) { take(x, weight, other_); }
  template <class Formula>
  [[nodiscard]] double worst(Formula&& formula) const {
    double out = 0;
    for (std::size_t g = 0; g < count_.size(); ++g) {
      const double value = formula(sum_[g] / count_[g], other_[g] / count_[g]);
      if (std::isnan(value)) return value;
      out = std::max(out, value);
    }
    return std::sqrt(out);
  }

  // Component by component, for sums that are made along with other work.
  void clear() { std::fill(sum_.begin(), sum_.end(), 0.0); }
  void add(Eigen::Index component, double square) {
    sum_[static_cast<std::size_t>(group_[static_cast<std::size_t>(component)])] += square;
  }
  [[nodiscard]] double worst() const {
    return worst([](double square, double) { return square; });
  }

 private:
  void take(const VecX& x, const VecX& weight, std::vector<double>& sum) const {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t i = 0; i < group_.size(); ++i) {
      const double e = x[static_cast<Eigen::Index>(i)] * weight[static_cast<Eigen::Index>(i)];
      sum[static_cast<std::size_t>(group_[i])] += e * e;
    }
  }

  std::vector<int> group_;                   // of each component; empty: all are one
  std::vector<double> count_, sum_, other_;  // for each group
};

}  // namespace freeplay::integrate
