// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/integrator.hpp"
#include "sim/trajectory.hpp"

#include <memory>

// Non-smooth time stepping as the run loop sees it: a trajectory that goes on in steps over
// whatever happens, and the integrator that says how long these are (theory/time_stepping (N.10)).
namespace freeplay::sim {

/// Throws a ModelError where the formulation of the system has no such steps.
[[nodiscard]] std::unique_ptr<Trajectory> make_stepped_trajectory(dynamics::System& system,
                                                                  State& state);
/// Steps along such a trajectory.
[[nodiscard]] std::unique_ptr<integrate::Integrator> make_moreau(
    const Model& model, Trajectory& trajectory, const integrate::Settings& settings);

}  // namespace freeplay::sim
