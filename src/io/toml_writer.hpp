// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/node.hpp"

#include <string>

namespace freeplay::io {

/// A tree as TOML text that parses back to exactly the same values: numbers in their shortest exact
/// form, [section.NAME] headings for tables of tables, everything below inline.
[[nodiscard]] std::string write_toml(const Node& root);

/// A single value, as on the right of `key = `.
[[nodiscard]] std::string write_value(const Node& node);

}  // namespace freeplay::io
