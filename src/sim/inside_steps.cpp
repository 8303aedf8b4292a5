// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

// What is looked for inside a step on its dense output, before it is taken.
namespace freeplay::sim {

namespace {

/// Instants nearer to each other than this, relative to the time itself, are the same: too near for
/// a step of any integrator.
constexpr double kTimeNoise = 64 * std::numeric_limits<double>::epsilon();

}  // namespace

/// The first event of the step, if any: the step then ends there.
void Engine::locate_events() {
  found_ = locator_->first(now().previous_time(), now().time(), state_.memory, now().state(),
                           now().landed() ? expected_ : -1,
                           [&](double t, VecX& y) { now().interpolate(t, y); });
  if (!found_) return;
  // So near to where the next step must end that none fits between, that is the event.
  step_end_ = limit_ - found_->time <= kTimeNoise * std::abs(limit_) ? limit_ : found_->time;
}

/// The integrator's vector at an instant of the step, or, of one that follows another motion, just
/// behind it: there its event may come a little later.
void Engine::look_at(double t, VecX& y) {
  if (t == now().time() || (t > now().time() && !leg_))
    y = now().state();
  else
    now().interpolate(t, y);
}

/// Contact forces peak between steps: look at the dense output while something touches.
void Engine::look_for_peaks() {
  if (!peaks_wanted_ || !system_->wants_samples(state_)) return;
  if (!found_ && !system_->peaks_possible(state_.time, state_.y.data(), step_end_,
                                          now().state().data(), state_))
    return;
  peaks_->look(now().previous_time(), step_end_, state_, [&](double t, VecX& y) { look_at(t, y); });
}

/// What wears from the beginning of the step to an instant of it, into the memory of a state.
void Engine::add_wear(double until, State& state) {
  if (!wear_->needed()) return;
  wear_->add(state_.time, until, state, [&](double t, VecX& y) { look_at(t, y); });
}

/// Where a cell has lost enough, the surfaces take the shape that they have by now. Forces on a bed
/// change a little with it; the work of contacts is integrated, so that what was stored in worn
/// material is accounted for as lost.
bool Engine::follow_wear(double next) {
  if (!wear_->needed()) return true;
  const dynamics::Contacts& all = *system_->all_contacts();
  bool due = false;
  for (const auto& worn : all.worn()) {
    if (worn.shape < 0) continue;
    double* shape = &state_.memory[static_cast<std::size_t>(worn.shape)];
    const double* record = &state_.memory[static_cast<std::size_t>(worn.memory)];
    if (!worn.wearing.is_due(record, shape)) continue;
    due = true;
    const auto& part = all.elements()[static_cast<std::size_t>(worn.element)];
    const auto poses = system_->poses_at(state_.time, state_.y.data());
    const double pressed = part.depth(0, poses[part.first()], poses[part.second()]);
    if (pressed > 0)
      most_at_once_ = std::max(most_at_once_, worn.wearing.beyond(record, shape) / pressed);
    std::copy_n(record, worn.wearing.volume(0), shape);
  }
  if (!due) return true;
  system_->reshape(state_);
  system_->forget();
  // Where the wall has drawn back from what it touched, the contact ends.
  for (const auto& worn : all.worn()) {
    if (worn.shape < 0) continue;
    const auto& part = all.elements()[static_cast<std::size_t>(worn.element)];
    for (int k = 0; k < part.contacts(); ++k) {
      const auto& contact = all.list()[static_cast<std::size_t>(worn.first + k)];
      const auto poses = system_->poses_at(state_.time, state_.y.data());
      const bool apart = part.depth(k, poses[part.first()], poses[part.second()]) < 0;
      if (apart && state_.memory[static_cast<std::size_t>(contact.own_memory())] != 0)
        static_cast<void>(system_->apply_event(worn.first + k, false, state_));
    }
  }
  if (!settle()) return false;
  tell_events();
  stepper_->start(state_.time, trajectory_->reduce(state_), next, integrate::Onset::smooth);
  locator_->restart(state_);
  return true;
}

/// A run keeps the shape of its surfaces: where it wears away what counts beside the clearance, it
/// should not have.
void Engine::warn_of_wear() {
  constexpr double kMuch = 0.1;  // of the clearance. chosen
  for (const auto& worn : system_->all_contacts()->worn()) {
    const auto& element =
        system_->all_contacts()->elements()[static_cast<std::size_t>(worn.element)];
    const Joint& joint = model_.joints[element.joint()];
    const Wear& wear = *joint.clearance->wear;
    if (worn.shape >= 0) continue;
    double most = 0;
    for (const int part : {0, 1}) {
      const std::vector<double>& start = part == 0 ? wear.outer_depth : wear.inner_depth;
      const double* now =
          &state_.memory[static_cast<std::size_t>(worn.memory)] + worn.wearing.depths(part);
      for (int k = 0; k < worn.wearing.cells(part); ++k)
        most = std::max(most, now[k] - (start.empty() ? 0 : start[static_cast<std::size_t>(k)]));
    }
    if (most > kMuch * element.half_play())
      result_.warnings.push_back(
          fmt::format("joint {} has lost {:.3g} um, {:.0f} % of its clearance, in a run that keeps "
                      "the shape of "
                      "its surfaces: a study with kind = \"wear\" updates them",
                      joint.name, 1e6 * most, 100 * most / element.half_play()));
  }
  // (W.11): the profile would become a sawtooth.
  constexpr double kStable = 1;  // half of the bound: slip is not the same everywhere
  if (most_at_once_ > kStable)
    result_.warnings.push_back(
        fmt::format("from one shape of its surfaces to the next a place loses up to {:.3g} times "
                    "what it is pressed in: the worn profile is not to be trusted; lower "
                    "'wear.update'",
                    most_at_once_));
}

}  // namespace freeplay::sim
