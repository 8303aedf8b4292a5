// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/constraints/joint_readings.hpp"

// What is known at an instant in the Cartesian formulation: reactions come straight from the
// multipliers.
namespace freeplay::dynamics {

bool Cartesian::snapshot(const State& state, Snapshot& out) {
  const double* y = state.y.data();
  if (!solve_accelerations(state.time, y, state.memory.data())) return false;
  const std::size_t bodies = model_.bodies.size();
  out.time = state.time;
  out.poses = poses_;
  out.quaternion.assign(bodies, Vec4(1, 0, 0, 0));
  // Of bodies, and of frames on them that markers follow.
  out.acceleration.assign(poses_.size(), Vec3::Zero());
  out.angular_acceleration.assign(poses_.size(), Vec3::Zero());
  const MovingBody::Energies energies = bodies_.energies(y, y + position_size(), poses_);
  out.kinetic = energies.kinetic;
  out.potential = energies.potential;
  out.elastic = energies.elastic;
  bodies_.accelerate(y, y + position_size(), solution_.data(), poses_, accelerations_);
  for (int b = 1; b <= bodies_.count(); ++b)
    out.quaternion[b] =
        model_.planar
            ? Vec4(std::cos(poses_[b].angle / 2), 0, 0, std::sin(poses_[b].angle / 2))
            : Vec4(vec4(y + bodies_.position_of(b - 1) + bodies_.body(b - 1).quaternion_at()));
  for (std::size_t f = 1; f < poses_.size(); ++f) {
    out.acceleration[f] = accelerations_[f].linear;
    out.angular_acceleration[f] = accelerations_[f].angular;
  }

  bodies_.observe(y, y + position_size(), out.sections);
  read_coordinates(
      model_, poses_,
      [&](JointIndex j, Coordinate c) { return angle_reference(j, c, state.memory.data()); },
      out.joints);
  for (int r = 0; r < rows(); ++r) {
    const Row& row = rows_[r];
    if (row.joint < 0) continue;
    Snapshot::Reaction& reaction = out.joints[row.joint];
    if (row.spec.drive >= 0) {
      reaction.effort[row.spec.drive] = -lambda_[r];
      continue;
    }
    // Action on the second body is -J^T lambda; the moment is moved from its centre to the joint
    // point.
    const Joint& joint = model_.joints[row.joint];
    const Pose<double>&first = poses_[joint.first.body], &second = poses_[joint.second.body];
    const auto g = place_of(joint, first, second);
    const auto value = evaluate_row(row.spec, joint, g, {}, model_.planar);
    const Vec3 force = -lambda_[r] * value.v2;
    reaction.force += force;
    reaction.moment += -lambda_[r] * value.w2 - g.s2.cross(force);
  }
  read_held_by_force(model_, elements_, state.time, poses_, state.memory.data(), y + motion_size(),
                     out.joints);
  for (const Friction& friction : frictions_) {
    joints::JointObservation& contact = out.joints[friction.element.joint()].contact;
    const Joint& joint = model_.joints[friction.element.joint()];
    const Pose<double>&p1 = poses_[joint.first.body], &p2 = poses_[joint.second.body];
    contact.normal_force = friction.load;
    contact.friction_force = friction.force;
    contact.slip_speed =
        friction.element.slip(friction.element.rows(joint, p1, p2, model_.planar), p1, p2).norm();
    const bool rests = recall_slip(&state.memory[friction.memory]).sticking != joints::kSlips;
    contact.mode = rests ? 3 : 2;
    const double allowed = friction.element.bound(rests ? 0 : contact.slip_speed) * friction.load;
    if (friction.force.norm() > force_noise())
      contact.friction_use = friction.force.norm() / (allowed + force_noise());
  }
  out.strain = {};
  out.strain.bristles = state_size() > 0;
  for (const Hold& hold : holds_) {  // what holds is friction, or the force of a contact at rest
    if (!holding(hold, state.memory.data())) continue;
    note_strain(hold, state.memory.data(), out);
    if (hold.kind == Hold::Kind::joint_stick) {
      Vec3& force = out.joints[frictions_[hold.index].element.joint()].contact.friction_force;
      for (int k = 0; k < hold.count; ++k) force[k] = -lambda_[hold.row + k];
      continue;
    }
    const joints::ImperfectJoint& element = contacts_.element(hold.index);
    if (contacts_.element_of(element.joint()) != contacts_.list()[hold.index].element) continue;
    Snapshot::Reaction& reaction = out.joints[element.joint()];
    Vec3 force = Vec3::Zero();
    for (int k = 0; k < hold.count; ++k) {
      const int entry = element.first() == kGround || element.second() == kGround ? 0 : 1;
      const double* g = kkt_.gradient(hold.row + k, entry);
      const Vec3 gradient(g[0], g[1], model_.planar ? 0 : g[2]);
      force -= lambda_[hold.row + k] * (element.second() == kGround ? Vec3(-gradient) : gradient);
    }
    reaction.force += force;
    if (hold.kind == Hold::Kind::rest)
      reaction.contact.normal_force += force.norm();
    else
      reaction.contact.friction_force += force;
  }
  for (const RigidFriction& friction : rigid_frictions_) {
    Snapshot::Reaction& reaction = out.joints[contacts_.element(friction.contact).joint()];
    reaction.force += friction.force;
    reaction.contact.friction_force += friction.force;
  }
  if (step_record_) step_record_->read(poses_, state.memory.data(), out);
  find_strain(out);
  out.coupling_effort.assign(model_.couplings.size(), 0.0);
  for (int r = 0; r < rows(); ++r)
    if (rows_[r].coupling >= 0) out.coupling_effort[rows_[r].coupling] = -lambda_[r];

  elements_.read_forces(out.forces);
  elements_.read_meshes(out.coupling_effort, out.meshes);
  out.signals = elements_.control().now().values;
  out.elastic += elements_.potential();
  out.work.assign(y + motion_size() + state_size(), y + size_);
  double work = 0;
  for (double w : out.work) work += w;
  out.residual = out.kinetic + out.potential + out.elastic - state.memory[kStartEnergy] - work;
  out.deepest = contacts_.deepest(poses_, state.memory.data());
  contacts_.read_wear(state.memory.data(), out.worn);
  return true;
}

/// Where contacts are events, their laws are audited besides, and these need all forces.
bool Cartesian::energies(const State& state, Snapshot& out) {
  if (!step_record_) return snapshot(state, out);
  const double* y = state.y.data();
  set_poses(y);
  out.time = state.time;
  const MovingBody::Energies energies = bodies_.energies(y, y + position_size(), poses_);
  out.kinetic = energies.kinetic;
  out.potential = energies.potential;
  out.elastic = energies.elastic;
  if (!model_.forces.empty() || elements_.has_cushions() || !elements_.meshes().empty()) {
    const double* memory = state.memory.data();
    elements_.evaluate_forces(state.time, poses_, memory, y + motion_size(), angles(memory));
    elements_.evaluate_joints(state.time, poses_, memory, y + motion_size());
    out.elastic += elements_.potential();
  }
  out.strain = {};
  out.work.assign(y + motion_size() + state_size(), y + size_);
  double work = 0;
  for (double w : out.work) work += w;
  out.residual = out.kinetic + out.potential + out.elastic - state.memory[kStartEnergy] - work;
  out.deepest = contacts_.deepest(poses_, state.memory.data());
  return true;
}

/// How hard a hold is strained: what sticks against its cone, what rests against parting.
void Cartesian::note_strain(const Hold& hold, const double* memory, Snapshot& out) const {
  Snapshot::Strain& strain = out.strain;
  if (hold.kind == Hold::Kind::rest) {
    const int joint = static_cast<int>(contacts_.element(hold.index).joint());
    if (-lambda_[hold.row] > strain.pull) {
      strain.pull = -lambda_[hold.row];
      strain.pull_joint = joint;
    }
    if (std::abs(phi_[hold.row]) > strain.gap) {
      strain.gap = std::abs(phi_[hold.row]);
      strain.gap_joint = joint;
    }
    return;
  }
  const DryState now = dry_state(hold, memory);
  constexpr double kLeastLoad = 1e-300;  // N: unloaded, whatever rubs is beyond
  const double use = std::max(0.0, hold_force(hold) - force_noise()) /
                     std::max(now.law.breakaway * now.load, kLeastLoad);
  const int joint = static_cast<int>(hold.kind == Hold::Kind::joint_stick
                                         ? frictions_[hold.index].element.joint()
                                         : contacts_.element(hold.index).joint());
  double& most = out.joints[joint].contact.friction_use;
  most = std::max(most, use);
}

}  // namespace freeplay::dynamics
