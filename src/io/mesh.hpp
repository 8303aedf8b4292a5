// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/solids.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Surfaces of triangles from files, as drawing programs write them: STL (binary or text), OBJ, and
// glTF (gltf.hpp).
// What is enclosed is found by the divergence theorem.
namespace freeplay::io {

struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;  // anticlockwise, seen from outside
};

/// A file beside the one that names it, for those in several pieces (.gltf). Throws IoError.
using ReadBeside = std::function<std::string(const std::string& name)>;

/// The surface in a file, in the axes and the unit of the file; `name` tells the format by its
/// ending, absent that STL. Corners that are the same to the last bit are one. Nothing and the
/// reason when it cannot be read.
[[nodiscard]] std::optional<Mesh> read_mesh(std::string_view bytes, std::string_view name,
                                            Refusal& why, const ReadBeside& beside = {});

/// The solid that a surface encloses. Nothing and the reason when it is open, has sides that point
/// to both ways or is inside out. Surfaces that cut themselves are not found out.
[[nodiscard]] std::optional<Solid> enclosed(const Mesh& mesh, Refusal& why);

/// A plate with this outline in x and y, whose sides do not cross, about the plane z = 0.
[[nodiscard]] Mesh extruded(const std::vector<Vec3>& outline, double thickness);

/// As text that keeps every bit: doubles and whole numbers of four bytes, in base64.
[[nodiscard]] std::string vertices_text(const std::vector<Vec3>& vertices);
[[nodiscard]] std::string triangles_text(const std::vector<std::array<int, 3>>& triangles);
/// Back again. Nothing and the reason when it is not such a text, not finite, or refers to vertices
/// that do not exist.
[[nodiscard]] std::optional<Mesh> mesh_of(std::string_view vertices, std::string_view triangles,
                                          Refusal& why);

}  // namespace freeplay::io
