// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>
#include <freeplay/state.hpp>

// A State is laid out as the system of its model's formulation wants it. Assembly, equilibrium and
// modes work in Cartesian coordinates whatever that is; these are the doors between them.
namespace freeplay::dynamics {

/// The formulation a model is run in: its own choice, or the faster one that fits.
[[nodiscard]] Formulation formulation_of(const Model& model);

/// A state that already is in the wanted layout is handed through.
[[nodiscard]] State from_cartesian(const Model& model, State state);
[[nodiscard]] State to_cartesian(const Model& model, State state);

}  // namespace freeplay::dynamics
