// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include "dynamics/constraint_rows.hpp"
#include <freeplay/model.hpp>

// Springs, dampers, applied forces, torques and efforts: wrenches on two bodies from their poses.
// Templated on the scalar, so that exact derivatives come from the same text.
namespace freeplay::dynamics {

template <class T>
struct ForceOutput {
  Wrench<T> on_first, on_second;
  T power = T(0.0);      ///< of the part that has no potential, on both bodies; W
  T potential = T(0.0);  ///< J
  T effort = T(0.0);     ///< what is recorded: tension, magnitude or effort; N or N m
  T extension = T(0.0);  ///< springs: length or coordinate; m or rad
};

/// The two bodies an element acts on (the ground where there is only one).
std::pair<BodyIndex, BodyIndex> bodies_of(const Force& force, const Model& model);
/// True when the element has a part without potential, whose work must be integrated.
bool does_work(const Force& force);
/// The joint coordinate an element acts on, if any.
const JointCoordinate* coordinate_of(const Force& force);

/// Force and its integral from 0 to x by the table; beyond the ends the end slopes continue.
template <class T>
std::pair<T, T> table_force(const ForceTable& table, const T& x);

/// Value of a joint coordinate; spatial angles continue the unwrapped `angle_memory`, planar ones,
/// which never wrap, are measured from it.
template <class T>
T coordinate_value(const Joint& joint, Coordinate coordinate, const JointGeometry<T>& g,
                   bool planar, double angle_memory) {
  switch (coordinate) {
    case Coordinate::angle:
    case Coordinate::universal_second: {
      const T theta = coordinate == Coordinate::angle
                          ? joint_angle(joint, *g.first, *g.second, planar)
                          : second_angle(joint, *g.first, *g.second);
      if (planar) return theta - angle_memory;
      return wrapped(T(theta - angle_memory)) + angle_memory;
    }
    case Coordinate::displacement:
      return (g.first->R * joint.first.axes.col(2)).dot(g.d);
    case Coordinate::displacement_x:
      return (g.first->R * joint.first.axes.col(0)).dot(g.d);
    case Coordinate::displacement_y:
      return (g.first->R * joint.first.axes.col(1)).dot(g.d);
    case Coordinate::length: {
      using std::sqrt;
      return sqrt(g.d.dot(g.d));
    }
  }
  return T(0.0);
}

/// Wrench on both bodies of a generalised effort on a coordinate, through the coordinate's
/// gradient.
template <class T>
void add_effort(const RowValue<T>& row, const T& effort, Wrench<T>& first, Wrench<T>& second) {
  first.force += row.v1 * effort;
  first.moment += row.w1 * effort;
  second.force += row.v2 * effort;
  second.moment += row.w2 * effort;
}

/// Rate of a coordinate from its gradient and the velocities of both bodies.
template <class T>
T rate_of(const RowValue<T>& row, const Pose<T>& first, const Pose<T>& second) {
  return row.v1.dot(first.v) + row.w1.dot(first.w) + row.v2.dot(second.v) + row.w2.dot(second.w);
}

template <class T>
ForceOutput<T> evaluate_force(const Force& force, const Model& model, const Pose<T>& first,
                              const Pose<T>& second, double t, double angle_memory);

}  // namespace freeplay::dynamics
