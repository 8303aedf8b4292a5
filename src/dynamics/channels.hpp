// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system.hpp"

#include <memory>
#include <span>

namespace freeplay::joints {
class Cushion;
}

// The one list of what is recorded: name, unit, frame and place of every number of a row, and the
// code that fills it, side by side so that they cannot drift apart.
namespace freeplay::dynamics {

class Channels {
 public:
  explicit Channels(const System& system);
  [[nodiscard]] const std::vector<Channel>& list() const { return list_; }
  [[nodiscard]] int width() const { return width_; }
  void fill(const Snapshot& snapshot, std::span<double> row) const;

 private:
  const Model& model_;
  std::size_t body_count_;
  std::shared_ptr<const Layout> layout_;
  std::vector<Channel> list_;
  /// Films by joint, of which the pressure is recorded; null elsewhere.
  std::vector<std::shared_ptr<const joints::Cushion>> films_;
  int width_ = 0;
};

}  // namespace freeplay::dynamics
