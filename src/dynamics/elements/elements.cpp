// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/elements.hpp"

#include "dynamics/blocks.hpp"
#include "dynamics/elements/force_element.hpp"
#include "dynamics/elements/joint_elements.hpp"

#include <algorithm>

namespace freeplay::dynamics {
namespace {

/// The first cushion of a joint, or of one behind it: they stand behind `contacts`, joint by joint.
auto first_cushion(const std::vector<Elements::Entry>& joints, int contacts, JointIndex joint) {
  return std::lower_bound(
      joints.begin() + contacts, joints.end(), joint,
      [](const Elements::Entry& entry, JointIndex j) { return entry.element->holds() < j; });
}

}  // namespace

void Elements::add(std::vector<Entry>& list, std::unique_ptr<Element> element) {
  for (int k = 0; k < element->watches(); ++k) watched_.push_back({element.get(), k});
  const int states = element->states();
  states_ += states;
  list.push_back({std::move(element), {}, std::vector<double>(static_cast<std::size_t>(states))});
}

Elements::Elements(const Model& model, Layout& layout) : contacts_(model) {
  std::vector<std::unique_ptr<Element>> cushions;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const auto joint = static_cast<JointIndex>(j);
    contacts_.add(joint, layout);
    if (model.joints[j].bushing || (model.joints[j].clearance && model.joints[j].clearance->film))
      cushions.push_back(std::make_unique<CushionElement>(model, joint, layout));
  }
  for (int k = 0; k < contacts_.size(); ++k)
    add(joints_, std::make_unique<ContactElement>(contacts_, k));
  for (auto& cushion : cushions) add(joints_, std::move(cushion));
}

void Elements::add_forces(const Model& model, Layout& layout) {
  control_ = std::make_unique<Control>(model, layout);
  states_ += control_->states();
  for (const Force& force : model.forces)
    std::visit(
        [&]<class S>(const S& s) {
          add(forces_, std::make_unique<AppliedForce<S>>(s, force.name, model, *control_, layout));
        },
        force.element);
  meshes_ = std::make_unique<Meshes>(model, layout);
}

void Elements::force_powers(double* out) const {
  meshes_->powers(out);
  for (const Entry& entry : forces_)
    if (const int work = entry.element->work(); work >= 0) out[work] = entry.action.power;
}

void Elements::joint_powers(double* out) const {
  for (const Entry& entry : joints_) {
    out[entry.element->work()] = 0;
    if (const int work = entry.element->friction_work(); work >= 0) out[work] = 0;
  }
  // Contacts of one joint share the work of its friction.
  for (const Entry& entry : joints_) {
    out[entry.element->work()] += entry.action.power;
    if (const int work = entry.element->friction_work(); work >= 0)
      out[work] += entry.action.friction_power;
  }
}

void Elements::state_rates(double t, Poses poses, std::span<const FrameAcceleration> accelerations,
                           const double* memory, const double* z, double* rates) {
  std::ranges::copy(control_->now().rates, rates + control_->state());
  for (auto* list : {&forces_, &joints_})
    for (Entry& entry : *list) {
      Element& element = *entry.element;
      if (element.states() == 0) continue;
      const FrameIndex b1 = element.first(), b2 = element.second();
      element.settle_rates({t, poses[b1], poses[b2], z + element.state(), memory, 0},
                           accelerations[b1], accelerations[b2], entry.action, entry.rates.data());
      std::copy(entry.rates.begin(), entry.rates.end(), rates + element.state());
    }
}

Wrench<double> Elements::on_second(JointIndex joint) const {
  Wrench<double> sum;
  const auto take = [&](const Entry& entry) {
    sum.force += entry.action.on_second.force;
    sum.moment += entry.action.on_second.moment;
  };
  if (const int part = contacts_.element_of(joint); part >= 0) {
    const auto& list = contacts_.list();
    const auto first = std::lower_bound(
        list.begin(), list.end(), part,
        [](const Contacts::Contact& contact, int element) { return contact.element < element; });
    for (auto k = first; k != list.end() && k->element == part; ++k)
      take(joints_[static_cast<std::size_t>(k - list.begin())]);
  }
  for (auto k = first_cushion(joints_, contacts_.size(), joint);
       k != joints_.end() && k->element->holds() == joint; ++k)
    take(*k);
  return sum;
}

joints::JointObservation Elements::observe(JointIndex joint, double t, Poses poses,
                                           const double* memory, const double* z) const {
  joints::JointObservation out = contacts_.observe(joint, t, poses, memory, z);
  for (auto k = first_cushion(joints_, contacts_.size(), joint);
       k != joints_.end() && k->element->holds() == joint; ++k) {
    const auto& element = static_cast<const CushionElement&>(*k->element);
    if (!element.cushion().is_film()) continue;
    const auto film = element.cushion().observe(poses[element.first()], poses[element.second()]);
    out.film_thickness = film.min_film;
    out.film_pressure = film.max_pressure;
    out.film_power = film.power;
  }
  return out;
}

void Elements::read_forces(std::vector<Action<double>>& out) const {
  out.resize(forces_.size());
  for (std::size_t k = 0; k < forces_.size(); ++k) out[k] = forces_[k].action;
}

double Elements::potential() const {
  double sum = 0;
  for (const Entry& entry : forces_) sum += entry.action.potential;
  return sum;
}

}  // namespace freeplay::dynamics
