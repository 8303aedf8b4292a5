// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/build.hpp"
#include "io/check.hpp"
#include "io/model_tree.hpp"

// Bodies given by what they are made of: `shape = { box = [...], density = ... }`, or a list of
// such. Places and directions are global, in the pose as written; centre of mass, mass and inertia
// follow, unless the body has them already. Shapes are kept with the body, to be drawn.
namespace freeplay::io {

/// The key `shape` of a body.
[[nodiscard]] Key shape_key();

/// Puts into every shape with a `file` the surface in that file. Mistakes are reported.
void read_mesh_files(Node& root, const CheckInput& input);

/// Reads a body with a `shape`. Mistakes are reported.
void read_shape(Build& build, const Entry& entry, const std::string& path, Body& out);

/// As a table of the body, in its axes.
[[nodiscard]] Node write_shape(Writing& writing, const Body& body, const freeplay::Shape& shape);

}  // namespace freeplay::io
