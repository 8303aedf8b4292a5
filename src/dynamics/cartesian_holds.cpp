// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/cartesian.hpp"

#include <algorithm>
#include <cmath>

// Constraints that come and go: a contact held still by Coulomb friction, a stop at rest after the
// last of its bounces. Their rows are always in the saddle-point system; a sleeping one is
// decoupled from it. Coulomb friction follows Karnopp 1985, with located events in place of his
// band:
//
//   slipping   the force is kinetic x load against the slip; when the slip reverses (located), the
//              contact is tried at rest
//   trying     the slip is brought to exactly zero; if the force that holds it stays below
//              breakaway x load the contact sticks, else it slips on in the direction in which
//              that force gives way
//   sticking   ends when the holding force reaches breakaway x load (located)
//
// The state machine starts anew at each touch, slipping.
namespace freeplay::dynamics {
namespace {

using joints::ContactMemory;
using joints::ContactPoint;
using joints::recall;
using joints::remember;

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
  const auto add = [&](Hold hold, BodyIndex b1, BodyIndex b2) {
    hold.row = static_cast<int>(rows_.size());
    for (int k = 0; k < hold.count; ++k) {
      Row row;
      row.hold = static_cast<int>(holds_.size());
      row.spec.scale = scales_.length;
      row.spec.label = hold.kind == Hold::Kind::rest ? "rest" : "stick";
      rows_.push_back(row);
      std::vector<Kkt::Entry> entries;
      const auto columns = static_cast<std::uint8_t>(model_.planar ? 0b111 : 0b111111);
      for (BodyIndex b : {b1, b2})
        if (b != kGround) entries.push_back({b - 1, columns});
      pattern.push_back(entries);
    }
    holds_.push_back(hold);
    dry_events_ += hold.kind != Hold::Kind::rest;
  };
  for (int c = 0; c < contacts_.size(); ++c) {
    const auto& element = contacts_.element(c);
    const int memory = contacts_.list()[c].own_memory();
    if (element.impulse_restitution())
      add({Hold::Kind::rest, c, memory, 0, 1}, element.first(), element.second());
    if (element.dry_friction())
      add({Hold::Kind::stick, c, memory, 0, model_.planar ? 1 : 2}, element.first(),
          element.second());
  }
  for (std::size_t k = 0; k < frictions_.size(); ++k) {
    const Joint& joint = model_.joints[frictions_[k].element.joint()];
    if (frictions_[k].element.dry())
      add({Hold::Kind::joint_stick, static_cast<int>(k), frictions_[k].memory, 0,
           frictions_[k].element.components()},
          joint.first.body, joint.second.body);
  }
}

bool Cartesian::holding(const Hold& hold, const double* memory) const {
  if (hold.kind == Hold::Kind::joint_stick) return recall_slip(memory + hold.memory).sticking != 0;
  const ContactMemory past = recall(memory + hold.memory);
  return hold.kind == Hold::Kind::rest ? past.resting != 0 : past.sticking != 0;
}

void Cartesian::evaluate_holds(const double* memory) {
  for (const Hold& hold : holds_) {
    const bool active = holding(hold, memory);
    for (int k = 0; k < hold.count; ++k) {
      const int r = hold.row + k;
      kkt_.set_active(r, active);
      phi_[r] = phi_t_[r] = gamma_[r] = 0;
      if (!active)
        for (int e = 0; e < kkt_.entries(r); ++e) std::fill_n(kkt_.gradient(r, e), v_width_, 0.0);
    }
    if (!active) continue;
    if (hold.kind == Hold::Kind::joint_stick) {
      const Joint& joint = model_.joints[frictions_[hold.index].element.joint()];
      const Pose<double>&p1 = poses_[joint.first.body], &p2 = poses_[joint.second.body];
      const auto rows = frictions_[hold.index].element.rows(joint, p1, p2, model_.planar);
      for (int k = 0; k < hold.count; ++k) {
        store_row(hold.row + k, joint.first.body, joint.second.body, rows[k].v1, rows[k].w1,
                  rows[k].v2, rows[k].w2);
        gamma_[hold.row + k] = rows[k].gamma;
      }
      continue;
    }
    const auto& element = contacts_.element(hold.index);
    const auto& contact = contacts_.list()[hold.index];
    const BodyIndex b1 = element.first(), b2 = element.second();
    const Pose<TimeDual> p1 = coasting(poses_[b1]), p2 = coasting(poses_[b2]);
    if (hold.kind == Hold::Kind::rest) {
      ContactPoint<TimeDual> point;
      if (!element.leading(contact.index, p1, p2, point)) continue;
      const Vec3 n = values(point.normal), none = Vec3::Zero();
      if (point.couple)
        store_row(hold.row, b1, b2, none, -n, none, n);
      else
        store_row(hold.row, b1, b2, -n, -values(point.arm1).cross(n), n,
                  values(point.arm2).cross(n));
      phi_[hold.row] = point.depth.value;
      gamma_[hold.row] = -joints::motion_at(point, p1, p2).rate.d[0];
      continue;
    }
    const auto sum = element.resultant<TimeDual>(contact.index, p1, p2, memory + contact.memory);
    const auto motion = joints::motion_at(sum.normal_direction, sum.arm1, sum.arm2, p1, p2);
    const Vec3T<TimeDual> relative = motion.slip + motion.rate * sum.normal_direction;
    const auto t = tangents(sum.normal_direction, model_.planar);
    for (int k = 0; k < hold.count; ++k) {
      const Vec3 direction = values(t[k]);
      store_row(hold.row + k, b1, b2, -direction, -values(sum.arm1).cross(direction), direction,
                values(sum.arm2).cross(direction));
      gamma_[hold.row + k] = -relative.dot(t[k]).d[0];
    }
  }
}

void Cartesian::store_row(int row, BodyIndex b1, BodyIndex b2, const Vec3& v1, const Vec3& w1,
                          const Vec3& v2, const Vec3& w2) {
  int k = 0;
  if (b1 != kGround) store(row, k++, v1, w1, poses_[b1]);
  if (b2 != kGround) store(row, k, v2, w2, poses_[b2]);
}

double Cartesian::hold_force(const Hold& hold) const {
  double square = 0;
  for (int k = 0; k < hold.count; ++k) square += lambda_[hold.row + k] * lambda_[hold.row + k];
  return std::sqrt(square);
}

/// Slip of a contact or joint under Coulomb friction, the load on it, and its coefficients.
Cartesian::DryState Cartesian::dry_state(const Hold& hold, const double* memory) const {
  DryState out;
  if (hold.kind == Hold::Kind::joint_stick) {
    const auto& friction = frictions_[hold.index];
    const Joint& joint = model_.joints[friction.element.joint()];
    const Pose<double>&p1 = poses_[joint.first.body], &p2 = poses_[joint.second.body];
    const auto rows = friction.element.rows(joint, p1, p2, model_.planar);
    out.slip = friction.element.slip(rows, p1, p2);
    out.load = friction.load;
    out.breakaway = friction.element.dry()->breakaway;
    const SlipMemory past = recall_slip(memory + hold.memory);
    out.last = {past.slip[0], past.slip[1], past.slip[2]};
    out.held = past.sticking != 0;
    out.possible = true;
    return out;
  }
  const auto& element = contacts_.element(hold.index);
  const auto& contact = contacts_.list()[hold.index];
  const Pose<double>&p1 = poses_[element.first()], &p2 = poses_[element.second()];
  const ContactMemory past = recall(memory + hold.memory);
  out.last = {past.slip[0], past.slip[1], past.slip[2]};
  out.held = past.sticking != 0;
  out.possible = past.touching != 0;
  out.breakaway = element.dry_friction()->breakaway;
  const auto sum = element.resultant<double>(contact.index, p1, p2, memory + contact.memory);
  out.load = sum.normal;
  ContactPoint<double> point;
  if (sum.normal > 0)
    out.slip = joints::motion_at(sum.normal_direction, sum.arm1, sum.arm2, p1, p2).slip;
  else if (element.leading(contact.index, p1, p2, point))
    out.slip = joints::motion_at(point, p1, p2).slip;
  return out;
}

void Cartesian::set_dry(const Hold& hold, State& state, bool sticking,
                        const Vec3& direction) const {
  if (hold.kind == Hold::Kind::joint_stick) {
    SlipMemory memory = recall_slip(&state.memory[hold.memory]);
    memory.sticking = sticking;
    for (int k = 0; k < 3; ++k) memory.slip[k] = direction[k];
    remember_slip(&state.memory[hold.memory], memory);
  } else {
    ContactMemory memory = recall(&state.memory[hold.memory]);
    memory.sticking = sticking;
    for (int k = 0; k < 3; ++k) memory.slip[k] = direction[k];
    remember(&state.memory[hold.memory], memory);
  }
}

/// Direction (in slip components or global axes) of the force that holds, on the second body.
Vec3 Cartesian::holding_direction(const Hold& hold, const double* memory) const {
  Vec3 force = Vec3::Zero();
  if (hold.kind == Hold::Kind::joint_stick) {
    for (int k = 0; k < hold.count; ++k) force[k] = -lambda_[hold.row + k];
  } else {
    const auto& element = contacts_.element(hold.index);
    const auto& contact = contacts_.list()[hold.index];
    const auto sum = element.resultant<double>(contact.index, poses_[element.first()],
                                               poses_[element.second()], memory + contact.memory);
    const auto t = tangents<double>(sum.normal_direction, model_.planar);
    for (int k = 0; k < hold.count; ++k) force -= lambda_[hold.row + k] * t[k];
  }
  const double size = force.norm();
  return size > 0 ? Vec3(force / size) : force;
}

double Cartesian::stick_speed() const { return 1e-6 * scales_.length / scales_.time; }

void Cartesian::tell_of(const Hold& hold, const char* kind, double time, double speed) {
  const bool in_joint = hold.kind == Hold::Kind::joint_stick;
  Event event;
  event.time = time;
  event.kind = kind;
  event.speed = speed;
  event.contact = in_joint ? 0 : contacts_.list()[hold.index].index;
  event.joint = model_
                    .joints[in_joint ? frictions_[hold.index].element.joint()
                                     : contacts_.element(hold.index).joint()]
                    .name;
  contacts_.tell(event);
}

void Cartesian::try_to_stick(const Hold& hold, State& state) {
  const double* y = state.y.data();
  update(state.time, y, state.memory.data());
  const DryState before = dry_state(hold, state.memory.data());
  if (before.slip.norm() > stick_speed()) {
    // The slip has turned by a right angle without coming to rest: it goes on.
    set_dry(hold, state, false, before.slip.normalized());
    return;
  }
  const VecX undisturbed = state.y;
  set_dry(hold, state, true, Vec3::Zero());
  bool stays = project(state.time, state.y.data(), state.memory.data()) &&
               solve_accelerations(state.time, state.y.data(), state.memory.data());
  const double load = dry_state(hold, state.memory.data()).load;
  stays = stays && hold_force(hold) <= before.breakaway * load;
  if (stays) {
    tell_of(hold, "stick", state.time);
    return;
  }
  // Slips on, the way the holding force gives way.
  const Vec3 direction = -holding_direction(hold, state.memory.data());
  state.y = undisturbed;
  set_dry(hold, state, false, direction);
  if (before.last.dot(direction) < 0) tell_of(hold, "slip", state.time, before.slip.norm());
}

void Cartesian::break_away(const Hold& hold, State& state) {
  if (!solve_accelerations(state.time, state.y.data(), state.memory.data())) return;
  const Vec3 direction = -holding_direction(hold, state.memory.data());
  set_dry(hold, state, false, direction);
  tell_of(hold, "slip", state.time);
}

/// Newton's impact: the approach speed is reversed and shrunk by an impulse along the normal; the
/// rest of the mechanism follows through its joints. Below a rebound speed that no tolerance
/// resolves the contact comes to rest: that is where an endless sequence of bounces ends.
void Cartesian::bounce(const Hold& hold, State& state) {
  const auto& element = contacts_.element(hold.index);
  const auto& contact = contacts_.list()[hold.index];
  const Pose<double>&p1 = poses_[element.first()], &p2 = poses_[element.second()];
  ContactPoint<double> point;
  if (!element.leading(contact.index, p1, p2, point)) return;
  // A touch without approach (it was laid there) is the end of a sequence of bounces, not nothing.
  const double approach = std::max(0.0, joints::motion_at(point, p1, p2).rate);
  VecX x = push_apart(contact.element, point);
  const VecX h = x.head(velocity_size());
  kkt_.solve(x.data());
  const double mobility = h.dot(x.head(velocity_size()));
  if (!(mobility > 0)) return;

  const bool rests = *element.impulse_restitution() * approach < stick_speed();
  const double restitution = rests ? 0 : *element.impulse_restitution();
  const double impulse = (1 + restitution) * approach / mobility;
  double* v = state.y.data() + position_size();
  double* works = state.y.data() + motion_size() + state_size();
  // Drives do not give way: the impulse each of them passes on, times the speed it keeps up.
  kkt_.rates(v, row_rate_.data());
  for (int r = 0; r < rows(); ++r)
    if (rows_[r].worker >= 0)
      works[rows_[r].worker] += impulse * x[velocity_size() + r] * row_rate_[r];
  for (int d = 0; d < velocity_size(); ++d) v[d] -= impulse * x[d];
  // Work of the impulse on the normal: P (u+ + u-)/2 (physics 8.1).
  const double work = -0.5 * impulse * (1 - restitution) * approach;
  works[contact.normal_worker] += work;

  ContactMemory memory = recall(&state.memory[hold.memory]);
  memory.resting = rests;
  memory.touching = rests;
  remember(&state.memory[hold.memory], memory);
  if (rests) {
    tell_of(hold, "rest", state.time, approach);
    if (!project(state.time, state.y.data(), state.memory.data()))
      culprit_ = model_.joints[element.joint()].name;
  }
  Impact impact;
  impact.joint = model_.joints[element.joint()].name;
  impact.contact = contact.index;
  impact.start = impact.end = state.time;
  impact.approach_speed = approach;
  impact.separation_speed = restitution * approach;
  impact.energy_lost = -work;
  impact.impulse = impulse;
  contacts_.tell(impact);
}

void Cartesian::refresh_slip(State& state) {
  for (const Hold& hold : holds_) {
    if (hold.kind == Hold::Kind::rest) continue;
    const DryState now = dry_state(hold, state.memory.data());
    if (now.held || !now.possible || now.slip.norm() <= stick_speed()) continue;
    set_dry(hold, state, false, now.slip.normalized());
  }
}

}  // namespace freeplay::dynamics
