// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"

#include <string_view>
#include <vector>

namespace freeplay::io {

/// Numbers of a text file in columns, separated by commas, semicolons or blanks.
/// Lines beginning with '#' are comments, and a first line of words is a heading.
/// Mistakes are reported with their line;
/// the result is then empty.
[[nodiscard]] std::vector<std::vector<double>> read_columns(std::string_view text,
                                                            std::size_t columns, int file,
                                                            Diagnostics& diagnostics);

}  // namespace freeplay::io
