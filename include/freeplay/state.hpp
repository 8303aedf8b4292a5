// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <vector>

namespace freeplay {

/// Everything needed to go on from an instant: saved, compared and rolled back as one value.
/// What has memory (unwrapped angles, approach speeds, contact modes) is here, never in a law.
struct State {
  double time = 0;             ///< s
  VecX y;                      ///< positions, velocities, internal states of forces, work integrals
  std::vector<double> memory;  ///< what changes only between steps or at events
};

}  // namespace freeplay
