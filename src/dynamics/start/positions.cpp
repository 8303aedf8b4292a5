// SPDX-License-Identifier: Apache-2.0
#include "core/rotation.hpp"
#include "dynamics/start/prioritised.hpp"
#include "dynamics/start/start.hpp"
#include "model/joint_types.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace freeplay::dynamics {
namespace {

/// Rows in units of their scale: closed to round-off, and still far below any tolerance where a
/// mechanism is badly scaled.
constexpr double kClosed = 1e-14, kCloseEnough = 1e-10;
/// Relative descent that is only round-off.
constexpr double kStuck = 1e-15;
/// Of the characteristic length: what rubber gives way by (chosen: stiffer than play is wide,
/// softer than steel), and the least play a joint is taken to have, since misfits are divided by
/// it.
constexpr double kRubber = 1e-3, kLeastPlay = 1e-9;

double scaled(const Cartesian& system, int row) {
  return std::abs(system.phi()[row]) / system.row_scale(row);
}

double scaled_norm(const Cartesian& system) {
  double sum = 0;
  for (int r = 0; r < system.rows(); ++r) sum += std::pow(scaled(system, r), 2);
  return std::sqrt(sum);
}

/// The rows that stay open, worst first, for the message of a failed assembly.
std::string open_joints(const Cartesian& system, std::vector<int> rows) {
  std::sort(rows.begin(), rows.end(),
            [&](int a, int b) { return scaled(system, a) > scaled(system, b); });
  std::string text;
  for (int k = 0; k < std::min<int>(3, static_cast<int>(rows.size())); ++k)
    text += fmt::format("{}{} by {:.3g}", k ? ", " : "", system.row_name(rows[k]),
                        system.phi()[rows[k]]);
  return text;
}

[[noreturn]] void refuse(const Cartesian& system, std::vector<int> rows) {
  throw AssemblyError(
      fmt::format("the mechanism cannot be assembled: no pose near the written one closes all "
                  "joints; left open: {}. "
                  "Check lengths and joint points, or start from a pose closer to the wanted one",
                  open_joints(system, std::move(rows))));
}

/// No body moves further than half the mechanism, or turns more than half a radian, in one go.
double bounded_step(const Cartesian& system, const VecX& x) {
  double step = 1;
  for (int d = 0; d < x.size(); ++d) {
    const double limit = system.bodies().turns(d) ? 0.5 : 0.5 * system.scales().length;
    if (std::abs(x[d]) * step > limit) step = limit / std::abs(x[d]);
  }
  return step;
}

/// Goes along x as far as `size` falls, at most `step`; false: nowhere.
template <class Size>
bool descend(Cartesian& system, double t, VecX& y, const double* memory, const VecX& x, double step,
             double& least, const Size& size) {
  VecX trial;
  for (int halving = 0; halving < 12; ++halving, step /= 2) {
    trial = y;
    const VecX increment = step * x;
    system.displace(trial.data(), increment.data());
    system.update(t, trial.data(), memory);
    if (const double now = size(); now < least) {
      y = trial;
      least = now;
      return true;
    }
  }
  return false;
}

/// Damped Gauss-Newton on all constraints; false when it gets stuck.
bool close_all(Cartesian& system, double t, VecX& y, const double* memory) {
  const int n = system.velocity_size(), m = system.rows();
  VecX x(n + m);
  system.update(t, y.data(), memory);
  double norm = scaled_norm(system);
  for (int iteration = 0; iteration < 200; ++iteration) {
    if (norm < kClosed * std::sqrt(1.0 + m)) return true;
    if (!system.kkt().factorise()) break;
    x.head(n).setZero();
    x.tail(m) = -system.phi();
    system.kkt().solve(x.data());
    const VecX step = x.head(n);
    if (!descend(system, t, y, memory, step, bounded_step(system, step), norm,
                 [&] { return scaled_norm(system); }))
      break;
  }
  system.update(t, y.data(), memory);
  return scaled_norm(system) < kCloseEnough;
}

/// Play of a joint, to which its share in a misfit is relative; m.
double play_of(const Joint& joint, double length) {
  const double rubber = kRubber * length;
  if (!joint.clearance) return rubber;
  const Clearance& c = *joint.clearance;
  return std::max({c.outer_radius - c.inner_radius, 0.5 * (c.outer_width - c.inner_width),
                   kLeastPlay * length});
}

/// Real joints and drives do not let the joints with play be concentric: they close, and the play
/// takes the rest, each joint in proportion to what it has. Gauss-Newton with two priorities.
void close_in_play(const Model& model, Cartesian& system, double t, VecX& y, const double* memory) {
  const int n = system.velocity_size();
  const double L = system.scales().length;
  std::vector<int> hard, soft;
  for (int r = 0; r < system.joint_rows(); ++r)
    (yields(system, r, model) ? soft : hard).push_back(r);
  double least_play = L;
  for (const Joint& joint : model.joints)
    if (holds_by_force(joint)) least_play = std::min(least_play, play_of(joint, L));
  VecX weight = VecX::Ones(system.rows());
  for (const int r : soft)
    weight[r] = least_play / play_of(model.joints[system.joint_of_row(r)], L);
  const VecX unit = assembly_metric(system).cwiseSqrt();
  const auto group = [&](const std::vector<int>& rows, MatX& A, VecX& b) {
    A.resize(static_cast<Eigen::Index>(rows.size()), n);
    b.resize(A.rows());
    for (Eigen::Index k = 0; k < A.rows(); ++k) {
      const int r = rows[static_cast<std::size_t>(k)];
      const double factor = weight[r] / system.row_scale(r);
      A.row(k) = factor * row_gradient(system, r).cwiseQuotient(unit);
      b[k] = -factor * system.phi()[r];
    }
  };
  const auto open = [&](const std::vector<int>& rows) {
    double sum = 0;
    for (const int r : rows) sum += std::pow(weight[r] * scaled(system, r), 2);
    return std::sqrt(sum);
  };
  // A penalty on the hard rows above any multiplier they have makes the step a descent.
  const auto size = [&] { return 100 * open(hard) + open(soft); };
  system.update(t, y.data(), memory);
  double least = size();
  MatX A;
  VecX b;
  for (int iteration = 0; iteration < 200; ++iteration) {
    Prioritised step(n);
    group(hard, A, b);
    step.meet(A, b);
    group(soft, A, b);
    step.meet(A, b);
    const VecX x = step.x().cwiseQuotient(unit);
    const double before = least;
    if (!descend(system, t, y, memory, x, bounded_step(system, x), least, size)) break;
    if (before - least < kStuck * before && open(hard) < kClosed * std::sqrt(1.0 + n)) break;
  }
  system.update(t, y.data(), memory);
  if (open(hard) > kCloseEnough) refuse(system, hard);
}

/// What is left open must fit into the play.
void check_play(const Model& model, const Cartesian& ideal, double t, const VecX& y,
                std::vector<std::string>& notes) {
  Cartesian real(model);
  VecX full = VecX::Zero(real.size());
  const int motion = real.position_size() + real.velocity_size();
  full.head(motion) = y.head(motion);
  std::vector<double> depth(static_cast<std::size_t>(real.event_count()));
  real.event_values(t, full.data(), real.written_memory().data(), depth.data());
  std::vector<double> deepest(model.joints.size(), 0), shift(model.joints.size(), 0),
      tilt(model.joints.size(), 0);
  for (int c = 0; c < real.contacts().size(); ++c) {
    double& most = deepest[real.contacts().element(c).joint()];
    most = std::max(most, depth[static_cast<std::size_t>(c)]);
  }
  for (int r = 0; r < ideal.joint_rows(); ++r) {
    if (!yields(ideal, r, model)) continue;
    auto& sum = ideal.row_turns(r) ? tilt : shift;
    sum[ideal.joint_of_row(r)] = std::hypot(sum[ideal.joint_of_row(r)], ideal.phi()[r]);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!holds_by_force(joint)) continue;
    if (joint.clearance && deepest[j] > 0)
      throw AssemblyError(fmt::format(
          "the mechanism cannot be assembled: other joints and drives hold the parts of joint {} "
          "{:.3g} mm into each other, beyond its play. Check lengths, joint points and where the "
          "drives start, or start from a pose closer to the wanted one",
          joint.name, 1e3 * deepest[j]));
    if (shift[j] <= kWorthSaying * ideal.scales().length && tilt[j] <= kWorthSayingTurn) continue;
    notes.push_back(
        fmt::format("joint {} starts {:.3g} mm and {:.3g} deg off its {}: other joints and drives "
                    "hold it there",
                    joint.name, 1e3 * shift[j], tilt[j] * 180 / M_PI,
                    joint.clearance ? "centre" : "rest position"));
  }
}

}  // namespace

VecX assembly_metric(const Cartesian& system) {
  const double L = system.scales().length;
  VecX metric(system.velocity_size());
  for (int d = 0; d < metric.size(); ++d) metric[d] = system.bodies().turns(d) ? L * L : 1;
  return metric;
}

VecX row_gradient(const Cartesian& system, int row) {
  VecX out = VecX::Zero(system.velocity_size());
  const auto& kkt = system.kkt();
  for (int k = 0; k < kkt.entries(row); ++k)
    for (int c = 0; c < kkt.width(row, k); ++c)
      out[kkt.first_dof(row, k) + c] = kkt.gradient(row, k)[c];
  return out;
}

Model idealised(const Model& model) {
  Model out = model;
  for (Joint& joint : out.joints) {
    joint.bushing.reset();
    if (!joint.clearance) continue;
    const Body& body = model.bodies[joint.first.body];
    const Mat3 R = model.planar ? rotation_about_z(body.angle) : rotation_matrix(body.orientation);
    Vec3 offset = R.transpose() * joint.clearance->offset;
    // Along an axis that is free to slide there is no centre; its coordinate counts from the joint
    // point.
    const PlayParts parts = kind_of(joint).play;
    if (parts == PlayParts::guide || parts == PlayParts::sleeve || parts == PlayParts::slot)
      offset -= joint.first.axes.col(2) * joint.first.axes.col(2).dot(offset);
    joint.first.point += offset;
    joint.clearance.reset();
  }
  return out;
}

bool yields(const Cartesian& ideal, int row, const Model& model) {
  const int j = ideal.joint_of_row(row);
  return j >= 0 && !ideal.drives(row) && holds_by_force(model.joints[j]);
}

void assemble_positions(const Model& model, Cartesian& ideal, double t, VecX& y,
                        const std::vector<double>& memory, std::vector<std::string>& notes) {
  ideal.use_metric(assembly_metric(ideal));
  const VecX written = y;
  if (close_all(ideal, t, y, memory.data())) return;
  if (std::none_of(model.joints.begin(), model.joints.end(), holds_by_force)) {
    std::vector<int> rows(ideal.joint_rows());
    std::iota(rows.begin(), rows.end(), 0);
    refuse(ideal, std::move(rows));
  }
  y = written;
  close_in_play(model, ideal, t, y, memory.data());
  check_play(model, ideal, t, y, notes);
}

}  // namespace freeplay::dynamics
