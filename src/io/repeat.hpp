// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/fields.hpp"
#include "io/parameters.hpp"

// Repetition in the model file: a table with `repeat = 14` stands for NAME_1 ... NAME_14, in which
// the index i has the values 1 to 14. Expressions use it as a number; in names, "bar_{i+1}" is the
// neighbour.
namespace freeplay::io {

/// The key `repeat` of a named table.
[[nodiscard]] Key repeat_key();

/// Puts the copies in the place of every repeated table of the sections of `shape`, and fills the
/// braces of all names there. Mistakes are reported.
void unfold_repeats(Node& root, const TableShape& shape, Parameters& parameters,
                    Diagnostics& diagnostics);

}  // namespace freeplay::io
