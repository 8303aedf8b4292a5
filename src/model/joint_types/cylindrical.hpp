// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// A pin that also slides along its axis.
struct Cylindrical {
  static constexpr Coordinate free[] = {Coordinate::displacement, Coordinate::angle};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    return RowList(joint, planar, L).within(0, "across").within(1, "across").parallel().done();
  }
  static constexpr JointKind kind{.type = JointType::cylindrical,
                                  .word = "cylindrical",
                                  .coordinates = free,
                                  .rows = rows,
                                  .carries = TreeKind::cylindrical,
                                  .file = {.axis = true,
                                           .in_plane = true,
                                           .in_space = true,
                                           .sense = true,
                                           .planar_remedy = "use 'revolute' or 'prismatic'"},
                                  .play = PlayParts::sleeve,
                                  .surfaces = Surfaces::pin_and_slide,
                                  .aligned = Aligned::axis,
                                  .page = {.slides = true, .shape = "pin", .play = "round"}};
};

}  // namespace freeplay::kinds
