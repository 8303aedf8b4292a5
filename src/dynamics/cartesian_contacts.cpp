// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/cartesian.hpp"

#include <algorithm>

// Contacts of imperfect joints in the Cartesian formulation.
namespace freeplay::dynamics {

void Cartesian::event_values(double t, const double* y, const double* memory, double* g) {
  set_poses(y);
  contacts_.event_values(poses_, g);
  if (holds_.empty()) return;
  // What a hold needs to stand depends on the accelerations; they are only asked for when one does.
  const bool any = std::any_of(holds_.begin(), holds_.end(),
                               [&](const Hold& hold) { return holding(hold, memory); });
  const bool known = any && solve_accelerations(t, y, memory);
  double* dry = g + contacts_.size();
  for (const Hold& hold : holds_) {
    const bool held = known && holding(hold, memory);
    if (hold.kind == Hold::Kind::rest) {
      if (held) g[hold.index] = lambda_[hold.row];  // presses: positive; pulls: it parts
      continue;
    }
    const DryState now = dry_state(hold, memory);
    *dry++ = !now.possible ? -1
             : held        ? hold_force(hold) - now.breakaway * now.load
                           : -now.slip.dot(now.last);
  }
}

bool Cartesian::event_rates(double, const double* y, const double*, double* g, double* rate) {
  if (!holds_.empty()) return false;  // those of stick and rest depend on accelerations
  set_poses(y);
  return contacts_.event_rates(poses_, g, rate);
}

void Cartesian::begin_contacts(State& state) {
  if (contacts_.size() == 0) return;
  update(state.time, state.y.data(), state.memory.data());
  const bool factored = kkt_.factorise();
  contacts_.begin(poses_, state, [&](int element, const auto& point) {
    return factored ? mobility(element, point) : 0.0;
  });
}

bool Cartesian::apply_event(int which, bool upward, State& state) {
  update(state.time, state.y.data(), state.memory.data());
  const bool factored = kkt_.factorise();
  if (which >= contacts_.size()) {
    if (!upward) return false;
    int dry = which - contacts_.size();
    for (const Hold& hold : holds_) {
      if (hold.kind == Hold::Kind::rest || dry-- > 0) continue;
      if (holding(hold, state.memory.data()))
        break_away(hold, state);
      else
        try_to_stick(hold, state);
      return false;
    }
    return false;
  }
  double* z = state.y.data() + motion_size();
  const bool happened = contacts_.apply(
      which, upward, poses_, state, z, z + state_size(),
      [&](int element, const auto& point) { return factored ? mobility(element, point) : 0.0; });
  if (!happened) return false;
  for (const Hold& hold : holds_)
    if (hold.kind == Hold::Kind::rest && hold.index == which && upward && factored) {
      bounce(hold, state);
      return true;
    }
  return false;
}

VecX Cartesian::push_apart(int element, const joints::ContactPoint<double>& point) const {
  const joints::ImperfectJoint& joint = contacts_.elements()[element];
  VecX x = VecX::Zero(kkt_.size());
  Wrench<double> on_first, on_second;
  joints::push<double>(point, point.normal, on_first, on_second);
  const auto share = [&](BodyIndex body, const Wrench<double>& wrench) {
    if (body == kGround) return;
    double* out = &x[(body - 1) * v_width_];
    if (model_.planar) {
      out[0] += wrench.force[0], out[1] += wrench.force[1], out[2] += wrench.moment[2];
    } else {
      vec3(out) += wrench.force;
      vec3(out + 3) += poses_[body].R.transpose() * wrench.moment;
    }
  };
  share(joint.first(), on_first);
  share(joint.second(), on_second);
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
  return contacts_.any_touching(state.memory.data());
}

void Cartesian::loads(double, const double* y, const double* memory, int first,
                      std::span<Peak> out) {
  set_poses(y);
  contacts_.loads(poses_, memory, first, out);
}

}  // namespace freeplay::dynamics
