// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/fields.hpp"
#include "io/node.hpp"
#include <freeplay/load.hpp>

#include <span>

namespace freeplay::io {

/// Writes each `--set PATH=VALUE` into the tree as if the file had said so. A path leads through
/// keys that the file could have and names that it does have; any other is reported with the
/// nearest one. Names that a repeated table of the section may yet make are put off to `later`, if
/// that is given.
void apply_overrides(Node& root, const TableShape& shape, std::span<const Override> overrides,
                     Diagnostics& diagnostics, std::vector<Override>* later = nullptr);

}  // namespace freeplay::io
