// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/state.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

// States with their step memory, spread over a run: from each of them it goes on to the last bit as
// it did, so that whatever is not stored of it can be had again. When they take too much room,
// every second one goes.
namespace freeplay::io {

/// Time, y, memory and step memory of a state, one behind the other.
[[nodiscard]] std::vector<double> flat(const State& state);
/// The way back; false when there are too few numbers.
[[nodiscard]] bool unflatten(const std::vector<double>& numbers, const Layout& layout, State& out);

class Anchors {
 public:
  /// Is the state after so many steps one to be kept?
  [[nodiscard]] bool wants(std::int64_t step) const {
    return step % every_ == 0 && (steps_.empty() || step > steps_.back());
  }
  void add(std::int64_t step, const State& state);

  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }
  [[nodiscard]] std::int64_t every() const { return every_; }
  /// One behind the other, and where each ends.
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::vector<std::int64_t> ends() const;
  void restore(const std::vector<std::int64_t>& steps, const std::vector<std::int64_t>& ends,
               const std::vector<double>& numbers, std::int64_t every);

 private:
  // chosen: 16 steps are integrated in a millisecond
  std::int64_t every_ = 16;
  std::size_t size_ = 0;
  std::vector<std::int64_t> steps_;
  std::vector<std::vector<double>> states_;
};

}  // namespace freeplay::io
