// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian.hpp"

#include <algorithm>

// Contacts of imperfect joints as events: a touch is located, remembers its approach speed,
// collects its peaks and is closed by a located separation.
namespace freeplay::dynamics {

void Cartesian::event_values(double, const double* y, const double*, double* g) {
  set_poses(y);
  for (const joints::ImperfectJoint& element : imperfect_) {
    element.depths(poses_[element.first()], poses_[element.second()], g);
    g += element.contacts();
  }
}

void Cartesian::begin_contacts(State& state) {
  set_poses(state.y.data());
  for (const Contact& c : contacts_) {
    const joints::ImperfectJoint& element = imperfect_[c.element];
    const Pose<double>&p1 = poses_[element.first()], &p2 = poses_[element.second()];
    std::vector<double> depth(static_cast<std::size_t>(element.contacts()));
    element.depths(p1, p2, depth.data());
    if (depth[c.contact] <= 0) continue;
    // Already touching: there was no approach to measure (physics 1.6).
    joints::ContactMemory memory;
    memory.touching = 1;
    memory.approach = element.approach_speed(c.contact, p1, p2);
    memory.impact_rate = std::max(memory.approach, element.min_approach_speed());
    memory.start = state.time;
    joints::remember(&state.memory[c.memory], memory);
  }
}

bool Cartesian::apply_event(int which, bool upward, State& state, Event& event) {
  const Contact& c = contacts_[which];
  const joints::ImperfectJoint& element = imperfect_[c.element];
  set_poses(state.y.data());
  const Pose<double>&p1 = poses_[element.first()], &p2 = poses_[element.second()];
  joints::ContactMemory memory = joints::recall(&state.memory[c.memory]);
  if (upward == (memory.touching != 0))
    return false;  // the other side of a root already dealt with
  const double speed = element.approach_speed(c.contact, p1, p2);
  const double work = state.y[position_size() + velocity_size() + normal_worker_[c.element]];
  event.joint = model_.joints[element.joint()].name;
  event.contact = c.contact;
  event.kind = upward ? "touch" : "separation";
  event.speed = upward ? speed : -speed;
  if (upward) {
    memory = {};
    memory.touching = 1;
    memory.approach = speed;
    memory.impact_rate = std::max(speed, element.min_approach_speed());
    memory.start = state.time;
    memory.work = work;
  } else {
    impacts_.push_back({event.joint, c.contact, memory.start, state.time, memory.approach, -speed,
                        memory.peak_force, memory.peak_depth, memory.work - work});
    memory.touching = 0;
  }
  joints::remember(&state.memory[c.memory], memory);
  return true;
}

bool Cartesian::take_impact(Impact& impact) {
  if (impacts_.empty()) return false;
  impact = impacts_.front();
  impacts_.pop_front();
  return true;
}

bool Cartesian::wants_samples(const State& state) const {
  return std::any_of(contacts_.begin(), contacts_.end(),
                     [&](const Contact& c) { return state.memory[c.memory] != 0; });
}

void Cartesian::sample(double, const double* y, State& state) {
  set_poses(y);
  for (const Contact& c : contacts_) {
    if (state.memory[c.memory] == 0) continue;
    const joints::ImperfectJoint& element = imperfect_[c.element];
    const auto [force, depth] =
        element.load(c.contact, poses_[element.first()], poses_[element.second()],
                     &state.memory[element_memory_[c.element]]);
    joints::ContactMemory memory = joints::recall(&state.memory[c.memory]);
    memory.peak_force = std::max(memory.peak_force, force);
    memory.peak_depth = std::max(memory.peak_depth, depth);
    joints::remember(&state.memory[c.memory], memory);
  }
}

}  // namespace freeplay::dynamics
