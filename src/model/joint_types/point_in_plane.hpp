// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// A point of the second body stays in the xy plane of the first frame.
struct PointInPlane {
  static constexpr Coordinate free[] = {Coordinate::displacement_x, Coordinate::displacement_y};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    return RowList(joint, planar, L).within(2, "out of plane").done();
  }
  static constexpr JointKind kind{.type = JointType::point_in_plane,
                                  .word = "point-in-plane",
                                  .coordinates = free,
                                  .rows = rows,
                                  .file = {.axis = true,
                                           .in_plane = true,
                                           .in_space = true,
                                           .planar_remedy = "use 'point-on-line'"}};
};

}  // namespace freeplay::kinds
