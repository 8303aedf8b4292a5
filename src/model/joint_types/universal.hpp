// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// Two axes that cross at right angles, z of either frame.
struct Universal {
  static constexpr Coordinate free[] = {Coordinate::angle, Coordinate::universal_second};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    return RowList(joint, planar, L).points().normal(2, 2, "cross").done();
  }
  static constexpr JointKind kind{
      .type = JointType::universal,
      .word = "universal",
      .coordinates = free,
      .rows = rows,
      .hand = 2,
      .carries = TreeKind::universal,
      .file = {.axis = true,
               .in_plane = true,
               .in_space = true,
               .sense = true,
               .planar_remedy = "use 'revolute'",
               .frames = FrameRule::cross},
      .play = PlayParts::cross,
      .no_drive_in_play =
          "a universal joint with clearance consists of a cross in four bearings, "
          "none of which has its angles",
      .no_drive_in_rubber =
          "a universal joint held by rubber has no cross about which its angles "
          "could be prescribed",
      .page = {.shape = "ball", .play = "round"}};
};

}  // namespace freeplay::kinds
