// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/observed.hpp>

#include <cstddef>
#include <span>
#include <vector>

// A run has up to millions of rows, a screen two thousand columns. Two selections are made, so that
// a page stays small and yet hides nothing:
//
// - frames: rows at which everything is kept, evenly spread in time, plus every event and the peak
//   of every contact. The cursor of the report stands on frames only; its numbers are stored ones.
// - peaks: for one series, the smallest and largest value of each short interval wherever the
//   frames alone would miss it.
namespace freeplay::report {

/// The rows of a result in the order of time: accepted steps and the uniform grid together. Steps
/// crowd where something happens; the grid fills long smooth steps.
class Timeline {
 public:
  /// Both lists increase. A grid point that coincides with a step is left out.
  Timeline(std::span<const double> steps, std::span<const double> grid);

  [[nodiscard]] const std::vector<double>& time() const { return time_; }
  [[nodiscard]] std::size_t size() const { return time_.size(); }
  [[nodiscard]] bool is_grid(std::size_t row) const { return source_[row] >= steps_; }

  /// One component of a series on the timeline, from its values at the steps and on the grid.
  [[nodiscard]] std::vector<double> merge(std::span<const double> at_steps,
                                          std::span<const double> on_grid, int width,
                                          int component) const;
  /// The row nearest to a time.
  [[nodiscard]] std::size_t nearest(double time) const;

 private:
  std::vector<double> time_;
  std::vector<std::size_t> source_;  // below steps_: a step; from there on: a grid point
  std::size_t steps_ = 0;
};

/// Rows to keep whole, increasing: all when there are at most `limit`, else one in each of
/// `limit` / 2 intervals (a grid point if there is one: its time is a round number) and the rows
/// `wanted`, of which at most limit / 2 are taken, evenly.
[[nodiscard]] std::vector<std::size_t> choose_frames(const Timeline& timeline,
                                                     std::vector<std::size_t> wanted,
                                                     std::size_t limit);

/// Rows of one series that the frames miss: in each of `intervals` pieces of time, the lowest and
/// the highest value where they leave the band of the neighbouring frames by more than `visible`
/// times the range of the series.
[[nodiscard]] std::vector<std::size_t> missed_peaks(const Timeline& timeline,
                                                    std::span<const double> values,
                                                    std::span<const std::size_t> frames,
                                                    std::size_t intervals, double visible = 0.002);

}  // namespace freeplay::report
