// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// Plane on plane: shifts along x and y, turns about z.
struct Planar {
  static constexpr Coordinate free[] = {Coordinate::displacement_x, Coordinate::displacement_y,
                                        Coordinate::angle};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    return RowList(joint, planar, L).within(2, "out of plane").parallel().done();
  }
  static constexpr JointKind kind{
      .type = JointType::planar,
      .word = "planar",
      .coordinates = free,
      .rows = rows,
      .carries = TreeKind::planar,
      .file = {.axis = true,
               .in_plane = true,
               .in_space = true,
               .sense = true,
               .planar_remedy =
                   "bodies of a planar mechanism move like that anyway: leave the joint out"},
      .aligned = Aligned::axis};
};

}  // namespace freeplay::kinds
