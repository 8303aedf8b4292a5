// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/forces.hpp"

#include "core/cubic_piece.hpp"
#include "core/finite_slope.hpp"
#include "core/scalars.hpp"
#include "model/formula.hpp"

#include <algorithm>
#include <tuple>

namespace freeplay::dynamics {

const JointCoordinate* coordinate_of(const Force& force) {
  if (const auto* s = std::get_if<CoordinateSpring>(&force.law)) return &s->on;
  if (const auto* e = std::get_if<JointEffort>(&force.law)) return &e->on;
  return nullptr;
}

std::pair<BodyIndex, BodyIndex> bodies_of(const Force& force, const Model& model) {
  if (const JointCoordinate* on = coordinate_of(force)) {
    const Joint& joint = model.joints[on->joint];
    return {joint.first.body, joint.second.body};
  }
  if (const auto* s = std::get_if<PointSpring>(&force.law)) return {s->first.body, s->second.body};
  if (const auto* f = std::get_if<PointForce>(&force.law)) return {kGround, f->at.body};
  return {kGround, std::get<BodyTorque>(force.law).body};
}

bool does_work(const Force& force) {
  const auto dissipates = [](const auto& s) { return s.damping != 0 || s.formula; };
  if (const auto* s = std::get_if<PointSpring>(&force.law)) return dissipates(*s);
  if (const auto* s = std::get_if<CoordinateSpring>(&force.law)) return dissipates(*s);
  return true;
}

const ForceTable* table_of(const Force& force) {
  const auto in = [](const auto& s) { return s.table ? &*s.table : nullptr; };
  if (const auto* s = std::get_if<PointSpring>(&force.law)) return in(*s);
  if (const auto* s = std::get_if<CoordinateSpring>(&force.law)) return in(*s);
  return nullptr;
}

double elongation(const Force& force, double extension) {
  if (const auto* s = std::get_if<PointSpring>(&force.law)) return extension - s->free_length;
  if (const auto* s = std::get_if<CoordinateSpring>(&force.law)) return extension - s->rest;
  return extension;
}

template <class T>
std::pair<T, T> table_force(const ForceTable& table, const T& x, const ForceMemory& memory) {
  const auto& X = table.x;
  const int n = static_cast<int>(X.size());
  const int here = static_cast<int>(std::upper_bound(X.begin(), X.end(), value_of(x)) - X.begin());
  const int piece = std::clamp(here - 1, memory.first_piece, std::min(memory.last_piece, n - 1));
  if (piece < 0 || piece == n - 1) {
    const auto end = static_cast<std::size_t>(piece < 0 ? 0 : n - 1);
    const T u = x - X[end];
    return {table.force[end] + table.slope[end] * u,
            table.area[end] + u * (table.force[end] + 0.5 * table.slope[end] * u)};
  }
  const auto k = static_cast<std::size_t>(piece);
  const CubicPiece cubic(X[k + 1] - X[k], table.force[k], table.force[k + 1], table.slope[k],
                         table.slope[k + 1]);
  const T u = (x - X[k]) / cubic.h;
  return {cubic.value(u), table.area[k] + cubic.integral(u)};
}

namespace {

/// A formula of an element, with its exact derivatives where they are wanted.
template <class T>
T law(const Formula& formula, const T& x, const T& v, double t) {
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
/// Magnitude of a force; arguments() gives x and v where a formula asks for them.
template <class T, class Arguments>
T magnitude_of(const Motion& motion, double t, Arguments&& arguments) {
  const auto* formula = std::get_if<Formula>(&motion);
  if (!formula) return T(freeplay::evaluate(motion, t).x);
  const std::pair<T, T> at = arguments();
  return law(*formula, at.first, at.second, t);
}

/// Restoring force of a spring stretched by x at the rate v, and its potential where it has one.
template <class T>
struct Restoring {
  T force, potential, power;  ///< power: of what has no potential
};
template <class T, class Spring>
Restoring<T> restoring(const Spring& spring, const T& x, const T& v, double t,
                       const ForceMemory& memory) {
  Restoring<T> out;
  out.power = -spring.damping * v * v;
  if (spring.formula) {
    out.force = law(*spring.formula, x, v, t);
    out.potential = T(0.0);
    out.power -= out.force * v;
  } else if (spring.table) {
    std::tie(out.force, out.potential) = table_force(*spring.table, x, memory);
  } else {
    out.force = spring.stiffness * x;
    out.potential = 0.5 * spring.stiffness * x * x;
  }
  out.force += spring.preload;
  out.potential += spring.preload * x;
  out.force += spring.damping * v;
  return out;
}

template <class T>
struct Evaluate {
  const Model& model;
  const Pose<T>&first, &second;
  double t;
  const ForceMemory& memory;

  Action<T> operator()(const PointSpring& s) const {
    using std::sqrt;
    Action<T> out;
    const Vec3T<T> s1 = first.R * s.first.point, s2 = second.R * s.second.point;
    const Vec3T<T> d = second.r + s2 - first.r - s1;
    const T length = sqrt(d.dot(d) + kFiniteSlope);
    const Vec3T<T> u = d / length;
    const T rate = u.dot(second.v + second.w.cross(s2) - first.v - first.w.cross(s1));
    const auto tension = restoring<T>(s, T(length - s.free_length), rate, t, memory);
    const Vec3T<T> pull = u * tension.force;
    out.on_first.add(pull, s1);
    out.on_second.add(-pull, s2);
    out.power = tension.power;
    out.potential = tension.potential;
    out.effort = tension.force;
    out.extension = length;
    out.rate = rate;
    return out;
  }

  Action<T> operator()(const CoordinateSpring& s) const {
    Action<T> out;
    const auto [row, x] = coordinate(s.on);
    const T rate = rate_of(row, first, second);
    const auto back = restoring<T>(s, T(x - s.rest), rate, t, memory);
    out.effort = -back.force;
    add_effort(row, out.effort, out.on_first, out.on_second);
    out.power = back.power;
    out.potential = back.potential;
    out.extension = x;
    out.rate = rate;
    return out;
  }

  Action<T> operator()(const JointEffort& e) const {
    Action<T> out;
    const auto [row, x] = coordinate(e.on);
    const T rate = rate_of(row, first, second);
    out.effort = magnitude_of<T>(e.magnitude, t, [&, at = x] { return std::pair<T, T>{at, rate}; });
    add_effort(row, out.effort, out.on_first, out.on_second);
    out.power = out.effort * rate;
    out.extension = x;
    return out;
  }

  Action<T> operator()(const PointForce& f) const {
    Action<T> out;
    const Vec3T<T> arm = second.R * f.at.point;
    const Vec3T<T> velocity = second.v + second.w.cross(arm);
    const Vec3T<T> direction = along(f.direction, f.follows_body);
    const T magnitude = magnitude_of<T>(f.magnitude, t, [&] {
      const double length = f.direction.norm();
      return std::pair<T, T>{direction.dot(second.r + arm) / length,
                             direction.dot(velocity) / length};
    });
    const Vec3T<T> force = direction * magnitude;
    out.on_second.add(force, arm);
    out.power = force.dot(velocity);
    out.effort = magnitude;
    return out;
  }

  Action<T> operator()(const BodyTorque& f) const {
    Action<T> out;
    const Vec3T<T> direction = along(f.direction, f.follows_body);
    const T magnitude = magnitude_of<T>(f.magnitude, t, [&] {
      const double length = f.direction.norm();
      return std::pair<T, T>{second.angle * (f.direction[2] / length),
                             direction.dot(second.w) / length};
    });
    out.on_second.moment = direction * magnitude;
    out.power = out.on_second.moment.dot(second.w);
    out.effort = magnitude;
    return out;
  }

 private:
  Vec3T<T> along(const Vec3& vector, bool follows) const {
    return follows ? Vec3T<T>(second.R * vector) : Vec3T<T>(vector.cast<T>());
  }
  std::pair<RowValue<T>, T> coordinate(const JointCoordinate& on) const {
    const Joint& joint = model.joints[on.joint];
    const JointGeometry<T> g = geometry(joint, first, second);
    return {evaluate_row(coordinate_row(joint, on.coordinate), joint, g, {}, model.planar),
            coordinate_value(joint, on.coordinate, g, model.planar, memory.angle)};
  }
};

}  // namespace

template <class T>
Action<T> evaluate_force(const Force& force, const Model& model, const Pose<T>& first,
                         const Pose<T>& second, double t, const ForceMemory& memory) {
  return std::visit(Evaluate<T>{model, first, second, t, memory}, force.law);
}

template Action<double> evaluate_force(const Force&, const Model&, const Pose<double>&,
                                       const Pose<double>&, double, const ForceMemory&);
template Action<PairDual> evaluate_force(const Force&, const Model&, const Pose<PairDual>&,
                                         const Pose<PairDual>&, double, const ForceMemory&);
template std::pair<double, double> table_force(const ForceTable&, const double&,
                                               const ForceMemory&);

}  // namespace freeplay::dynamics
