// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/study_file.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

// Which values each row of a study has. A row is computed from its number alone, so nothing is
// stored however many there are.
namespace freeplay::study {

/// One of `count` parts of a study that are computed apart, number 1 ... count. Jobs are dealt out
/// in turn, since rows that cost much are often neighbours.
struct Part {
  std::int64_t number = 1, count = 1;
  [[nodiscard]] std::string text() const {
    return std::to_string(number) + "/" + std::to_string(count);
  }
};

/// Rows of a study, of which there may be more than any number of bytes counts; 0 for searches.
[[nodiscard]] double count_rows(const Study& study);

class RowPlan {
 public:
  explicit RowPlan(const Study& study);

  /// 0 for searches, whose rows follow from the results of those before.
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// One number per variable: SI, or the number of a word.
  void inputs(std::int64_t row, std::span<double> out) const;

  /// Rows that must follow each other, [first, first + count): single ones, or chains of a
  /// continued study.
  [[nodiscard]] std::int64_t jobs() const { return jobs_; }
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> job(std::int64_t index) const;

  /// Rows of a part.
  [[nodiscard]] std::int64_t rows_of(const Part& part) const;
  /// Calls `action(row)` for each of them.
  template <class Action>
  void for_each_row(const Part& part, const Action& action) const {
    for (std::int64_t j = part.number - 1; j < jobs_; j += part.count) {
      const auto [first, count] = job(j);
      for (std::int64_t row = first; row < first + count; ++row) action(row);
    }
  }

  /// The point of the unit cube that sample `row` comes from.
  void unit_point(std::int64_t row, unsigned dimensions, double* out) const;

 private:
  [[nodiscard]] double quantile(std::size_t variable, double u) const;
  void correlate(std::span<double> u) const;

  const Study& study_;
  std::int64_t rows_ = 0, jobs_ = 0, branch_ = 0;
  MatX correlation_factor_;
};

/// Chebyshev node k = 0 ... count-1 on [-1, 1]: cos((2k + 1) pi / (2 count)).
[[nodiscard]] double chebyshev_node(int k, int count);

}  // namespace freeplay::study
