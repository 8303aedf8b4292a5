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
  /// `jumped`: its velocities did.
  void restart(const State& state, bool jumped);
  /// First event in (t0, t1], or null. `interpolate(t, y)` gives the dense output.
  const Found* first(double t0, double t1, const std::vector<double>& memory,
                     const std::function<void(double, VecX&)>& interpolate);

 private:
  template <class Values>
  double just_past_root(int k, double left, double right, const Values& values);

  dynamics::System& system_;
  std::vector<double> before_, now_, probe_, looks_;
  VecX y_;
  bool fresh_ = true, after_jump_ = false;
  Found found_;
};

}  // namespace freeplay::sim
