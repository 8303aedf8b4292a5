// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/contacts.hpp"

#include "dynamics/blocks.hpp"
#include "joints/cushion.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::dynamics {
namespace {

using joints::ContactMemory;
using joints::ContactPoint;
using joints::ImperfectJoint;

/// A touch that follows the last one of its contact within this many contact times is part of a
/// chatter; so many in a row are worth a line in the log (theory/events).
constexpr double kChatterTimes = 3;
constexpr int kChatterTouches = 50;

/// Depths are differences of places: so many roundings of them say nothing. chosen
constexpr double kOnTheWall = 64 * std::numeric_limits<double>::epsilon();

/// Starts that differ by less than this share of the mechanism's length (or by this angle; rad) are
/// one start: assembly moves parts that far without a word.
constexpr double kSamePlace = 1e-9;

/// chosen: a contact pressed with less than this share of its impact's largest force is about to
/// end.
constexpr double kLightLoad = 1e-3;

/// A wall without a spring cannot be pressed in, by more than assembly leaves open.
void refuse_beyond(const Joint& joint, double depth, double scale, const char* unit) {
  if (!(depth > kSamePlace * scale)) return;
  throw AssemblyError(fmt::format(
      "joint '{}' starts {:.3g} {} beyond its wall, into which Newton's impact law lets "
      "nothing. Start it before the wall, or take a contact law with a force",
      joint.name, depth, unit));
}

/// Name of a contact as part of a path: "radial_A".
std::string path_name(const ImperfectJoint& element, int contact) {
  std::string name = element.contact_name(contact);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

Pose<TimeDual> moving(const Pose<double>& pose, const FrameAcceleration& a) {
  const auto vector = [](const Vec3& value, const Vec3& rate) {
    Vec3T<TimeDual> out;
    for (int k = 0; k < 3; ++k) out[k] = TimeDual(value[k], TimeDual::Derivative(rate[k]));
    return out;
  };
  Pose<TimeDual> out;
  out.r = vector(pose.r, pose.v);
  out.v = vector(pose.v, a.linear);
  out.w = vector(pose.w, a.angular);
  for (int k = 0; k < 3; ++k)
    out.R.col(k) = vector(pose.R.col(k), pose.w.cross(Vec3(pose.R.col(k))));
  out.angle = TimeDual(pose.angle, TimeDual::Derivative(pose.w[2]));
  return out;
}

Contacts::Contacts(const Model& model)
    : model_(model), length_(scales_of(model).length), element_of_joint_(model.joints.size(), -1) {}

void Contacts::add(JointIndex index, Layout& layout) {
  const auto take = [&](ImperfectJoint element, const std::string& path) {
    Contact contact;
    contact.element = static_cast<int>(elements_.size());
    contact.scale = element.is_angle()
                        ? 1
                        : std::max({length_, model_.bodies[element.first()].position.norm(),
                                    model_.bodies[element.second()].position.norm()});
    if (element.has_friction())
      contact.friction_work =
          declare_work(layout, "joints/" + model_.joints[element.joint()].name + "/friction");
    contact.memory = layout.memory_size();
    contact.each = element.contact_memory();
    for (contact.index = 0; contact.index < element.contacts(); ++contact.index) {
      // Each contact has its own work: what an impact cost is its own.
      const std::string name =
          element.contacts() > 1 ? path + "_" + path_name(element, contact.index) : path;
      contact.normal_work = declare_work(layout, name);
      contact.state = layout.size(BlockKind::state);
      contact.play = element.play(contact.index);
      declare_bristles(layout, name, element.states(), element.deflection_scale());
      layout.declare(name, joints::kContactFields);
      if (!element.law_memory().empty()) layout.declare(name, element.law_memory());
      contacts_.push_back(contact);
    }
    elements_.push_back(std::move(element));
  };
  const Joint& joint = model_.joints[index];
  if (joint.clearance) {
    element_of_joint_[index] = static_cast<int>(elements_.size());
    take(ImperfectJoint(model_, index), "joints/" + joint.name + "/contact");
    if (joint.clearance->wear) {
      const ImperfectJoint& element = elements_.back();
      Worn worn{static_cast<int>(elements_.size()) - 1,
                contacts_.back().memory,
                0,
                -1,
                static_cast<int>(contacts_.size()) - element.contacts(),
                joints::Wearing(model_, index, element)};
      worn.memory = layout.declare("joints/" + joint.name + "/wear", worn.wearing.fields());
      if (worn.wearing.follows())
        worn.shape = layout.declare("joints/" + joint.name + "/wear", worn.wearing.shape_fields());
      worn_.push_back(std::move(worn));
    }
  }
  for (const Stop& stop : joint.stops) {
    std::string path = "joints/" + joint.name + "/stop";
    if (joint.stops.size() > 1) path += "_" + std::string(name_of(stop.coordinate));
    take(ImperfectJoint(model_, index, stop), path);
  }
}

std::string Contacts::trouble() const {
  for (const joints::ImperfectJoint& part : elements_)
    if (const std::string law = part.trouble(); !law.empty())
      return "joint " + model_.joints[part.joint()].name + ": " + law;
  return {};
}

joints::JointObservation Contacts::observe(JointIndex joint, double t, Poses poses,
                                           const double* memory, const double* z) const {
  joints::JointObservation out;
  if (const int element = element_of_joint_[joint]; element >= 0) {
    const auto first =
        std::lower_bound(contacts_.begin(), contacts_.end(), element,
                         [](const Contact& c, int part) { return c.element < part; });
    const ImperfectJoint& part = elements_[element];
    out = part.observe(t, poses[part.first()], poses[part.second()], memory + first->memory,
                       z + first->state);
  }
  return out;
}

void Contacts::event_values(Poses poses, double* g) const {
  for (const ImperfectJoint& element : elements_) {
    element.depths(poses[element.first()], poses[element.second()], g);
    g += element.contacts();
  }
}

bool Contacts::event_rates(Poses poses, double* g, double* rate) const {
  event_values(poses, g);
  bool known = true;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const ImperfectJoint& element = elements_[contacts_[k].element];
    rate[k] =
        element.depth_rate(contacts_[k].index, poses[element.first()], poses[element.second()]);
    known = known && !std::isnan(rate[k]);
  }
  return known;
}

EventTrait Contacts::trait(int contact, const double* memory) const {
  const Contact& c = contacts_[contact];
  return {memory[c.own_memory()] != 0 ? 1 : -1, c.scale, c.play};
}

double Contacts::least_approach(const Contact& c, Poses poses,
                                std::span<const FrameAcceleration> accelerations) const {
  const ImperfectJoint& element = elements_[c.element];
  const double written = element.min_approach_speed();
  if (accelerations.empty()) return written;
  const BodyIndex first = element.first(), second = element.second();
  const Pose<TimeDual> p1 = moving(poses[first], accelerations[first]),
                       p2 = moving(poses[second], accelerations[second]);
  ContactPoint<TimeDual> point;
  if (!element.leading(c.index, p1, p2, point)) return written;
  const double towards = joints::motion_at(point, p1, p2).rate.d[0];
  const double place = kSamePlace * (element.is_angle() ? 1 : length_);
  return std::max(written, std::sqrt(2 * std::max(0.0, towards) * place));
}

ContactMemory Contacts::touch(const Contact& c, double time, double speed,
                              const ContactPoint<double>& point, Poses poses,
                              const Response& response) const {
  const ImperfectJoint& element = elements_[c.element];
  ContactMemory memory;
  memory.touching = 1;
  memory.approach = speed;
  memory.impact_rate = std::max(speed, least_approach(c, poses, response.accelerations));
  memory.start = time;
  const double inverse = response.mobility(c.element, point), mass = inverse > 0 ? 1 / inverse : 0;
  if (mass > 0 && element.free_mass() > 0) memory.mass_ratio = mass / element.free_mass();
  const auto impact =
      element.estimate_impact(memory.impact_rate, mass > 0 ? mass : element.free_mass());
  memory.contact_time = impact.duration;
  memory.light_load = kLightLoad * impact.force;
  return memory;
}

void Contacts::read_wear(const double* memory, std::vector<double>& out) const {
  out.clear();
  for (const Worn& worn : worn_)
    out.insert(out.end(), memory + worn.memory, memory + worn.memory + worn.wearing.numbers());
}

bool Contacts::reshape(const double* memory) {
  bool any = false;
  for (const Worn& worn : worn_) {
    if (worn.shape < 0) continue;
    any = true;
    ImperfectJoint& element = elements_[static_cast<std::size_t>(worn.element)];
    const double* shape = memory + worn.shape;
    element.reshape(
        model_, {shape, static_cast<std::size_t>(worn.wearing.cells(0))},
        {shape + worn.wearing.depths(1), static_cast<std::size_t>(worn.wearing.cells(1))});
    for (int k = 0; k < element.contacts(); ++k)
      contacts_[static_cast<std::size_t>(worn.first + k)].play = element.play(k);
  }
  return any;
}

void Contacts::begin(Poses poses, State& state, const Response& response) const {
  for (const Worn& worn : worn_) {
    double* record = &state.memory[worn.memory];
    worn.wearing.begin(record);
    if (worn.shape >= 0) std::copy_n(record, worn.wearing.volume(0), &state.memory[worn.shape]);
  }
  std::vector<double> depth(contacts_.size());
  event_values(poses, depth.data());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& c = contacts_[k];
    const ImperfectJoint& element = elements_[c.element];
    // Approaching or laid there, a rigid contact touches at once; parting, it does not.
    if (element.impulse_restitution()) continue;
    if (depth[k] <= kOnTheWall * c.scale) continue;
    // Already touching: there was no approach to measure but the speed it has.
    const Pose<double>&p1 = poses[element.first()], &p2 = poses[element.second()];
    ContactPoint<double> point;
    if (!element.leading(c.index, p1, p2, point)) continue;
    const auto motion = joints::motion_at(point, p1, p2);
    ContactMemory memory = touch(c, state.time, motion.rate, point, poses, response);
    if (const double speed = motion.slip.norm(); speed > 0)
      for (int i = 0; i < 3; ++i) memory.slip[i] = motion.slip[i] / speed;
    joints::remember(&state.memory[c.own_memory()], memory);
    element.begin_law(point.depth, &state.memory[c.own_memory()]);
  }
}

void Contacts::refuse_start_beyond_walls(Poses poses) const {
  for (const Contact& c : contacts_) {
    const ImperfectJoint& element = elements_[c.element];
    if (!element.impulse_restitution()) continue;
    refuse_beyond(model_.joints[element.joint()],
                  element.depth(c.index, poses[element.first()], poses[element.second()]), c.scale,
                  element.is_angle() ? "rad" : "m");
  }
}

bool Contacts::apply(int contact, bool upward, Poses poses, State& state, double* z,
                     const double* work, const Response& response) {
  const Contact& c = contacts_[contact];
  const ImperfectJoint& element = elements_[c.element];
  const ContactMemory past = joints::recall(&state.memory[c.own_memory()]);
  if (upward == (past.touching != 0)) return false;
  const Pose<double>&p1 = poses[element.first()], &p2 = poses[element.second()];
  ContactPoint<double> point;
  joints::ContactMotion<double> motion{0, Vec3::Zero()};
  if (element.leading(c.index, p1, p2, point)) motion = joints::motion_at(point, p1, p2);
  const double normal_work = work[c.normal_work];

  tell(model_.joints[element.joint()].name, c.index, upward ? "touch" : "separation", state.time,
       upward ? motion.rate : -motion.rate);

  ContactMemory now = past;
  if (upward) {
    now = touch(c, state.time, motion.rate, point, poses, response);
    // Contact that spreads along a surface reaches the next patch of it slowly, but is the same
    // impact: it keeps the approach speed of the patch it comes from.
    for (const Contact& other : contacts_) {
      if (other.element != c.element || other.index == c.index) continue;
      const ContactMemory theirs = joints::recall(&state.memory[other.own_memory()]);
      ContactPoint<double> where;
      if (theirs.touching != 0 && element.leading(other.index, p1, p2, where) &&
          where.normal.dot(point.normal) > 0.9)
        now.impact_rate = std::max(now.impact_rate, theirs.impact_rate);
    }
    now.work = normal_work;
    element.begin_law(point.depth, &state.memory[c.own_memory()]);
    if (const double speed = motion.slip.norm(); speed > 0)
      for (int i = 0; i < 3; ++i) now.slip[i] = motion.slip[i] / speed;
    const bool quick =
        past.contact_time > 0 && state.time - past.start <= kChatterTimes * past.contact_time;
    now.quick_touches = quick ? past.quick_touches + 1 : 0;
    if (now.quick_touches == kChatterTouches)
      tell(model_.joints[element.joint()].name, c.index, "chatter", state.time, motion.rate);
  } else {
    Impact& impact = tell_impact(c);
    impact.start = past.start;
    impact.end = state.time;
    impact.approach_speed = past.approach;
    impact.separation_speed = -motion.rate;
    impact.peak_force = past.peak_force;
    impact.peak_depth = past.peak_depth;
    impact.energy_lost = past.work - normal_work;
    now.touching = now.sticking = now.resting = 0;
    std::fill_n(z + c.state, element.states(), 0.0);  // the bristles spring back
  }
  joints::remember(&state.memory[c.own_memory()], now);
  return true;
}

void Contacts::tell(const std::string& joint, int contact, const char* kind, double time,
                    double speed) {
  Event& event = events_.push();
  event.time = time;
  event.joint = joint;
  event.contact = contact;
  event.kind = kind;
  event.speed = speed;
}

Impact& Contacts::tell_impact(const Contact& contact) {
  Impact& impact = impacts_.push();
  std::string name = std::move(impact.joint);  // with its memory
  name = model_.joints[elements_[contact.element].joint()].name;
  impact = Impact{};
  impact.joint = std::move(name);
  impact.contact = contact.index;
  return impact;
}

bool Contacts::any_touching(const double* memory) const {
  return std::any_of(contacts_.begin(), contacts_.end(),
                     [&](const Contact& c) { return memory[c.own_memory()] != 0; });
}

bool Contacts::near_peak(Poses poses, double t, const double* memory) const {
  for (const Contact& c : contacts_) {
    const ContactMemory past = joints::recall(memory + c.own_memory());
    if (past.touching == 0) continue;
    if (t - past.start <= kChatterTimes * past.contact_time) return true;  // an impact
    const ImperfectJoint& element = elements_[c.element];
    const Pose<double>&p1 = poses[element.first()], &p2 = poses[element.second()];
    // chosen: steps resolve the load to the tolerance, so it cannot rise and fall by half in one
    if (1.5 * element.resultant<double>(c.index, p1, p2, memory + c.memory).normal >=
        past.peak_force)
      return true;
    ContactPoint<double> point;
    if (!element.leading(c.index, p1, p2, point) || 1.5 * point.depth >= past.peak_depth)
      return true;
  }
  return false;
}

void Contacts::loads(Poses poses, const double* memory, int first, std::span<Peak> out) const {
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Contact& c = contacts_[static_cast<std::size_t>(first) + k];
    out[k] = {};
    if (memory[c.own_memory()] == 0) continue;
    const ImperfectJoint& element = elements_[c.element];
    const Pose<double>&p1 = poses[element.first()], &p2 = poses[element.second()];
    out[k].force = element.resultant<double>(c.index, p1, p2, memory + c.memory).normal;
    ContactPoint<double> point;
    if (element.leading(c.index, p1, p2, point)) out[k].depth = point.depth;
  }
}

std::vector<Impact> Contacts::open_impacts(const State& state, const double* work) const {
  std::vector<Impact> out;
  for (const Contact& c : contacts_) {
    const ContactMemory now = joints::recall(&state.memory[c.own_memory()]);
    if (now.touching == 0) continue;
    Impact impact;
    impact.joint = model_.joints[elements_[c.element].joint()].name;
    impact.contact = c.index;
    impact.start = now.start;
    impact.end = state.time;
    impact.approach_speed = now.approach;
    impact.peak_force = now.peak_force;
    impact.peak_depth = now.peak_depth;
    impact.energy_lost = now.work - work[c.normal_work];
    impact.open = true;
    out.push_back(std::move(impact));
  }
  return out;
}

}  // namespace freeplay::dynamics
