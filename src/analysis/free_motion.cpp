// SPDX-License-Identifier: Apache-2.0
#include "analysis/free_motion.hpp"

#include "core/rotation.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::analysis {
namespace {

using dynamics::Cartesian;

/// A direction as its axis where it is one, else as a unit vector.
std::string direction_of(Vec3 v, bool planar) {
  v.normalize();
  // The sign of a free motion means nothing: take the one whose largest component is positive.
  Eigen::Index largest = 0;
  v.cwiseAbs().maxCoeff(&largest);
  if (v[largest] < 0) v = -v;
  for (int k = 0; k < 3; ++k)
    if (v[k] > 1 - 1e-9) return std::string(1, "xyz"[k]);
  const auto tidy = [](double x) { return std::abs(x) < 5e-4 ? 0.0 : x; };
  return planar ? fmt::format("({:.3g}, {:.3g})", tidy(v[0]), tidy(v[1]))
                : fmt::format("({:.3g}, {:.3g}, {:.3g})", tidy(v[0]), tidy(v[1]), tidy(v[2]));
}

/// By how much a flexible body bends in a motion, at the place where it does so most; m. The motion
/// is taken small enough that nothing but its first order shows.
double deflection(const Cartesian& system, const State& state, int b, const VecX& d) {
  const auto* body = system.bodies().deforming(b + 1);
  if (!body || body->sections() == 0) return 0;
  const auto change = d.segment(system.bodies().velocity_of(b), body->velocities());
  const double size = change.cwiseAbs().maxCoeff();
  if (size == 0) return 0;
  const double step = 1e-7 * system.scales().length / size;
  const VecX rest = VecX::Zero(body->velocities()), moved = step * change;
  const auto q = state.y.segment(system.bodies().position_of(b), body->positions());
  VecX later = q;
  body->displace(later.data(), moved.data());
  const auto number = static_cast<std::size_t>(body->sections());
  std::vector<dynamics::DeformingBody::SectionState> before(number), after(number);
  body->observe(q.data(), rest.data(), before);
  body->observe(later.data(), rest.data(), after);
  double most = 0;
  for (std::size_t k = 0; k < number; ++k)
    most = std::max(most, (after[k].deflection - before[k].deflection).norm());
  return most / step;
}

/// B^T M B = L L^T and L^-1 B^T K B L^-T: stiffness per mass in directions of equal mass.
struct Scaled {
  Eigen::LLT<MatX> mass;
  MatX stiffness;
};
Scaled scaled(const Linearised& about, const MatX& B) {
  Scaled out;
  const MatX gram = B.transpose() * about.M * B;
  // A massless freedom that joints do not hold is refused at assembly; a hair keeps the rest sound.
  out.mass.compute(gram +
                   1e-14 * gram.diagonal().maxCoeff() * MatX::Identity(gram.rows(), gram.cols()));
  const MatX L = out.mass.matrixL();
  const MatX half = L.triangularView<Eigen::Lower>().solve(MatX(B.transpose() * about.K * B));
  out.stiffness = L.triangularView<Eigen::Lower>().solve(half.transpose()).transpose();
  return out;
}

}  // namespace

std::string describe_motion(const Cartesian& system, const State& state, const VecX& d) {
  const Model& model = system.model();
  const double L = system.scales().length;
  struct Part {
    double size;
    std::string text;
  };
  std::vector<Part> parts;
  for (int b = 0; b < system.bodies().count(); ++b) {
    const auto x = d.segment(system.bodies().velocity_of(b), model.planar ? 3 : 6);
    const double* q = state.y.data() + system.bodies().position_of(b);
    Vec3 move = Vec3::Zero(), turn = Vec3::Zero();
    const auto* bent = system.bodies().deforming(b + 1);
    if (bent && !bent->floats()) {  // as its own frame moves
      const VecX rest = VecX::Zero(bent->velocities());
      const auto change = d.segment(system.bodies().velocity_of(b), bent->velocities());
      MatX by;
      bent->frame_derivative(q, rest.data(), -1, by);
      move = by.block(dynamics::kVelocityVariable, bent->positions(), 3, rest.size()) * change;
      turn = by.block(dynamics::kSpinVariable, bent->positions(), 3, rest.size()) * change;
    } else if (model.planar) {
      move << x[0], x[1], 0;
      turn << 0, 0, x[2];
    } else {
      move = x.head<3>();
      turn = rotation_matrix(q[3], q[4], q[5], q[6]) * Vec3(x.tail<3>());
    }
    const std::string& name = model.bodies[static_cast<std::size_t>(b + 1)].name;
    // Of one motion, the larger share speaks: a rod that swings is said to turn.
    if (const double turned = turn.norm() * L, moved = move.norm(); turned > moved)
      parts.push_back({turned, name + " turns about " + direction_of(turn, false)});
    else if (moved > 0)
      parts.push_back({moved, name + " moves along " + direction_of(move, model.planar)});
    if (const double bends = deflection(system, state, b, d); bends > 0)
      parts.push_back({bends, name + " bends"});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.size > b.size; });
  std::string out;
  for (std::size_t k = 0; k < parts.size() && k < 3; ++k) {
    if (parts[k].size < 0.05 * parts[0].size) break;
    out += (k > 0 ? ", " : "") + parts[k].text;
  }
  return out;
}

MatX free_motions(const Linearised& about, const MatX& allowed, double slowest) {
  if (allowed.cols() == 0) return allowed;
  const Scaled s = scaled(about, allowed);
  const Eigen::JacobiSVD<MatX> svd(s.stiffness, Eigen::ComputeFullV);
  const VecX& values = svd.singularValues();
  const double zero = std::max(slowest * slowest, 1e-13 * values.maxCoeff());
  Eigen::Index free = 0;
  while (free < values.size() && values[values.size() - 1 - free] < zero) ++free;
  const MatX null = svd.matrixV().rightCols(free);
  return allowed * MatX(s.mass.matrixU().solve(null));
}

Weakest weakest_motion(const Linearised& about, const MatX& allowed) {
  if (allowed.cols() == 0) return {};
  const Scaled s = scaled(about, allowed);
  const MatX symmetric = 0.5 * (s.stiffness + s.stiffness.transpose());
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(symmetric);
  // Round-off of the stiffest direction is no weakness of another.
  const double noise = 1e-12 * eigen.eigenvalues().cwiseAbs().maxCoeff();
  const double lowest = eigen.eigenvalues()[0];
  return {std::abs(lowest) < noise ? 0.0 : lowest,
          allowed * VecX(s.mass.matrixU().solve(eigen.eigenvectors().col(0)))};
}

}  // namespace freeplay::analysis
