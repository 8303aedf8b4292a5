// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/cartesian.hpp"

#include <cmath>

// Friction of ideal joints in the Cartesian formulation: the load is the reaction, the reaction
// depends on the friction, and both are found by repeated substitution on one factorisation.
namespace freeplay::dynamics {

void Cartesian::add_frictions() {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (!model_.joints[j].friction) continue;
    Friction friction{JointFriction(model_, static_cast<JointIndex>(j))};
    friction.memory = memory_size_;
    memory_size_ += kSlipMemory;
    friction.state = state_size();
    friction_states_ += friction.element.states();
    friction.worker = static_cast<int>(workers_.size());
    workers_.push_back({"joints/" + model_.joints[j].name + "/friction"});
    frictions_.push_back(std::move(friction));
  }
}

Vec3 Cartesian::reaction_force(int joint) const {
  Vec3 force = Vec3::Zero();
  const Joint& j = model_.joints[joint];
  for (int r = 0; r < joint_rows(); ++r) {
    if (rows_[r].joint != joint || rows_[r].spec.drive >= 0) continue;
    // The share of the second body, or the reverse of the first body's where the second is ground.
    const bool second_moves = j.second.body != kGround;
    const int entry = second_moves && j.first.body != kGround ? 1 : 0;
    const double* g = kkt_.gradient(r, entry);
    const Vec3 gradient(g[0], g[1], model_.planar ? 0 : g[2]);
    force -= (second_moves ? lambda_[r] : -lambda_[r]) * gradient;
  }
  return force;
}

bool Cartesian::solve_with_friction(const double* y, const double* memory) {
  constexpr int kPasses = 200;
  const int m = rows();
  without_friction_ = solution_;
  for (Friction& friction : frictions_) friction.load = 0;
  double worst = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    solution_ = without_friction_;
    for (Friction& friction : frictions_) {
      const Joint& joint = model_.joints[friction.element.joint()];
      const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
      const Pose<double>&p1 = poses_[b1], &p2 = poses_[b2];
      const auto lines = friction.element.rows(joint, p1, p2, model_.planar);
      const Vec3 slip = friction.element.slip(lines, p1, p2);
      const double* z = y + motion_size() + friction.state;
      friction.force =
          friction.element.act<double>(slip, friction.load, z, 0, memory + friction.memory).force;
      friction.power = friction.force.dot(slip);
      Wrench<double> on1, on2;
      for (int k = 0; k < friction.element.components(); ++k)
        add_effort(lines[k], friction.force[k], on1, on2);
      for (const auto& [body, wrench] : {std::pair{b1, &on1}, std::pair{b2, &on2}}) {
        if (body == kGround) continue;
        double* out = &solution_[(body - 1) * v_width_];
        if (model_.planar) {
          out[0] += wrench->force[0], out[1] += wrench->force[1], out[2] += wrench->moment[2];
        } else {
          vec3(out) += wrench->force;
          vec3(out + 3) += poses_[body].R.transpose() * wrench->moment;
        }
      }
    }
    kkt_.solve(solution_.data());
    lambda_ = solution_.tail(m);
    worst = 0;
    for (Friction& friction : frictions_) {
      const int j = friction.element.joint();
      const Joint& joint = model_.joints[j];
      const Vec3 axis = poses_[joint.first.body].R * joint.first.axes.col(2);
      const double load = friction.element.load(reaction_force(j), axis);
      worst = std::max(worst, std::abs(load - friction.load) / (load + 1e-300));
      friction.load = load;
    }
    if (worst <= 1e-13) return true;
  }
  if (worst < 1e-9) return true;  // round-off of a badly scaled mechanism
  culprit_ = "friction of joint " + model_.joints[frictions_.front().element.joint()].name +
             ": load and friction drive each other up (self-locking)";
  return false;
}

void Cartesian::friction_state_rates(double t, const double* y, const double* memory, double* f) {
  // How the load changes follows from the state a moment later: bristles need it (physics 4).
  const double moment = 1e-7 * scales_.time;
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

}  // namespace freeplay::dynamics
