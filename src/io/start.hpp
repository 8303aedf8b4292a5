// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/assembly.hpp>

namespace freeplay::io {

/// The assembled start of a model that is about to be run. Throws AssemblyError; ModelError where
/// the analysis that the model asks for cannot begin there.
[[nodiscard]] Assembly assemble_start(const Model& model);

}  // namespace freeplay::io
