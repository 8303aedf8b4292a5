// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/mesh.hpp"
#include "io/mesh_collector.hpp"

#include <string_view>

// Surfaces from glTF 2.0, as text (.gltf) or binary (.glb): the triangles of all meshes of the
// scene, where its nodes put them. Materials, lights and animations are left aside.
namespace freeplay::io {

/// Adds the triangles of a file to `out`. False and the reason when it cannot be used.
[[nodiscard]] bool read_gltf(std::string_view bytes, const ReadBeside& beside, MeshCollector& out,
                             Refusal& why);

}  // namespace freeplay::io
