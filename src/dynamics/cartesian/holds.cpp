// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/cartesian/cartesian.hpp"

#include <algorithm>
#include <cmath>

// Constraints that come and go: a contact or joint held still by Coulomb friction, a rigid contact
// at rest. Their rows are always in the saddle-point system; a sleeping one is decoupled from it.
// When they come and go is decided together for all of them (decide.cpp) at the start and
// at every event. Between events
//
//   slipping   the force is kinetic x load against the slip; the reversal of the slip is located
//   sticking   a constraint holds; that its force reaches breakaway x load is located
//   yielding   the force is breakaway x load while others hold the surfaces still
//   resting    a constraint holds a rigid contact closed; that it would pull is located
namespace freeplay::dynamics {
namespace {

using joints::ContactMemory;
using joints::ContactPoint;
using joints::recall;
using joints::remember;

/// Break-away counts from this share beyond the limit: the margin of what just holds is round-off.
constexpr double kSlack = 1e-11;

/// A pose that moves on with no acceleration: derivatives along time.
Pose<TimeDual> coasting(const Pose<double>& pose) { return moving(pose, {}); }

/// Unit vectors that span the tangent plane of a contact, as smooth functions of its normal.
template <class T>
std::array<Vec3T<T>, 2> tangents(const Vec3T<T>& n, bool planar) {
  using std::sqrt;
  if (planar) return {Vec3T<T>(-n[1], n[0], T(0.0)), Vec3T<T>::Zero()};
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(value_of(n[k])) < std::abs(value_of(n[least]))) least = k;
  const Vec3T<T> helper = Vec3(Vec3::Unit(least)).template cast<T>();
  Vec3T<T> t = n.cross(helper);
  t /= T(sqrt(t.dot(t)));
  return {t, n.cross(t)};
}

Vec3 values(const Vec3T<TimeDual>& v) { return {v[0].value, v[1].value, v[2].value}; }

}  // namespace

void Cartesian::add_holds(std::vector<std::vector<Kkt::Entry>>& pattern) {
  const auto add = [&](Hold hold) {
    hold.row = static_cast<int>(rows_.size());
    const auto [b1, b2] = bodies_of_hold(hold);
    for (int k = 0; k < hold.count; ++k) {
      Row row;
      row.hold = static_cast<int>(holds_.size());
      row.spec.scale = scales_.length;
      row.spec.label = hold.kind == Hold::Kind::rest ? "rest" : "stick";
      rows_.push_back(row);
      std::vector<Kkt::Entry> entries;
      for (FrameIndex f : {b1, b2})
        if (f != kGround) entries.push_back(entry_of(f, model_.planar ? 0b111 : 0b111111));
      pattern.push_back(entries);
    }
    holds_.push_back(hold);
    dry_events_ += hold.kind != Hold::Kind::rest;
  };
  for (int c = 0; c < contacts_.size(); ++c) {
    const auto& element = contacts_.element(c);
    const int memory = contacts_.list()[c].own_memory();
    if (element.impulse_restitution()) add({Hold::Kind::rest, c, memory, 0, 1});
    if (!element.dry_friction()) continue;
    if (element.impulse_restitution()) {
      RigidFriction friction;
      friction.contact = c;
      friction.rest_row = holds_.back().row;
      rigid_frictions_.push_back(friction);
    }
    add({Hold::Kind::stick, c, memory, 0, model_.planar ? 1 : 2});
  }
  for (std::size_t k = 0; k < frictions_.size(); ++k)
    if (frictions_[k].element.dry())
      add({Hold::Kind::joint_stick, static_cast<int>(k), frictions_[k].memory, 0,
           frictions_[k].element.components()});
}

bool Cartesian::holding(const Hold& hold, const double* memory) const {
  if (hold.kind == Hold::Kind::joint_stick)
    return recall_slip(memory + hold.memory).sticking == joints::kSticks;
  const ContactMemory past = recall(memory + hold.memory);
  return hold.kind == Hold::Kind::rest ? past.resting != 0 : past.sticking == joints::kSticks;
}

std::pair<FrameIndex, FrameIndex> Cartesian::bodies_of_hold(const Hold& hold) const {
  if (hold.kind == Hold::Kind::joint_stick) {
    const Joint& joint = model_.joints[frictions_[hold.index].element.joint()];
    return {joint.first.body, joint.second.body};
  }
  const auto& element = contacts_.element(hold.index);
  return {element.first(), element.second()};
}

/// The rows of a hold at the present poses; false where the contact has no direction.
bool Cartesian::hold_rows(const Hold& hold, const double* memory, HoldRows& out) const {
  const auto [b1, b2] = bodies_of_hold(hold);
  if (hold.kind == Hold::Kind::joint_stick) {
    const JointFriction& friction = frictions_[hold.index].element;
    const auto rows =
        friction.rows(model_.joints[friction.joint()], poses_[b1], poses_[b2], model_.planar);
    for (int k = 0; k < hold.count; ++k)
      out[k] = {rows[k].v1, rows[k].w1, rows[k].v2, rows[k].w2, 0, rows[k].gamma};
    // Where the slip is the rate of a coordinate, that is held too: an hour at rest adds up.
    const SlipMemory past = recall_slip(memory + hold.memory);
    double now[2];
    friction.coordinates(model_.joints[friction.joint()], poses_[b1], poses_[b2], model_.planar,
                         past.anchor, now);
    for (int k = 0; k < friction.holonomic(); ++k)
      out[k].phi = friction.strayed(k, now[k], past.anchor[k]);
    return true;
  }
  const auto& element = contacts_.element(hold.index);
  const auto& contact = contacts_.list()[hold.index];
  const Pose<TimeDual> p1 = coasting(poses_[b1]), p2 = coasting(poses_[b2]);
  const auto along = [](const Vec3& direction, const Vec3& arm1, const Vec3& arm2) {
    return HoldRow{-direction, -arm1.cross(direction), direction, arm2.cross(direction), 0, 0};
  };
  ContactPoint<TimeDual> point;
  if (hold.kind == Hold::Kind::rest) {
    if (!element.leading(contact.index, p1, p2, point)) return false;
    const Vec3 n = values(point.normal), none = Vec3::Zero();
    out[0] = point.couple ? HoldRow{none, -n, none, n, 0, 0}
                          : along(n, values(point.arm1), values(point.arm2));
    out[0].phi = point.depth.value;
    out[0].gamma = -joints::motion_at(point, p1, p2).rate.d[0];
    return true;
  }
  // Where the normal forces act on the whole; a rigid contact, or one that carries nothing yet,
  // has only its point.
  const auto sum = element.resultant<TimeDual>(contact.index, p1, p2, memory + contact.memory);
  Vec3T<TimeDual> normal = sum.normal_direction, arm1 = sum.arm1, arm2 = sum.arm2;
  if (!(sum.normal.value > 0)) {
    if (!element.leading(contact.index, p1, p2, point)) return false;
    normal = point.normal, arm1 = point.arm1, arm2 = point.arm2;
  }
  const auto motion = joints::motion_at(normal, arm1, arm2, p1, p2);
  const Vec3T<TimeDual> relative = motion.slip + motion.rate * normal;
  const auto t = tangents(normal, model_.planar);
  for (int k = 0; k < hold.count; ++k) {
    out[k] = along(values(t[k]), values(arm1), values(arm2));
    out[k].gamma = -relative.dot(t[k]).d[0];
  }
  return true;
}

void Cartesian::evaluate_holds(const double* memory) {
  HoldRows rows;
  bool any = false;
  for (const Hold& hold : holds_) {
    const bool active = holding(hold, memory) && hold_rows(hold, memory, rows);
    any |= active;
    const auto [b1, b2] = bodies_of_hold(hold);
    for (int k = 0; k < hold.count; ++k) {
      const int r = hold.row + k;
      kkt_.set_active(r, active);
      phi_t_[r] = 0;
      phi_[r] = active ? rows[k].phi : 0;
      gamma_[r] = active ? rows[k].gamma : 0;
      if (active)
        store_row(r, b1, b2, rows[k]);
      else
        for (int e = 0; e < kkt_.entries(r); ++e)
          std::fill_n(kkt_.gradient(r, e), kkt_.width(r, e), 0.0);
    }
  }
  kkt_.set_polish(any);  // an hour at rest in one step squares what round-off leaves
}

/// The mechanism as if nothing were held.
void Cartesian::drop_holds() {
  for (int r = joint_rows(); r < rows(); ++r) {
    kkt_.set_active(r, false);
    phi_[r] = phi_t_[r] = gamma_[r] = 0;
    for (int e = 0; e < kkt_.entries(r); ++e)
      std::fill_n(kkt_.gradient(r, e), kkt_.width(r, e), 0.0);
  }
}

void Cartesian::store_row(int row, FrameIndex b1, FrameIndex b2, const HoldRow& values) {
  int k = 0;
  if (b1 != kGround) store(row, k++, b1, values.v1, values.w1);
  if (b2 != kGround) store(row, k, b2, values.v2, values.w2);
}

VecX Cartesian::generalised(const HoldRow& row, FrameIndex b1, FrameIndex b2) const {
  VecX out = VecX::Zero(velocity_size());
  add_wrench(b1, {row.v1, row.w1}, out.data());
  add_wrench(b2, {row.v2, row.w2}, out.data());
  return out;
}

double Cartesian::hold_force(const Hold& hold) const {
  double square = 0;
  for (int k = 0; k < hold.count; ++k) square += lambda_[hold.row + k] * lambda_[hold.row + k];
  return std::sqrt(square);
}

double Cartesian::beyond_cone(const Hold& hold, const DryState& now) const {
  return hold_force(hold) - (1 + kSlack) * now.law.breakaway * now.load - force_noise();
}

/// Slip of a contact or joint under Coulomb friction, the load on it, and its coefficients.
Cartesian::DryState Cartesian::dry_state(const Hold& hold, const double* memory) const {
  DryState out;
  const auto [b1, b2] = bodies_of_hold(hold);
  const Pose<double>&p1 = poses_[b1], &p2 = poses_[b2];
  if (hold.kind == Hold::Kind::joint_stick) {
    const auto& friction = frictions_[hold.index];
    const Joint& joint = model_.joints[friction.element.joint()];
    out.slip = friction.element.slip(friction.element.rows(joint, p1, p2, model_.planar), p1, p2);
    out.load = friction.load;
    out.law = *friction.element.dry();
    const SlipMemory past = recall_slip(memory + hold.memory);
    out.last = {past.slip[0], past.slip[1], past.slip[2]};
    out.mode = past.sticking;
    out.possible = true;
    return out;
  }
  const auto& element = contacts_.element(hold.index);
  const auto& contact = contacts_.list()[hold.index];
  const ContactMemory past = recall(memory + hold.memory);
  out.last = {past.slip[0], past.slip[1], past.slip[2]};
  out.mode = past.sticking;
  out.law = *element.dry_friction();
  out.possible = past.touching != 0;
  if (element.impulse_restitution()) {
    out.possible = past.resting != 0;
    for (const RigidFriction& friction : rigid_frictions_)
      if (friction.contact == hold.index) out.load = friction.load;
  }
  const auto sum = element.resultant<double>(contact.index, p1, p2, memory + contact.memory);
  ContactPoint<double> point;
  if (sum.normal > 0) {
    out.load = sum.normal;
    out.slip = joints::motion_at(sum.normal_direction, sum.arm1, sum.arm2, p1, p2).slip;
  } else if (element.leading(contact.index, p1, p2, point)) {
    out.slip = joints::motion_at(point, p1, p2).slip;
  }
  return out;
}

/// Marks where a joint sticks.
void Cartesian::anchor(const Hold& hold, double* memory) const {
  if (hold.kind != Hold::Kind::joint_stick) return;
  const JointFriction& friction = frictions_[hold.index].element;
  const auto [b1, b2] = bodies_of_hold(hold);
  SlipMemory past = recall_slip(memory + hold.memory);
  friction.coordinates(model_.joints[friction.joint()], poses_[b1], poses_[b2], model_.planar,
                       past.anchor, past.anchor);
  remember_slip(memory + hold.memory, past);
}

void Cartesian::set_dry(const Hold& hold, double* memory, double mode,
                        const Vec3& direction) const {
  const auto set = [&](auto past) {
    past.sticking = mode;
    for (int k = 0; k < 3; ++k) past.slip[k] = direction[k];
    return past;
  };
  if (hold.kind == Hold::Kind::joint_stick)
    remember_slip(memory + hold.memory, set(recall_slip(memory + hold.memory)));
  else
    remember(memory + hold.memory, set(recall(memory + hold.memory)));
}

Vec3 Cartesian::as_remembered(const Hold& hold, const double* memory,
                              const Vec3& components) const {
  if (hold.kind == Hold::Kind::joint_stick) return components;
  HoldRows rows;
  Vec3 out = Vec3::Zero();
  if (!hold_rows(hold, memory, rows)) return out;
  for (int k = 0; k < hold.count; ++k) out += components[k] * rows[k].v2;
  return out;
}

// The reversal of a single slip is located to round-off. Of two components the smaller is not: it
// is as small as the steps that lead to rest are short, some hundred tolerances.
double Cartesian::still_speed(const Hold& hold) const {
  const double tolerance = model_.simulation.tolerance;
  constexpr double kRounding = 1e-12, kFinest = 1e-10, kCoarsest = 1e-5;
  return (hold.count == 1 ? kRounding : std::clamp(100 * tolerance, kFinest, kCoarsest)) *
         scales_.length / scales_.time;
}

double Cartesian::rest_speed() const { return kSlow * scales_.length / scales_.time; }

double Cartesian::rest_speed(const Hold& rest, double pressing) const {
  // A fall through the round-off of the gap ends with this speed, however slow the bounce was.
  constexpr double kRounding = 1e-14;
  return std::max(kSlow * extent(rest) / scales_.time,
                  std::sqrt(2 * kRounding * extent(rest) * std::max(pressing, 0.0)));
}

double Cartesian::force_noise() const {
  constexpr double kRounding = 1e-13;
  return kRounding * scales_.mass * scales_.length / (scales_.time * scales_.time);
}

void Cartesian::tell_of(const Hold& hold, const char* kind, double time, double speed) {
  const bool in_joint = hold.kind == Hold::Kind::joint_stick;
  const JointIndex joint =
      in_joint ? frictions_[hold.index].element.joint() : contacts_.element(hold.index).joint();
  contacts_.tell(model_.joints[joint].name, in_joint ? 0 : contacts_.list()[hold.index].index, kind,
                 time, speed);
}

void Cartesian::let_go(double* memory) const {
  for (const Hold& hold : holds_) {
    if (hold.kind != Hold::Kind::rest) {
      set_dry(hold, memory, joints::kSlips, Vec3::Zero());
    } else {
      ContactMemory past = recall(memory + hold.memory);
      past.resting = 0;
      remember(memory + hold.memory, past);
    }
  }
}

void Cartesian::refresh_slip(State& state) {
  double aimless = -1;  // asked for once: it looks at all joints
  for (const Hold& hold : holds_) {
    if (hold.kind == Hold::Kind::rest) continue;
    const DryState now = dry_state(hold, state.memory.data());
    if (now.mode != joints::kSlips || !now.possible) continue;
    // In two directions a slip slower than that leans on the last one: it is no better guide
    // itself.
    if (hold.count > 1 && aimless < 0) aimless = joints::aimless_speed(model_);
    const double least = hold.count == 1 ? still_speed(hold) : aimless;
    const double speed = now.slip.norm();
    if (speed > (now.last.isZero() ? 0.0 : least))
      set_dry(hold, state.memory.data(), joints::kSlips, now.slip / speed);
  }
}

}  // namespace freeplay::dynamics
