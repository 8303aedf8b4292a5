// SPDX-License-Identifier: Apache-2.0
#include "sim/stepper.hpp"

#include <algorithm>

namespace freeplay::sim {
namespace {

/// Up to here a dense Jacobian by differences is cheap; chosen.
constexpr int kFewStates = 40;

/// A film that cavitates has a kink wherever its squeezing turns to opening, and no step of high
/// order gets across one.
bool has_film(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [](const Joint& j) { return j.clearance && j.clearance->film; });
}

}  // namespace

Stepper::Stepper(std::unique_ptr<integrate::Integrator> method, const Model& model,
                 Trajectory& trajectory, const integrate::Settings& settings)
    : model_(model),
      trajectory_(trajectory),
      settings_(settings),
      first_(std::move(method)),
      now_(first_.get()) {}

integrate::Counters Stepper::counters() const {
  integrate::Counters sum = first_->counters();
  if (!implicit_) return sum;
  const integrate::Counters& more = implicit_->counters();
  sum.steps += more.steps;
  sum.rejected += more.rejected;
  sum.evaluations += more.evaluations;
  sum.jacobians += more.jacobians;
  return sum;
}

void Stepper::start(double t, const VecX& y, double step, integrate::Onset onset) {
  now_ = first_.get();
  now_->start(t, y, step, onset);
}

bool Stepper::change_over() {
  if (model_.simulation.method != Method::automatic || now_ != first_.get() || !now_->stiff())
    return false;
  const bool one_step = trajectory_.size() <= kFewStates && !has_film(model_);
  if (!implicit_)
    implicit_ = one_step ? integrate::make_radau(trajectory_, settings_)
                         : integrate::make_integrator(Method::cvode_bdf, trajectory_, settings_);
  implicit_->start(now_->time(), now_->state(), one_step ? now_->next_step() : 0);
  now_ = implicit_.get();
  return true;
}

}  // namespace freeplay::sim
