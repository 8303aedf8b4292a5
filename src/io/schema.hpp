// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/fields.hpp"

#include <string>

// What can be derived from the field tables besides a parser.
namespace freeplay::io {

/// JSON Schema (draft 2020-12) of a file that the table describes. It knows keys, types, bounds and
/// which keys go together; units and references between names it cannot know.
[[nodiscard]] std::string json_schema(const TableShape& shape);

/// The reference page: a Markdown table of keys for each table of the file but those of the laws.
[[nodiscard]] std::string markdown_reference(const TableShape& shape);

}  // namespace freeplay::io
