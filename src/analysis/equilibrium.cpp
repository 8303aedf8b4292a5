// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian.hpp"
#include "dynamics/channels.hpp"
#include "dynamics/layout.hpp"
#include <freeplay/run.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

// Static equilibrium by a gradient flow that turns into Newton's method: each step solves
//
//   [ K + sigma M   J^T ] [ dq     ]   [ Q   ]
//   [ J              0  ] [ lambda ] = [ -phi],     K = d(J^T lambda - Q)/dq exact,
//
// implicit Euler of a mechanism creeping in honey, so it goes downhill to a stable pose and not to
// the nearest unstable one; sigma falls with the imbalance, and at sigma = 0 the step is Newton's.
namespace freeplay {
namespace {

using dynamics::Cartesian;

/// N(q): positions moved by a unit of each velocity, one column each.
MatX position_map(const Cartesian& system, const VecX& y) {
  const int nq = system.position_size(), nv = system.velocity_size();
  MatX N = MatX::Zero(nq, nv);
  system.position_rates_derivative(y.data(), [&](int r, int c, double x) {
    if (c >= nq) N(r, c - nq) += x;
  });
  return N;
}

MatX gradient_matrix(Cartesian& system) {
  const int nv = system.velocity_size(), width = system.model().planar ? 3 : 6;
  MatX J = MatX::Zero(system.rows(), nv);
  for (int r = 0; r < system.rows(); ++r)
    for (int k = 0; k < system.kkt().entries(r); ++k)
      for (int c = 0; c < width; ++c)
        J(r, system.kkt().body(r, k) * width + c) += system.kkt().gradient(r, k)[c];
  return J;
}

}  // namespace

Equilibrium find_equilibrium(const Model& model) {
  Cartesian system(model);
  Equilibrium out;
  out.state = dynamics::to_cartesian(model, assemble(model).start);
  system.prepare(out.state);
  State& state = out.state;
  const int nq = system.position_size(), nv = system.velocity_size(), m = system.rows();
  const double* memory = state.memory.data();
  const double t = state.time;
  const Scales& s = system.scales();
  state.y.tail(state.y.size() - nq).setZero();

  MatX M = MatX::Zero(nv, nv);
  for (int d = 0; d < nv; ++d) {
    VecX unit = VecX::Unit(nv, d), column(nv);
    system.mass_times(unit.data(), column.data());
    M.col(d) = column;
  }
  VecX f(system.size()), Q(nv), zero = VecX::Zero(nv);
  const auto imbalance = [&] {  // largest acceleration from rest, per L or rad
    if (!system.derivative(t, state.y.data(), memory, f.data()))
      return std::numeric_limits<double>::infinity();
    double worst = 0;
    const int width = model.planar ? 3 : 6;
    for (int d = 0; d < nv; ++d)
      worst = std::max(worst,
                       std::abs(f[nq + d]) / (d % width < (model.planar ? 2 : 3) ? s.length : 1.0));
    return worst * s.time * s.time;
  };
  double now = imbalance(), sigma = 10 / (s.time * s.time);
  for (out.iterations = 0; out.iterations < 500 && now > 1e-12; ++out.iterations) {
    MatX dR = MatX::Zero(nv + m + system.state_size() + system.work_size(), system.size());
    const VecX lambda = system.multipliers();
    system.residual_derivative(t, state.y.data(), memory, zero.data(), lambda.data(),
                               [&](int r, int c, double x) { dR(r, c) += x; });
    system.update(t, state.y.data(), memory);
    system.applied_forces(t, state.y.data(), memory, Q.data());
    const MatX J = gradient_matrix(system),
               K = dR.block(0, 0, nv, nq) * position_map(system, state.y);
    MatX A = MatX::Zero(nv + m, nv + m);
    A.topLeftCorner(nv, nv) = K + sigma * M;
    A.topRightCorner(nv, m) = J.transpose();
    A.bottomLeftCorner(m, nv) = J;
    for (int r = 0; r < m; ++r) A(nv + r, nv + r) = -1e-12 / s.mass;  // redundant rows
    VecX rhs(nv + m);
    rhs << Q, -system.phi();
    const VecX x = A.fullPivLu().solve(rhs);
    const VecX before = state.y;
    const double reach = x.head(nv).cwiseAbs().maxCoeff() / std::max(1.0, s.length);
    bool usable = x.allFinite() && reach < 0.5;
    if (usable) {
      system.displace(state.y.data(), x.data());
      usable = system.project(t, state.y.data(), memory);
      state.y.tail(state.y.size() - nq).setZero();
    }
    const double next = usable ? imbalance() : std::numeric_limits<double>::infinity();
    if (next < 2 * now) {
      // Fall with the imbalance once it falls; creep on otherwise.
      sigma *= std::clamp(next / now, 0.05, 0.7);
      now = next;
    } else {
      state.y = before;
      (void)imbalance();
      sigma = std::max(4 * sigma, 1e-6 / (s.time * s.time));
      if (sigma > 1e12 / (s.time * s.time)) break;
    }
  }
  out.residual = now * s.length / (s.time * s.time);
  out.found = now < 1e-8;
  const dynamics::Channels channels(system);
  dynamics::Snapshot snapshot;
  out.row.resize(static_cast<std::size_t>(channels.width()));
  system.accept(state);
  if (system.snapshot(state, snapshot)) channels.fill(snapshot, out.row);
  return out;
}

}  // namespace freeplay
