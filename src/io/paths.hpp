// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/fields.hpp"
#include "io/node.hpp"

#include <string>
#include <string_view>
#include <vector>

// Paths of --set, for the completion of a shell.
namespace freeplay::io {

/// What `begun` can go on with: keys that a table may have, names and entries that the file does
/// have. Paths that lead on end in a dot, values in an equals sign.
[[nodiscard]] std::vector<std::string> paths_from(const Node& root, const TableShape& shape,
                                                  std::string_view begun);

}  // namespace freeplay::io
