// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/cartesian/cartesian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

// Contacts of imperfect joints in the Cartesian formulation.
namespace freeplay::dynamics {

void Cartesian::event_values(double t, const double* y, const double* memory, double* g) {
  set_poses(y);
  contacts_.event_values(poses_, g);
  elements_.watch(t, poses_, memory, y + motion_size(), angles(memory), g + first_watched(),
                  nullptr);
  if (holds_.empty()) return;
  // What a hold needs to stand depends on the accelerations; they are only asked for when one does.
  const bool any = std::any_of(holds_.begin(), holds_.end(),
                               [&](const Hold& hold) { return holding(hold, memory); });
  const bool known = any && solve_accelerations(t, y, memory);
  // Round-off in a slip that has just come to rest or is about to begin; m/s.
  constexpr double kRounding = 1e-13;
  const double dead = kRounding * scales_.length / scales_.time;
  double* dry = g + contacts_.size();
  HoldRows rows;
  for (const Hold& hold : holds_) {
    const bool held = known && holding(hold, memory);
    if (hold.kind == Hold::Kind::rest) {
      // Presses: positive; pulls, or has left the surface that it lay on: it parts.
      if (held)
        g[hold.index] =
            hold_rows(hold, memory, rows) ? lambda_[hold.row] + force_noise() : -force_noise();
      continue;
    }
    const DryState now = dry_state(hold, memory);
    *dry++ = !now.possible                 ? -1
             : held                        ? beyond_cone(hold, now)
             : now.mode == joints::kYields ? now.slip.norm() - 10 * still_speed(hold)
                                           : -now.slip.dot(now.last) - dead;
  }
}

bool Cartesian::event_rates(double t, const double* y, const double* memory, double* g,
                            double* rate) {
  set_poses(y);
  bool known = contacts_.event_rates(poses_, g, rate);
  const int watched = first_watched();
  elements_.watch(t, poses_, memory, y + motion_size(), angles(memory), g + watched,
                  rate + watched);
  for (int k = watched; k < event_count(); ++k) known = known && !std::isnan(rate[k]);
  if (holds_.empty()) return known;
  event_values(t, y, memory, g);
  // What a hold needs to stand depends on the accelerations: how that changes, from a moment later.
  const double moment = kMoment * scales_.time;
  const int n = velocity_size();
  bool rates = solve_accelerations(t, y, memory);
  later_ = Eigen::Map<const VecX>(y, size_);
  position_rates(y, later_rates_.data());
  later_.head(position_size()) += moment * later_rates_;
  later_.segment(position_size(), n) += moment * solution_.head(n);
  if (rates) event_values(t + moment, later_.data(), memory, later_events_.data());
  const auto differ = [&](int k) {
    rate[k] = rates ? (later_events_[k] - g[k]) / moment : std::numeric_limits<double>::quiet_NaN();
    rates = rates && std::isfinite(rate[k]);
  };
  for (int k = contacts_.size(); k < contacts_.size() + dry_events_; ++k) differ(k);
  for (const Hold& hold : holds_)
    if (hold.kind == Hold::Kind::rest && holding(hold, memory)) differ(hold.index);
  set_poses(y);
  return known && rates;
}

double Cartesian::fastest_turn(const double*) {
  double fastest = 0;
  for (const joints::ImperfectJoint& element : contacts_.elements())
    fastest =
        std::max(fastest, poses_[element.first()].w.norm() + poses_[element.second()].w.norm());
  return fastest;
}

EventTrait Cartesian::event_trait(int which, const double* memory) const {
  if (which >= first_watched()) return elements_.trait(which - first_watched(), memory);
  if (which >= contacts_.size()) return {};
  EventTrait trait = contacts_.trait(which, memory);
  // At rest it is the load, and any pull ends the rest.
  if (joints::recall(memory + contacts_.list()[which].own_memory()).resting != 0)
    trait.scale = trait.play = 0;
  return trait;
}

bool Cartesian::begin_contacts(State& state) {
  set_poses(state.y.data());
  contacts_.refuse_start_beyond_walls(poses_);
  note_contacts(state);
  // What lies on a rigid wall and does not move rests there; whether it stays is decided with the
  // rest.
  HoldRows rows;
  for (const Hold& hold : holds_) {
    if (hold.kind != Hold::Kind::rest || !hold_rows(hold, state.memory.data(), rows)) continue;
    const auto [b1, b2] = bodies_of_hold(hold);
    const Eigen::Map<const VecX> speeds(state.y.data() + position_size(), velocity_size());
    const double rate = generalised(rows[0], b1, b2).dot(speeds);
    if (rows[0].phi < -closed_gap(hold) || std::abs(rate) > rest_speed(hold, 0)) continue;
    joints::ContactMemory memory = joints::recall(&state.memory[hold.memory]);
    memory.touching = memory.resting = 1;
    memory.start = state.time;
    joints::remember(&state.memory[hold.memory], memory);
  }
  return settle(state);
}

std::vector<Impact> Cartesian::open_impacts(const State& state) const {
  std::vector<Impact> out = System::open_impacts(state);
  if (step_record_) step_record_->add_impulses(state, out);
  return out;
}

void Cartesian::note_contacts(State& state) {
  if (contacts_.size() == 0) return;
  const Contacts::Response now = response(state);
  contacts_.begin(poses_, state, now);
}

Contacts::Response Cartesian::response(const State& state) {
  const bool known = solve_accelerations(state.time, state.y.data(), state.memory.data());
  const bool factored = known || kkt_.factorise();  // else friction has no answer
  if (known)
    bodies_.accelerate(state.y.data(), state.y.data() + position_size(), solution_.data(), poses_,
                       accelerations_);
  return {[this, factored](int element, const auto& point) {
            return factored ? mobility(element, point) : 0.0;
          },
          known ? std::span<const FrameAcceleration>(accelerations_)
                : std::span<const FrameAcceleration>()};
}

bool Cartesian::apply_event(int which, bool upward, State& state) {
  if (const int watched = which - first_watched(); watched >= 0) {
    set_poses(state.y.data());
    elements_.turn(watched, upward, poses_, state.y.data() + motion_size(),
                   angles(state.memory.data()), state);
    return false;
  }
  // What sticks, slips and parts from a rest is decided by settle(), whichever of them changes.
  if (which >= contacts_.size()) return false;
  if (contacts_.element(which).impulse_restitution()) return upward && collide(state);
  const Contacts::Response now = response(state);
  double* z = state.y.data() + motion_size();
  contacts_.apply(which, upward, poses_, state, z, z + state_size(), now);
  return false;
}

VecX Cartesian::push_apart(int element, const joints::ContactPoint<double>& point) const {
  const joints::ImperfectJoint& joint = contacts_.elements()[element];
  VecX x = VecX::Zero(kkt_.size());
  Wrench<double> on_first, on_second;
  joints::push<double>(point, point.normal, on_first, on_second);
  add_wrench(joint.first(), on_first, x.data());
  add_wrench(joint.second(), on_second, x.data());
  return x;
}

double Cartesian::mobility(int element, const joints::ContactPoint<double>& point) {
  // A unit push apart; the answer is the normal acceleration it causes.
  VecX x = push_apart(element, point);
  const VecX h = x.head(velocity_size());
  kkt_.solve(x.data());
  return h.dot(x.head(velocity_size()));
}

bool Cartesian::wants_samples(const State& state) const {
  return !step_record_ && contacts_.any_touching(state.memory.data());
}

std::span<const Pose<double>> Cartesian::poses_at(double, const double* y) {
  set_poses(y);
  return poses_;
}

void Cartesian::loads(double t, const double* y, const double* memory, int first,
                      std::span<Peak> out) {
  set_poses(y);
  contacts_.loads(poses_, memory, first, out);
  // What a rigid contact at rest carries is a reaction.
  bool known = false;
  for (const Hold& hold : holds_) {
    const int k = hold.index - first;
    if (hold.kind != Hold::Kind::rest || k < 0 || k >= static_cast<int>(out.size())) continue;
    if (!holding(hold, memory)) continue;
    if (!known && !solve_accelerations(t, y, memory)) return;
    known = true;
    out[static_cast<std::size_t>(k)] = {std::max(0.0, lambda_[hold.row]), 0};
  }
}

}  // namespace freeplay::dynamics
