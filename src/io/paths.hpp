// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/fields.hpp"
#include "io/node.hpp"

#include <string>
#include <string_view>
#include <vector>

// Paths of --set: what they can go on with, for the completion of a shell, and where they lead.
namespace freeplay::io {

/// What `begun` can go on with: keys that a table may have, names and entries that the file does
/// have. Paths that lead on end in a dot, values in an equals sign.
[[nodiscard]] std::vector<std::string> paths_from(const Node& root, const TableShape& shape,
                                                  std::string_view begun);

/// Unit of the number at a path, "" where there is none or it depends on more than the path.
[[nodiscard]] std::string unit_at(const Node& root, const TableShape& shape, std::string_view path);

}  // namespace freeplay::io
