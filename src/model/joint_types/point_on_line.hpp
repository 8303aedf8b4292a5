// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// A point of the second body slides along z of the first frame, and turns as it likes.
struct PointOnLine {
  static constexpr Coordinate free[] = {Coordinate::displacement};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    RowList list(joint, planar, L);
    list.within(0, "off the line");
    if (!planar) list.within(1, "off the line");
    return list.done();
  }
  static constexpr JointKind kind{.type = JointType::point_on_line,
                                  .word = "point-on-line",
                                  .coordinates = free,
                                  .rows = rows,
                                  .file = {.axis = true, .in_plane = true, .in_space = true},
                                  .play = PlayParts::slot,
                                  .page = {.play = "slot"}};
};

}  // namespace freeplay::kinds
