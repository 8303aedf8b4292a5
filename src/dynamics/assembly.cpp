// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian.hpp"
#include "dynamics/layout.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

// A consistent start (physics 1.6): poses that satisfy every joint, nearest to the written ones;
// velocities that satisfy every joint and drive, nearest to the written ones; and what is
// redundant, by name.
namespace freeplay {
namespace {

using dynamics::Cartesian;

/// Unit metric of assembly: metres for positions, L times radians for rotations.
VecX assembly_metric(const Cartesian& system, const Model& model) {
  const int width = model.planar ? 3 : 6, translations = model.planar ? 2 : 3;
  const double L = system.scales().length;
  VecX metric(system.velocity_size());
  for (int d = 0; d < metric.size(); ++d) metric[d] = d % width < translations ? 1 : L * L;
  return metric;
}

double scaled_norm(const Cartesian& system) {
  double sum = 0;
  for (int r = 0; r < system.rows(); ++r) sum += std::pow(system.phi()[r] / system.row_scale(r), 2);
  return std::sqrt(sum);
}

/// The joints that stay open, worst first, for the message of a failed assembly.
std::string open_joints(const Cartesian& system) {
  std::vector<int> order(system.rows());
  std::iota(order.begin(), order.end(), 0);
  const auto size = [&](int r) { return std::abs(system.phi()[r]) / system.row_scale(r); };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return size(a) > size(b); });
  std::string text;
  for (int k = 0; k < std::min<int>(3, static_cast<int>(order.size())); ++k)
    text += fmt::format("{}{} by {:.3g}", k ? ", " : "", system.row_name(order[k]),
                        system.phi()[order[k]]);
  return text;
}

/// Damped Gauss-Newton on the constraints; returns the number of iterations, throws when it gets
/// stuck.
void assemble_positions(Cartesian& system, double t, VecX& y, const std::vector<double>& memory) {
  const int n = system.velocity_size(), m = system.rows();
  const double L = system.scales().length;
  VecX x(n + m), trial;
  system.update(t, y.data(), memory.data());
  double norm = scaled_norm(system);
  for (int iteration = 0; iteration < 200; ++iteration) {
    if (norm < 1e-14 * std::sqrt(1.0 + m)) return;
    if (!system.kkt().factorise()) break;
    x.head(n).setZero();
    x.tail(m) = -system.phi();
    system.kkt().solve(x.data());
    // No body moves further than half the mechanism, or turns more than half a radian, in one go.
    double step = 1;
    const int width =
        static_cast<int>(n / std::max<std::size_t>(1, system.model().bodies.size() - 1));
    for (int d = 0; d < n; ++d) {
      const double limit = d % width < (width == 3 ? 2 : 3) ? 0.5 * L : 0.5;
      if (std::abs(x[d]) * step > limit) step = limit / std::abs(x[d]);
    }
    bool better = false;
    for (int halving = 0; halving < 12; ++halving, step /= 2) {
      trial = y;
      const VecX increment = step * x.head(n);
      system.displace(trial.data(), increment.data());
      system.update(t, trial.data(), memory.data());
      const double now = scaled_norm(system);
      if (now < norm) {
        better = true;
        y = trial;
        norm = now;
        break;
      }
    }
    if (!better) break;
  }
  system.update(t, y.data(), memory.data());
  norm = scaled_norm(system);
  if (norm < 1e-10) return;  // round-off of a badly scaled mechanism, still far below any tolerance
  throw AssemblyError(
      fmt::format("the mechanism cannot be assembled: no pose near the written one closes all "
                  "joints; left open: {}. "
                  "Check lengths and joint points, or start from a pose closer to the wanted one",
                  open_joints(system)));
}

/// Parallelism constraints have two roots; a joint whose axes ended up opposed is assembled inside
/// out.
void refuse_flipped(const Model& model, const VecX& y) {
  const int q_width = model.planar ? 3 : 7;
  const auto rotation = [&](BodyIndex b) -> Mat3 {
    if (b == kGround) return Mat3::Identity();
    const double* q = &y[(b - 1) * q_width];
    return model.planar ? rotation_about_z(q[2]) : rotation_matrix(q[3], q[4], q[5], q[6]);
  };
  for (const Joint& joint : model.joints) {
    using enum JointType;
    if (joint.type == spherical || joint.type == universal || joint.type == distance ||
        joint.type == point_on_line || joint.type == point_in_plane)
      continue;
    const Mat3 R1 = rotation(joint.first.body) * joint.first.axes,
               R2 = rotation(joint.second.body) * joint.second.axes;
    const bool turned = (joint.type == fixed || (joint.type == prismatic && !model.planar)) &&
                        R1.col(0).dot(R2.col(0)) < 0;
    if (R1.col(2).dot(R2.col(2)) < 0 || turned)
      throw AssemblyError(
          fmt::format("joint {} closes only with its axes opposed: reverse the axis on one of "
                      "its bodies, or start closer to the wanted pose",
                      joint.name));
  }
}

/// Rows that repeat what earlier rows of the file already hold, by Gram-Schmidt on the scaled
/// gradients.
std::vector<int> redundant_rows(Cartesian& system, const VecX& metric) {
  const int n = system.velocity_size(), m = system.joint_rows();
  std::vector<int> redundant;
  constexpr double kRelative = 1e-8;  // far above round-off (1e-15), far below honest inclinations
  if (m > 500) {                      // by the pivots of the sparse factorisation, in its own order
    if (system.kkt().factorise())
      for (int r = 0; r < m; ++r)
        if (std::abs(system.kkt().relative_pivot(r)) < kRelative) redundant.push_back(r);
    return redundant;
  }
  MatX basis(n, 0);
  for (int r = 0; r < m; ++r) {
    VecX g = VecX::Zero(n);
    const int width = n / std::max(1, static_cast<int>(system.model().bodies.size()) - 1);
    for (int k = 0; k < system.kkt().entries(r); ++k)
      for (int c = 0; c < width; ++c)
        g[system.kkt().body(r, k) * width + c] = system.kkt().gradient(r, k)[c];
    g = g.cwiseQuotient(metric.cwiseSqrt());
    const double before = g.norm();
    for (int pass = 0; pass < 2; ++pass) g -= basis * (basis.transpose() * g);
    if (g.norm() <= kRelative * before) {
      redundant.push_back(r);
    } else {
      basis.conservativeResize(n, basis.cols() + 1);
      basis.rightCols(1) = g.normalized();
    }
  }
  return redundant;
}

/// Joints whose rows share in a linear dependence: their reactions are not determined by the
/// motion.
std::set<std::string> undetermined_joints(Cartesian& system, const std::vector<int>& redundant) {
  const int n = system.velocity_size(), m = system.rows();
  std::set<std::string> names;
  VecX x(n + m);
  const std::size_t limit = std::min<std::size_t>(redundant.size(), 200);
  for (std::size_t k = 0; k < limit; ++k) {
    // K [x; mu] = [J_r^T; 0] gives mu = e_r minus its part in the left null space of J.
    x.setZero();
    const int width = n / std::max(1, static_cast<int>(system.model().bodies.size()) - 1);
    for (int e = 0; e < system.kkt().entries(redundant[k]); ++e)
      for (int c = 0; c < width; ++c)
        x[system.kkt().body(redundant[k], e) * width + c] =
            system.kkt().gradient(redundant[k], e)[c];
    system.kkt().solve(x.data());
    VecX null = -x.tail(m);
    null[redundant[k]] += 1;
    for (int r = 0; r < m; ++r)
      if (std::abs(null[r]) > 1e-5) {
        const int j = system.joint_of_row(r);
        names.insert(j >= 0 ? system.model().joints[j].name : system.row_name(r));
      }
  }
  return names;
}

/// The model with ideal joints in place of those with clearance; an `offset` moves the joint point.
Model idealised(const Model& model) {
  Model out = model;
  for (Joint& joint : out.joints) {
    joint.bushing.reset();
    if (!joint.clearance) continue;
    const Body& body = model.bodies[joint.first.body];
    const Mat3 R = model.planar ? rotation_about_z(body.angle) : rotation_matrix(body.orientation);
    joint.first.point += R.transpose() * joint.clearance->offset;
    joint.clearance.reset();
  }
  return out;
}

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

void assemble_velocities(const Model& model, double t, VecX& y, const std::vector<double>& memory,
                         std::vector<std::string>& notes) {
  const Model start_model = with_start_drives(model);
  Cartesian system(start_model);
  const int nq = system.position_size(), n = system.velocity_size(), m = system.rows();
  const int width = model.planar ? 3 : 6, translations = model.planar ? 2 : 3;
  // Written velocities are wanted, unwritten ones follow.
  VecX weight = assembly_metric(system, model);
  std::vector<bool> given(static_cast<std::size_t>(n));
  for (int d = 0; d < n; ++d) {
    const Body& body = model.bodies[d / width + 1];
    given[d] =
        d % width < translations ? body.velocity.has_value() : body.angular_velocity.has_value();
    if (!given[d]) weight[d] *= 1e-6;
  }
  VecX full = VecX::Zero(system.size());
  full.head(nq + n) = y.head(nq + n);
  system.update(t, full.data(), memory.data());
  system.use_metric(weight);
  if (!system.kkt().factorise())
    throw AssemblyError("the start velocities cannot be solved for: " + system.culprit());
  VecX x(n + m), rate(m);
  const VecX wanted = full.segment(nq, n);
  // Each pass returns the written velocities to what was asked and lets the others keep what they
  // have learnt, so the small weight of the latter costs nothing in the end.
  for (int pass = 0; pass < 4; ++pass) {
    for (int d = 0; d < n; ++d)
      if (given[d]) full[nq + d] = wanted[d];
    system.kkt().rates(&full[nq], rate.data());
    x.head(n).setZero();
    x.tail(m) = -(rate + system.phi_t());
    system.kkt().solve(x.data());
    full.segment(nq, n) += x.head(n);
  }
  system.kkt().rates(&full[nq], rate.data());
  const double T = system.scales().time;
  for (int r = 0; r < m; ++r) {
    const double error = rate[r] + system.phi_t()[r];
    const double fastest =
        std::max(1.0, full.segment(nq, n).cwiseAbs().maxCoeff() * T / system.scales().length);
    if (std::abs(error) > 1e-8 * fastest * system.row_scale(r) / T)
      throw AssemblyError(fmt::format(
          "the start velocities cannot be met: {} misses by {:.3g} {}. Another joint or "
          "drive already fixes this speed",
          system.row_name(r), error, system.row_scale(r) == 1 ? "rad/s" : "m/s"));
  }
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const int at = static_cast<int>(b - 1) * width;
    const VecX change = full.segment(nq + at, width) - wanted.segment(at, width);
    const Body& body = model.bodies[b];
    const double dv = body.velocity ? change.head(translations).norm() : 0;
    const double dw = body.angular_velocity ? change.tail(width - translations).norm() : 0;
    if (dv > 1e-9 * system.scales().length / T)
      notes.push_back(fmt::format(
          "start velocity of {} changed by {:.3g} m/s to satisfy the joints", body.name, dv));
    if (dw > 1e-9 / T)
      notes.push_back(
          fmt::format("start angular velocity of {} changed by {:.3g} rad/s to satisfy the joints",
                      body.name, dw));
  }
  y.segment(nq, n) = full.segment(nq, n);
}

/// A massless dof must be held by joints, or nothing says how it moves.
void refuse_massless_freedom(Cartesian& system, const Model& model) {
  if (!system.has_light()) return;
  system.use_mass_metric();
  const bool factored = system.kkt().factorise();
  const int width = model.planar ? 3 : 6, translations = model.planar ? 2 : 3;
  for (int d = 0; d < system.velocity_size(); ++d) {
    if (!system.light()[d]) continue;
    if (width == 6 ? d % 6 >= 3 && model.bodies[d / 6 + 1].inertia(d % 6 - 3, d % 6 - 3) > 0
                   : d % 3 == 2 && model.bodies[d / 3 + 1].inertia(2, 2) > 0)
      continue;  // little, but not nothing
    const double L = system.scales().length;
    double mass = 0;
    for (const Body& b : model.bodies) mass = std::max(mass, b.mass);
    const double scale = (d % width < translations ? 1 : L * L) * (mass > 0 ? mass : 1);
    if (factored && std::abs(system.kkt().dof_pivot(d)) > 1e-8 * scale) continue;
    const Body& body = model.bodies[d / width + 1];
    Issue issue;
    issue.line = body.line;
    issue.path = "bodies." + body.name;
    issue.message = d % width < translations
                        ? "has no mass, and its joints leave it free to move"
                        : "has no inertia, and its joints leave it free to turn";
    issue.hint = "give it mass and inertia, or hold it by a joint";
    throw ModelError(issue);
  }
}

}  // namespace

Assembly assemble(const Model& model) {
  // Joints with clearance start where the ideal joint would be, moving as it would (physics 1.6);
  // what is free and what is redundant is a matter of the real mechanism.
  const Model ideal = idealised(model);
  Cartesian start_system(ideal), system(model);
  Assembly out;
  const double t = model.simulation.start;
  VecX y = start_system.written_state();
  const std::vector<double> memory = start_system.written_memory();
  out.bodies = static_cast<int>(model.bodies.size()) - 1;
  out.coordinates = system.velocity_size();
  out.rows = system.joint_rows();
  out.residual_before = start_system.violation(t, y.data(), memory.data());

  const VecX metric = assembly_metric(start_system, model), written = y;
  start_system.use_metric(metric);
  assemble_positions(start_system, t, y, memory);
  refuse_flipped(ideal, y);
  out.residual_after = start_system.violation(t, y.data(), memory.data());

  const int q_width = model.planar ? 3 : 7;
  Model placed = model;
  std::string furthest;
  for (int b = 0; b < out.bodies; ++b) {
    const int at = b * q_width, dim = model.planar ? 2 : 3;
    const double move = (y.segment(at, dim) - written.segment(at, dim)).norm();
    if (move > out.largest_move) furthest = model.bodies[b + 1].name;
    out.largest_move = std::max(out.largest_move, move);
    placed.bodies[b + 1].position.head(dim) = y.segment(at, dim);
    if (model.planar)
      placed.bodies[b + 1].angle = y[at + 2];
    else
      placed.bodies[b + 1].orientation = y.segment(at + 3, 4);
    const double turn =
        model.planar
            ? std::abs(y[at + 2] - written[at + 2])
            : 2 * std::acos(std::min(
                      1.0, std::abs(y.segment(at + 3, 4).dot(written.segment(at + 3, 4)))));
    out.largest_turn = std::max(out.largest_turn, turn);
  }
  // A pose is written to be near the truth. A body turned the wrong way round moves by twice the
  // size of the mechanism at most; further off, the pose is a mistake.
  const double size = scales_of(placed).length;
  if (out.largest_move > 2 * size)
    throw AssemblyError(fmt::format(
        "the mechanism is written too far from where its joints close: body '{}' would move by "
        "{:.3g} m, in a mechanism that measures {:.3g} m. Check its position, and the units",
        furthest, out.largest_move, size));
  if (out.largest_move > 1e-9 * system.scales().length || out.largest_turn > 1e-7)
    out.notes.push_back(
        fmt::format("assembly moved a body by up to {:.3g} m and turned one by up to {:.3g} deg",
                    out.largest_move, out.largest_turn * 180 / M_PI));
  assemble_velocities(ideal, t, y, memory, out.notes);

  State& start = out.start;
  start.time = t;
  start.memory = system.written_memory();
  start.y = VecX::Zero(system.size());
  const int motion = system.position_size() + system.velocity_size();
  start.y.head(motion) = y.head(motion);

  system.update(t, start.y.data(), start.memory.data());
  system.use_metric(metric);
  const std::vector<int> redundant = redundant_rows(system, metric);
  out.rank = out.rows - static_cast<int>(redundant.size());
  out.freedom = out.coordinates - out.rank;
  for (int r : redundant) out.redundant.push_back(system.row_name(r));
  if (!redundant.empty() && system.kkt().factorise())
    for (const std::string& name : undetermined_joints(system, redundant))
      out.not_unique.push_back(name);
  refuse_massless_freedom(system, model);

  start.memory[dynamics::kRedundantRows] = static_cast<double>(redundant.size());
  system.prepare(start);
  if (!system.begin_contacts(start))
    throw AssemblyError("nothing fits the laws where the mechanism starts: " + system.culprit());
  system.accept(start);
  dynamics::Snapshot snapshot;
  if (!system.snapshot(start, snapshot))
    throw AssemblyError("the mechanism is singular where it starts: " + system.culprit());
  start.memory[dynamics::kStartEnergy] = snapshot.kinetic + snapshot.potential + snapshot.elastic;
  start = dynamics::from_cartesian(model, std::move(start));
  return out;
}

}  // namespace freeplay
