// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/build.hpp"
#include "io/diagnostics.hpp"
#include "io/fields.hpp"
#include "io/model_tree.hpp"
#include <freeplay/model.hpp>

// [couplings.NAME] of the model file. Its reader is declared with the others (build.hpp).
namespace freeplay::io {

[[nodiscard]] TableShape coupling_table();
[[nodiscard]] Node write_coupling(Writing& writing, const Coupling& coupling);
/// Whether the laws of teeth fit, once everything is read.
void check_teeth(Build& build);

}  // namespace freeplay::io
