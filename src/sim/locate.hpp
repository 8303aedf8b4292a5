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
  /// `precise`: false takes the end of the step for the instant of everything in it.
  Locator(dynamics::System& system, bool precise);
  /// Forgets the signs of the last step; the state after an event is where the next one begins.
  /// `jumped`: its velocities did.
  void restart(const State& state, bool jumped);
  /// After the crossings found were carried out on `state`: the others that lie between the located
  /// instant and this state, which projection may have moved by round-off. Two parts of one joint
  /// that touch together would otherwise lose the second touch.
  const std::vector<Crossing>& slipped_past(const State& state);
  /// The function that falls to zero soonest as things go at t, for a step that ends there; -1:
  /// none does.
  struct Soonest {
    int which = -1;
    double time = 0;  ///< s
  };
  [[nodiscard]] Soonest soonest(double t) const;
  /// First event in (t0, t1], or null. `end` is the state at t1; `interpolate(t, y)` gives the
  /// dense output, and is only asked where an event is possible. `landed`: the function on whose
  /// zero the step was made to end, falling all the way; -1: none.
  const Found* first(double t0, double t1, const std::vector<double>& memory, const VecX& end,
                     int landed, const std::function<void(double, VecX&)>& interpolate);

 private:
  [[nodiscard]] bool clear(double h, int landed) const;
  [[nodiscard]] double forecast(std::size_t k, double t, double h) const;
  template <class Values>
  double leave_root(double t0, double h, const Values& values);
  template <class Values>
  double just_past_root(int k, double left, double right, const Values& values);

  dynamics::System& system_;
  std::vector<double> before_, now_, probe_, rate_before_, rate_now_, end_, looks_;
  std::vector<double> forecast_, earlier_;  // of zeros, after the last step and the one before; s
  bool rates_known_ = false;
  VecX y_;
  bool precise_ = true, fresh_ = true, after_jump_ = false;
  Found found_;
  std::vector<Crossing> slipped_, just_crossed_;
};

}  // namespace freeplay::sim
