// SPDX-License-Identifier: Apache-2.0
#include "dynamics/forces.hpp"

#include "core/scalars.hpp"

#include <algorithm>

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
  if (const auto* s = std::get_if<PointSpring>(&force.law)) return s->damping != 0;
  if (const auto* s = std::get_if<CoordinateSpring>(&force.law)) return s->damping != 0;
  return true;
}

template <class T>
std::pair<T, T> table_force(const ForceTable& table, const T& x) {
  const auto& X = table.x;
  const std::size_t n = X.size();
  // Cubic Hermite on each interval: value and integral up to u h.
  const auto piece = [&](std::size_t k, const T& u) {
    const double h = X[k + 1] - X[k], f0 = table.force[k], f1 = table.force[k + 1];
    const double m0 = h * table.slope[k], m1 = h * table.slope[k + 1];
    const double c2 = 3 * (f1 - f0) - 2 * m0 - m1, c3 = 2 * (f0 - f1) + m0 + m1;
    const T value = f0 + u * (m0 + u * (c2 + u * c3));
    const T integral = h * u * (f0 + u * (m0 / 2 + u * (c2 / 3 + u * (c3 / 4))));
    return std::pair<T, T>{value, integral};
  };
  // Integral from the first knot.
  const auto from_start = [&](const T& at) {
    const double a = value_of(at);
    if (a <= X.front()) {
      const T u = at - X.front();
      return std::pair<T, T>{table.force.front() + table.slope.front() * u,
                             u * (table.force.front() + 0.5 * table.slope.front() * u)};
    }
    double below = 0;
    std::size_t k = 0;
    for (; k + 1 < n && X[k + 1] <= a; ++k) below += value_of(piece(k, T(1.0)).second);
    if (k + 1 == n) {
      const T u = at - X.back();
      return std::pair<T, T>{table.force.back() + table.slope.back() * u,
                             below + u * (table.force.back() + 0.5 * table.slope.back() * u)};
    }
    auto [value, integral] = piece(k, T((at - X[k]) / (X[k + 1] - X[k])));
    return std::pair<T, T>{value, integral + below};
  };
  const auto here = from_start(x);
  const auto origin = from_start(T(0.0));
  return {here.first, here.second - origin.second};
}

namespace {

/// Elastic force and potential of a spring stretched by x.
template <class T, class Spring>
std::pair<T, T> elastic(const Spring& spring, const T& x) {
  std::pair<T, T> out = spring.table
                            ? table_force(*spring.table, x)
                            : std::pair<T, T>{spring.stiffness * x, 0.5 * spring.stiffness * x * x};
  out.first += spring.preload;
  out.second += spring.preload * x;
  return out;
}

template <class T>
struct Evaluate {
  const Model& model;
  const Pose<T>&first, &second;
  double t, angle_memory;

  ForceOutput<T> operator()(const PointSpring& s) const {
    using std::sqrt;
    ForceOutput<T> out;
    const Vec3T<T> s1 = first.R * s.first.point, s2 = second.R * s.second.point;
    const Vec3T<T> d = second.r + s2 - first.r - s1;
    const T length =
        sqrt(d.dot(d) + 1e-60);  // the tiny term keeps the derivative finite at zero length
    const Vec3T<T> u = d / length;
    const T rate = u.dot(second.v + second.w.cross(s2) - first.v - first.w.cross(s1));
    const auto [force, potential] = elastic<T>(s, T(length - s.free_length));
    const T damping = s.damping * rate;
    const Vec3T<T> pull = u * T(force + damping);
    out.on_first.add(pull, s1);
    out.on_second.add(-pull, s2);
    out.power = -damping * rate;
    out.potential = potential;
    out.effort = force + damping;
    out.extension = length;
    return out;
  }

  ForceOutput<T> operator()(const CoordinateSpring& s) const {
    ForceOutput<T> out;
    const auto [row, x] = coordinate(s.on);
    const T rate = rate_of(row, first, second);
    const auto [force, potential] = elastic<T>(s, T(x - s.rest));
    out.effort = -(force + s.damping * rate);
    add_effort(row, out.effort, out.on_first, out.on_second);
    out.power = -s.damping * rate * rate;
    out.potential = potential;
    out.extension = x;
    return out;
  }

  ForceOutput<T> operator()(const JointEffort& e) const {
    ForceOutput<T> out;
    const auto [row, x] = coordinate(e.on);
    out.effort = T(freeplay::evaluate(e.magnitude, t).x);
    add_effort(row, out.effort, out.on_first, out.on_second);
    out.power = out.effort * rate_of(row, first, second);
    out.extension = x;
    return out;
  }

  ForceOutput<T> operator()(const PointForce& f) const {
    ForceOutput<T> out;
    const double magnitude = freeplay::evaluate(f.magnitude, t).x;
    const Vec3T<T> force = along(f.direction * magnitude, f.follows_body);
    const Vec3T<T> arm = second.R * f.at.point;
    out.on_second.add(force, arm);
    out.power = force.dot(second.v + second.w.cross(arm));
    out.effort = T(magnitude);
    return out;
  }

  ForceOutput<T> operator()(const BodyTorque& f) const {
    ForceOutput<T> out;
    const double magnitude = freeplay::evaluate(f.magnitude, t).x;
    out.on_second.moment = along(f.direction * magnitude, f.follows_body);
    out.power = out.on_second.moment.dot(second.w);
    out.effort = T(magnitude);
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
            coordinate_value(joint, on.coordinate, g, model.planar, angle_memory)};
  }
};

}  // namespace

template <class T>
ForceOutput<T> evaluate_force(const Force& force, const Model& model, const Pose<T>& first,
                              const Pose<T>& second, double t, double angle_memory) {
  return std::visit(Evaluate<T>{model, first, second, t, angle_memory}, force.law);
}

template ForceOutput<double> evaluate_force(const Force&, const Model&, const Pose<double>&,
                                            const Pose<double>&, double, double);
template ForceOutput<PairDual> evaluate_force(const Force&, const Model&, const Pose<PairDual>&,
                                              const Pose<PairDual>&, double, double);
template std::pair<double, double> table_force(const ForceTable&, const double&);

}  // namespace freeplay::dynamics
