// SPDX-License-Identifier: Apache-2.0
#include "dynamics/blocks.hpp"
#include "dynamics/cartesian/cartesian.hpp"

#include <cmath>

// Friction whose load is itself a force of the mechanism, in the Cartesian formulation: of ideal
// joints, and of rigid contacts at rest. Friction changes the reactions and these the friction. All
// laws are proportional to the load, so the mechanism's answer to each friction at unit load says
// how the reactions r depend on all loads N, and
//
//     N_j = preload_j + |r_j + sum_e N_e r_je|
//
// is solved by Newton's method on these few numbers, with one factorisation of the mechanism.
namespace freeplay::dynamics {

void Cartesian::add_frictions() {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (!model_.joints[j].friction) continue;
    Friction friction{JointFriction(model_, static_cast<JointIndex>(j))};
    const std::string name = "joints/" + model_.joints[j].name + "/friction";
    friction.memory = layout_->declare(name, kSlipFields);
    friction.state = state_size();
    declare_bristles(*layout_, name, friction.element.states(), friction.element.state_scale());
    friction_states_ = friction_states_ || friction.element.states() > 0;
    friction.work = declare_work(*layout_, name);
    frictions_.push_back(std::move(friction));
  }
}

Vec3 Cartesian::row_force(int row) const {
  const Joint& j = model_.joints[rows_[row].joint];
  // The share of the second body, or the reverse of the first body's where the second is ground.
  const bool second_moves = j.second.body != kGround;
  const double* g = kkt_.gradient(row, second_moves && j.first.body != kGround ? 1 : 0);
  const Vec3 gradient(g[0], g[1], model_.planar ? 0 : g[2]);
  return second_moves ? Vec3(-gradient) : gradient;
}

Vec3 Cartesian::reaction_force(int joint, const double* lambda) const {
  Vec3 force = Vec3::Zero();
  for (int r = 0; r < joint_rows(); ++r)
    if (rows_[r].joint == joint && rows_[r].spec.drive < 0) force += lambda[r] * row_force(r);
  return force;
}

Vec3 Cartesian::pressing_force(const Friction& friction, const double* lambda) const {
  const Joint& joint = model_.joints[friction.element.joint()];
  return friction.element.pressing(reaction_force(friction.element.joint(), lambda),
                                   poses_[joint.first.body].R * joint.first.axes.col(2));
}

Vec3 Cartesian::pressing_of(const Friction& friction, int row) const {
  const Joint& joint = model_.joints[friction.element.joint()];
  return friction.element.pressing(row_force(row),
                                   poses_[joint.first.body].R * joint.first.axes.col(2));
}

std::vector<StepRecord::Slip> Cartesian::slips_of_frictions() const {
  std::vector<StepRecord::Slip> out;
  for (const Friction& friction : frictions_)
    out.push_back({"joints/" + model_.joints[friction.element.joint()].name + "/friction/step",
                   friction.memory});
  return out;
}

/// Where time steps find friction: its mean over the last one, added to the applied forces.
void Cartesian::recall_frictions(const double* memory, double* Q) {
  for (std::size_t k = 0; k < frictions_.size(); ++k) {
    Friction& friction = frictions_[k];
    const RubMemory rub = step_record_->recall_rub(static_cast<int>(k), memory);
    const Joint& joint = model_.joints[friction.element.joint()];
    const FrameIndex b1 = joint.first.body, b2 = joint.second.body;
    const auto lines = friction.element.rows(joint, poses_[b1], poses_[b2], model_.planar);
    friction.load = rub.load;
    friction.force = Vec3(rub.force[0], rub.force[1], rub.force[2]);
    Wrench<double> on1, on2;
    for (int i = 0; i < friction.element.components(); ++i)
      add_effort(lines[i], friction.force[i], on1, on2);
    add_wrench(b1, on1, Q);
    add_wrench(b2, on2, Q);
  }
}

void Cartesian::add_wrench(FrameIndex frame, const Wrench<double>& wrench, double* Q) const {
  if (frame == kGround) return;
  bodies_.spread(motion_.data(), frame, wrench, poses_[frame],
                 Q + bodies_.velocity_of(bodies_.owner(frame)));
}

/// Accelerations, multipliers and loads for the right-hand side in `solution_`.
bool Cartesian::solve_with_friction(const double* y, const double* memory) {
  const std::size_t joints = frictions_.size(), all = joints + rigid_frictions_.size();
  const int n = velocity_size();
  kkt_.solve(solution_.data());
  for (std::size_t e = 0; e < joints; ++e) {
    Friction& friction = frictions_[e];
    const Joint& joint = model_.joints[friction.element.joint()];
    const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
    const Pose<double>&p1 = poses_[b1], &p2 = poses_[b2];
    const auto lines = friction.element.rows(joint, p1, p2, model_.planar);
    const Vec3 slip = friction.element.slip(lines, p1, p2);
    const double* z = y + motion_size() + friction.state;
    friction.force = friction.element.act<double>(slip, 1.0, z, 0, memory + friction.memory).force;
    friction.power = friction.force.dot(slip);
    Wrench<double> on1, on2;
    for (int k = 0; k < friction.element.components(); ++k)
      add_effort(lines[k], friction.force[k], on1, on2);
    at_unit_load_[e].setZero();
    add_wrench(b1, on1, at_unit_load_[e].data());
    add_wrench(b2, on2, at_unit_load_[e].data());
  }
  for (std::size_t e = joints; e < all; ++e) {
    RigidFriction& friction = rigid_frictions_[e - joints];
    const auto& element = contacts_.element(friction.contact);
    const auto& contact = contacts_.list()[friction.contact];
    const Pose<double>&p1 = poses_[element.first()], &p2 = poses_[element.second()];
    const joints::ContactMemory past = joints::recall(memory + contact.own_memory());
    joints::ContactPoint<double> point;
    friction.active = past.resting != 0 && element.leading(contact.index, p1, p2, point);
    friction.force.setZero();
    friction.power = 0;
    at_unit_load_[e].setZero();
    if (!friction.active) continue;
    const Vec3 slip = joints::motion_at(point, p1, p2).slip;
    friction.force = element.dry_force<double>(slip, 1.0, past);
    friction.power = friction.force.dot(slip);
    Wrench<double> on1, on2;
    joints::push<double>(point, friction.force, on1, on2);
    add_wrench(element.first(), on1, at_unit_load_[e].data());
    add_wrench(element.second(), on2, at_unit_load_[e].data());
  }
  // What presses each of them: without friction in column 0, then per unit of each load.
  for (std::size_t e = 0; e <= all; ++e) {
    if (e > 0 && !at_unit_load_[e - 1].isZero(0)) kkt_.solve(at_unit_load_[e - 1].data());
    const double* lambda = (e == 0 ? solution_ : at_unit_load_[e - 1]).data() + n;
    Vec3* out = &pressing_[e * all];
    for (std::size_t j = 0; j < joints; ++j) out[j] = pressing_force(frictions_[j], lambda);
    for (std::size_t j = joints; j < all; ++j) {
      const RigidFriction& friction = rigid_frictions_[j - joints];
      out[j] = {friction.active ? lambda[friction.rest_row] : 0.0, 0, 0};
    }
  }
  if (!find_loads()) return false;
  for (std::size_t e = 0; e < all; ++e) {
    const double N = loads_[static_cast<Eigen::Index>(e)];
    solution_ += N * at_unit_load_[e];
    auto scale = [&](auto& friction) {
      friction.load = N;
      friction.force *= N;
      friction.power *= N;
    };
    if (e < joints)
      scale(frictions_[e]);
    else
      scale(rigid_frictions_[e - joints]);
  }
  lambda_ = solution_.tail(rows());
  return true;
}

bool Cartesian::find_loads() {
  constexpr int kSteps = 50;
  constexpr double kLastDigits = 1e-14;  // of the largest load: Newton's method ends there
  const auto all = static_cast<Eigen::Index>(frictions_.size() + rigid_frictions_.size());
  const auto joints = static_cast<Eigen::Index>(frictions_.size());
  const auto pressing = [&](Eigen::Index column, Eigen::Index j) -> const Vec3& {
    return pressing_[static_cast<std::size_t>(column * all + j)];
  };
  loads_.setZero();
  Eigen::Index worst = 0;
  for (int step = 0; step < kSteps; ++step) {
    for (Eigen::Index j = 0; j < all; ++j) {
      Vec3 press = pressing(0, j);
      for (Eigen::Index e = 0; e < all; ++e) press += loads_[e] * pressing(e + 1, j);
      // A joint is pressed whichever way its reaction points; a rigid contact only one way.
      const double size = j < joints ? press.norm() : press[0];
      const double preload =
          j < joints ? frictions_[static_cast<std::size_t>(j)].element.preload() : 0;
      const Vec3 direction = j >= joints ? Vec3(Vec3::UnitX())
                             : size > 0  ? Vec3(press / size)
                                         : Vec3(Vec3::Zero());
      load_errors_[j] = preload + size - loads_[j];
      for (Eigen::Index e = 0; e < all; ++e)
        load_slopes_(j, e) = (e == j ? 1.0 : 0.0) - direction.dot(pressing(e + 1, j));
    }
    load_factors_.compute(load_slopes_);
    load_errors_ = load_factors_.solve(load_errors_);
    loads_ += load_errors_;
    const double change = load_errors_.cwiseAbs().maxCoeff(&worst);
    if (!std::isfinite(change)) break;
    if (change > kLastDigits * loads_.cwiseAbs().maxCoeff()) continue;
    // Beyond a critical coefficient more friction asks for more load than it can do without.
    if (load_factors_.determinant() > 0) return true;
    break;
  }
  const int joint =
      worst < joints
          ? frictions_[static_cast<std::size_t>(worst)].element.joint()
          : contacts_.element(rigid_frictions_[static_cast<std::size_t>(worst - joints)].contact)
                .joint();
  culprit_ = "friction of joint " + model_.joints[joint].name +
             ": load and friction drive each other up (self-locking)";
  return false;
}

void Cartesian::friction_state_rates(double t, const double* y, const double* memory, double* f) {
  // How the load changes follows from the state a moment later: bristles need it, theory/friction
  // (R.7).
  const double moment = kMoment * scales_.time;
  VecX later(size_);
  const VecX solution = solution_, lambda = lambda_;
  std::vector<Friction> now = frictions_;
  const int motion = motion_size();
  later = Eigen::Map<const VecX>(y, size_);
  later.head(motion) += moment * Eigen::Map<const VecX>(f, motion);
  const bool known = solve_accelerations(t + moment, later.data(), memory);
  for (std::size_t k = 0; k < now.size(); ++k)
    now[k].load_rate = known ? (frictions_[k].load - now[k].load) / moment : 0;
  static_cast<void>(solve_accelerations(t, y, memory));
  for (std::size_t k = 0; k < now.size(); ++k) {
    Friction& friction = frictions_[k];
    friction.load_rate = now[k].load_rate;
    if (friction.element.states() == 0) continue;
    const Joint& joint = model_.joints[friction.element.joint()];
    const Pose<double>&p1 = poses_[joint.first.body], &p2 = poses_[joint.second.body];
    const Vec3 slip =
        friction.element.slip(friction.element.rows(joint, p1, p2, model_.planar), p1, p2);
    const auto action =
        friction.element.act<double>(slip, friction.load, y + motion + friction.state,
                                     friction.load_rate, memory + friction.memory);
    std::copy_n(action.state_rate.data(), friction.element.states(), f + motion + friction.state);
  }
}

/// Which law of the user was found to have no value, and where; empty: none.
std::string Cartesian::law_trouble() const {
  if (std::string law = elements_.contacts().trouble(); !law.empty()) return law;
  for (const Friction& friction : frictions_)
    if (const std::string law = friction.element.trouble(); !law.empty())
      return "joint " + model_.joints[friction.element.joint()].name + ": " + law;
  return {};
}

}  // namespace freeplay::dynamics
