// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/joint_elements.hpp"

#include "dynamics/blocks.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {

ContactElement::ContactElement(const Contacts& contacts, int contact)
    : ElementOf(contacts.element(contact).first(), contacts.element(contact).second()),
      contacts_(contacts),
      index_(static_cast<std::size_t>(contact)) {
  const Contacts::Contact& c = contacts.list()[index_];
  const joints::ImperfectJoint& part = contacts.element(contact);
  state_ = c.state;
  states_ = part.states();
  work_ = c.normal_work;
  friction_work_ = c.friction_work;
  // A stop is there besides what holds its joint.
  if (contacts.element_of(part.joint()) == c.element) holds_ = part.joint();
}

template <class T>
void ContactElement::evaluate(const Sight<T>& sight, T* rates, Action<T>& out) const {
  const Contacts::Contact& c = contact();
  joints::ContactForces<T> forces;
  contacts_.elements()[c.element].evaluate<T>(
      c.index, sight.first, sight.second, sight.memory + c.memory, sight.states, history_, forces);
  out.on_first = forces.on_first;
  out.on_second = forces.on_second;
  out.power = forces.normal_power;
  out.friction_power = forces.friction_power;
  out.load = forces.normal;
  std::copy_n(forces.state_rate.data(), states_, rates);
}
template void ContactElement::evaluate(const Sight<double>&, double*, Action<double>&) const;
template void ContactElement::evaluate(const Sight<PairDual>&, PairDual*, Action<PairDual>&) const;

void ContactElement::settle_rates(const Sight<double>& sight, const FrameAcceleration& first,
                                  const FrameAcceleration& second, const Action<double>& now,
                                  double* rates) {
  if (states_ == 0) return;
  std::fill_n(rates, states_, 0.0);
  if (now.load <= 0) return;
  const Contacts::Contact& c = contact();
  const joints::ImperfectJoint& part = contacts_.elements()[c.element];
  const auto sum = part.resultant<TimeDual>(c.index, moving(sight.first, first),
                                            moving(sight.second, second), sight.memory + c.memory);
  // N'/N is singular at the touch, where there is no deflection to relieve yet: below the light
  // load it stays finite.
  const double N = sum.normal.value,
               light = joints::recall(sight.memory + c.own_memory()).light_load;
  history_.load_rate = sum.normal.d[0] * N / (N + light);
  Vec3 n, n_rate;
  for (int i = 0; i < 3; ++i)
    n[i] = sum.normal_direction[i].value, n_rate[i] = sum.normal_direction[i].d[0];
  // The tangent plane tips with its normal and spins with the mean of the two bodies.
  history_.turn = n.cross(n_rate) + n * (0.5 * n.dot(sight.first.w + sight.second.w));
  joints::ContactForces<double> forces;
  part.evaluate<double>(c.index, sight.first, sight.second, sight.memory + c.memory, sight.states,
                        history_, forces);
  std::copy_n(forces.state_rate.data(), states_, rates);
}

Watched ContactElement::watch(int /*k*/, const Sight<double>& sight) const {
  const Contacts::Contact& c = contact();
  if (!acts(sight.memory)) return {};
  const laws::StretchEnd end =
      part().stretch_end(c.index, sight.first, sight.second, sight.memory + c.memory);
  return {end.value, end.rate};
}

EventTrait ContactElement::trait(int /*k*/, const double* memory) const {
  const Contacts::Contact& c = contact();
  const bool length = acts(memory) && part().stretch_is_length(memory + c.own_memory());
  return {1, length ? c.scale : 0, 0};
}

void ContactElement::turn(int /*k*/, const Sight<double>& sight, bool, double* memory) const {
  const Contacts::Contact& c = contact();
  if (acts(memory)) part().turn_law(c.index, sight.first, sight.second, memory + c.memory);
}

CushionElement::CushionElement(const Model& model, JointIndex joint, Layout& layout)
    : ElementOf(model.joints[joint].first.body, model.joints[joint].second.body),
      cushion_(model, joint) {
  holds_ = joint;
  const std::string name =
      "joints/" + model.joints[joint].name + (cushion_.is_film() ? "/film" : "/bushing");
  work_ = declare_work(layout, name);
  for (int k = 0; k < cushion_.curves(); ++k) {
    WatchedKnots knots = cushion_.knots(k, model.simulation.tolerance);
    if (knots.knots.empty()) continue;
    curves_.push_back({static_cast<std::size_t>(k),
                       {std::move(knots), name + "/" + cushion_.curve_name(k), layout}});
  }
  states_ = cushion_.states();
  if (states_ == 0) return;
  // Forces in rubber: against those that move the mechanism.
  const Scales s = scales_of(model);
  state_ = layout.declare(
      {name + "/force", BlockKind::state, states_, "N", s.mass * s.length / (s.time * s.time)});
}

Watched CushionElement::watch(int k, const Sight<double>& sight) const {
  const auto [x, v] = coordinate(curve(k), sight);
  return curve(k).stretches.watch(x, v, sight.memory);
}

void CushionElement::turn(int k, const Sight<double>& sight, bool upward, double* memory) const {
  curve(k).stretches.turn(coordinate(curve(k), sight).first, upward, memory);
}

void CushionElement::follow(const Sight<double>& sight, double* memory) const {
  for (const Curve& c : curves_) c.stretches.follow(coordinate(c, sight).first, memory);
}

double CushionElement::soonest(const Sight<double>& sight) const {
  double out = INFINITY;
  for (const Curve& c : curves_) {
    const auto [x, v] = coordinate(c, sight);
    out = std::min(out, c.stretches.soonest(x, v, sight.memory));
  }
  return out;
}

}  // namespace freeplay::dynamics
