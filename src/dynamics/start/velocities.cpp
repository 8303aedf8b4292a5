// SPDX-License-Identifier: Apache-2.0
#include "dynamics/start/prioritised.hpp"
#include "dynamics/start/start.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

/// Weight of a velocity that the model does not write beside one that it does. chosen: small enough
/// that written ones are kept in the few passes below, large enough for the factorisation.
constexpr double kUnwritten = 1e-6;
/// Of the speed of the row: what a solve leaves of an honest drive, and no opposed drive gets near.
constexpr double kMissed = 1e-8;

/// The model with its start speeds turned into drives: their velocity rows are what we need.
Model with_start_drives(const Model& model) {
  Model out = model;
  for (Joint& joint : out.joints)
    for (const StartSpeed& s : joint.start_speeds) {
      const bool driven = std::any_of(joint.drives.begin(), joint.drives.end(),
                                      [&](const Drive& d) { return d.coordinate == s.coordinate; });
      if (driven) continue;
      Drive drive;
      drive.coordinate = s.coordinate;
      drive.motion = ConstantSpeed{s.speed, 0, true};
      joint.drives.push_back(drive);
    }
  return out;
}

/// Velocities of a start: what the model writes down, and how to find the rest of them.
class StartVelocities {
 public:
  /// `system` belongs to the idealised model with its start drives, at the assembled poses.
  StartVelocities(Cartesian& system, const Model& model, VecX written)
      : system_(system), model_(model), written_(std::move(written)) {
    for (int d = 0; d < system.velocity_size(); ++d) {
      const Body& body = model.bodies[system.bodies().owner_of_velocity(d) + 1];
      given_.push_back(is_translation(d) ? body.velocity.has_value()
                                         : body.angular_velocity.has_value());
    }
  }

  /// All joints as ideal ones: written velocities are wanted, unwritten ones follow.
  [[nodiscard]] VecX ideal() {
    const int n = system_.velocity_size(), m = system_.rows();
    VecX weight = assembly_metric(system_);
    for (int d = 0; d < n; ++d)
      if (!given_[d]) weight[d] *= kUnwritten;
    system_.use_metric(weight);
    if (!system_.kkt().factorise())
      throw AssemblyError("the start velocities cannot be solved for: " + system_.culprit());
    VecX x(n + m), rate(m), v = written_;
    // Each pass returns the written velocities to what was asked and lets the others keep what they
    // have learnt, so the small weight of the latter costs nothing in the end.
    for (int pass = 0; pass < 4; ++pass) {
      for (int d = 0; d < n; ++d)
        if (given_[d]) v[d] = written_[d];
      system_.kkt().rates(v.data(), rate.data());
      x.head(n).setZero();
      x.tail(m) = -(rate + system_.phi_t());
      system_.kkt().solve(x.data());
      v += x.head(n);
    }
    return v;
  }

  /// Real joints and drives first, then what is written, then the joints that play or rubber holds,
  /// then as little motion as possible.
  [[nodiscard]] VecX in_play() const {
    const int n = system_.velocity_size();
    const VecX unit = assembly_metric(system_).cwiseSqrt();
    std::vector<int> hard, soft, given;
    for (int r = 0; r < system_.joint_rows(); ++r)
      (yields(system_, r, model_) ? soft : hard).push_back(r);
    for (int d = 0; d < n; ++d)
      if (given_[d]) given.push_back(d);
    Prioritised v(n);
    const auto meet_rows = [&](const std::vector<int>& rows) {
      MatX A(static_cast<Eigen::Index>(rows.size()), n);
      VecX b(A.rows());
      for (Eigen::Index k = 0; k < A.rows(); ++k) {
        const int r = rows[static_cast<std::size_t>(k)];
        A.row(k) = row_gradient(system_, r).cwiseQuotient(unit) / system_.row_scale(r);
        b[k] = -system_.phi_t()[r] / system_.row_scale(r);
      }
      v.meet(A, b);
    };
    meet_rows(hard);
    MatX A = MatX::Zero(static_cast<Eigen::Index>(given.size()), n);
    VecX b(A.rows());
    for (Eigen::Index k = 0; k < A.rows(); ++k) {
      const int d = given[static_cast<std::size_t>(k)];
      A(k, d) = 1;
      b[k] = written_[d] * unit[d];
    }
    v.meet(A, b);
    meet_rows(soft);
    return v.x().cwiseQuotient(unit);
  }

  /// The row of a real joint or drive (`all`: of any joint) that the velocities miss; -1: none.
  [[nodiscard]] int missed(const VecX& v, bool all) const {
    const double T = system_.scales().time;
    const double fastest = std::max(1.0, v.cwiseAbs().maxCoeff() * T / system_.scales().length);
    const VecX rate = rates(v);
    for (int r = 0; r < system_.joint_rows(); ++r)
      if ((all || !yields(system_, r, model_)) &&
          std::abs(rate[r]) > kMissed * fastest * system_.row_scale(r) / T)
        return r;
    return -1;
  }
  /// By how much the rows move.
  [[nodiscard]] VecX rates(const VecX& v) const {
    VecX rate(system_.rows());
    system_.kkt().rates(v.data(), rate.data());
    return rate + system_.phi_t();
  }

  /// What became of the written velocities, one sentence each.
  [[nodiscard]] std::vector<std::string> changes(const VecX& v) const {
    std::vector<std::string> out;
    const double T = system_.scales().time;
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const int at = system_.bodies().velocity_of(static_cast<int>(b - 1));
      const int lengths = model_.planar ? 2 : 3, turns = model_.planar ? 1 : 3;
      const VecX change = v.segment(at, lengths + turns) - written_.segment(at, lengths + turns);
      const Body& body = model_.bodies[b];
      const double dv = body.velocity ? change.head(lengths).norm() : 0;
      const double dw = body.angular_velocity ? change.tail(turns).norm() : 0;
      if (dv > kWorthSaying * system_.scales().length / T)
        out.push_back(fmt::format(
            "start velocity of {} changed by {:.3g} m/s to satisfy the joints", body.name, dv));
      if (dw > kWorthSaying / T)
        out.push_back(fmt::format(
            "start angular velocity of {} changed by {:.3g} rad/s to satisfy the joints", body.name,
            dw));
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_translation(int dof) const { return !system_.bodies().turns(dof); }

  Cartesian& system_;
  const Model& model_;
  VecX written_;
  std::vector<bool> given_;
};

}  // namespace

void assemble_velocities(const Model& model, const Model& ideal, double t, VecX& y,
                         const std::vector<double>& memory, std::vector<std::string>& notes) {
  const Model start_model = with_start_drives(ideal);
  Cartesian system(start_model);
  const int nq = system.position_size(), n = system.velocity_size();
  VecX full = VecX::Zero(system.size());
  full.head(nq + n) = y.head(nq + n);
  system.update(t, full.data(), memory.data());

  StartVelocities start(system, model, y.segment(nq, n));
  VecX v = start.ideal();
  std::vector<std::string> changes = start.changes(v);
  int missed = start.missed(v, true);
  const bool loose = std::any_of(model.joints.begin(), model.joints.end(), holds_by_force);
  if (loose && (missed >= 0 || !changes.empty())) {
    v = start.in_play();
    changes = start.changes(v);
    missed = start.missed(v, false);
  }
  if (missed >= 0)
    throw AssemblyError(
        fmt::format("the start velocities cannot be met: {} misses by {:.3g} {}. Another joint or "
                    "drive already fixes this speed",
                    system.row_name(missed), start.rates(v)[missed],
                    system.row_turns(missed) ? "rad/s" : "m/s"));
  notes.insert(notes.end(), changes.begin(), changes.end());
  y.segment(nq, n) = v;
}

}  // namespace freeplay::dynamics
