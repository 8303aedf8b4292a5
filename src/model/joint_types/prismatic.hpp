// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// A slider in its guide. In a planar mechanism z is the direction of travel, x its normal in the
/// plane.
struct Prismatic {
  static constexpr Coordinate free[] = {Coordinate::displacement};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    RowList list(joint, planar, L);
    list.within(0, "across");
    if (planar) return list.normal(0, 2, "rotation").done();
    return list.within(1, "across").parallel().no_turn().done();
  }
  static constexpr JointKind kind{
      .type = JointType::prismatic,
      .word = "prismatic",
      .coordinates = free,
      .rows = rows,
      .carries = TreeKind::prismatic,
      .file = {.axis = true, .in_plane = true, .in_space = true, .sense = true},
      .play = PlayParts::guide,
      .surfaces = Surfaces::slide,
      .aligned = Aligned::frames_in_space,
      .page = {.slides = true, .play = "guide"}};
};

}  // namespace freeplay::kinds
