// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/cartesian/frame_maps.hpp"
#include "dynamics/cartesian/residual.hpp"

// Exact derivatives of the Cartesian equations by forward differentiation, element by element: each
// joint and force sees two frames, so 26 directions suffice whatever the size of the mechanism, and
// four more for the states of friction. From frames they go on to the coordinates of bodies: those
// of a rigid body are its frame's own, others bring their maps.
namespace freeplay::dynamics {
namespace {

/// The same pose as a constant.
Pose<PairDual> frozen(Pose<PairDual> pose) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) pose.R(i, j).d.setZero();
  return pose;
}

/// Leaves the derivatives with respect to states alone.
void keep_states_only(Action<PairDual>& action, std::vector<PairDual>& rates) {
  const auto strip = [](PairDual& x) { x.d.head<kPairStates>().setZero(); };
  for (Wrench<PairDual>* w : {&action.on_first, &action.on_second})
    for (int i = 0; i < 3; ++i) strip(w->force[i]), strip(w->moment[i]);
  for (PairDual& rate : rates) strip(rate);
  strip(action.power);
  strip(action.friction_power);
}

}  // namespace

/// Calls visit(row, joint, first pose, second pose, row value, factor) for every share of every
/// row; couplings have two shares, one for each of their coordinates.
template <class Visit>
void Cartesian::visit_rows(double t, const FrameMaps& maps, const double* memory,
                           Visit&& visit) const {
  for (int r = 0; r < rows(); ++r) {
    const Row& row = rows_[r];
    if (row.joint >= 0) {
      const Joint& joint = model_.joints[row.joint];
      const auto p1 = maps.pose(joint.first.body, 0),
                 p2 = maps.pose(joint.second.body, kBodyVariables);
      const auto g = place_of(joint, p1, p2);
      visit(r, joint, p1, p2, evaluate_row(row.spec, joint, g, drive_at(row, t), model_.planar),
            1.0);
      continue;
    }
    if (row.hold >= 0) continue;  // constant in a Newton iteration that only needs to be near
    const Coupling& coupling = model_.couplings[row.coupling];
    for (const auto& [on, factor] :
         {std::pair{&coupling.second, 1.0}, std::pair{&coupling.first, -coupling.ratio}}) {
      const Joint& joint = model_.joints[on->joint];
      const auto p1 = maps.pose(joint.first.body, 0),
                 p2 = maps.pose(joint.second.body, kBodyVariables);
      const auto g = place_of(joint, p1, p2);
      auto value = evaluate_row(coordinate_row(joint, on->coordinate), joint, g, {}, model_.planar);
      value.phi = coordinate_value(joint, on->coordinate, g, model_.planar,
                                   angle_reference(on->joint, on->coordinate, memory));
      visit(r, joint, p1, p2, value, factor);
    }
  }
}

void Cartesian::residual_derivative(double t, const double* y, const double* memory,
                                    const double* a, const double* lambda, const Sink& sink) const {
  const FrameMaps maps(bodies_, poses_, model_.planar, y);
  row_derivative(t, y, maps, memory, a, lambda, sink);
  element_derivative(t, y, maps, memory, sink);
  control_derivative(t, y, maps, memory, sink);
  mesh_derivative(maps, memory, sink);
  friction_derivative(y, maps, memory, sink);
  bodies_.momentum_derivative(y, y + position_size(), a, sink);
  for (const Damping& damping : dampings_) damping_derivative(damping, y, sink);
}

/// Of the power that a body loses inside.
void Cartesian::damping_derivative(const Damping& damping, const double* y,
                                   const Sink& sink) const {
  const int row = velocity_size() + rows() + state_size() + damping.work;
  const int q = bodies_.position_of(damping.body), v = bodies_.velocity_of(damping.body);
  const int nq = bodies_.body(damping.body).positions();
  bodies_.body(damping.body)
      .dissipated_power_derivative(y + q, y + position_size() + v, [&](int, int column, double x) {
        sink(row, column < nq ? q + column : position_size() + v + column - nq, x);
      });
}

void Cartesian::row_derivative(double t, const double* y, const FrameMaps& maps,
                               const double* memory, const double* a, const double* lambda,
                               const Sink& sink) const {
  const int nv = velocity_size(), works = nv + rows() + state_size();
  const Residual residual{{sink, maps}};
  // J a of a row: body-axes accelerations turned to global axes.
  const auto acceleration = [&](FrameIndex f, const Pose<PairDual>& p, const Vec3T<PairDual>& v,
                                const Vec3T<PairDual>& w) -> PairDual {
    if (f == kGround) return PairDual(0);
    const double* x = a + bodies_.velocity_of(bodies_.owner(f));
    if (bodies_.deforming(f)) {
      const FrameAcceleration moved = frame_acceleration(f, y, a);
      PairDual sum(0);
      for (int i = 0; i < 3; ++i) sum += v[i] * moved.linear[i] + w[i] * moved.angular[i];
      return sum;
    }
    if (model_.planar) return v[0] * x[0] + v[1] * x[1] + w[2] * x[2];
    const Vec3T<PairDual> alpha = p.R * Vec3(x[3], x[4], x[5]);
    return v[0] * x[0] + v[1] * x[1] + v[2] * x[2] + w.dot(alpha);
  };
  // A deforming body's share of what a frame's acceleration depends on.
  const auto own_acceleration = [&](int r, FrameIndex f, double factor, const Vec3T<PairDual>& v,
                                    const Vec3T<PairDual>& w) {
    const DeformingBody* body = bodies_.deforming(f);
    if (!body) return;
    const Vec3 row_v(v[0].value, v[1].value, v[2].value), row_w(w[0].value, w[1].value, w[2].value);
    body->acceleration_derivative(
        maps.q_of(f), maps.v_of(f), a + bodies_.velocity_of(bodies_.owner(f)), bodies_.number(f),
        row_v, row_w,
        [&](int, int own, double x) { sink(nv + r, maps.column(f, own), factor * x); });
  };
  visit_rows(
      t, maps, memory,
      [&](int r, const Joint& joint, const auto& p1, const auto& p2, auto value, double factor) {
        const FrameIndex b1 = joint.first.body, b2 = joint.second.body;
        const PairDual rate = rate_of(value, p1, p2);
        if (model_.simulation.baumgarte) {
          const auto [alpha, beta] = *model_.simulation.baumgarte;
          value.gamma -= 2 * alpha * (rate + value.phi_t) + beta * beta * value.phi;
        }
        Wrench<PairDual> on1, on2;  // the row's action: -J^T lambda
        add_effort(value, PairDual(-factor * lambda[r]), on1, on2);
        residual.subtract(b1, p1, on1, b1, b2);
        residual.subtract(b2, p2, on2, b1, b2);
        residual.scatter(nv + r,
                         factor * (acceleration(b1, p1, value.v1, value.w1) +
                                   acceleration(b2, p2, value.v2, value.w2) - value.gamma),
                         b1, b2);
        own_acceleration(r, b1, factor, value.v1, value.w1);
        own_acceleration(r, b2, factor, value.v2, value.w2);
        const int work = work_of_row(r);
        if (work >= 0) residual.scatter(works + work, -factor * lambda[r] * rate, b1, b2);
      });
}

/// Of a frame of a deforming body, for given accelerations of all velocities.
FrameAcceleration Cartesian::frame_acceleration(FrameIndex frame, const double* y,
                                                const double* a) const {
  std::vector<FrameAcceleration> all(poses_.size());
  bodies_.accelerate(y, y + position_size(), a, poses_, all);
  return all[static_cast<std::size_t>(frame)];
}

void Cartesian::element_derivative(double t, const double* y, const FrameMaps& maps,
                                   const double* memory, const Sink& sink) const {
  constexpr int kAtATime = kPairVariables - kPairStates;  // states that carry derivatives
  const int nv = velocity_size(), works = nv + rows() + state_size();
  Residual residual{{sink, maps}};
  std::vector<PairDual> z, rates, signals;  // signals as they are: control_derivative
  for (const double value : elements_.control().now().values) signals.emplace_back(value);
  elements_.each(angles(memory), [&](const Element& element, double angle) {
    const FrameIndex b1 = element.first(), b2 = element.second();
    const auto p1 = maps.pose(b1, 0), p2 = maps.pose(b2, kBodyVariables);
    const int states = element.states(), first = motion_size() + element.state();
    z.resize(static_cast<std::size_t>(states));
    rates.resize(static_cast<std::size_t>(states));
    // The first pass also carries the derivatives of the bodies.
    for (int from = 0; from == 0 || from < states; from += kAtATime) {
      const int count = std::min(kAtATime, states - from);
      for (int i = 0; i < states; ++i)
        z[static_cast<std::size_t>(i)] =
            i >= from && i < from + count ? PairDual::variable(y[first + i], kPairStates + i - from)
                                          : PairDual(y[first + i]);
      Action<PairDual> out;
      element.act({t, p1, p2, z.data(), memory, angle, signals.data()}, rates.data(), out);
      if (from > 0) keep_states_only(out, rates);
      residual.scatter.states = count;
      residual.scatter.first_state = first + from;
      residual.subtract(b1, from > 0 ? frozen(p1) : p1, out.on_first, b1, b2);
      residual.subtract(b2, from > 0 ? frozen(p2) : p2, out.on_second, b1, b2);
      for (int i = 0; i < states; ++i)
        residual.scatter(nv + rows() + element.state() + i, rates[static_cast<std::size_t>(i)], b1,
                         b2);
      if (element.work() >= 0) residual.scatter(works + element.work(), out.power, b1, b2);
      if (element.friction_work() >= 0)
        residual.scatter(works + element.friction_work(), out.friction_power, b1, b2);
    }
  });
}

/// Friction of ideal joints, with the load taken as given.
void Cartesian::friction_derivative(const double* y, const FrameMaps& maps, const double* memory,
                                    const Sink& sink) const {
  if (step_record_) return;  // an impulse, and no force
  const int nv = velocity_size(), works = nv + rows() + state_size();
  Residual residual{{sink, maps}};
  for (const Friction& friction : frictions_) {
    const Joint& joint = model_.joints[friction.element.joint()];
    const FrameIndex b1 = joint.first.body, b2 = joint.second.body;
    const auto p1 = maps.pose(b1, 0), p2 = maps.pose(b2, kBodyVariables);
    const auto lines = friction.element.rows(joint, p1, p2, model_.planar);
    const auto slip = friction.element.slip(lines, p1, p2);
    std::array<PairDual, joints::kMaxFrictionStates> z;
    for (int i = 0; i < friction.element.states(); ++i)
      z[i] = PairDual::variable(y[motion_size() + friction.state + i], kPairStates + i);
    const auto action = friction.element.act<PairDual>(
        slip, PairDual(friction.load), z.data(), friction.load_rate, memory + friction.memory);
    Wrench<PairDual> on1, on2;
    for (int k = 0; k < friction.element.components(); ++k)
      add_effort(lines[k], action.force[k], on1, on2);
    residual.scatter.states = friction.element.states();
    residual.scatter.first_state = motion_size() + friction.state;
    residual.subtract(b1, p1, on1, b1, b2);
    residual.subtract(b2, p2, on2, b1, b2);
    for (int i = 0; i < friction.element.states(); ++i)
      residual.scatter(nv + rows() + friction.state + i, action.state_rate[i], b1, b2);
    residual.scatter(works + friction.work, action.force.dot(slip), b1, b2);
  }
}

void Cartesian::constraint_derivative(double t, const double* y, const double* memory,
                                      const Sink& sink) const {
  const FrameMaps maps(bodies_, poses_, model_.planar, y);
  const Scatter scatter{sink, maps};
  visit_rows(t, maps, memory,
             [&](int r, const Joint& joint, const auto& p1, const auto& p2, const auto& value,
                 double factor) {
               scatter(r, factor * value.phi, joint.first.body, joint.second.body);
               scatter(rows() + r, factor * rate_of(value, p1, p2), joint.first.body,
                       joint.second.body);
             });
}

bool Cartesian::jacobian(double t, const double* y, const double* memory, MatX& dfdy) {
  if (!solve_accelerations(t, y, memory)) return false;
  const int nq = position_size(), nv = velocity_size(), m = rows();
  const VecX a = solution_.head(nv), lambda = lambda_, rate = row_rate_;
  const int nz = state_size(), columns = nq + nv + nz;
  MatX dR = MatX::Zero(nv + m + nz + work_size(), columns);
  residual_derivative(t, y, memory, a.data(), lambda.data(),
                      [&](int r, int c, double x) { dR(r, c) += x; });
  dfdy.setZero(size_, size_);
  position_rates_derivative(y, [&](int r, int c, double x) { dfdy(r, c) += x; });
  // K [da; dlambda] = -dR, column by column with the factorisation at hand.
  VecX column(nv + m);
  for (int c = 0; c < columns; ++c) {
    column = -dR.col(c).head(nv + m);
    kkt_.solve(column.data());
    dfdy.block(nq, c, nv, 1) = column.head(nv);
    dfdy.block(nq + nv, c, nz + work_size(), 1) = dR.col(c).tail(nz + work_size());
    for (int r = 0; r < m; ++r) {
      const int own = work_of_row(r);
      if (own >= 0) dfdy(nq + nv + nz + own, c) -= column[nv + r] * rate[r];
    }
  }
  return dfdy.allFinite();
}

}  // namespace freeplay::dynamics
