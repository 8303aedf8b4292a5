// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/structure.hpp"
#include <freeplay/math.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// df/dy of a problem in its own structure, by columns. Columns that no rate has in common are found
// by one difference quotient together (Curtis, Powell & Reid 1974): as many evaluations as the
// densest neighbourhood has unknowns, however large the problem is.
namespace freeplay::integrate {

class SparseJacobian {
 public:
  explicit SparseJacobian(const Structure& structure);

  [[nodiscard]] int size() const { return static_cast<int>(start_.size()) - 1; }
  [[nodiscard]] const std::vector<int>& starts() const { return start_; }
  [[nodiscard]] const std::vector<int>& rows() const { return row_; }
  [[nodiscard]] const std::vector<double>& values() const { return value_; }
  /// Place of the diagonal of each column among the values.
  [[nodiscard]] const std::vector<int>& diagonal() const { return diagonal_; }
  /// Evaluations that it takes.
  [[nodiscard]] int colours() const { return static_cast<int>(members_.size()); }

  /// `evaluate(y, f)` at the instant at which f(y) = slope. Both have room for more than size().
  template <class Evaluate>
  [[nodiscard]] bool find(const VecX& y, const VecX& slope, VecX& moved, VecX& rate,
                          Evaluate&& evaluate) {
    for (const std::vector<int>& members : members_) {
      moved = y;
      for (const int j : members) moved[j] += difference(y[j]);
      if (!evaluate(moved, rate)) return false;
      for (const int j : members) {
        const double used = moved[j] - y[j];
        const auto column = static_cast<std::size_t>(j);
        for (auto p = static_cast<std::size_t>(start_[column]);
             p < static_cast<std::size_t>(start_[column + 1]); ++p)
          value_[p] = (rate[row_[p]] - slope[row_[p]]) / used;
      }
    }
    double sum = 0;
    for (const double x : value_) sum += x;
    return std::isfinite(sum);
  }

 private:
  /// Contacts are pressed in by micrometres, and stiffen with the root of that: a difference has to
  /// be small beside it, and large beside the round-off of places of order 1. chosen
  static constexpr double kDifference = 1e-10;
  static double difference(double y) { return kDifference * std::max(std::abs(y), 1.0); }

  std::vector<int> start_, row_, diagonal_;
  std::vector<double> value_;
  std::vector<std::vector<int>> members_;  // columns of each colour
};

}  // namespace freeplay::integrate
