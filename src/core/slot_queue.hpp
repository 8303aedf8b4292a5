// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace freeplay {

/// First in, first out, for values that own memory (names of joints). Slots are used again with
/// what they own, so that a queue which has found its size allocates nothing.
template <class T>
class SlotQueue {
 public:
  /// A slot at the end, to be filled in every member: it still holds what it was used for before.
  /// Good until the next call.
  T& push() {
    if (last_ == slots_.size()) slots_.emplace_back();
    return slots_[last_++];
  }
  /// The first one, exchanged for what `out` held. False: there is none.
  bool take(T& out) {
    if (first_ == last_) return false;
    std::swap(out, slots_[first_++]);
    if (first_ == last_) first_ = last_ = 0;
    return true;
  }

 private:
  std::vector<T> slots_;
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace freeplay
