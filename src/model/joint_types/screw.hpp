// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

#include <cmath>

namespace freeplay::kinds {

/// A nut on its thread: every turn advances it by the pitch.
struct Screw {
  static constexpr Coordinate free[] = {Coordinate::angle};
  static constexpr JointKey keys[] = {{.name = "pitch",
                                       .unit = "m",
                                       .doc = "advance per turn; negative: left-handed",
                                       .member = &Joint::pitch,
                                       .bound = JointKey::Bound::not_zero}};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    RowList list(joint, planar, L);
    list.within(0, "across").within(1, "across").parallel();
    RowSpec& thread = list.add(RowSpec::Kind::screw, "thread", L);
    thread.a = joint.first.axes.col(2);
    thread.constant = joint.pitch / (2 * M_PI);
    return list.done();
  }
  static std::vector<JointFault> faults(const Joint& joint) {
    if (std::abs(joint.pitch) > 0) return {};
    return {{"pitch", "a screw needs a pitch other than 0", "use a revolute joint"}};
  }
  static constexpr JointKind kind{.type = JointType::screw,
                                  .word = "screw",
                                  .coordinates = free,
                                  .rows = rows,
                                  .carries = TreeKind::screw,
                                  .file = {.axis = true,
                                           .in_plane = true,
                                           .in_space = true,
                                           .sense = true,
                                           .planar_remedy = "use 'prismatic', or a rack coupling"},
                                  .keys = keys,
                                  .faults = faults,
                                  .aligned = Aligned::axis,
                                  .page = {.slides = true, .shape = "pin"}};
};

}  // namespace freeplay::kinds
