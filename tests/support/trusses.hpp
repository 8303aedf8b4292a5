// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <string>

// Deployable trusses of any number of scissor units, with play in every pin: large mechanisms for
// tests and benchmarks. As text, since `bench/growth --print` also makes the shipped files of them.
namespace freeplay::testing {

/// A row of units that stands out from a wall: 2n bars, 3n - 2 pins with play, driven at its root.
[[nodiscard]] std::string scissor_mast_text(int units);
/// A closed ring of units that spins freely: 2n bars, 3n pins with play.
[[nodiscard]] std::string ring_truss_text(int units);

[[nodiscard]] Model scissor_mast(int units);
[[nodiscard]] Model ring_truss(int units);

}  // namespace freeplay::testing
