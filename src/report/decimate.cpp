// SPDX-License-Identifier: Apache-2.0
#include "report/decimate.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::report {

Timeline::Timeline(std::span<const double> steps, std::span<const double> grid)
    : steps_(steps.size()) {
  time_.reserve(steps.size() + grid.size());
  source_.reserve(steps.size() + grid.size());
  std::size_t s = 0, g = 0;
  while (s < steps.size() || g < grid.size()) {
    // The grid is k times its step, a step may be the sum of many: equal up to rounding is equal.
    const bool both = s < steps.size() && g < grid.size() &&
                      std::abs(steps[s] - grid[g]) <= 4e-16 * std::abs(steps[s]);
    if (g == grid.size() || (s < steps.size() && (both || steps[s] < grid[g]))) {
      time_.push_back(steps[s]);
      source_.push_back(s++);
      if (both) ++g;
    } else {
      time_.push_back(grid[g]);
      source_.push_back(steps_ + g++);
    }
  }
}

std::vector<double> Timeline::merge(std::span<const double> at_steps,
                                    std::span<const double> on_grid, int width,
                                    int component) const {
  const auto w = static_cast<std::size_t>(width), c = static_cast<std::size_t>(component);
  std::vector<double> out(time_.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] =
        source_[i] < steps_ ? at_steps[source_[i] * w + c] : on_grid[(source_[i] - steps_) * w + c];
  return out;
}

std::size_t Timeline::nearest(double time) const {
  const auto after = std::lower_bound(time_.begin(), time_.end(), time);
  if (after == time_.begin()) return 0;
  const auto row = static_cast<std::size_t>(after - time_.begin());
  if (after == time_.end()) return row - 1;
  return *after - time < time - time_[row - 1] ? row : row - 1;
}

namespace {

// The rows of interval k of n equal pieces of the whole time: [begin, end).
class Intervals {
 public:
  Intervals(const std::vector<double>& time, std::size_t count) : time_(time), count_(count) {}
  [[nodiscard]] std::size_t begin(std::size_t k) const {
    if (k == 0) return 0;
    if (k >= count_) return time_.size();
    // Halves first: the span of two huge times of opposite sign may not be representable.
    const double f = static_cast<double>(k) / static_cast<double>(count_);
    const double edge = time_.front() * (1 - f) + time_.back() * f;
    return static_cast<std::size_t>(std::lower_bound(time_.begin(), time_.end(), edge) -
                                    time_.begin());
  }

 private:
  const std::vector<double>& time_;
  std::size_t count_;
};

}  // namespace

std::vector<std::size_t> choose_frames(const Timeline& timeline, std::vector<std::size_t> wanted,
                                       std::size_t limit) {
  std::vector<std::size_t> rows;
  const auto n = timeline.size();
  if (n <= limit) {
    rows.resize(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = i;
    return rows;
  }
  const std::size_t even = std::max<std::size_t>(limit / 2, 1);
  const Intervals intervals(timeline.time(), even);
  for (std::size_t k = 0, begin = 0; k < even; ++k) {
    const auto end = intervals.begin(k + 1);
    if (begin == end) continue;
    auto chosen = begin;
    for (auto i = begin; i < end; ++i)
      if (timeline.is_grid(i)) {
        chosen = i;
        break;
      }
    rows.push_back(chosen);
    begin = end;
  }
  rows.push_back(0);
  rows.push_back(n - 1);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const std::size_t room = std::max<std::size_t>(limit / 2, 1);
  const std::size_t stride = (wanted.size() + room - 1) / room;
  for (std::size_t i = 0; i < wanted.size(); i += std::max<std::size_t>(stride, 1))
    rows.push_back(wanted[i]);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::vector<std::size_t> missed_peaks(const Timeline& timeline, std::span<const double> values,
                                      std::span<const std::size_t> frames, std::size_t intervals,
                                      double visible) {
  std::vector<std::size_t> out;
  if (frames.size() >= values.size() || values.empty()) return out;
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const double margin = visible * (*highest / 2 - *lowest / 2) * 2;
  if (!(margin > 0)) return out;

  const Intervals pieces(timeline.time(), intervals);
  std::size_t next_frame = 0;  // first frame not before the interval
  for (std::size_t k = 0, begin = 0; k < intervals; ++k) {
    const auto end = pieces.begin(k + 1);
    if (begin == end) continue;
    auto low = begin, high = begin;
    for (auto i = begin; i < end; ++i) {
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
    }
    // What the frames show here: those inside, and the ends of the line that enters and leaves.
    while (next_frame < frames.size() && frames[next_frame] < begin) ++next_frame;
    double shown_low = values[frames[next_frame == 0 ? 0 : next_frame - 1]], shown_high = shown_low;
    for (auto f = next_frame; f < frames.size(); ++f) {
      shown_low = std::min(shown_low, values[frames[f]]);
      shown_high = std::max(shown_high, values[frames[f]]);
      if (frames[f] >= end) break;
    }
    const bool low_missed = values[low] < shown_low - margin;
    const bool high_missed = values[high] > shown_high + margin;
    // Beside a kept peak its feet are kept too, or the peak would be drawn as wide as a frame.
    const auto keep = [&](std::size_t row) {
      for (auto i = row > 0 ? row - 1 : row; i <= std::min(row + 1, values.size() - 1); ++i)
        out.push_back(i);
    };
    if (low_missed) keep(low);
    if (high_missed) keep(high);
    if (low_missed || high_missed) {
      out.push_back(begin);
      out.push_back(end - 1);
    }
    begin = end;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  // Frames are stored already.
  std::vector<std::size_t> missed;
  std::set_difference(out.begin(), out.end(), frames.begin(), frames.end(),
                      std::back_inserter(missed));
  return missed;
}

}  // namespace freeplay::report
