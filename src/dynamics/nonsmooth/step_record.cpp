// SPDX-License-Identifier: Apache-2.0
#include "dynamics/nonsmooth/step_record.hpp"

#include "dynamics/elements/joint_friction.hpp"

#include <algorithm>
#include <utility>

namespace freeplay::dynamics {

using joints::ContactMemory;
using joints::ContactPoint;

StepRecord::StepRecord(const Model& model, Contacts& contacts, std::vector<Slip> slips,
                       Layout& layout)
    : model_(model), contacts_(contacts), slips_(std::move(slips)) {
  const auto& works = layout.of(BlockKind::work);
  for (const Contacts::Contact& contact : contacts.list()) {
    const std::string& name = works[static_cast<std::size_t>(contact.normal_work)].name;
    memory_.push_back(layout.declare(name + "/step", kStepFields));
  }
  for (const Slip& slip : slips_) rubs_.push_back(layout.declare(slip.name, kRubFields));
  static constexpr std::array kResidual = {MemoryField{"contact_residual", "1"}};
  residual_ = layout.declare("time_stepping", kResidual);
}

void StepRecord::copy(const double* from, double* to) const {
  for (int k = 0; k < contacts_.size(); ++k) {
    const int own = contacts_.list()[static_cast<std::size_t>(k)].own_memory();
    std::copy_n(from + own, joints::kContactMemory, to + own);
    const int step = memory_[static_cast<std::size_t>(k)];
    std::copy_n(from + step, kStepMemory, to + step);
  }
  for (std::size_t k = 0; k < slips_.size(); ++k) {
    std::copy_n(from + slips_[k].memory, kSlipMemory, to + slips_[k].memory);
    std::copy_n(from + rubs_[k], kRubMemory, to + rubs_[k]);
  }
  to[residual_] = from[residual_];
}

bool StepRecord::wrench(int contact, Contacts::Poses poses, const double* memory,
                        Wrench<double>& first, Wrench<double>& second) const {
  const StepMemory step = recall(contact, memory);
  if (!(step.normal > 0)) return false;
  const joints::ImperfectJoint& element = contacts_.element(contact);
  const auto& p1 = poses[static_cast<std::size_t>(element.first())];
  const auto& p2 = poses[static_cast<std::size_t>(element.second())];
  ContactPoint<double> point;
  if (!element.leading(contacts_.list()[static_cast<std::size_t>(contact)].index, p1, p2, point))
    return false;
  first = second = {};
  joints::push<double>(point, Vec3(step.force[0], step.force[1], step.force[2]), first, second);
  return true;
}

void StepRecord::read(Contacts::Poses poses, const double* memory, Snapshot& out) const {
  Wrench<double> first, second;
  for (int k = 0; k < contacts_.size(); ++k) {
    if (!wrench(k, poses, memory, first, second)) continue;
    const Contacts::Contact& contact = contacts_.list()[static_cast<std::size_t>(k)];
    const joints::ImperfectJoint& element = contacts_.element(k);
    if (contacts_.element_of(element.joint()) != contact.element) continue;  // a stop
    const StepMemory step = recall(k, memory);
    Snapshot::Reaction& reaction = out.joints[element.joint()];
    const Frame& joint = model_.joints[element.joint()].second;
    const Vec3 arm = poses[static_cast<std::size_t>(joint.body)].R * joint.point;
    reaction.force += second.force;
    reaction.moment += second.moment - arm.cross(second.force);
    reaction.contact.normal_force += step.normal;
    ContactPoint<double> point;
    const auto& p1 = poses[static_cast<std::size_t>(element.first())];
    const auto& p2 = poses[static_cast<std::size_t>(element.second())];
    if (!element.leading(contact.index, p1, p2, point)) continue;
    const Vec3 friction = second.force + second.force.dot(-point.normal) * point.normal;
    if (element.has_friction()) reaction.contact.friction_force += friction;
    reaction.contact.friction_use = std::max(reaction.contact.friction_use, step.use);
    reaction.contact.slip_speed =
        std::max(reaction.contact.slip_speed, joints::motion_at(point, p1, p2).slip.norm());
  }
}

void StepRecord::add_impulses(const State& state, std::vector<Impact>& open) const {
  auto impact = open.begin();
  for (int k = 0; k < contacts_.size() && impact != open.end(); ++k) {
    const int own = contacts_.list()[static_cast<std::size_t>(k)].own_memory();
    if (joints::recall(&state.memory[static_cast<std::size_t>(own)]).touching == 0) continue;
    impact++->impulse = recall(k, state.memory.data()).impulse;
  }
}

void StepRecord::tell(State& state, const double* works) {
  for (int k = 0; k < contacts_.size(); ++k) {
    const Contacts::Contact& contact = contacts_.list()[static_cast<std::size_t>(k)];
    const ContactMemory is = joints::recall(&state.memory[contact.own_memory()]);
    StepMemory step = recall(k, state.memory.data());
    const bool touches = is.touching != 0, told = step.told != 0;
    if (touches == told) continue;
    const std::string& joint = model_.joints[contacts_.element(k).joint()].name;
    step.told = touches ? 1 : 0;
    remember(k, step, state.memory.data());
    if (touches) {
      contacts_.tell(joint, contact.index, "touch", is.start, is.approach);
      continue;
    }
    contacts_.tell(joint, contact.index, "separation", state.time, step.leaving);
    Impact& impact = contacts_.tell_impact(contact);
    impact.start = is.start;
    impact.end = state.time;
    impact.approach_speed = is.approach;
    impact.separation_speed = step.leaving;
    impact.peak_force = is.peak_force;
    impact.peak_depth = is.peak_depth;
    impact.energy_lost = is.work - works[contact.normal_work];
    impact.impulse = step.impulse;
  }
}

}  // namespace freeplay::dynamics
