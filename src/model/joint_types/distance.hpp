// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

#include <fmt/format.h>

namespace freeplay::kinds {

/// A massless rod between two points.
struct Distance {
  static constexpr Coordinate free[] = {Coordinate::length};
  static double as_written(const Vec3& d, const Mat3&) { return d.norm(); }
  static constexpr JointKey keys[] = {{.name = "length",
                                       .unit = "m",
                                       .doc = "absent: the distance in the poses as written",
                                       .member = &Joint::length,
                                       .as_written = as_written}};
  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    RowList list(joint, planar, L);
    list.add(RowSpec::Kind::length, "length", L).constant = joint.length;
    return list.done();
  }
  static std::vector<JointFault> faults(const Joint& joint) {
    if (joint.length > 0) return {};
    return {{"length", fmt::format("{} m: a distance joint needs a length > 0", joint.length),
             "two points that coincide are a spherical or revolute joint"}};
  }
  static constexpr JointKind kind{
      .type = JointType::distance,
      .word = "distance",
      .coordinates = free,
      .rows = rows,
      .file = {.sense = true, .two_points = true},
      .keys = keys,
      .faults = faults,
      .play = PlayParts::arc,
      .no_drive_in_play =
          "the length of a distance joint with clearance is what its parts leave "
          "free: driven, it would be a rigid link",
      .no_drive_in_rubber =
          "the length of a distance joint held by rubber is what its parts leave "
          "free: driven, it would be a rigid link"};
};

}  // namespace freeplay::kinds
