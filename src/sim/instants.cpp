// SPDX-License-Identifier: Apache-2.0
#include "dynamics/control/numbers.hpp"
#include "sim/engine.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

// Signals and controllers in a run: they begin with it; steps end where one samples, takes effect
// or sees a jump of the past, and the past of those with a delay is taken down step by step.
namespace freeplay::sim {

/// Where the state does not know them yet.
void Engine::begin_control() {
  control_began_ = false;
  dynamics::Control* control = system_->control();
  if (!control) return;
  if (control->has_begun(state_)) {
    if (!control->has_past() || (options_.go_on && !state_.stepping.empty())) return;
    if (state_.time > model_.simulation.start) {  // at the start nothing was before
      Issue issue;
      issue.message = fmt::format(
          "the state at t = {:.9g} s does not know what delayed signals and controllers were "
          "before",
          state_.time);
      issue.hint =
          "resume the run from a checkpoint, restore a Simulator from its own save(), or read "
          "series at recorded instants";
      throw ModelError(issue);
    }
  }
  const auto sense = [this] { system_->sense(state_.time, state_.y.data(), state_.memory.data()); };
  if (control->asks_for_row() && !observe(state_, row_)) std::ranges::fill(row_, 0.0);
  control_began_ = control->begin(state_, sense, row_);
}

/// First outputs may tear loose what stuck without them.
bool Engine::settle_control() {
  if (!control_began_) return true;
  if (!settle()) return false;
  locator_->restart(state_);
  return true;
}

/// The end of a step that may last until `limit`. An instant that is as good as the limit is
/// carried out there: no step fits between them.
double Engine::control_limit(double limit) {
  dynamics::Control* control = system_->control();
  if (!control) return limit;
  const double instant =
      std::min(control->next_instant(state_.memory), control->latest(state_.time));
  return limit - instant > dynamics::time_noise(limit) ? instant : limit;
}

bool Engine::ends_on_instant() {
  dynamics::Control* control = system_->control();
  return control && control->due(step_end_, state_.memory);
}

/// Takes down the step under way, for delays.
void Engine::remember_step() {
  dynamics::Control* control = system_->control();
  if (!control || !control->has_past()) return;
  sample_.memory = state_.memory;
  control->record(state_.time, step_end_, [this](double t) {
    look_at(t);
    if (trajectory_->complete(t, y_, sample_))
      system_->sense(t, sample_.y.data(), state_.memory.data());
  });
}

/// After an event or a change from outside.
void Engine::note_jump() {
  dynamics::Control* control = system_->control();
  if (!control) return;
  system_->sense(state_.time, state_.y.data(), state_.memory.data());
  control->follow(state_.memory.data(), true);
  control->mark(state_.time);
}

/// What is due where the step has ended. `next`: the step that the integrator had in mind.
bool Engine::carry_out_instants(double next) {
  dynamics::Control* control = system_->control();
  if (!control || !control->due(state_.time, state_.memory)) return true;
  if (control->asks_for_row() && !observe(state_, row_))
    return fail(fmt::format("the state at t = {:.9g} s cannot be evaluated: {}", state_.time,
                            system_->culprit()),
                "");
  control->carry_out(
      state_, [this] { system_->sense(state_.time, state_.y.data(), state_.memory.data()); }, row_);
  system_->forget();
  if (!settle()) return false;
  tell_events();
  stepper_->start(state_.time, trajectory_->reduce(state_), next, integrate::Onset::smooth);
  locator_->restart(state_);
  return true;
}

}  // namespace freeplay::sim
