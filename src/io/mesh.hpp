// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/solids.hpp"

#include <string_view>

// Closed surfaces from files of triangles, as drawing programs write them: STL (binary or text) and
// OBJ. What is enclosed is found by the divergence theorem.
namespace freeplay::io {

/// The solid that the surface in a file encloses, in the axes and the unit of the file; `name`
/// tells OBJ by its ending. Nothing and the reason when it cannot be read, is open, has sides that
/// point to both ways or is inside out. Surfaces that cut themselves are not found out.
[[nodiscard]] std::optional<Solid> read_mesh(std::string_view bytes, std::string_view name,
                                             Refusal& why);

}  // namespace freeplay::io
