// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cpu_time.hpp"
#include "integrate/lane_driver.hpp"

namespace freeplay::sim {

/// Of this run: its thread has no other, or shares its time among several that it steps in lanes.
inline double cpu_seconds() {
  integrate::LaneDriver* const lanes = integrate::LaneDriver::here();
  return lanes ? lanes->cpu_seconds() : thread_seconds();
}

}  // namespace freeplay::sim
