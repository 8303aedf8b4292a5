// SPDX-License-Identifier: Apache-2.0
#include "io/anchors.hpp"

#include <algorithm>

namespace freeplay::io {
namespace {

// chosen: 64 kB, or a few where states are large
constexpr std::size_t kMostNumbers = 1U << 13U, kLeastAnchors = 8;

}  // namespace

std::vector<double> flat(const State& state) {
  std::vector<double> out{state.time};
  out.insert(out.end(), state.y.data(), state.y.data() + state.y.size());
  out.insert(out.end(), state.memory.begin(), state.memory.end());
  out.insert(out.end(), state.stepping.begin(), state.stepping.end());
  return out;
}

bool unflatten(const std::vector<double>& numbers, const Layout& layout, State& out) {
  const auto y = static_cast<std::size_t>(layout.y_size()),
             memory = static_cast<std::size_t>(layout.memory_size());
  if (numbers.size() < 1 + y + memory) return false;
  out.time = numbers[0];
  out.y = Eigen::Map<const VecX>(numbers.data() + 1, static_cast<Eigen::Index>(y));
  const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(1 + y),
             middle = begin + static_cast<std::ptrdiff_t>(memory);
  out.memory.assign(begin, middle);
  out.stepping.assign(middle, numbers.end());
  return true;
}

void Anchors::add(std::int64_t step, const State& state) {
  steps_.push_back(step);
  states_.push_back(flat(state));
  size_ += states_.back().size();
  while (size_ > kMostNumbers && steps_.size() > kLeastAnchors) {
    every_ *= 2;
    std::size_t kept = 0;
    size_ = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i] % every_ != 0) continue;
      steps_[kept] = steps_[i];
      if (kept != i) states_[kept] = std::move(states_[i]);
      size_ += states_[kept++].size();
    }
    steps_.resize(kept);
    states_.resize(kept);
  }
}

std::vector<double> Anchors::numbers() const {
  std::vector<double> out;
  out.reserve(size_);
  for (const auto& state : states_) out.insert(out.end(), state.begin(), state.end());
  return out;
}

std::vector<std::int64_t> Anchors::ends() const {
  std::vector<std::int64_t> out;
  std::int64_t end = 0;
  for (const auto& state : states_) out.push_back(end += static_cast<std::int64_t>(state.size()));
  return out;
}

void Anchors::restore(const std::vector<std::int64_t>& steps, const std::vector<std::int64_t>& ends,
                      const std::vector<double>& numbers, std::int64_t every) {
  *this = {};
  every_ = every;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < steps.size() && i < ends.size(); ++i) {
    if (ends[i] < begin || ends[i] > static_cast<std::int64_t>(numbers.size())) return;
    steps_.push_back(steps[i]);
    states_.emplace_back(numbers.begin() + begin, numbers.begin() + ends[i]);
    size_ += states_.back().size();
    begin = ends[i];
  }
}

}  // namespace freeplay::io
