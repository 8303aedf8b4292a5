// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian.hpp"
#include "dynamics/layout.hpp"
#include <freeplay/run.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>

// Small motion about a state. The exact Jacobian A of y' = f(y) is restricted to the motions that
// the joints allow: with B a basis of the null space of J, admissible perturbations are
//
//   y = Z x,   Z = [ N B   0 ]        C makes the velocities follow the turning of the constraints,
//                  [ C     B ]        J C + d(J v)/dq N B = 0,
//
// and x' = Z^+ A Z x. Its eigenvalues are the modes: no coordinate has to be chosen by hand.
namespace freeplay {

std::vector<Mode> natural_modes(const Model& model, const State& state) {
  const State about = dynamics::to_cartesian(model, state);
  dynamics::Cartesian system(model);
  system.prepare(about);
  const int nq = system.position_size(), nv = system.velocity_size(), m = system.rows();
  const double* y = about.y.data();
  const double* memory = about.memory.data();
  MatX A;
  if (!system.jacobian(about.time, y, memory, A)) return {};

  MatX N = MatX::Zero(nq, nv), J = MatX::Zero(m, nv), d_rate = MatX::Zero(m, nq);
  system.position_rates_derivative(y, [&](int r, int c, double x) {
    if (c >= nq) N(r, c - nq) += x;
  });
  system.constraint_derivative(about.time, y, memory, [&](int r, int c, double x) {
    if (r < m) return;
    if (c < nq)
      d_rate(r - m, c) += x;
    else
      J(r - m, c - nq) += x;
  });
  // Rotations are measured in lengths for the rank decision only.
  const int width = model.planar ? 3 : 6;
  VecX scale(nv);
  for (int d = 0; d < nv; ++d)
    scale[d] = d % width < (model.planar ? 2 : 3) ? 1 : 1 / system.scales().length;
  MatX B = MatX::Identity(nv, nv);
  MatX C = MatX::Zero(nv, nv);
  if (m > 0) {
    Eigen::CompleteOrthogonalDecomposition<MatX> gradients(J * scale.asDiagonal());
    gradients.setThreshold(1e-9);
    const Eigen::Index rank = gradients.rank();
    Eigen::ColPivHouseholderQR<MatX> range((J * scale.asDiagonal()).transpose());
    range.setThreshold(1e-9);
    const MatX Qfull = range.householderQ() * MatX::Identity(nv, nv);
    B = scale.asDiagonal() * Qfull.rightCols(nv - rank);
    C = scale.asDiagonal() * gradients.solve(-d_rate * N * B);
  }
  const Eigen::Index f = B.cols();
  if (f == 0) return {};
  MatX Z = MatX::Zero(nq + nv, 2 * f);
  Z.topLeftCorner(nq, f) = N * B;
  Z.bottomLeftCorner(nv, f) = m > 0 ? C : MatX::Zero(nv, f);
  Z.bottomRightCorner(nv, f) = B;
  const MatX reduced = Z.colPivHouseholderQr().solve(A.topLeftCorner(nq + nv, nq + nv) * Z);

  const Eigen::VectorXcd values = Eigen::EigenSolver<MatX>(reduced, false).eigenvalues();
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
    modes.push_back(mode);
  }
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    return std::hypot(a.real, a.imaginary) < std::hypot(b.real, b.imaginary);
  });
  return modes;
}

}  // namespace freeplay
