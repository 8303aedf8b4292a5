// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// A pin: turns about z.
struct Revolute {
  static constexpr Coordinate free[] = {Coordinate::angle};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    RowList list(joint, planar, L);
    list.points();
    if (!planar) list.parallel();
    return list.done();
  }
  static constexpr JointKind kind{.type = JointType::revolute,
                                  .word = "revolute",
                                  .coordinates = free,
                                  .rows = rows,
                                  .carries = TreeKind::revolute,
                                  // In the plane a free pin carries a point and leaves the angle to
                                  // the body, as a ball does in space; a driven one prescribes the
                                  // angle between the two.
                                  .carries_in_plane = TreeKind::ball,
                                  .file = {.axis = true, .in_space = true, .sense = true},
                                  .play = PlayParts::bore,
                                  .surfaces = Surfaces::pin,
                                  .aligned = Aligned::axis,
                                  .page = {.shape = "pin", .play = "round"}};
};

}  // namespace freeplay::kinds
