// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/layout.hpp>
#include <freeplay/math.hpp>

#include <memory>
#include <vector>

namespace freeplay {

/// Everything needed to go on from an instant: saved, compared and rolled back as one value.
/// What has memory (unwrapped angles, approach speeds, contact modes) is here, never in a law.
struct State {
  double time = 0;             ///< s
  VecX y;                      ///< positions, velocities, internal states of forces, work integrals
  std::vector<double> memory;  ///< what changes only between steps or at events
  std::shared_ptr<const Layout> layout;  ///< what all these numbers are
  /// What the integrator and the search for events know of the steps before: with it a run goes on
  /// to the last bit as if it had never stopped, without it they begin afresh.
  std::vector<double> stepping;
};

/// Throws std::invalid_argument, which says what differs, unless the state is of this layout.
void expect_layout(const State& state, const Layout& layout);

}  // namespace freeplay
