// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/data_block.hpp"
#include <freeplay/model.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>

// What the page draws of a model (web/src/data.ts, ModelSpec).
namespace freeplay::report {

/// Bodies with their shapes and beams, joints, force elements, couplings, markers. Surfaces go to
/// the block, with at most `triangles` of them in all: larger ones are made coarser, and say so.
[[nodiscard]] nlohmann::json picture_of(const Model& model, DataBlock& block,
                                        std::size_t triangles);

/// A surface of at most about `limit` triangles: the vertices in each cell of a grid become one,
/// the finest grid that will do. Unchanged if it is small enough.
struct Surface {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
};
[[nodiscard]] Surface coarsened(const Surface& surface, std::size_t limit);

}  // namespace freeplay::report
