// SPDX-License-Identifier: Apache-2.0
#include "analysis/free_motion.hpp"
#include "analysis/linearised.hpp"
#include "analysis/refuse.hpp"
#include "core/rotation.hpp"
#include "dynamics/layout.hpp"
#include <freeplay/equilibrium.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

// Small motion about a state. With B a basis of the motions that the joints allow, admissible
// perturbations are
//
//   [ dq ]       [ B  0  0 ]         C makes the velocities follow the turning of the constraints,
//   [ dv ] = Z x,[ C  B  0 ]         J C + T B = 0,
//   [ dz ]       [ 0  0  I ]
//
// and x' = Z^+ A Z x. Its eigenvalues are the modes: no coordinate has to be chosen by hand.
//
// Rotations are seen from axes that do not turn with the bodies. About a shaft that spins, forces
// of its bearings stand still in these axes and would run around in its own; with the turn
// dtheta = R dtheta' and its rate, which is R dw', a rotor that is the same all around has constant
// coefficients, and (dtheta')' = R (dw')' + w x (dtheta)'.
namespace freeplay {
namespace {

using analysis::Linearised;
using dynamics::Cartesian;

/// Body axes to standing axes, for displacements and velocities alike.
MatX standing_axes(const Cartesian& system, const State& state) {
  const int nv = system.velocity_size();
  MatX out = MatX::Identity(nv, nv);
  if (system.model().planar) return out;
  for (int b = 0; b < system.bodies().count(); ++b) {
    const double* q = state.y.data() + system.bodies().position_of(b);
    const int turn = system.bodies().velocity_of(b) + 3;
    out.block<3, 3>(turn, turn) = rotation_matrix(q[3], q[4], q[5], q[6]);
  }
  return out;
}

/// w x of each spinning body, standing axes.
MatX spins(const Cartesian& system, const State& state, const MatX& R) {
  const int nv = system.velocity_size(), nq = system.position_size();
  MatX out = MatX::Zero(nv, nv);
  if (system.model().planar) return out;
  const VecX v = R * state.y.segment(nq, nv);
  for (int b = 0; b < system.bodies().count(); ++b) {
    const int turn = system.bodies().velocity_of(b) + 3;
    const Vec3 w = v.segment<3>(turn);
    for (int c = 0; c < 3; ++c) out.block<3, 1>(turn, turn + c) = w.cross(Vec3::Unit(c));
  }
  return out;
}

}  // namespace

std::vector<Mode> natural_modes(const Model& model, const State& state) {
  analysis::refuse_controlled(model, "natural frequencies");
  analysis::refuse_teeth(model, "natural frequencies");
  const State about = dynamics::to_cartesian(model, state);
  Cartesian system(model);
  system.prepare(about);
  const int nq = system.position_size(), nv = system.velocity_size(), m = system.rows();
  VecX f(system.size());
  if (!system.derivative(about.time, about.y.data(), about.memory.data(), f.data())) return {};
  const Linearised at = analysis::linearise(system, about, f.segment(nq, nv), system.multipliers());

  // Accelerations of small motions: [M J^T; J 0] [dv'; dlambda] = -[...] with the joints' own
  // part of the second row, J dv' = -d(J a - gamma), following from T.
  const MatX R = standing_axes(system, about), W = spins(system, about, R);
  const MatX J = at.J * R.transpose(), T = at.T * R.transpose();
  const MatX M = R * at.M * R.transpose();
  const MatX B = [&] {
    MatX in_body = analysis::allowed_motions(at.J, system);
    return MatX(R * in_body);
  }();
  const Eigen::Index f_count = B.cols();
  std::vector<int> states;  // of contacts that touch; those of the others are asleep
  for (int k = 0; k < at.Zz.rows(); ++k)
    if (at.Zq.row(k).cwiseAbs().maxCoeff() + at.Zv.row(k).cwiseAbs().maxCoeff() +
            at.Zz.row(k).cwiseAbs().maxCoeff() >
        0)
      states.push_back(k);
  const auto nz = static_cast<Eigen::Index>(states.size());
  if (f_count == 0) return {};
  MatX C = MatX::Zero(nv, f_count);
  if (m > 0) {
    const VecX scale = analysis::displacement_scale(system);
    Eigen::CompleteOrthogonalDecomposition<MatX> gradients(J * scale.asDiagonal());
    gradients.setThreshold(1e-9);
    C = scale.asDiagonal() * gradients.solve(-T * B);
  }
  // Reduced to the allowed motions, the multipliers drop out: B^T (M a + C v + K q + E z) = 0 for
  // accelerations a = B s' + (what the turning constraints add, which B^T M sees through C').
  const MatX Kg = R * at.K * R.transpose(), Cg = R * at.C * R.transpose(), E = R * at.E;
  const MatX gram = B.transpose() * M * B;
  const Eigen::PartialPivLU<MatX> mass(gram);
  const Eigen::Index n = 2 * f_count + nz;
  MatX reduced = MatX::Zero(n, n);
  reduced.block(0, f_count, f_count, f_count).setIdentity();
  // dv = C x + B s, dv' = C s + B s' (+ W dv from the standing axes): projected on B.
  const MatX Bt = B.transpose();
  const MatX from_velocity = -(Cg - M * W);
  reduced.block(f_count, 0, f_count, f_count) = mass.solve(Bt * (from_velocity * C - Kg * B));
  reduced.block(f_count, f_count, f_count, f_count) = mass.solve(Bt * (from_velocity * B - M * C));
  for (Eigen::Index k = 0; k < nz; ++k) {
    const int row = states[static_cast<std::size_t>(k)];
    reduced.block(f_count, 2 * f_count + k, f_count, 1) = mass.solve(-Bt * E.col(row));
    reduced.block(2 * f_count + k, 0, 1, f_count) =
        at.Zq.row(row) * R.transpose() * B + at.Zv.row(row) * R.transpose() * C;
    reduced.block(2 * f_count + k, f_count, 1, f_count) = at.Zv.row(row) * R.transpose() * B;
    for (Eigen::Index i = 0; i < nz; ++i)
      reduced(2 * f_count + k, 2 * f_count + i) = at.Zz(row, states[static_cast<std::size_t>(i)]);
  }
  const Eigen::EigenSolver<MatX> solver(reduced);
  const Eigen::VectorXcd values = solver.eigenvalues();
  std::vector<Mode> modes;
  // Round-off splits a double zero (a free motion) into a pair of size sqrt(epsilon): call that
  // zero.
  const double zero =
      1e-6 * std::max(1 / system.scales().time, values.cwiseAbs().maxCoeff() * 1e-3);
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const std::complex<double> s = std::abs(values[k]) < zero ? 0.0 : values[k];
    if (s.imag() < 0) continue;  // one of each conjugate pair
    Mode mode;
    mode.real = s.real();
    mode.imaginary = s.imag();
    mode.frequency = s.imag() / (2 * M_PI);
    mode.damping = std::abs(s) > 0 ? -s.real() / std::abs(s) : 0;
    const Eigen::VectorXcd shape = solver.eigenvectors().col(k).head(f_count);
    // The phase in which it is seen at its largest.
    Eigen::Index largest = 0;
    if (shape.cwiseAbs().maxCoeff(&largest) > 0)
      mode.motion = analysis::describe_motion(
          system, about,
          R.transpose() * B * (shape / shape[largest] * std::abs(shape[largest])).real());
    modes.push_back(mode);
  }
  std::stable_sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    return std::hypot(a.real, a.imaginary) < std::hypot(b.real, b.imaginary);
  });
  return modes;
}

std::string uneven_rotor(const Model& model, const State& state) {
  if (model.planar) return {};
  const State about = dynamics::to_cartesian(model, state);
  const Cartesian system(model);
  for (std::size_t b = 0; b + 1 < model.bodies.size(); ++b) {
    const int turn = system.bodies().velocity_of(static_cast<int>(b)) + 3;
    const Vec3 w = about.y.segment<3>(system.position_size() + turn);
    if (w.isZero()) continue;
    const Vec3 axis = w.normalized();
    const Mat3 quarter = Eigen::AngleAxisd(0.5 * M_PI, axis).toRotationMatrix();
    const Mat3& J = model.bodies[b + 1].inertia;
    if ((quarter * J * quarter.transpose() - J).norm() > 1e-9 * J.norm())
      return model.bodies[b + 1].name;
  }
  return {};
}

}  // namespace freeplay
