// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include "dynamics/constraints/constraint_rows.hpp"
#include "dynamics/elements/element.hpp"
#include <freeplay/model.hpp>

#include <limits>

// Springs, dampers, applied forces, torques and efforts: wrenches on two bodies from their poses.
// Templated on the scalar, so that exact derivatives come from the same text.
namespace freeplay::dynamics {

/// What an element remembers: the unwrapped angle it continues, and of its table the pieces that
/// hold here. Beyond those the first and the last go on as the cubics they are, so that a step sees
/// a smooth force up to the knot where the next ones take over (table_pieces.hpp). -1 and n - 1 are
/// the straight ends of a table of n knots.
struct ForceMemory {
  double angle = 0;
  int first_piece = -1, last_piece = std::numeric_limits<int>::max();
};

/// The two bodies an element acts on (the ground where there is only one).
std::pair<BodyIndex, BodyIndex> bodies_of(const Force& force, const Model& model);
/// True when the element has a part without potential, whose work must be integrated.
bool does_work(const Force& force);
/// The joint coordinate an element acts on, if any.
const JointCoordinate* coordinate_of(const Force& force);

/// The table of a spring; null: it has none.
const ForceTable* table_of(const Force& force);
/// What the table of a spring is a function of, from the spring's extension.
double elongation(const Force& force, double extension);

/// Force and its integral from 0 to x by the table; beyond the ends the end slopes continue.
template <class T>
std::pair<T, T> table_force(const ForceTable& table, const T& x, const ForceMemory& memory = {});

/// Value of the coordinate `displacement`; one that comes round continues `memory`.
template <class T>
T displacement_of(const Joint& joint, const JointGeometry<T>& g, bool planar, double memory) {
  const JointKind& kind = kind_of(joint);
  if (!kind.displacement) return (g.first->R * joint.first.axes.col(2)).dot(g.d);
  const T value = evaluate_row(kind.displacement(joint), joint, g, {}, planar).phi;
  const double round = round_of(joint);
  return round > 0 ? T(value + round * std::round((memory - value_of(value)) / round)) : value;
}

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
      return displacement_of(joint, g, planar, angle_memory);
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
Action<T> evaluate_force(const Force& force, const Model& model, const Pose<T>& first,
                         const Pose<T>& second, double t, const ForceMemory& memory);

}  // namespace freeplay::dynamics
