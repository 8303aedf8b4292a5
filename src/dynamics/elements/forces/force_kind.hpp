// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/finite_slope.hpp"
#include "dynamics/elements/forces.hpp"
#include "model/force_parts.hpp"

#include <array>
#include <limits>
#include <string_view>
#include <vector>

// What a type of force element says of itself, in one file of this folder:
//
//   section, brief, doc      its table in model files, what that is, and what one element is
//   numbers()                its plain numbers: member, key, unit, meaning, bounds
//   act(s, sight, rates)     force and moment on both bodies, power, potential
//   does_work(s)             whether part of it has no potential, so that its work is integrated
//
// and, where it has them, states(s): what of it is integrated. How it is mounted, and whether it
// follows a table, a formula or a function of time, its members say (model/force_parts.hpp). From
// the list ForceElement follow reading and writing, schema and reference page, either formulation
// with exact derivatives, the energy audit, events of tables, results and drawing.
namespace freeplay::dynamics {

template <class S>
struct ForceKind;

/// A number that the model file may set. {f} and {q} are N and m, or N m and rad.
template <class S>
struct ForceNumber {
  double S::*member;
  std::string_view key, unit, doc;
  double min = -std::numeric_limits<double>::infinity();
  bool required = false;  ///< and then above `min`
  bool placed = false;    ///< without the key it follows from the poses as written
};

/// A number of its own that is integrated.
struct ForceState {
  std::string_view name;
  std::string unit;
  double scale = 1;  ///< what its error is compared with, besides its own size
};

/// What an element of the model sees at an instant.
template <class T>
struct ForceSight {
  const Model& model;
  const Sight<T>& at;
  ForceMemory memory;
};

/// The distance of two points.
template <class T>
struct PointLine {
  Vec3T<T> arm1, arm2, along;
  T value, rate;  ///< m, m/s

  PointLine(const Frame& first, const Frame& second, const Sight<T>& at)
      : arm1(at.first.R * first.point), arm2(at.second.R * second.point) {
    using std::sqrt;
    const Vec3T<T> d = at.second.r + arm2 - at.first.r - arm1;
    value = sqrt(d.dot(d) + kFiniteSlope);
    along = d / value;
    rate = along.dot(at.second.v + at.second.w.cross(arm2) - at.first.v - at.first.w.cross(arm1));
  }
  /// Lets a tension act.
  void restore(const T& force, Action<T>& out) const {
    const Vec3T<T> pull = along * force;
    out.on_first.add(pull, arm1);
    out.on_second.add(-pull, arm2);
    out.effort = force;
  }
};

/// A joint coordinate.
template <class T>
struct CoordinateLine {
  RowValue<T> row;
  T value, rate;  ///< m or rad, m/s or rad/s

  CoordinateLine(const JointCoordinate& on, const ForceSight<T>& sight) {
    const Joint& joint = sight.model.joints[on.joint];
    const bool planar = sight.model.planar;
    const JointPlace<T> g = place_of(joint, sight.at.first, sight.at.second);
    row = evaluate_row(coordinate_row(joint, on.coordinate), joint, g, {}, planar);
    value = coordinate_value(joint, on.coordinate, g, planar, sight.memory.angle);
    rate = rate_of(row, sight.at.first, sight.at.second);
  }
  void restore(const T& force, Action<T>& out) const {
    out.effort = -force;
    add_effort(row, out.effort, out.on_first, out.on_second);
  }
};

/// What a spring of either kind does along its line. `rest`: where it has no force.
template <class T, class Spring, class Line>
Action<T> spring_on(const Spring& spring, const Line& line, double rest,
                    const ForceSight<T>& sight) {
  Action<T> out;
  const T x = line.value - rest;
  const T& v = line.rate;
  T force, potential;
  out.power = -spring.damping * v * v;
  if (spring.formula) {
    force = by_formula(*spring.formula, x, v, sight.at.time);
    potential = T(0.0);
    out.power -= force * v;
  } else if (spring.table) {
    std::tie(force, potential) = table_force(*spring.table, x, sight.memory.pieces);
  } else {
    force = spring.stiffness * x;
    potential = 0.5 * spring.stiffness * x * x;
  }
  force += spring.preload;
  out.potential = potential + spring.preload * x;
  force += spring.damping * v;
  line.restore(force, out);
  out.extension = line.value;
  out.rate = v;
  return out;
}

/// Magnitude of a force; arguments() gives x and v where a formula asks for them.
template <class T, class Arguments>
T strength(const Motion& motion, const ForceSight<T>& sight, Arguments&& arguments) {
  if (sight.memory.signal >= 0) return sight.at.signals[sight.memory.signal];
  const double t = sight.at.time;
  const auto* formula = std::get_if<Formula>(&motion);
  if (!formula) return T(freeplay::evaluate(motion, t).x);
  const std::pair<T, T> at = arguments();
  return by_formula(*formula, at.first, at.second, t);
}

/// A direction as written: in global axes, or following the second body.
template <class T, class S>
Vec3T<T> direction_of(const S& s, const Sight<T>& at) {
  return s.follows_body ? Vec3T<T>(at.second.R * s.direction)
                        : Vec3T<T>(s.direction.template cast<T>());
}

}  // namespace freeplay::dynamics
