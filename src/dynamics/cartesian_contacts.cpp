// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/cartesian.hpp"

// Contacts of imperfect joints in the Cartesian formulation.
namespace freeplay::dynamics {

void Cartesian::event_values(double, const double* y, const double*, double* g) {
  set_poses(y);
  contacts_.event_values(poses_, g);
}

void Cartesian::begin_contacts(State& state) {
  if (contacts_.size() == 0) return;
  update(state.time, state.y.data(), state.memory.data());
  const bool factored = kkt_.factorise();
  contacts_.begin(poses_, state, [&](int element, const auto& point) {
    return factored ? mobility(element, point) : 0.0;
  });
}

void Cartesian::apply_event(int which, bool upward, State& state) {
  update(state.time, state.y.data(), state.memory.data());
  const bool factored = kkt_.factorise();
  double* z = state.y.data() + motion_size();
  contacts_.apply(
      which, upward, poses_, state, z, z + state_size(),
      [&](int element, const auto& point) { return factored ? mobility(element, point) : 0.0; });
}

double Cartesian::mobility(int element, const joints::ContactPoint<double>& point) {
  const joints::ImperfectJoint& joint = contacts_.elements()[element];
  // h: generalised force of a unit push apart; the answer is the normal acceleration it causes.
  VecX x = VecX::Zero(kkt_.size());
  const auto share = [&](BodyIndex body, const Vec3& force, const Vec3& arm) {
    if (body == kGround) return;
    double* out = &x[(body - 1) * v_width_];
    const Vec3 moment = arm.cross(force);
    if (model_.planar) {
      out[0] += force[0], out[1] += force[1], out[2] += moment[2];
    } else {
      vec3(out) += force;
      vec3(out + 3) += poses_[body].R.transpose() * moment;
    }
  };
  share(joint.first(), -point.normal, point.arm1);
  share(joint.second(), point.normal, point.arm2);
  const VecX h = x.head(velocity_size());
  kkt_.solve(x.data());
  return h.dot(x.head(velocity_size()));
}

bool Cartesian::wants_samples(const State& state) const {
  return contacts_.any_touching(state.memory.data());
}

void Cartesian::sample(double, const double* y, State& state) {
  set_poses(y);
  contacts_.sample_peaks(poses_, state);
}

}  // namespace freeplay::dynamics
