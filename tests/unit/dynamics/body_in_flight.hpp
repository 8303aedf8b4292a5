// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/deforming_body.hpp"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// A deforming body in the middle of a motion, and what must hold there whatever its kind: its
// energies, frames, momenta and derivatives against each other by differences.
namespace freeplay::dynamics {

struct BodyInFlight {
  const DeformingBody& body;
  VecX q, v;

  [[nodiscard]] std::vector<Pose<double>> frames(const VecX& at, const VecX& rate) const {
    std::vector<Pose<double>> out(static_cast<std::size_t>(body.attached()) + 1);
    body.place(at.data(), rate.data(), out[0], out.data() + 1);
    return out;
  }
  /// The motion a while later, v' = a.
  void after(double dt, const VecX& a, VecX& q1, VecX& v1) const {
    q1 = q, v1 = v + dt * a;
    // Second order for turns about axes that change: the mean velocity of the interval.
    const VecX change = dt * v + 0.5 * dt * dt * a;
    body.displace(q1.data(), change.data());
  }
  [[nodiscard]] VecX acceleration(const VecX& at, const VecX& rate) const {
    MatX M;
    VecX f(rate.size());
    body.mass(at.data(), M);
    body.forces(at.data(), rate.data(), f.data());
    return M.llt().solve(f);
  }
  /// The free motion a while later, by one step of Runge and Kutta.
  void flown(double h, VecX& q1, VecX& v1) const {
    const auto rates = [&](const VecX& at, const VecX& rate) {
      VecX out(at.size());
      body.position_rates(at.data(), rate.data(), out.data());
      return out;
    };
    const VecX q_a = rates(q, v), v_a = acceleration(q, v);
    const VecX qb = q + 0.5 * h * q_a, vb = v + 0.5 * h * v_a;
    const VecX q_b = rates(qb, vb), v_b = acceleration(qb, vb);
    const VecX qc = q + 0.5 * h * q_b, vc = v + 0.5 * h * v_b;
    const VecX q_c = rates(qc, vc), v_c = acceleration(qc, vc);
    const VecX qd = q + h * q_c, vd = v + h * v_c;
    q1 = q + h / 6 * (q_a + 2 * q_b + 2 * q_c + rates(qd, vd));
    v1 = v + h / 6 * (v_a + 2 * v_b + 2 * v_c + acceleration(qd, vd));
    body.normalise(q1.data());
  }
  [[nodiscard]] double energy(const VecX& at, const VecX& rate) const {
    const auto e = body.energies(at.data(), rate.data(), frames(at, rate)[0]);
    return e.kinetic + e.potential + e.elastic;
  }
};

/// Its energy changes by its damping alone.
inline void expect_energy_is_kept(const BodyInFlight& s, double h, double tolerance) {
  VecX q0, v0, q1, v1;
  s.flown(-h, q0, v0);
  s.flown(h, q1, v1);
  const double rate = (s.energy(q1, v1) - s.energy(q0, v0)) / (2 * h),
               lost = s.body.dissipated_power(s.q.data(), s.v.data());
  EXPECT_NEAR(rate, lost, tolerance * (1 + std::abs(lost)));
  EXPECT_EQ(s.body.dissipates(), lost < 0);
}

/// Its mass is what its kinetic energy says.
inline void expect_mass_of_kinetic_energy(const BodyInFlight& s) {
  MatX M;
  s.body.mass(s.q.data(), M);
  EXPECT_LT((M - M.transpose()).cwiseAbs().maxCoeff(), 1e-14);
  const auto e = s.body.energies(s.q.data(), s.v.data(), s.frames(s.q, s.v)[0]);
  EXPECT_NEAR(0.5 * s.v.dot(M * s.v), e.kinetic, 1e-12 * e.kinetic);
  VecX out(s.v.size());
  s.body.mass_times(s.q.data(), s.v.data(), out.data());
  EXPECT_LT((out - M * s.v).cwiseAbs().maxCoeff(), 1e-12);
  for (int i = 0; i < M.rows(); ++i)
    for (int j = 0; j < i; ++j)
      if (!s.body.couples(i, j)) {
        EXPECT_EQ(M(i, j), 0) << i << " and " << j;
      }
}

/// Frames move as their velocities and accelerations say.
inline void expect_frames_move_as_they_say(const BodyInFlight& s, int seed) {
  VecX a(s.v.size());
  for (int c = 0; c < a.size(); ++c) a[c] = std::sin(3.0 * c + seed);
  const double h = 1e-5;
  VecX q0, v0, q1, v1;
  s.after(-h, a, q0, v0);
  s.after(h, a, q1, v1);
  const auto now = s.frames(s.q, s.v), before = s.frames(q0, v0), later = s.frames(q1, v1);
  std::vector<FrameAcceleration> acc(now.size());
  s.body.accelerate(s.q.data(), s.v.data(), a.data(), now[0], acc[0], acc.data() + 1);
  for (std::size_t f = 0; f < now.size(); ++f) {
    EXPECT_LT(((later[f].r - before[f].r) / (2 * h) - now[f].v).norm(), 1e-7);
    const Mat3 turn = (later[f].R - before[f].R) / (2 * h) * now[f].R.transpose();
    EXPECT_LT((Vec3(turn(2, 1), turn(0, 2), turn(1, 0)) - now[f].w).norm(), 1e-7);
    EXPECT_LT((now[f].R.transpose() * now[f].R - Mat3::Identity()).norm(), 1e-13);
    EXPECT_LT(((later[f].v - before[f].v) / (2 * h) - acc[f].linear).norm(), 2e-6);
    EXPECT_LT(((later[f].w - before[f].w) / (2 * h) - acc[f].angular).norm(), 2e-6);
  }
}

/// Wrenches do the work of their frames.
inline void expect_wrenches_work(const BodyInFlight& s, const Wrench<double>& w) {
  const auto now = s.frames(s.q, s.v);
  for (int f = -1; f < s.body.attached(); ++f) {
    VecX out = VecX::Zero(s.v.size());
    s.body.spread(s.q.data(), f, w, out.data());
    const Pose<double>& at = now[static_cast<std::size_t>(f + 1)];
    EXPECT_NEAR(out.dot(s.v), w.force.dot(at.v) + w.moment.dot(at.w), 1e-12);
  }
}

/// `exact` against central differences of `f(q, v)`, column by column.
template <class F>
void expect_derivatives(const BodyInFlight& s, const MatX& exact, F&& f, double tolerance) {
  const double h = 1e-6;
  for (int c = 0; c < exact.cols(); ++c) {
    VecX q0 = s.q, q1 = s.q, v0 = s.v, v1 = s.v;
    if (c < s.q.size())
      q0[c] -= h, q1[c] += h;
    else
      v0[c - s.q.size()] -= h, v1[c - s.q.size()] += h;
    const VecX difference = (f(q1, v1) - f(q0, v0)) / (2 * h);
    EXPECT_LT((difference - exact.col(c)).cwiseAbs().maxCoeff(),
              tolerance * (1 + exact.col(c).cwiseAbs().maxCoeff()))
        << "column " << c;
  }
}

/// The derivatives of its forces, of what wrenches do to it and of its damping are those of their
/// values.
inline void expect_exact_derivatives(const BodyInFlight& s, const Wrench<double>& wrench,
                                     double tolerance) {
  const auto rows = s.v.size(), columns = s.q.size() + s.v.size();
  VecX a(rows);
  for (int c = 0; c < a.size(); ++c) a[c] = std::sin(3.0 * c);
  MatX exact = MatX::Zero(rows, columns);
  const Sink into = [&](int r, int c, double x) { exact(r, c) += x; };
  s.body.momentum_derivative(s.q.data(), s.v.data(), a.data(), into);
  expect_derivatives(
      s, exact,
      [&](const VecX& q, const VecX& v) {
        VecX m(v.size()), f(v.size());
        s.body.mass_times(q.data(), a.data(), m.data());
        s.body.forces(q.data(), v.data(), f.data());
        return VecX(m - f);
      },
      tolerance);
  for (int frame = -1; frame < s.body.attached(); ++frame) {
    exact = MatX::Zero(rows, columns);
    s.body.spread_derivative(s.q.data(), frame, wrench, into);
    expect_derivatives(
        s, exact,
        [&](const VecX& q, const VecX&) {
          VecX out = VecX::Zero(rows);
          s.body.spread(q.data(), frame, wrench, out.data());
          return out;
        },
        tolerance);
    exact = MatX::Zero(1, columns);
    const Vec3 row_v(0.3, -0.2, 0.7), row_w(-0.4, 0.1, 0.6);
    s.body.acceleration_derivative(s.q.data(), s.v.data(), a.data(), frame, row_v, row_w, into);
    expect_derivatives(
        s, exact,
        [&](const VecX& q, const VecX& v) {
          std::vector<Pose<double>> poses(static_cast<std::size_t>(s.body.attached()) + 1);
          s.body.place(q.data(), v.data(), poses[0], poses.data() + 1);
          std::vector<FrameAcceleration> acc(poses.size());
          s.body.accelerate(q.data(), v.data(), a.data(), poses[0], acc[0], acc.data() + 1);
          const FrameAcceleration& at = acc[static_cast<std::size_t>(frame + 1)];
          return VecX::Constant(1, row_v.dot(at.linear) + row_w.dot(at.angular));
        },
        tolerance);
  }
  if (!s.body.dissipates()) return;
  exact = MatX::Zero(1, columns);
  s.body.dissipated_power_derivative(s.q.data(), s.v.data(), into);
  expect_derivatives(
      s, exact,
      [&](const VecX& q, const VecX& v) {
        return VecX::Constant(1, s.body.dissipated_power(q.data(), v.data()));
      },
      tolerance);
}

}  // namespace freeplay::dynamics
