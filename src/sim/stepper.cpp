// SPDX-License-Identifier: Apache-2.0
#include "sim/stepper.hpp"

#include <algorithm>

namespace freeplay::sim {
namespace {

/// Up to here a dense Jacobian by differences is cheap. chosen: the governors of verification/cases
/// A5, with 52 and 78 states, take half the CPU time of BDF and err a tenth to a thousandth as
/// much.
constexpr int kFewStates = 100;

/// Steps after which a method that cannot be saved begins anew. chosen: it takes BDF some thirty
/// short steps to find its order and step again, less than a hundredth of these.
constexpr int kFresh = 5000;

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
  onset_ = onset;
  steps_ = 0;
}

integrate::Outcome Stepper::step(double t_stop) {
  ++steps_;
  return now_->step(t_stop);
}

void Stepper::make_implicit() {
  if (implicit_) return;
  one_step_ =
      repeatable_ || ((trajectory_.size() <= kFewStates || integrate::is_sparse(trajectory_)) &&
                      !has_film(model_));
  implicit_ = one_step_ ? integrate::make_radau(trajectory_, settings_)
                        : integrate::make_integrator(Method::cvode_bdf, trajectory_, settings_);
}

bool Stepper::change_over() {
  if (model_.simulation.method != Method::automatic || now_ != first_.get() || !now_->stiff())
    return false;
  take_over();
  return true;
}

void Stepper::take_over() {
  make_implicit();
  implicit_->start(now_->time(), now_->state(), one_step_ ? now_->next_step() : 0);
  now_ = implicit_.get();
  onset_ = integrate::Onset::smooth;
  steps_ = 0;
}

bool Stepper::keep_to_repeatable() {
  repeatable_ = true;
  return first_->can_repeat();
}

integrate::Outcome Stepper::repeat(const integrate::StepShape& shape, double end) {
  ++steps_;
  return now_->repeat(shape, end);
}

void Stepper::refresh() {
  if (steps_ < kFresh || now_->can_be_saved()) return;
  const VecX y = now_->state();
  now_->start(now_->time(), y, now_->next_step());
  onset_ = integrate::Onset::smooth;
  steps_ = 0;
}

void Stepper::carry(Archive& archive) {
  bool implicit = now_ == implicit_.get();
  archive(implicit, onset_, steps_);
  if (archive.restores() && implicit) {
    make_implicit();
    now_ = implicit_.get();
  }
  if (steps_ > 0) {
    now_->carry(archive);
    return;
  }
  double time = now_->time(), step = now_->next_step();
  VecX y = now_->state();
  if (archive.restores()) y.resize(trajectory_.size());
  archive(time, step, y);
  if (archive.restores()) now_->start(time, y, step, onset_);
}

}  // namespace freeplay::sim
