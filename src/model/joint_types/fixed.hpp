// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

namespace freeplay::kinds {

/// Holds two bodies together.
struct Fixed {
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    RowList list(joint, planar, L);
    list.points();
    if (!planar) list.parallel();
    return list.no_turn().done();
  }
  static constexpr JointKind kind{.type = JointType::fixed,
                                  .word = "fixed",
                                  .rows = rows,
                                  .carries = TreeKind::fixed,
                                  .file = {.axis = true, .sense = true},
                                  .aligned = Aligned::frames};
};

}  // namespace freeplay::kinds
