// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/fields.hpp"
#include "io/model_tree.hpp"
#include <freeplay/model.hpp>

// [signals.NAME] and [controllers.NAME] of the model file.
namespace freeplay::io {

[[nodiscard]] TableShape signal_table();
[[nodiscard]] TableShape controller_table();

[[nodiscard]] Node write_signal(Writing& writing, const ControlSignal& signal);
[[nodiscard]] Node write_controller(const Controller& controller);

/// What only the whole model tells: circles, names that nobody has, inputs that a law cannot take.
void check_control(const Model& model, const Node& root, Diagnostics& diagnostics);

}  // namespace freeplay::io
