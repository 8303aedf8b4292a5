// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/build.hpp"
#include "io/check.hpp"

// Bodies given by what they are made of: `shape = { box = [...], density = ... }`, or a list of
// such. Places and directions are global, in the pose as written; centre of mass, mass and inertia
// follow.
namespace freeplay::io {

/// The key `shape` of a body.
[[nodiscard]] Key shape_key();

/// Puts into every shape with a `file` what the surface in that file encloses. Mistakes are
/// reported.
void read_mesh_files(Node& root, const CheckInput& input);

/// Reads a body with a `shape`. Mistakes are reported.
void read_shape(Build& build, const Entry& entry, const std::string& path, Body& out);

}  // namespace freeplay::io
