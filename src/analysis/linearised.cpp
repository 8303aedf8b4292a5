// SPDX-License-Identifier: Apache-2.0
#include "analysis/linearised.hpp"

#include <Eigen/QR>

namespace freeplay::analysis {

using dynamics::Cartesian;

MatX mass_matrix(const Cartesian& system, const State& at) {
  const int nv = system.velocity_size();
  MatX M(nv, nv);
  for (int d = 0; d < nv; ++d) {
    const VecX unit = VecX::Unit(nv, d);
    system.mass_times(at.y.data(), unit.data(), M.col(d).data());
  }
  return M;
}

MatX gradient_matrix(Cartesian& system) {
  const auto& kkt = system.kkt();
  MatX J = MatX::Zero(system.rows(), system.velocity_size());
  for (int r = 0; r < system.rows(); ++r)
    for (int k = 0; k < kkt.entries(r); ++k)
      for (int c = 0; c < kkt.width(r, k); ++c)
        J(r, kkt.first_dof(r, k) + c) += kkt.gradient(r, k)[c];
  return J;
}

VecX displacement_scale(const Cartesian& system) {
  VecX scale(system.velocity_size());
  for (int d = 0; d < scale.size(); ++d)
    scale[d] = system.bodies().turns(d) ? 1 / system.scales().length : 1;
  return scale;
}

MatX allowed_motions(const MatX& J, const Cartesian& system) {
  const Eigen::Index nv = J.cols();
  if (J.rows() == 0) return MatX::Identity(nv, nv);
  const VecX scale = displacement_scale(system);
  Eigen::ColPivHouseholderQR<MatX> range((J * scale.asDiagonal()).transpose());
  range.setThreshold(1e-9);
  const MatX Q = range.householderQ() * MatX::Identity(nv, nv);
  return scale.asDiagonal() * Q.rightCols(nv - range.rank());
}

namespace {

/// d(J^T lambda)/dq of the rows that come and go, which `residual_derivative` holds constant: a
/// contact at rest turns with the pose, and its load makes a stiffness of that.
void add_turning_holds(Cartesian& system, const State& state, const VecX& lambda, MatX& K) {
  const int from = system.joint_rows(), nv = system.velocity_size();
  const auto held = lambda.tail(system.rows() - from);
  if (held.size() == 0 || held.cwiseAbs().maxCoeff() == 0) return;
  const VecX scale = displacement_scale(system);
  const auto effort = [&](int d, double step) -> VecX {
    VecX y = state.y, increment = VecX::Zero(nv);
    increment[d] = step;
    system.displace(y.data(), increment.data());
    system.update(state.time, y.data(), state.memory.data());
    return gradient_matrix(system).bottomRows(held.size()).transpose() * held;
  };
  for (int d = 0; d < nv; ++d) {
    const double step = 1e-6 * system.scales().length * scale[d];
    K.col(d) += (effort(d, step) - effort(d, -step)) / (2 * step);
  }
  system.update(state.time, state.y.data(), state.memory.data());
}

}  // namespace

Linearised linearise(Cartesian& system, const State& state, const VecX& a, const VecX& lambda) {
  const int nq = system.position_size(), nv = system.velocity_size(), m = system.rows();
  const int nz = system.state_size();
  const double* y = state.y.data();
  const double* memory = state.memory.data();
  system.update(state.time, y, memory);
  MatX dR = MatX::Zero(nv + m + nz + system.work_size(), system.size());
  MatX N = MatX::Zero(nq, nv), rates = MatX::Zero(m, nq);
  system.residual_derivative(state.time, y, memory, a.data(), lambda.data(),
                             [&](int r, int c, double x) { dR(r, c) += x; });
  system.position_rates_derivative(y, [&](int r, int c, double x) {
    if (c >= nq) N(r, c - nq) += x;
  });
  system.constraint_derivative(state.time, y, memory, [&](int r, int c, double x) {
    if (r >= m && c < nq) rates(r - m, c) += x;
  });
  Linearised out;
  out.M = mass_matrix(system, state);
  out.K = dR.topLeftCorner(nv, nq) * N;
  out.C = dR.block(0, nq, nv, nv);
  out.E = dR.block(0, nq + nv, nv, nz);
  out.Zq = dR.block(nv + m, 0, nz, nq) * N;
  out.Zv = dR.block(nv + m, nq, nz, nv);
  out.Zz = dR.block(nv + m, nq + nv, nz, nz);
  out.T = rates * N;
  system.update(state.time, y, memory);
  out.J = gradient_matrix(system);
  add_turning_holds(system, state, lambda, out.K);
  return out;
}

}  // namespace freeplay::analysis
