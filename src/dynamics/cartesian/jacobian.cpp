// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/cartesian/cartesian.hpp"

// Exact derivatives of the Cartesian equations by forward differentiation, element by element: each
// joint and force sees two bodies, so 26
// directions suffice whatever the size of the mechanism, and four more for the states of friction.
namespace freeplay::dynamics {
namespace {

/// A body's pose as a function of its own q and v; `offset` is 0 for an element's first body, 13
/// for its second. The ground has no variables.
Pose<PairDual> dual_pose(bool planar, bool ground, const double* q, const double* v, int offset) {
  const auto var = [&](double x, int k) { return PairDual::variable(x, offset + k); };
  Pose<PairDual> pose;
  if (ground) {
    pose.r = pose.v = pose.w = Vec3T<PairDual>::Zero();
    pose.R = Mat3T<PairDual>::Identity();
  } else if (planar) {
    pose.r << var(q[0], 0), var(q[1], 1), PairDual(0);
    pose.angle = var(q[2], 2);
    pose.R = rotation_about_z(pose.angle);
    pose.v << var(v[0], 7), var(v[1], 8), PairDual(0);
    pose.w << PairDual(0), PairDual(0), var(v[2], 9);
  } else {
    pose.r << var(q[0], 0), var(q[1], 1), var(q[2], 2);
    pose.R = rotation_matrix(var(q[3], 3), var(q[4], 4), var(q[5], 5), var(q[6], 6));
    pose.v << var(v[0], 7), var(v[1], 8), var(v[2], 9);
    pose.w = pose.R * Vec3T<PairDual>(var(v[3], 10), var(v[4], 11), var(v[5], 12));
  }
  return pose;
}

/// The same pose as a constant.
Pose<PairDual> frozen(Pose<PairDual> pose) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) pose.R(i, j).d.setZero();
  return pose;
}

/// Hands the derivatives that a dual carries over to the columns of its two bodies.
struct Scatter {
  const Cartesian::Sink& sink;
  int q_width, v_width, position_size;
  int states = 0, first_state = 0;  // friction states of the element at hand, columns of y
  void operator()(int row, const PairDual& x, BodyIndex first, BodyIndex second) const {
    for (const auto& [body, offset] : {std::pair{first, 0}, std::pair{second, 13}}) {
      if (body == kGround) continue;
      for (int c = 0; c < q_width; ++c) sink(row, (body - 1) * q_width + c, x.d[offset + c]);
      for (int c = 0; c < v_width; ++c)
        sink(row, position_size + (body - 1) * v_width + c, x.d[offset + 7 + c]);
    }
    for (int c = 0; c < states; ++c) sink(row, first_state + c, x.d[kPairStates + c]);
  }
};

/// Where the derivatives of a wrench on a body go.
struct Residual {
  Scatter scatter;
  bool planar;
  /// Generalised force, in the body's velocity coordinates, subtracted from the momentum rows of
  /// the body.
  void subtract(BodyIndex body, const Pose<PairDual>& at, const Wrench<PairDual>& wrench,
                BodyIndex first, BodyIndex second) const {
    if (body == kGround) return;
    const int row = (body - 1) * scatter.v_width;
    if (planar) {
      scatter(row, -wrench.force[0], first, second);
      scatter(row + 1, -wrench.force[1], first, second);
      scatter(row + 2, -wrench.moment[2], first, second);
    } else {
      const Vec3T<PairDual> moment = at.R.transpose() * wrench.moment;
      for (int c = 0; c < 3; ++c) {
        scatter(row + c, -wrench.force[c], first, second);
        scatter(row + 3 + c, -moment[c], first, second);
      }
    }
  }
};

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
void Cartesian::visit_rows(double t, const double* y, const double* memory, Visit&& visit) const {
  const int nq = position_size();
  const auto pose = [&](BodyIndex b, int offset) {
    return dual_pose(model_.planar, b == kGround, y + (b - 1) * q_width_,
                     y + nq + (b - 1) * v_width_, offset);
  };
  for (int r = 0; r < rows(); ++r) {
    const Row& row = rows_[r];
    if (row.joint >= 0) {
      const Joint& joint = model_.joints[row.joint];
      const auto p1 = pose(joint.first.body, 0), p2 = pose(joint.second.body, 13);
      const auto g = geometry(joint, p1, p2);
      visit(r, joint, p1, p2, evaluate_row(row.spec, joint, g, drive_at(row, t), model_.planar),
            1.0);
      continue;
    }
    if (row.hold >= 0) continue;  // constant in a Newton iteration that only needs to be near
    const Coupling& coupling = model_.couplings[row.coupling];
    for (const auto& [on, factor] :
         {std::pair{&coupling.second, 1.0}, std::pair{&coupling.first, -coupling.ratio}}) {
      const Joint& joint = model_.joints[on->joint];
      const auto p1 = pose(joint.first.body, 0), p2 = pose(joint.second.body, 13);
      const auto g = geometry(joint, p1, p2);
      auto value = evaluate_row(coordinate_row(joint, on->coordinate), joint, g, {}, model_.planar);
      value.phi = coordinate_value(joint, on->coordinate, g, model_.planar,
                                   angle_reference(on->joint, on->coordinate, memory));
      visit(r, joint, p1, p2, value, factor);
    }
  }
}

void Cartesian::residual_derivative(double t, const double* y, const double* memory,
                                    const double* a, const double* lambda, const Sink& sink) const {
  row_derivative(t, y, memory, a, lambda, sink);
  element_derivative(t, y, memory, sink);
  friction_derivative(y, memory, sink);
  if (model_.planar) return;
  const int nq = position_size();
  for (int b = 0; b < moving_; ++b) {  // gyroscopic term w' x J' w'
    const Mat3& J = model_.bodies[b + 1].inertia;
    const Vec3 w = vec3(y + nq + b * 6 + 3), h = J * w;
    for (int c = 0; c < 3; ++c) {
      const Vec3 column = Vec3::Unit(c).cross(h) + w.cross(J.col(c));
      for (int i = 0; i < 3; ++i) sink(b * 6 + 3 + i, nq + b * 6 + 3 + c, column[i]);
    }
  }
}

void Cartesian::row_derivative(double t, const double* y, const double* memory, const double* a,
                               const double* lambda, const Sink& sink) const {
  const int nv = velocity_size(), works = nv + rows() + state_size();
  const Residual residual{{sink, q_width_, v_width_, position_size()}, model_.planar};
  // J a of a row: body-axes accelerations turned to global axes.
  const auto acceleration = [&](BodyIndex b, const Pose<PairDual>& p, const Vec3T<PairDual>& v,
                                const Vec3T<PairDual>& w) -> PairDual {
    if (b == kGround) return PairDual(0);
    const double* x = a + (b - 1) * v_width_;
    if (model_.planar) return v[0] * x[0] + v[1] * x[1] + w[2] * x[2];
    const Vec3T<PairDual> alpha = p.R * Vec3(x[3], x[4], x[5]);
    return v[0] * x[0] + v[1] * x[1] + v[2] * x[2] + w.dot(alpha);
  };
  visit_rows(
      t, y, memory,
      [&](int r, const Joint& joint, const auto& p1, const auto& p2, auto value, double factor) {
        const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
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
        const int work = work_of_row(r);
        if (work >= 0) residual.scatter(works + work, -factor * lambda[r] * rate, b1, b2);
      });
}

void Cartesian::element_derivative(double t, const double* y, const double* memory,
                                   const Sink& sink) const {
  constexpr int kAtATime = kPairVariables - kPairStates;  // states that carry derivatives
  const int nq = position_size(), nv = velocity_size(), works = nv + rows() + state_size();
  Residual residual{{sink, q_width_, v_width_, nq}, model_.planar};
  const auto pose = [&](BodyIndex b, int offset) {
    return dual_pose(model_.planar, b == kGround, y + (b - 1) * q_width_,
                     y + nq + (b - 1) * v_width_, offset);
  };
  std::vector<PairDual> z, rates;
  const auto reference = [&](const JointCoordinate& on) {
    return angle_reference(on.joint, on.coordinate, memory);
  };
  elements_.each(reference, [&](const Element& element, double angle) {
    const BodyIndex b1 = element.first(), b2 = element.second();
    const auto p1 = pose(b1, 0), p2 = pose(b2, kBodyVariables);
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
      element.act({t, p1, p2, z.data(), memory, angle}, rates.data(), out);
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
void Cartesian::friction_derivative(const double* y, const double* memory, const Sink& sink) const {
  const int nq = position_size(), nv = velocity_size(), works = nv + rows() + state_size();
  Residual residual{{sink, q_width_, v_width_, nq}, model_.planar};
  for (const Friction& friction : frictions_) {
    const Joint& joint = model_.joints[friction.element.joint()];
    const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
    const auto pose = [&](BodyIndex b, int offset) {
      return dual_pose(model_.planar, b == kGround, y + (b - 1) * q_width_,
                       y + nq + (b - 1) * v_width_, offset);
    };
    const auto p1 = pose(b1, 0), p2 = pose(b2, kBodyVariables);
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
  const Scatter scatter{sink, q_width_, v_width_, position_size()};
  visit_rows(t, y, memory,
             [&](int r, const Joint& joint, const auto& p1, const auto& p2, const auto& value,
                 double factor) {
               scatter(r, factor * value.phi, joint.first.body, joint.second.body);
               scatter(rows() + r, factor * rate_of(value, p1, p2), joint.first.body,
                       joint.second.body);
             });
}

void Cartesian::position_rates_derivative(const double* y, const Sink& sink) const {
  const int nq = position_size();
  for (int b = 0; b < moving_; ++b) {
    const int row = b * q_width_, cq = b * q_width_, cv = nq + b * v_width_;
    for (int c = 0; c < 3; ++c) sink(row + c, cv + c, 1);
    if (model_.planar) continue;
    const double *p = y + cq + 3, *w = y + cv + 3;
    Eigen::Matrix<double, 4, 4> dp;  // of p' with respect to p
    dp << 0, -w[0], -w[1], -w[2], w[0], 0, w[2], -w[1], w[1], -w[2], 0, w[0], w[2], w[1], -w[0], 0;
    Eigen::Matrix<double, 4, 3> dw;  // of p' with respect to w'
    dw << -p[1], -p[2], -p[3], p[0], -p[3], p[2], p[3], p[0], -p[1], -p[2], p[1], p[0];
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        if (i != j) sink(row + 3 + i, cq + 3 + j, 0.5 * dp(i, j));
      for (int j = 0; j < 3; ++j) sink(row + 3 + i, cv + 3 + j, 0.5 * dw(i, j));
    }
  }
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
      const int worker = work_of_row(r);
      if (worker >= 0) dfdy(nq + nv + nz + worker, c) -= column[nv + r] * rate[r];
    }
  }
  return dfdy.allFinite();
}

}  // namespace freeplay::dynamics
