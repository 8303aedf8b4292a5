// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.hpp"

#include "dynamics/layout.hpp"
#include "model/words.hpp"
#include "sim/breakpoints.hpp"
#include "sim/cpu_time.hpp"
#include "sim/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace freeplay::sim {
namespace {

/// A time this near to a point of the uniform grid is that point: of its spacing, and of the time.
constexpr double kOnGrid = 1e-9, kGridRounding = 1e-12;
/// Of the run: the least that a forecast change may lie ahead, or time would hardly go on.
constexpr double kShortestChange = 1e-9;

}  // namespace

Engine::Engine(const Model& model, const State& start, std::span<Observer* const> observers,
               const RunOptions& options)
    : model_(model),
      observers_(observers.begin(), observers.end()),
      options_(options),
      system_(dynamics::make_system(model)),
      channels_(*system_),
      cpu_start_(cpu_seconds()),
      features_(model, system_->event_count() > 0) {
  const Simulation& run = model.simulation;
  end_ = run.start + run.duration;
  output_ = run.output > 0 ? run.output : run.duration / 1000;
  row_.resize(static_cast<std::size_t>(channels_.width()));
  peaks_wanted_ = std::any_of(observers_.begin(), observers_.end(),
                              [](const Observer* o) { return o->wants_peaks(); });
  rows_wanted_ = is_seen();
  breaks_ = breakpoints(model);
  if (!options_.compile) system_->keep_plain();
  if (auto* control = system_->control()) control->bind(channels_.list());
  start_from(start);
}

void Engine::start_from(const State& start) {
  state_ = dynamics::from_cartesian(model_, start);
  expect_layout(state_, *system_->layout());
  system_->reshape(state_);
  system_->prepare(state_);
  begin_control();
  system_->take_up(state_);
  audit_.emplace(*system_, state_);
  overload_.emplace(*system_);
  if (peaks_wanted_) peaks_.emplace(*system_);
  wear_.emplace(*system_);
  stepper_.reset();  // it refers to the trajectory
  trajectory_ = make_trajectory(*system_, state_);
  const integrate::Settings settings = settings_of(*system_, options_.reject_every);
  stepper_.emplace(make_method(*system_, state_, *trajectory_, settings), model_, *trajectory_,
                   settings);
  stepper_->start(state_.time, trajectory_->reduce(state_), 0, integrate::Onset::smooth);
  // The uniform grid, seen from wherever the run is resumed.
  const Simulation& run = model_.simulation;
  next_output_ = static_cast<std::int64_t>(
      std::floor((start.time - run.start) / output_ * (1 + kGridRounding) + kOnGrid));
  if (start.time > run.start) ++next_output_;
  next_break_ = 0;
  tiny_steps_ = 0;
  last_steps_.clear();
  last_steps_.reserve(11);
  in_hand_ = false;
  happened_ = 0;
  storm_ = EventStorm(scales_of(model_).time);
  endless_.reset();
  result_ = {};
  locator_.emplace(*system_, options_.locate_events);
  first_steps_.emplace(system_->event_count(), integrate::is_sparse(*trajectory_));
  locator_->restart(state_);
  if (options_.go_on && !state_.stepping.empty()) {
    Archive archive = Archive::restoring(state_.stepping);
    carry(archive);
    if (!archive.at_end()) throw std::invalid_argument("the step memory of the start does not fit");
  }
  state_.stepping.clear();
}

void Engine::restore(const State& state) {
  options_.go_on = true;
  start_from(state);
}

RunHeader Engine::header(const Model& announced) const {
  RunHeader out;
  out.model = &announced;
  out.channels = channels_.list();
  out.width = channels_.width();
  out.layout = system_->layout();
  return out;
}

bool Engine::begin(const Model& announced) {
  if (!settle_control()) return false;
  const bool known = system_->snapshot(state_, snapshot_);
  if (known) refuse_overlap(*system_, snapshot_);
  const RunHeader all = header(announced);
  for (Observer* o : observers_) o->begin(all);
  rows_wanted_ =
      options_.record_steps && std::any_of(observers_.begin(), observers_.end(),
                                           [](const Observer* o) { return o->wants_rows(); });
  if (!known) {
    return fail("the motion cannot be evaluated at the start: " + system_->culprit(),
                "check the model with 'freeplay check'");
  }
  const Simulation& run = model_.simulation;
  if (!(end_ > run.start))
    return fail(fmt::format("no time passes: {:g} s is lost beside the start at {:g} s",
                            run.duration, run.start),
                "start nearer to 0");
  if (state_.memory[dynamics::kEnergyScale] == 0)
    state_.memory[dynamics::kStartPotential] = snapshot_.potential + snapshot_.elastic;
  audit_->watch_energy(snapshot_, state_);
  if (state_.time > run.start) return true;  // resumed: the start was recorded before
  record_step({});
  if (next_output_ == 0) {
    for (Observer* o : observers_) o->uniform(state_.time, row_);
    next_output_ = 1;
  }
  return true;
}

bool Engine::propose(double latest) {
  if (!propose_step(latest)) return false;
  locate_events();
  in_hand_ = true;
  return true;
}

bool Engine::take() {
  in_hand_ = false;
  happened_ = 0;
  // What is recorded at an instant is what holds from there on.
  if (!hand_out_uniform(!ends_on_instant()) || !accept() || !hand_out_uniform(true)) return false;
  follow_mode();
  offer_checkpoint();
  return true;
}

bool Engine::take_until(double t) {
  // Events and rounding apart, that is where the step under way ends.
  if (t < step_end_) {
    step_end_ = t;
    found_ = nullptr;
  }
  return take();
}

bool Engine::restart() {
  in_hand_ = false;
  system_->forget();
  // A load that jumps may tear loose what stuck, and let go what rested.
  if (!settle()) return false;
  note_jump();
  tell_events();
  stepper_->start(state_.time, trajectory_->reduce(state_), now().next_step(),
                  integrate::Onset::smooth);
  locator_->restart(state_);
  return true;
}

/// What sticks, slips, rests or parts from here on is decided.
bool Engine::settle() {
  if (system_->settle(state_)) return true;
  return fail(
      fmt::format("nothing fits the laws at t = {:.9g} s, in {}", state_.time, system_->culprit()),
      "lower the friction, give rigid contacts a law with a force, or look at the state "
      "just before");
}

bool Engine::look(double t, State& out) {
  // Where a motion is followed from pose to pose, this look is none of them.
  scratch_.clear();
  Archive saving = Archive::saving(scratch_);
  trajectory_->carry(saving);
  out.memory = state_.memory;
  out.layout = state_.layout;
  add_wear(t, out);
  look_at(t);
  const bool known = trajectory_->complete(t, y_, out);
  Archive restoring = Archive::restoring(scratch_);
  trajectory_->carry(restoring);
  return known;
}

bool Engine::observe(const State& state, std::span<double> row) {
  if (!system_->snapshot(state, snapshot_)) return false;
  channels_.fill(snapshot_, row);
  return true;
}

bool Engine::may_pass(double t) {
  const double next = now().next_step();
  return !(next > 0) || state_.time + 2 * next >= t;  // steps towards an event may be longer
}

bool Engine::fixed_steps() const { return has_fixed_step(model_.simulation); }

void Engine::save(std::vector<double>& stepping) {
  stepping.clear();
  Archive archive = Archive::saving(stepping);
  carry(archive);
}

/// Where the model lets no step pass.
double Engine::next_stop() {
  while (next_break_ < breaks_.size() && breaks_[next_break_] <= state_.time) ++next_break_;
  return next_break_ < breaks_.size() ? breaks_[next_break_] : end_;
}

bool Engine::propose_step(double latest) {
  const Locator::Soonest soonest = locator_->soonest(state_.time);
  expected_ = soonest.which;
  now().expect(soonest.which, soonest.time);
  limit_ = stop_ = control_limit(std::min(latest, next_stop()));
  if (!fixed_steps()) {
    limit_ = std::min(limit_, features_.latest(state_.time));
    // A tenth beyond, but never so near that time would hardly go on.
    const double change =
        std::max(1.1 * system_->next_change(state_), kShortestChange * model_.simulation.duration);
    if (change < limit_ - state_.time) limit_ = state_.time + change;
  }
  const integrate::Outcome outcome = stepper_->step(limit_);
  if (!outcome.ok) return fail_step(outcome.reason, now().time());
  step_end_ = now().time();
  return true;
}

/// No step leads on from here: where, what carries most there, and which drive cannot pass.
bool Engine::fail_step(const std::string& reason, double time) {
  std::string recent;
  for (double h : last_steps_) recent += fmt::format("{}{:.2e}", recent.empty() ? "" : ", ", h);
  std::string culprit = system_->culprit();
  if (culprit.empty() && (rows_wanted_ || observe(state_, row_)))
    culprit = most_loaded_joint(channels_.list(), row_);
  return fail(
      fmt::format("{} at t = {:.9g} s{}{}; last steps {} s", reason, time,
                  culprit.empty() ? "" : ", in " + culprit, what_is_blocked(),
                  recent.empty() ? "none" : recent),
      "the mechanism may lock or pass a singular position there; look at the state just before, "
      "loosen 'tolerance', or use a stiff integrator such as cvode-bdf");
}

/// Towards a dead point steps shrink without end, and rounding can carry them on for thousands
/// more. A drive that by then pushes out of all proportion says that this is one.
bool Engine::gets_on(double h) {
  constexpr double kTiny = 1e-11;  // of the run; chosen: brief pulses take steps of 1e-10
  constexpr int kMany = 500,
                kEvery = 16;  // chosen: implicit methods creep through a kink so long
  if (h > kTiny * model_.simulation.duration)
    tiny_steps_ = 0;
  else if (++tiny_steps_ > kMany && tiny_steps_ % kEvery == 0 && !what_is_blocked().empty())
    return fail_step("the step became too small to get anywhere", state_.time);
  return true;
}

bool Engine::hand_out_uniform(bool with_end) {
  for (double t = output_time();
       (with_end ? t <= step_end_ : t < step_end_) && t <= end_ + 0.5 * output_;
       t = output_time()) {
    ++next_output_;
    if (observers_.empty()) continue;
    sample_.memory = state_.memory;
    add_wear(t, sample_);
    look_at(t);
    if (!trajectory_->complete(t, y_, sample_) || !system_->snapshot(sample_, snapshot_))
      return fail(
          fmt::format("the state at t = {:.9g} s cannot be evaluated: {}", t, system_->culprit()),
          "");
    channels_.fill(snapshot_, row_);
    for (Observer* o : observers_) o->uniform(t, row_);
  }
  return true;
}

double Engine::output_time() const {
  const double t = model_.simulation.start + static_cast<double>(next_output_) * output_;
  // The last point is the end of the run itself, however the division came out.
  return std::abs(t - end_) < kOnGrid * output_ ? end_ : t;
}

bool Engine::accept() {
  first_steps_->learn(now().time() - now().previous_time(), now().ideal_step());
  look_for_peaks();
  add_wear(step_end_, state_);
  const double h = step_end_ - state_.time, next = now().next_step();
  remember_step();
  if (!go_to_end_of_step()) return false;
  if (!found_)
    tell_events();  // of steps over whatever happened
  else if (!carry_out_events(next))
    return false;
  if (!carry_out_instants(next) || !follow_wear(next)) return false;
  if (!evaluate_state()) return false;
  audit_->watch_energy(snapshot_, state_);
  if (!audit_->laws_hold(snapshot_, state_.time)) return fail(audit_->reason(), audit_->remedy());
  last_steps_.push_back(h);
  if (last_steps_.size() > 10) last_steps_.erase(last_steps_.begin());
  if (is_seen()) {
    const integrate::Counters c = stepper_->counters();
    record_step({h, now().order(), c.rejected, c.evaluations, c.jacobians});
  }
  ++result_.stats.steps;
  return watch_overload() && gets_on(h);
}

/// The state becomes that at the end of the step, on all constraints.
bool Engine::go_to_end_of_step() {
  look_at(step_end_);
  sample_.memory = state_.memory;
  if (!trajectory_->complete(step_end_, y_, sample_))
    return fail(fmt::format("the constraints cannot be met at t = {:.9g} s, in {}{}", step_end_,
                            system_->culprit(), what_is_blocked()),
                "the mechanism may lock there; look at the state just before");
  state_.time = sample_.time;
  state_.y.swap(sample_.y);
  state_.memory.swap(sample_.memory);
  system_->accept(state_);
  return true;
}

/// What was found at the end of the step happens, and the integrator begins anew. `next`: the step
/// it had in mind.
bool Engine::carry_out_events(double next) {
  bool jumped = false;
  locator_->gather(state_);
  if (leg_ && found_->together != leg_->together)
    return fail(fmt::format("at t = {:.9g} s something else happens together with it", state_.time),
                "");
  for (const Crossing& crossing : found_->crossings)
    jumped |= system_->apply_event(crossing.which, crossing.upward, state_);
  if (!jumped)  // or else they may no longer come together
    for (const Crossing& crossing : found_->together)
      jumped |= system_->apply_event(crossing.which, crossing.upward, state_);
  if (!settle()) return false;
  note_jump();
  const bool touched = tell_events() && !jumped;
  if (endless_) return fail(storm_.reason(*endless_), std::string(EventStorm::kRemedy));
  const bool own = kind_of(model_.simulation.method).learns_first_steps;
  const double learnt =
      first_steps_->after(found_->crossings, next, system_->wants_samples(state_));
  // Where nothing is located, only short steps keep the error of that small.
  stepper_->start(state_.time, trajectory_->reduce(state_),
                  own && options_.locate_events ? learnt : next,
                  touched ? integrate::Onset::root : integrate::Onset::smooth);
  locator_->restart(state_);
  return true;
}

/// True when something touched.
bool Engine::tell_events() {
  bool touched = false;
  for (;;) {
    if (happened_ == events_.size()) events_.emplace_back();
    Event& event = events_[happened_];
    if (!system_->take_event(event)) break;
    ++happened_;
    ++result_.stats.events;
    if (event.kind == "touch") {
      ++result_.contacts;
      touched = true;
    }
    if (storm_.takes(event)) endless_ = event;
    for (Observer* o : observers_) o->event(event);
  }
  while (system_->take_impact(impact_))
    for (Observer* o : observers_) o->impact(impact_);
  return touched;
}

/// Reactions are asked for by observers of rows; and by the laws of friction that is integrated,
/// which no formula keeps within its bounds.
bool Engine::needs_snapshot() const {
  return rows_wanted_ || (is_seen() && system_->layout()->size(BlockKind::state) > 0);
}

bool Engine::evaluate_state() {
  if (needs_snapshot() ? system_->snapshot(state_, snapshot_)
                       : system_->energies(state_, snapshot_))
    return true;
  return fail(fmt::format("the state at t = {:.9g} s cannot be evaluated: {}", state_.time,
                          system_->culprit()),
              "");
}

void Engine::record_step(const StepInfo& info) {
  const bool start = info.step == 0;
  if (rows_wanted_ || start) channels_.fill(snapshot_, row_);
  if (options_.record_steps || start)
    for (Observer* o : observers_)
      o->step(state_, o->wants_rows() ? std::span<const double>(row_) : std::span<const double>(),
              info);
}

/// Parts pressed deeper than their play are worth a word; beyond reason, or by a drive in a
/// mechanism that has jammed, they end the run.
bool Engine::watch_overload() {
  const bool bearable = overload_->bearable(state_, snapshot_, audit_->scale());
  OverloadWatch::Warning warning;
  while (overload_->take_warning(warning)) {
    result_.warnings.push_back(warning.text);
    for (Observer* o : observers_) o->event(warning.event);
  }
  return bearable || fail(overload_->reason(), overload_->remedy());
}

/// "; the drive of ... cannot take its angle past ..." where a mechanism locks; else empty.
std::string Engine::what_is_blocked() {
  if (!system_->snapshot(state_, snapshot_)) return {};
  const std::string drive = blocked_drive(*system_, snapshot_, audit_->scale());
  return drive.empty() ? drive : "; " + drive;
}

/// All that the next step depends on besides the state itself.
void Engine::carry(Archive& archive) {
  archive(next_output_, tiny_steps_);
  first_steps_->carry(archive);
  system_->carry(archive);
  trajectory_->carry(archive);
  stepper_->carry(archive);
  locator_->carry(archive);
  overload_->carry(archive);
}

void Engine::offer_checkpoint() {
  stepper_->refresh();
  if (!stepper_->can_be_saved()) return;
  for (Observer* o : observers_) {
    if (!o->wants_checkpoint()) continue;
    save(state_.stepping);
    o->checkpoint(state_, so_far());
  }
}

void Engine::follow_mode() {
  took_over_ = leg_ ? leg_->takes_over : stepper_->change_over();
  if (!took_over_) return;
  if (leg_) stepper_->take_over();
  Event event;
  event.time = state_.time;
  event.joint = "integrator";
  event.kind = "stiff";
  for (Observer* o : observers_) o->event(event);
}

bool Engine::fail(std::string reason, std::string remedy) {
  result_.reason = std::move(reason);
  result_.remedy = std::move(remedy);
  return false;
}

const RunResult& Engine::so_far() {
  const integrate::Counters c = stepper_->counters();
  result_.time = state_.time;
  result_.energy_scale = audit_->scale();
  result_.energy_residual = audit_->residual();
  result_.friction_use = audit_->friction_use();
  result_.stats.rejected = c.rejected;
  result_.stats.evaluations = c.evaluations;
  result_.stats.jacobians = c.jacobians;
  result_.stats.cpu_seconds = cpu_seconds() - cpu_start_;
  return result_;
}

void Engine::checkpoint() {
  if (!stepper_->can_be_saved()) return;
  save(state_.stepping);
  for (Observer* o : observers_) o->checkpoint(state_, so_far());
}

RunResult Engine::finish(RunStatus status) {
  so_far();
  if (wear_->needed()) warn_of_wear();
  trajectory_->add_warnings(result_.warnings);
  result_.status = status;
  if (stepper_->can_be_saved()) save(state_.stepping);
  result_.final_state = state_;
  for (const Impact& impact : system_->open_impacts(state_))
    for (Observer* o : observers_) o->impact(impact);
  for (Observer* o : observers_) o->end(result_);
  return result_;
}

}  // namespace freeplay::sim
