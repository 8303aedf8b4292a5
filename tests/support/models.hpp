// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

// Mechanisms built in code, shared by tests and benchmarks.
namespace freeplay::testing {

/// N-four-bar of the IFToMM benchmarks (verification/cases A2): N windows of uniform rods of 1 m
/// and 1 kg, planar, B0 starting at 1 m/s to the right.
Model n_four_bar(int windows);

/// A chain of n uniform rods (1 m, 1 kg) hanging from the ground by spherical joints, in space.
Model spherical_chain(int links);

/// The same chain with play in every ball, each pressed against its socket at the start.
Model clearance_chain(int links);

/// One body on a joint of the given type to the ground, in general position, with springs, a torque
/// and a force: something of everything, for derivative checks.
Model one_of_each(JointType type);

}  // namespace freeplay::testing
