// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// A ball in its socket.
struct Spherical {
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    return RowList(joint, planar, L).points().done();
  }
  static constexpr JointKind kind{.type = JointType::spherical,
                                  .word = "spherical",
                                  .rows = rows,
                                  .carries = TreeKind::ball,
                                  .file = {.axis = true, .planar_remedy = "use 'revolute'"},
                                  .play = PlayParts::ball,
                                  .surfaces = Surfaces::ball,
                                  .page = {.shape = "ball", .play = "round"}};
};

}  // namespace freeplay::kinds
