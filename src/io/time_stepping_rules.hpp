// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/node.hpp"
#include <freeplay/model.hpp>

namespace freeplay::io {

/// What non-smooth time stepping (integrator = "moreau") cannot step over is refused, with its
/// place in the file.
void check_time_stepping(const Model& model, const Node& root, Diagnostics& diagnostics);

}  // namespace freeplay::io
