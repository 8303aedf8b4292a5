// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/traced.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// Functions that branch on traced numbers. A tape has no branches: the function is run once for
// every way through it, all of them are carried out, and what it gives is chosen by the comparisons
// it met. So one text serves plain numbers and tapes, and both give the same bits.
namespace freeplay::tape {

class Branches {
 public:
  /// What `function`, which returns an array of traced numbers, gives whichever way it goes.
  /// Nothing where it does what cannot be recorded, or has too many ways.
  template <class Function>
  static auto record(Function&& function) -> std::optional<decltype(function())> {
    Branches all;
    auto out = all.explore(function, {});
    if (all.broke_) return {};
    return out;
  }

 private:
  friend class Traced;
  struct Turn {
    int comparison;  // step of the tape
    bool holds;
  };
  // chosen: the laws have up to eight ways
  static constexpr int kMostWays = 32;

  Branches();
  ~Branches();
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;

  /// The function runs along `way`, and where that ends as if every comparison held.
  void begin(std::span<const Turn> way);
  /// The answer to a comparison.
  bool take(int comparison);
  static Traced select(int comparison, const Traced& a, const Traced& b);

  template <class Function>
  auto explore(Function& function, std::vector<Turn> given) -> decltype(function()) {
    begin(given);
    auto out = function();
    std::vector<Turn> way(way_.begin(), way_.begin() + static_cast<std::ptrdiff_t>(met_));
    while (way.size() > given.size() && !broke_) {
      const int comparison = way.back().comparison;
      way.back().holds = false;
      const auto other = explore(function, way);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = select(comparison, out[k], other[k]);
      way.pop_back();
    }
    return out;
  }

  std::vector<Turn> way_;
  std::size_t met_ = 0;  // turns of it that the function has come to
  int ways_ = 0;
  bool broke_ = false;
};

}  // namespace freeplay::tape
