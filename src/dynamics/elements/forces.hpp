// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cubic_piece.hpp"
#include "core/pose.hpp"
#include "dynamics/constraints/constraint_rows.hpp"
#include "dynamics/elements/element.hpp"
#include "model/formula.hpp"
#include <freeplay/model.hpp>

// What force elements are made of: joint coordinates and efforts on them, tables, formulas.
// Templated on the scalar, so that exact derivatives come from the same text. The elements
// themselves are in forces/.
namespace freeplay::dynamics {

/// What an element remembers: the unwrapped angle it continues, and of its table the pieces that
/// hold here (table_stretches.hpp).
struct ForceMemory {
  double angle = 0;
  PieceRange pieces = {};
  int signal = -1;  ///< whose output it follows
};

/// Force and its integral from 0 to x by the table; beyond the ends the end slopes continue.
template <class T>
std::pair<T, T> table_force(const ForceTable& table, const T& x, const PieceRange& pieces = {});

/// Value of the coordinate `displacement`; one that comes round continues `memory`.
template <class T>
T displacement_of(const Joint& joint, const JointPlace<T>& g, bool planar, double memory) {
  const JointKind& kind = kind_of(joint);
  if (!kind.displacement) return (g.first->R * joint.first.axes.col(2)).dot(g.d);
  const T value = evaluate_row(kind.displacement(joint), joint, g, {}, planar).phi;
  const double round = round_of(joint);
  return round > 0 ? T(value + round * std::round((memory - value_of(value)) / round)) : value;
}

/// Value of a joint coordinate; spatial angles continue the unwrapped `angle_memory`, planar ones,
/// which never wrap, are measured from it.
template <class T>
T coordinate_value(const Joint& joint, Coordinate coordinate, const JointPlace<T>& g, bool planar,
                   double angle_memory) {
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

/// A formula of an element, with its exact derivatives where they are wanted.
template <class T>
T by_formula(const Formula& formula, const T& x, const T& v, double t) {
  if constexpr (std::is_same_v<T, double>) {
    return model::evaluate<Series<double, 1>>(formula, {x, v, t}).c[0];
  } else {
    using Number = Series<double, 2>;
    const double at = value_of(x), rate = value_of(v);
    const Number along_x = model::evaluate<Number>(formula, {Number::variable(at), rate, t});
    const Number along_v = model::evaluate<Number>(formula, {at, Number::variable(rate), t});
    return T(along_x.c[0], x.d * along_x.c[1] + v.d * along_v.c[1]);
  }
}

}  // namespace freeplay::dynamics
