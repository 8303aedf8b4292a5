// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace freeplay {

/// Which rates of change depend on which unknowns: all those of one group on each other, and those
/// of linked groups mutually. What is not said here does not depend.
struct Structure {
  std::vector<int> group;                  ///< of each unknown, 0 ..
  std::vector<std::pair<int, int>> links;  ///< of groups
  std::vector<bool> local;                 ///< unknowns whose rate depends on their own group alone
};

/// Things that turn out to belong together, numbered.
class Clusters {
 public:
  explicit Clusters(int count) : parent_(static_cast<std::size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  [[nodiscard]] std::size_t size() const { return parent_.size(); }
  [[nodiscard]] int find(int x) {
    while (parent_[static_cast<std::size_t>(x)] != x)
      x = parent_[static_cast<std::size_t>(x)] =
          parent_[static_cast<std::size_t>(parent_[static_cast<std::size_t>(x)])];
    return x;
  }
  void join(int a, int b) { parent_[static_cast<std::size_t>(find(a))] = find(b); }

 private:
  std::vector<int> parent_;
};

}  // namespace freeplay
