// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

// A scalar constraint row of a joint as data. Every joint is a handful of primitive rows:
//
//   point        e_k . d = 0             two points coincide, one global direction at a time
//   dot_axes     a . b = 0               a direction of the first normal to one of the second (N1)
//   dot_distance a . d = f(t)            second point in a plane of the first, or driven along (N2)
//   length       |d| = f(t)              two points at a distance
//   turn         theta - f(t) = 0        rotation about an axis that both bodies share, driven
//   loose_turn   theta - f(t) = 0        the same where play or rubber lets the axes tilt
//   screw        z . d - pitch theta/2pi = 0
//   own          the joint type's own_row() in src/model/joint_types/ says it
//
// with d from the first joint point to the second. How a row is evaluated, with its derivatives, is
// in model/evaluate_row.hpp.
namespace freeplay {

struct RowSpec {
  enum class Kind {
    point,
    dot_axes,
    dot_distance,
    length,
    turn,
    loose_turn,
    second_turn,
    screw,
    own
  };
  Kind kind = Kind::point;
  int component = 0;      ///< point: global direction; own: which of the type's rows
  Vec3 a = Vec3::Zero();  ///< axis in the first body's axes
  Vec3 b = Vec3::Zero();  ///< axis in the second body's axes
  int drive = -1;         ///< into Joint::drives; -1: the right-hand side is constant
  double constant = 0;    ///< value of the right-hand side where there is no drive (length)
  double scale = 1;  ///< divides the violation in convergence tests: L for lengths, 1 for angles
  const char* label = "";  ///< for messages: "position x", "axis"

  /// Speaks of rotations only; its violation is an angle.
  [[nodiscard]] bool turns() const {
    using enum Kind;
    return kind == dot_axes || kind == turn || kind == loose_turn || kind == second_turn;
  }
};

}  // namespace freeplay
