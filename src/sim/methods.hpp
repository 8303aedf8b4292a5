// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/integrator.hpp"
#include "sim/trajectory.hpp"

#include <cstdint>
#include <memory>

namespace freeplay::sim {

/// How the integrator of a model is set up.
[[nodiscard]] integrate::Settings settings_of(const dynamics::System& system,
                                              std::int64_t reject_every);

/// The integrator that the model asks for; throws a ModelError where it does not fit the model.
/// `state` is that of the run, and outlives it.
[[nodiscard]] std::unique_ptr<integrate::Integrator> make_method(
    dynamics::System& system, const State& state, Trajectory& trajectory,
    const integrate::Settings& settings);

}  // namespace freeplay::sim
