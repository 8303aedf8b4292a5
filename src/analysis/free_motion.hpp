// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/linearised.hpp"

#include <string>
#include <vector>

// What a mechanism can do without anything resisting it, in words.
namespace freeplay::analysis {

/// "slider moves along (1, 0), crank turns about z": the bodies that a displacement (or velocity)
/// moves most, in global axes.
[[nodiscard]] std::string describe_motion(const dynamics::Cartesian& system, const State& state,
                                          const VecX& displacement);

/// Allowed displacements, one a column, that neither weight nor spring, contact or oil resists or
/// drives: null vectors of the stiffness. Measured by the mass: a frequency below `slowest` (rad/s)
/// is none.
[[nodiscard]] MatX free_motions(const Linearised& about, const MatX& allowed, double slowest);

/// Where a pose at rest gives way first: the smallest eigenvalue of the symmetric stiffness per
/// mass, 1/s^2, and the displacement of it. Empty displacement: nothing is free to move.
struct Weakest {
  double stiffness = 0;
  VecX displacement;
};
[[nodiscard]] Weakest weakest_motion(const Linearised& about, const MatX& allowed);

}  // namespace freeplay::analysis
