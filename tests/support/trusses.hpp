// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

// The trusses of mechanisms/large with any number of scissor units, play in every pin: large
// mechanisms for tests and benchmarks.
namespace freeplay::testing {

/// A row of units that stands out from a wall: 2n bars, 3n - 2 pins with play, driven at its root.
[[nodiscard]] Model scissor_mast(int units);
/// A closed ring of units that spins freely: 2n bars, 3n pins with play.
[[nodiscard]] Model ring_truss(int units);

}  // namespace freeplay::testing
