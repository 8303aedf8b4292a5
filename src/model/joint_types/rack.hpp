// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/joint_row_list.hpp"

#include <fmt/format.h>

namespace freeplay::kinds {

/// A pinion that rolls on its rack: the pitch circle of the second body, about its joint point,
/// does not slip on the pitch line of the first. x of the first frame runs along the line, y points
/// to the centre of the pinion, z is its axis.
///
/// The centre travels by s = x.d while the pinion turns by theta about z. The point of the pinion
/// on the line lies at -r y from the centre and moves with s' x + theta' z x (-r y) = (s' + r
/// theta') x against the rack. That it stands still is the row
///
///   s + r theta = 0,
///
/// which is holonomic: a whole turn takes the centre on by 2 pi r, and of s and theta only the
/// difference to the nearest whole turn counts, so that nothing adds up over many turns. Teeth push
/// along the line only, at the distance r from the centre; what keeps the pinion at that distance
/// and upright is left to bearings and guides.
struct Rack {
  static constexpr Coordinate free[] = {Coordinate::displacement};
  static double as_written(const Vec3& d, const Mat3& axes) { return axes.col(1).dot(d); }
  static constexpr JointKey keys[] = {
      {.name = "pitch_radius",
       .unit = "m",
       .doc = "of the pinion; absent: the distance of its centre from the pitch line as written",
       .member = &Joint::pitch_radius,
       .as_written = as_written}};

  static std::vector<RowSpec> rows(const Joint& joint, bool planar, double L) {
    return RowList(joint, planar, L).own(0, "mesh").done();
  }
  static RowSpec displacement(const Joint& joint) {
    RowSpec row;
    row.kind = RowSpec::Kind::dot_distance;
    row.a = joint.first.axes.col(0);
    row.label = "coordinate";
    return row;
  }
  static std::vector<JointFault> faults(const Joint& joint) {
    if (joint.pitch_radius > 0) return {};
    return {{"pitch_radius",
             fmt::format("{} m: a pinion needs a pitch radius > 0", joint.pitch_radius),
             "give it, or put the centre of the pinion beside the pitch line"}};
  }

  template <class T>
  static RowValue<T> own_row(const RowSpec&, const Joint& joint, const JointPlace<T>& g, Jet drive,
                             bool planar) {
    const Pose<T>&p1 = *g.first, &p2 = *g.second;
    const double r = joint.pitch_radius;
    const Vec3T<T> x = p1.R * joint.first.axes.col(0), z = p1.R * joint.first.axes.col(2),
                   hand = p2.R * joint.second.axes.col(0);
    // Planar bodies turn about the global z, which the axis of the pinion may oppose.
    const double sense = planar ? joint.first.axes(2, 2) : 1;
    const T theta = sense * angle_of_hand(joint, 0, p1, p2, planar);
    RowValue<T> out;
    out.phi_t = -drive.dx;
    out.phi = r * wrapped(T(x.dot(g.d) / r + theta));
    const T bias = set_travel(x, g, out);
    const LooseTurn<T> turn = loose_turn<T>(z, hand, p1, p2);
    out.w1 -= r * turn.gradient;
    out.w2 += r * turn.gradient;
    out.gamma = -bias - r * turn.bias;
    return out;
  }

  static constexpr JointKind kind{
      .type = JointType::rack,
      .word = "rack",
      .coordinates = free,
      .rows = rows,
      .displacement = displacement,
      .file = {.axis = true,
               .in_plane = true,
               .in_space = true,
               .frames = FrameRule::pitch_line,
               .two_points = true},
      .keys = keys,
      .faults = faults,
      .aligned = Aligned::axis,
      .no_play = ": teeth with backlash are not described by radii",
      .no_rubber =
          "rubber holds two frames together, and teeth let them roll: put it into the "
          "bearing of the pinion",
      .page = {.shape = "pinion"}};
};

}  // namespace freeplay::kinds
