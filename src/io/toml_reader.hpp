// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/node.hpp"

#include <optional>
#include <string_view>

// TOML text to a Node tree. The only place that knows toml++.
namespace freeplay::io {

/// Parses a whole file. A syntax error is reported with line and column; the result is then Broken.
[[nodiscard]] Node parse_toml(std::string_view text, int file, Diagnostics& diagnostics);

/// A single TOML value, as on the right of `key = `; nothing if it is none.
[[nodiscard]] std::optional<Node> parse_toml_value(std::string_view text, int file);

}  // namespace freeplay::io
