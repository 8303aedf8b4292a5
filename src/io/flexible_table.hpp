// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/build.hpp"
#include "io/model_tree.hpp"

// The table [bodies.NAME.flexible]: a body that is a straight uniform beam.
namespace freeplay::io {

[[nodiscard]] Key flexible_key();
/// Reads the table if there is one; mass, inertia, centre and pose follow from it unless the body
/// gives them. Mistakes are reported.
void read_flexible(Build& build, const Entry& entry, const std::string& path, Body& out);
[[nodiscard]] Node write_flexible(Writing& writing, const Body& body);

}  // namespace freeplay::io
