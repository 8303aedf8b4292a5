// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/build.hpp"

// Bodies given by the points they join: `link = ["A", "B"]` is a uniform rod from A to B,
// `link = ["A", "B", "C"]` a uniform plate with these corners. Centre of mass, orientation and
// inertia follow.
namespace freeplay::io {

/// The keys `link`, `section` and `density` of a body.
[[nodiscard]] std::vector<Key> link_keys();

/// Reads a body with a `link`: pose, mass and inertia, unless the table says them itself. Mistakes
/// are reported.
void read_link(Build& build, const Entry& entry, const std::string& path, Body& out);

}  // namespace freeplay::io
