// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system.hpp"

#include <functional>
#include <optional>

// Events located on the dense output of a step (design 5): the first instant at which any of the
// system's event functions changes sign, and all those that change within round-off of it.
namespace freeplay::sim {

struct Crossing {
  int which = 0;
  bool upward = false;
};
struct Found {
  double time = 0;  ///< just past the root: the function already has its new sign
  std::vector<Crossing> crossings;
};

class Locator {
 public:
  explicit Locator(dynamics::System& system);
  /// Forgets the signs of the last step; the state after an event is where the next one begins.
  void restart(const State& state);
  /// First event in (t0, t1], or null. `end` is the state at t1; `interpolate(t, y)` gives the
  /// dense output, and is only asked where an event is possible.
  const Found* first(double t0, double t1, const std::vector<double>& memory, const VecX& end,
                     const std::function<void(double, VecX&)>& interpolate);

 private:
  [[nodiscard]] bool clear(double h) const;

  dynamics::System& system_;
  std::vector<double> before_, now_, rate_before_, rate_now_, end_;
  bool rates_known_ = false;
  VecX y_;
  bool fresh_ = true;
  Found found_;
};

}  // namespace freeplay::sim
