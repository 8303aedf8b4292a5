// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/layout.hpp"
#include "dynamics/start/start.hpp"
#include "model/joint_types.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

// A consistent start: poses that satisfy every joint, nearest to the written ones; velocities that
// satisfy every joint and drive, nearest to the written ones (positions.cpp,
// velocities.cpp); and what is redundant, by name.
namespace freeplay {
namespace {

using dynamics::kWorthSaying, dynamics::kWorthSayingTurn;

/// Share of a row in a combination of rows that vanishes. chosen: between the round-off of a badly
/// scaled mechanism and the smallest share a real lever has.
constexpr double kTakesPart = 1e-5;
/// Of the largest inertia: what joints lend to a massless freedom that they hold.
constexpr double kHeld = 1e-8;

using dynamics::Cartesian;

/// Parallelism constraints have two roots; a joint whose axes ended up opposed is assembled inside
/// out.
void refuse_flipped(const Cartesian& system, const VecX& y) {
  const Model& model = system.model();
  std::vector<Pose<double>> frames(static_cast<std::size_t>(system.bodies().frames()));
  frames[kGround].R.setIdentity();
  system.bodies().place(y.data(), y.data() + system.position_size(), frames);
  const auto rotation = [&](int frame) -> const Mat3& {
    return frames[static_cast<std::size_t>(frame)].R;
  };
  for (const Joint& joint : model.joints) {
    const Aligned aligned = kind_of(joint).aligned;
    if (aligned == Aligned::nothing) continue;
    const Mat3 R1 = rotation(joint.first.body) * joint.first.axes,
               R2 = rotation(joint.second.body) * joint.second.axes;
    const bool whole =
        aligned == Aligned::frames || (aligned == Aligned::frames_in_space && !model.planar);
    const bool turned = whole && R1.col(0).dot(R2.col(0)) < 0;
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
    VecX g = dynamics::row_gradient(system, r).cwiseQuotient(metric.cwiseSqrt());
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
    x.head(n) = dynamics::row_gradient(system, redundant[k]);
    system.kkt().solve(x.data());
    VecX null = -x.tail(m);
    null[redundant[k]] += 1;
    for (int r = 0; r < m; ++r)
      if (std::abs(null[r]) > kTakesPart) {
        const int j = system.joint_of_row(r);
        names.insert(j >= 0 ? system.model().joints[j].name : system.row_name(r));
      }
  }
  return names;
}

/// A massless dof must be held by joints, or nothing says how it moves.
void refuse_massless_freedom(Cartesian& system, const Model& model) {
  if (!system.has_light()) return;
  system.use_mass_metric();
  const bool factored = system.kkt().factorise();
  const auto& bodies = system.bodies();
  const VecX y = system.written_state();
  MatX inertia;
  for (int d = 0; d < system.velocity_size(); ++d) {
    if (!system.light()[d]) continue;
    const int owner = bodies.owner_of_velocity(d), own = d - bodies.velocity_of(owner);
    bodies.body(owner).mass(&y[bodies.position_of(owner)], inertia);
    if (bodies.turns(d) && inertia(own, own) > 0) continue;  // little, but not nothing
    const double L = system.scales().length;
    double mass = 0;
    for (const Body& b : model.bodies) mass = std::max(mass, b.mass);
    const double scale = (bodies.turns(d) ? L * L : 1) * (mass > 0 ? mass : 1);
    if (factored && std::abs(system.kkt().dof_pivot(d)) > kHeld * scale) continue;
    const Body& body = model.bodies[owner + 1];
    Issue issue;
    issue.line = body.line;
    issue.path = "bodies." + body.name;
    issue.message = bodies.turns(d) ? "has no inertia, and its joints leave it free to turn"
                                    : "has no mass, and its joints leave it free to move";
    issue.hint = "give it mass and inertia, or hold it by a joint";
    throw ModelError(issue);
  }
}

/// The model with its rigid bodies where joints and drives want them, moving as these and the file
/// say. Joints with clearance start where the ideal joint would be, moving as it would, unless the
/// model asks for something else.
Model place_rigid(const Model& model, Assembly& out) {
  const Model ideal = dynamics::idealised(model);
  Cartesian system(ideal);
  const double t = model.simulation.start;
  VecX y = system.written_state();
  const std::vector<double> memory = system.written_memory();
  out.residual_before = system.violation(t, y.data(), memory.data());

  const VecX written = y;
  std::vector<std::string> off_centre;
  dynamics::assemble_positions(model, system, t, y, memory, off_centre);
  refuse_flipped(system, y);

  Model placed = model;
  std::string furthest;
  for (int b = 0; b < system.bodies().count(); ++b) {
    const int at = system.bodies().position_of(b), dim = model.planar ? 2 : 3;
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
  if (out.largest_move > kWorthSaying * scales_of(model).length ||
      out.largest_turn > kWorthSayingTurn)
    out.notes.push_back(
        fmt::format("assembly moved a body by up to {:.3g} m and turned one by up to {:.3g} deg",
                    out.largest_move, out.largest_turn * 180 / M_PI));
  out.notes.insert(out.notes.end(), off_centre.begin(), off_centre.end());
  dynamics::assemble_velocities(model, ideal, t, y, memory, out.notes);
  for (int b = 0; b < system.bodies().count(); ++b) {
    const int at = system.position_size() + system.bodies().velocity_of(b);
    Body& body = placed.bodies[b + 1];
    if (model.planar) {
      body.velocity = Vec3(y[at], y[at + 1], 0);
      body.angular_velocity = Vec3(0, 0, y[at + 2]);
    } else {
      body.velocity = y.segment<3>(at);
      body.angular_velocity = y.segment<3>(at + 3);
    }
  }
  return placed;
}

/// Flexible bodies start straight, where and as the rigid ones in their place would.
Model place(const Model& model, Assembly& out) {
  if (!dynamics::bends(model)) return place_rigid(model, out);
  try {
    return place_rigid(dynamics::stiffened(model), out);
  } catch (const AssemblyError& error) {
    throw AssemblyError(fmt::format(
        "{}. Flexible bodies start straight, placed and moving as rigid ones: what they hold in "
        "place can be started at rest, and be moved by a force",
        error.what()));
  }
}

}  // namespace

Assembly assemble(const Model& model) {
  Assembly out;
  Model placed = place(model, out);
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    placed.bodies[b].flexible = model.bodies[b].flexible;
  const VecX y = Cartesian(placed).written_state();

  // What is free and what is redundant is a matter of the real mechanism.
  Cartesian system(model);
  const double t = model.simulation.start;
  const VecX metric = dynamics::assembly_metric(system);
  out.bodies = static_cast<int>(model.bodies.size()) - 1;
  out.coordinates = system.velocity_size();
  out.rows = system.joint_rows();
  out.residual_after = system.violation(t, y.data(), system.written_memory().data());

  State& start = out.start;
  start.time = t;
  start.layout = system.layout();
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
