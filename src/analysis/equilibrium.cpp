// SPDX-License-Identifier: Apache-2.0
#include "analysis/free_motion.hpp"
#include "analysis/refuse.hpp"
#include "analysis/settling.hpp"
#include "dynamics/channels.hpp"
#include "dynamics/layout.hpp"
#include "joints/cushion.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/equilibrium.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace freeplay {
namespace {

using analysis::Settling;
using dynamics::Cartesian;

bool moves_a_centre(const Cartesian& system, const VecX& v) {
  const double fastest =
      v.cwiseQuotient(analysis::displacement_scale(system)).cwiseAbs().maxCoeff();
  for (int d = 0; d < v.size(); ++d)
    if (!system.bodies().turns(d) && std::abs(v[d]) > 1e-9 * fastest) return true;
  return false;
}

/// Velocities that can go on for ever without moving anything: spins about centres of mass. Those
/// of the start, if joints and drives let them be; else those that the drives alone ask for; none
/// if a drive moves a centre.
VecX steady_spin(Cartesian& system, const State& start) {
  const int nq = system.position_size(), nv = system.velocity_size(), m = system.rows();
  system.update(start.time, start.y.data(), start.memory.data());
  VecX spin = start.y.segment(nq, nv), rate(m);
  const auto& bodies = system.bodies();
  for (int d = 0; d < nv; ++d)
    if (!bodies.turns(d) || !bodies.body(bodies.owner_of_velocity(d)).floats()) spin[d] = 0;
  system.kkt().rates(spin.data(), rate.data());
  const VecX asked = -system.phi_t();
  const double speed =
      std::max(spin.cwiseAbs().maxCoeff(), asked.size() ? asked.cwiseAbs().maxCoeff() : 0.0);
  if (m == 0 || (rate - asked).cwiseAbs().maxCoeff() <= 1e-9 * speed) return spin;
  VecX x = VecX::Zero(nv + m);
  x.tail(m) = asked;
  if (!system.kkt().factorise()) return VecX::Zero(nv);
  system.kkt().solve(x.data());
  const VecX driven = x.head(nv);
  return driven.isZero() || moves_a_centre(system, driven) ? VecX(VecX::Zero(nv)) : driven;
}

/// Largest acceleration from this state by the equations of motion themselves, scaled as in
/// Settling; infinite if there is none.
double imbalance_of(Cartesian& system, const State& state) {
  VecX f(system.size());
  if (!system.derivative(state.time, state.y.data(), state.memory.data(), f.data()))
    return std::numeric_limits<double>::infinity();
  const VecX a = f.segment(system.position_size(), system.velocity_size());
  const double T = system.scales().time, L = system.scales().length;
  return a.cwiseQuotient(analysis::displacement_scale(system)).cwiseAbs().maxCoeff() / L * T * T;
}

/// A rotor that turns in equilibrium must be balanced a while later too.
State turned_on(const Cartesian& system, State state, const VecX& spin) {
  const double dt = 1 / spin.cwiseAbs().maxCoeff();
  const VecX turn = spin * dt;
  system.displace(state.y.data(), turn.data());
  state.time += dt;
  return state;
}

std::vector<CarriedLoad> loads_of(Cartesian& system, const State& state) {
  std::vector<CarriedLoad> out;
  system.update(state.time, state.y.data(), state.memory.data());
  VecX Q(system.velocity_size());
  system.applied_forces(state.time, state.y.data(), state.memory.data(), Q.data());
  const auto& contacts = system.contacts();
  std::vector<double> depth(static_cast<std::size_t>(system.event_count()));
  system.event_values(state.time, state.y.data(), state.memory.data(), depth.data());
  const auto& joints = system.model().joints;
  for (int k = 0; k < contacts.size(); ++k) {
    const auto& element = contacts.element(k);
    const double force = system.elements().joints()[static_cast<std::size_t>(k)].action.load;
    if (force > 0)
      out.push_back({joints[static_cast<std::size_t>(element.joint())].name,
                     element.contact_name(contacts.list()[k].index), force,
                     depth[static_cast<std::size_t>(k)], 0});
  }
  const auto& filled = system.elements().joints();
  for (auto k = static_cast<std::size_t>(contacts.size()); k < filled.size(); ++k) {
    const Joint& joint = joints[static_cast<std::size_t>(filled[k].element->holds())];
    out.push_back({joint.name, joint.bushing ? "bushing" : "film",
                   filled[k].action.on_second.force.norm(), 0, 0});
  }
  // Rigid contacts at rest are constraints.
  const VecX& lambda = system.multipliers();
  for (int r = system.joint_rows(); r < system.rows(); ++r)
    if (lambda[r] > 0) out.push_back({system.row_name(r), "rigid", lambda[r], 0, 0});
  return out;
}

/// A joint with play that carries nothing, and whose gap a free motion opens and closes at will.
std::string floating_joint(Cartesian& system, const State& state, const MatX& free) {
  const auto& contacts = system.contacts();
  std::vector<double> before(static_cast<std::size_t>(system.event_count())), after = before;
  const double* memory = state.memory.data();
  system.event_values(state.time, state.y.data(), memory, before.data());
  for (const auto& element : contacts.elements()) {
    const Joint& joint = system.model().joints[static_cast<std::size_t>(element.joint())];
    if (!joint.clearance || system.elements().on_second(element.joint()).force.norm() > 0) continue;
    for (Eigen::Index f = 0; f < free.cols(); ++f) {
      VecX y = state.y;
      const VecX motion = free.col(f);
      const double reach =
          motion.cwiseQuotient(analysis::displacement_scale(system)).cwiseAbs().maxCoeff();
      const double step = 1e-6 * system.scales().length;
      const VecX moved = motion * (step / reach);
      system.displace(y.data(), moved.data());
      system.event_values(state.time, y.data(), memory, after.data());
      for (std::size_t k = 0; k < contacts.list().size(); ++k)
        if (contacts.element(static_cast<int>(k)).joint() == element.joint() &&
            std::abs(after[k] - before[k]) > 1e-3 * step)
          return joint.name;
    }
  }
  return {};
}

void explain_failure(const Cartesian& system, const Settling& settling, Equilibrium& out) {
  if (!std::isfinite(settling.imbalance())) {
    out.reason = "the mechanism is singular where it stands: " + system.culprit();
    out.remedy = "start it elsewhere";
    return;
  }
  const std::string motion =
      analysis::describe_motion(system, settling.state(), settling.accelerations());
  if (settling.ran_away()) {
    out.reason = fmt::format(
        "nothing holds the mechanism: {}, still accelerated by {:.3g} m/s^2 or rad/s^2 after {:g} "
        "times its own size",
        motion, out.residual, 30.0);
    out.remedy = "hold that motion by a joint, a drive, a spring or a stop";
    return;
  }
  out.reason = fmt::format(
      "no balance was found from the assembled start: {:.3g} m/s^2 or rad/s^2 "
      "are left after {} iterations ({})",
      out.residual, out.iterations, motion);
  out.remedy = "start nearer to it";
}

}  // namespace

Equilibrium find_equilibrium(const Model& model) {
  analysis::refuse_controlled(model, "equilibria");
  analysis::refuse_teeth(model, "equilibria");
  Cartesian system(model);
  State start = dynamics::to_cartesian(model, assemble(model).start);
  system.prepare(start);
  const VecX spin = steady_spin(system, start);
  const Scales& s = system.scales();
  const double slowest = 1e-4 / s.time;

  Settling settling(system, std::move(start), spin);
  Equilibrium out;
  out.spinning = !spin.isZero();
  out.found = settling.settle();
  // A pose that is balanced on a ridge is left, downhill.
  for (int tries = 0; tries < 8 && out.found && !out.spinning; ++tries) {
    const analysis::Linearised at = settling.linearised();
    const analysis::Weakest weakest =
        analysis::weakest_motion(at, analysis::allowed_motions(at.J, system));
    if (weakest.stiffness > -slowest * slowest) break;
    settling.nudge(weakest.displacement);
    out.found = settling.settle();
  }
  out.iterations = settling.iterations();
  out.state = settling.state();
  out.residual = settling.imbalance() * s.length / (s.time * s.time);
  if (settling.accelerations().size() > 0)
    out.unbalanced = (analysis::mass_matrix(system, settling.state()) * settling.accelerations())
                         .cwiseAbs()
                         .maxCoeff();
  if (!out.found) explain_failure(system, settling, out);

  if (out.found) {
    const analysis::Linearised at = settling.linearised();
    const MatX free = free_motions(at, analysis::allowed_motions(at.J, system), slowest);
    for (Eigen::Index k = 0; k < free.cols(); ++k)
      out.free_motions.push_back(analysis::describe_motion(system, out.state, free.col(k)));
    system.update(out.state.time, out.state.y.data(), out.state.memory.data());
    VecX Q(system.velocity_size());
    system.applied_forces(out.state.time, out.state.y.data(), out.state.memory.data(), Q.data());
    if (const std::string floating = floating_joint(system, out.state, free); !floating.empty()) {
      out.found = false;
      out.reason =
          fmt::format("joint {} floats in its play: no load presses it to either side ({})",
                      floating, out.free_motions.front());
      out.remedy = "load it (gravity, a force, a spring), or make the joint ideal";
    }
  }
  if (out.found && out.spinning) {
    const double now = imbalance_of(system, out.state);
    const double later = imbalance_of(system, turned_on(system, out.state, spin));
    const double allowed = std::max(1e-7, 10 * settling.imbalance());
    if (!(now <= allowed)) {
      out.found = false;
      out.reason = "the spin does not last: friction or oil slows it down";
      out.remedy = "keep it up by a drive, or write film.torque = false";
    } else if (!(later <= 1e3 * allowed)) {
      out.found = false;
      out.reason = "the balance does not last: it changes while the shaft turns";
      out.remedy =
          "balance the rotor (a centre of mass off its axis, or an inertia that is not the "
          "same all around, shakes it), or run it: there is no equilibrium";
    }
  }
  const dynamics::Channels channels(system);
  dynamics::Snapshot snapshot;
  out.row.resize(static_cast<std::size_t>(channels.width()));
  system.accept(out.state);
  if (system.snapshot(out.state, snapshot)) {
    channels.fill(snapshot, out.row);
    // A run may start here: this is the zero of its audit.
    out.state.memory[dynamics::kStartEnergy] =
        snapshot.kinetic + snapshot.potential + snapshot.elastic;
    out.loads = loads_of(system, out.state);
    for (CarriedLoad& load : out.loads)
      for (std::size_t j = 0; j < model.joints.size(); ++j)
        if (load.by == "film" && model.joints[j].name == load.joint)
          load.ratio = snapshot.joints[j].contact.ratio;
  }
  return out;
}

}  // namespace freeplay
