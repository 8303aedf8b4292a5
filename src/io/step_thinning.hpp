// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/observed.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Rows of accepted steps in little room. All of them wait here; when they no longer fit, only every
// second of the ordinary ones stays, then every fourth ... Steps at events stay, and so do those at
// which a series is larger or smaller than at any other step: who reads the largest force from the
// rows reads that of all steps. What stays depends on the steps alone, never on when the file was
// flushed, so that a run that was interrupted leaves the same file.
namespace freeplay::io {

class StepThinning {
 public:
  /// Numbers of a record by which rows are kept: at their largest, and at their least.
  struct Watched {
    std::size_t number = 0;  ///< place among the numbers of the record
    double sign = 1;         ///< -1: at the least
  };
  /// Where the record says which step it is, and which of those at events (0: none).
  struct Places {
    std::size_t index = 0, event = 0;  ///< bytes
  };

  StepThinning(std::size_t record_bytes, Places places, std::vector<Watched> watched,
               std::size_t most_rows);

  /// The next step. It is there until the following one shows that it need not be.
  void push(std::span<const std::byte> record);

  [[nodiscard]] std::span<const std::byte> records() const { return records_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] std::size_t most_rows() const { return most_; }
  /// Ordinary steps, and those at events, of which every n-th is there.
  [[nodiscard]] std::int64_t every() const { return every_; }
  [[nodiscard]] std::int64_t every_event() const { return every_event_; }

  /// As it was when a file was written.
  void restore(std::span<const std::byte> records, std::int64_t every, std::int64_t every_event);

 private:
  struct Row {
    std::int64_t index = 0, event = 0;
    int extremes = 0;  // of so many watched numbers this is the extreme
  };
  void add(std::span<const std::byte> record);
  [[nodiscard]] bool stays(const Row& row) const;
  void make_room();
  void drop();

  std::size_t record_bytes_;
  Places places_;
  std::vector<Watched> watched_;
  std::size_t most_;
  std::int64_t every_ = 1, every_event_ = 1;
  std::vector<Row> rows_;
  std::vector<std::byte> records_;
  std::vector<double> best_;      // by watched number
  std::vector<std::size_t> row_;  // where it was
};

/// Rows of the steps that are kept without being asked for: 512 kB of numbers, more where rows are
/// so wide that too few would be left.
[[nodiscard]] std::size_t most_step_rows(int numbers);

/// Loads first, then everything, as far as a quarter of the rows goes.
[[nodiscard]] std::vector<StepThinning::Watched> watched_numbers(std::span<const Channel> channels,
                                                                 std::size_t most_rows);

}  // namespace freeplay::io
