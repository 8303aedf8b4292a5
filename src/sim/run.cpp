// SPDX-License-Identifier: Apache-2.0
#include "dynamics/channels.hpp"
#include "dynamics/layout.hpp"
#include "dynamics/system.hpp"
#include "model/words.hpp"
#include "sim/audit.hpp"
#include "sim/breakpoints.hpp"
#include "sim/cpu_time.hpp"
#include "sim/features.hpp"
#include "sim/first_steps.hpp"
#include "sim/locate.hpp"
#include "sim/methods.hpp"
#include "sim/overload.hpp"
#include "sim/peaks.hpp"
#include "sim/stepper.hpp"
#include "sim/trajectory.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

// The run loop. One turn of it: the integrator proposes a step, events inside it are located, what
// the observers asked for inside it is handed out, the step is accepted and audited.
namespace freeplay {
namespace {

using dynamics::Snapshot;
using dynamics::System;

/// Instants nearer to each other than this, relative to the time itself, are the same: too near for
/// a step of any integrator.
constexpr double kTimeNoise = 64 * std::numeric_limits<double>::epsilon();

class Run {
 public:
  Run(const Model& model, const State& start, std::span<Observer* const> observers,
      const RunOptions& options)
      : model_(model),
        observers_(observers),
        options_(options),
        system_(dynamics::make_system(model)),
        channels_(*system_),
        state_(dynamics::from_cartesian(model, start)),
        cpu_start_(sim::cpu_seconds()),
        features_(model, system_->event_count() > 0) {
    const Simulation& sim = model.simulation;
    end_ = sim.start + sim.duration;
    output_ = sim.output > 0 ? sim.output : sim.duration / 1000;
    expect_layout(state_, *system_->layout());
    row_.resize(static_cast<std::size_t>(channels_.width()));
    peaks_wanted_ = std::any_of(observers.begin(), observers.end(),
                                [](const Observer* o) { return o->wants_peaks(); });
    if (!options_.compile) system_->keep_plain();
    system_->prepare(state_);
    system_->take_up(state_);
    audit_.emplace(*system_, state_);
    overload_.emplace(*system_);
    if (peaks_wanted_) peaks_.emplace(*system_);
    trajectory_ = sim::make_trajectory(*system_, state_);
    const integrate::Settings settings = sim::settings_of(*system_, options.reject_every);
    stepper_.emplace(sim::make_method(*system_, state_, *trajectory_, settings), model,
                     *trajectory_, settings);
    stepper_->start(state_.time, trajectory_->reduce(state_), 0, integrate::Onset::smooth);
    // The uniform grid, seen from wherever the run is resumed.
    next_output_ = static_cast<std::int64_t>(
        std::floor((start.time - sim.start) / output_ * (1 + 1e-12) + 1e-9));
    if (start.time > sim.start) ++next_output_;
    breaks_ = sim::breakpoints(model);
    locator_.emplace(*system_, options.locate_events);
    first_steps_.emplace(system_->event_count());
    locator_->restart(state_);
    if (options.go_on && !state_.stepping.empty()) {
      Archive archive = Archive::restoring(state_.stepping);
      carry(archive);
      if (!archive.at_end())
        throw std::invalid_argument("the step memory of the start does not fit");
    }
    state_.stepping.clear();
  }

  RunResult go() {
    const bool known = system_->snapshot(state_, snapshot_);
    if (known) sim::refuse_overlap(*system_, snapshot_);
    RunHeader header = describe_channels();
    for (Observer* o : observers_) o->begin(header);
    if (!begin(known)) return finish(RunStatus::failed);
    while (state_.time < end_) {
      if (interrupted()) {
        if (stepper_->can_be_saved()) {
          save(state_);
          for (Observer* o : observers_) o->checkpoint(state_, so_far());
        }
        return finish(RunStatus::interrupted);
      }
      if (!propose_step()) return finish(RunStatus::failed);
      locate_events();
      if (!hand_out_uniform() || !accept()) return finish(RunStatus::failed);
      follow_mode();
      offer_checkpoint();
      report_progress();
    }
    if (audit_->energy_is_accounted_for()) return finish(RunStatus::done);
    fail(audit_->reason(), audit_->remedy());
    return finish(RunStatus::audit_broken);
  }

  RunHeader describe_channels() const {
    RunHeader header;
    header.model = &model_;
    header.channels = channels_.list();
    header.width = channels_.width();
    header.layout = system_->layout();
    return header;
  }

 private:
  bool begin(bool known) {
    if (!known) {
      return fail("the motion cannot be evaluated at the start: " + system_->culprit(),
                  "check the model with 'freeplay check'");
    }
    const Simulation& sim = model_.simulation;
    if (!(end_ > sim.start))
      return fail(fmt::format("no time passes: {:g} s is lost beside the start at {:g} s",
                              sim.duration, sim.start),
                  "start nearer to 0");
    if (state_.memory[dynamics::kEnergyScale] == 0)
      state_.memory[dynamics::kStartPotential] = snapshot_.potential + snapshot_.elastic;
    audit_->watch_energy(snapshot_, state_);
    if (state_.time > model_.simulation.start)
      return true;  // resumed: the start was recorded before
    record_step({});
    if (next_output_ == 0) {
      for (Observer* o : observers_) o->uniform(state_.time, row_);
      next_output_ = 1;
    }
    return true;
  }

  bool interrupted() {
    if (options_.stop && options_.stop->load(std::memory_order_relaxed)) {
      result_.reason = "interrupted";
      result_.remedy = "continue with 'run --resume'";
      return true;
    }
    if (options_.time_limit > 0 && out_of_time()) {
      result_.reason =
          fmt::format("the time limit of {:g} CPU seconds is used up", options_.time_limit);
      result_.remedy = "raise the limit, or continue with 'run --resume'";
      return true;
    }
    return false;
  }

  /// Asking for CPU time is a call of the system, as dear as several evaluations: a look at the
  /// clock on the wall says when it can have changed.
  bool out_of_time() {
    const auto moment = std::chrono::steady_clock::now();
    if (moment - last_look_ < std::chrono::milliseconds(5)) return false;
    last_look_ = moment;
    return sim::cpu_seconds() - cpu_start_ > options_.time_limit;
  }

  bool propose_step() {
    while (next_break_ < breaks_.size() && breaks_[next_break_] <= state_.time) ++next_break_;
    const sim::Locator::Soonest soonest = locator_->soonest(state_.time);
    expected_ = soonest.which;
    now().expect(soonest.which, soonest.time);
    limit_ = next_break_ < breaks_.size() ? breaks_[next_break_] : end_;
    if (!fixed_steps()) {
      limit_ = std::min(limit_, features_.latest(state_.time));
      // A tenth beyond, but never so near that time would hardly go on.
      const double change =
          std::max(1.1 * system_->next_change(state_), 1e-9 * model_.simulation.duration);
      if (change < limit_ - state_.time) limit_ = state_.time + change;
    }
    const integrate::Outcome outcome = stepper_->step(limit_);
    if (!outcome.ok) return fail_step(outcome.reason, now().time());
    step_end_ = now().time();
    return true;
  }

  /// No step leads on from here: where, what carries most there, and which drive cannot pass.
  bool fail_step(const std::string& reason, double time) {
    std::string recent;
    for (double h : last_steps_) recent += fmt::format("{}{:.2e}", recent.empty() ? "" : ", ", h);
    std::string culprit = system_->culprit();
    if (culprit.empty()) culprit = sim::most_loaded_joint(channels_.list(), row_);
    return fail(
        fmt::format("{} at t = {:.9g} s{}{}; last steps {} s", reason, time,
                    culprit.empty() ? "" : ", in " + culprit, what_is_blocked(),
                    recent.empty() ? "none" : recent),
        "the mechanism may lock or pass a singular position there; look at the state just before, "
        "loosen 'tolerance', or use a stiff integrator such as cvode-bdf");
  }

  /// Towards a dead point steps shrink without end, and rounding can carry them on for thousands
  /// more. A drive that by then pushes out of all proportion says that this is one.
  bool gets_on(double h) {
    constexpr double kTiny = 1e-11;  // of the run; chosen: brief pulses take steps of 1e-10
    constexpr int kMany = 500,
                  kEvery = 16;  // chosen: implicit methods creep through a kink so long
    if (h > kTiny * model_.simulation.duration)
      tiny_steps_ = 0;
    else if (++tiny_steps_ > kMany && tiny_steps_ % kEvery == 0 && !what_is_blocked().empty())
      return fail_step("the step became too small to get anywhere", state_.time);
    return true;
  }

  /// The first event of the step, if any: the step then ends there.
  void locate_events() {
    found_ = locator_->first(now().previous_time(), now().time(), state_.memory, now().state(),
                             now().landed() ? expected_ : -1,
                             [&](double t, VecX& y) { now().interpolate(t, y); });
    if (!found_) return;
    // So near to where the next step must end that none fits between, that is the event.
    step_end_ = limit_ - found_->time <= kTimeNoise * std::abs(limit_) ? limit_ : found_->time;
  }

  integrate::Integrator& now() { return stepper_->now(); }
  [[nodiscard]] bool fixed_steps() const { return has_fixed_step(model_.simulation.method); }
  /// The integrator's vector at an instant of the step, into y_.
  void look_at(double t) {
    if (t >= now().time())
      y_ = now().state();
    else
      now().interpolate(t, y_);
  }

  bool hand_out_uniform() {
    for (double t = output_time(); t <= step_end_ && t <= end_ + 0.5 * output_; t = output_time()) {
      sample_.memory = state_.memory;
      look_at(t);
      if (!trajectory_->complete(t, y_, sample_) || !system_->snapshot(sample_, snapshot_))
        return fail(
            fmt::format("the state at t = {:.9g} s cannot be evaluated: {}", t, system_->culprit()),
            "");
      channels_.fill(snapshot_, row_);
      for (Observer* o : observers_) o->uniform(t, row_);
      ++next_output_;
    }
    return true;
  }
  double output_time() const {
    const double t = model_.simulation.start + static_cast<double>(next_output_) * output_;
    // The last point is the end of the run itself, however the division came out.
    return std::abs(t - end_) < 1e-9 * output_ ? end_ : t;
  }

  /// Contact forces peak between steps: look at the dense output while something touches.
  void look_for_peaks() {
    if (!peaks_wanted_ || !system_->wants_samples(state_)) return;
    if (!found_ && !system_->peaks_possible(state_.time, state_.y.data(), step_end_,
                                            now().state().data(), state_))
      return;
    peaks_->look(now().previous_time(), step_end_, state_, [&](double t, VecX& y) {
      if (t >= now().time())
        y = now().state();
      else
        now().interpolate(t, y);
    });
  }

  bool accept() {
    first_steps_->learn(now().time() - now().previous_time(), now().ideal_step());
    look_for_peaks();
    const double h = step_end_ - state_.time, next = now().next_step();
    if (!go_to_end_of_step()) return false;
    if (found_ && !carry_out_events(next)) return false;
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
  bool go_to_end_of_step() {
    look_at(step_end_);
    sample_.memory = state_.memory;
    if (!trajectory_->complete(step_end_, y_, sample_))
      return fail(fmt::format("the constraints cannot be met at t = {:.9g} s, in {}{}", step_end_,
                              system_->culprit(), what_is_blocked()),
                  "the mechanism may lock there; look at the state just before");
    state_.time = sample_.time;
    state_.y.swap(sample_.y);
    system_->accept(state_);
    return true;
  }

  /// What was found at the end of the step happens, and the integrator begins anew. `next`: the
  /// step it had in mind.
  bool carry_out_events(double next) {
    bool jumped = false;
    locator_->gather(state_);
    for (const sim::Crossing& crossing : found_->crossings)
      jumped |= system_->apply_event(crossing.which, crossing.upward, state_);
    if (!jumped)  // or else they may no longer come together
      for (const sim::Crossing& crossing : found_->together)
        jumped |= system_->apply_event(crossing.which, crossing.upward, state_);
    if (!system_->settle(state_))
      return fail(
          fmt::format("nothing fits the laws at t = {:.9g} s, in {}", state_.time,
                      system_->culprit()),
          "lower the friction, give rigid contacts a law with a force, or look at the state just "
          "before");
    const bool touched = tell_events() && !jumped;
    const Method method = model_.simulation.method;
    const bool own = method == Method::automatic || method == Method::dop853;
    const double learnt = first_steps_->after(found_->crossings);
    // Where nothing is located, only short steps keep the error of that small.
    stepper_->start(state_.time, trajectory_->reduce(state_),
                    own && options_.locate_events ? learnt : next,
                    touched ? integrate::Onset::root : integrate::Onset::smooth);
    locator_->restart(state_);
    return true;
  }

  /// True when something touched.
  bool tell_events() {
    bool touched = false;
    Event event;
    while (system_->take_event(event)) {
      ++result_.stats.events;
      if (event.kind == "touch") {
        ++result_.contacts;
        touched = true;
      }
      for (Observer* o : observers_) o->event(event);
    }
    Impact impact;
    while (system_->take_impact(impact))
      for (Observer* o : observers_) o->impact(impact);
    return touched;
  }

  [[nodiscard]] bool is_seen() const { return options_.record_steps && !observers_.empty(); }
  bool evaluate_state() {
    if (is_seen() ? system_->snapshot(state_, snapshot_) : system_->energies(state_, snapshot_))
      return true;
    return fail(fmt::format("the state at t = {:.9g} s cannot be evaluated: {}", state_.time,
                            system_->culprit()),
                "");
  }

  void record_step(const StepInfo& info) {
    channels_.fill(snapshot_, row_);
    if (options_.record_steps || info.step == 0)
      for (Observer* o : observers_) o->step(state_, row_, info);
  }

  /// Parts pressed deeper than their play are worth a word; beyond reason, or by a drive in a
  /// mechanism that has jammed, they end the run.
  bool watch_overload() {
    const bool bearable = overload_->bearable(state_, snapshot_, audit_->scale());
    sim::OverloadWatch::Warning warning;
    while (overload_->take_warning(warning)) {
      result_.warnings.push_back(warning.text);
      for (Observer* o : observers_) o->event(warning.event);
    }
    return bearable || fail(overload_->reason(), overload_->remedy());
  }

  /// "; the drive of ... cannot take its angle past ..." where a mechanism locks; else empty.
  std::string what_is_blocked() {
    if (!system_->snapshot(state_, snapshot_)) return {};
    const std::string drive = sim::blocked_drive(*system_, snapshot_, audit_->scale());
    return drive.empty() ? drive : "; " + drive;
  }

  /// All that the next step depends on besides the state itself.
  void carry(Archive& archive) {
    archive(next_output_, tiny_steps_);
    first_steps_->carry(archive);
    system_->carry(archive);
    trajectory_->carry(archive);
    stepper_->carry(archive);
    locator_->carry(archive);
    overload_->carry(archive);
  }
  void save(State& state) {
    state.stepping.clear();
    Archive archive = Archive::saving(state.stepping);
    carry(archive);
  }
  void offer_checkpoint() {
    stepper_->refresh();
    if (!stepper_->can_be_saved()) return;
    for (Observer* o : observers_) {
      if (!o->wants_checkpoint()) continue;
      save(state_);
      o->checkpoint(state_, so_far());
    }
  }

  void follow_mode() {
    if (!stepper_->change_over()) return;
    Event event;
    event.time = state_.time;
    event.joint = "integrator";
    event.kind = "stiff";
    for (Observer* o : observers_) o->event(event);
  }

  void report_progress() {
    if (!options_.progress) return;
    const auto moment = std::chrono::steady_clock::now();
    if (moment - last_progress_ < std::chrono::milliseconds(100)) return;
    last_progress_ = moment;
    options_.progress(state_.time,
                      (state_.time - model_.simulation.start) / model_.simulation.duration);
  }

  bool fail(std::string reason, std::string remedy) {
    result_.reason = std::move(reason);
    result_.remedy = std::move(remedy);
    return false;
  }

  const RunResult& so_far() {
    const integrate::Counters c = stepper_->counters();
    result_.time = state_.time;
    result_.energy_scale = audit_->scale();
    result_.energy_residual = audit_->residual();
    result_.friction_use = audit_->friction_use();
    result_.stats.rejected = c.rejected;
    result_.stats.evaluations = c.evaluations;
    result_.stats.jacobians = c.jacobians;
    result_.stats.cpu_seconds = sim::cpu_seconds() - cpu_start_;
    return result_;
  }

  RunResult finish(RunStatus status) {
    so_far();
    result_.status = status;
    if (stepper_->can_be_saved()) save(state_);
    result_.final_state = state_;
    if (const dynamics::Contacts* all = system_->all_contacts())
      for (const Impact& impact :
           all->open_impacts(state_, state_.y.data() + state_.y.size() - system_->work_size()))
        for (Observer* o : observers_) o->impact(impact);
    for (Observer* o : observers_) o->end(result_);
    return result_;
  }

  const Model& model_;
  std::span<Observer* const> observers_;
  const RunOptions& options_;
  std::unique_ptr<System> system_;
  dynamics::Channels channels_;
  State state_, sample_;
  double cpu_start_;
  std::unique_ptr<sim::Trajectory> trajectory_;
  std::optional<sim::Stepper> stepper_;
  std::optional<sim::Locator> locator_;
  std::optional<sim::FirstSteps> first_steps_;
  std::optional<sim::Audit> audit_;
  std::optional<sim::OverloadWatch> overload_;
  std::optional<sim::PeakSearch> peaks_;
  const sim::Found* found_ = nullptr;
  int expected_ = -1;  // event function that the next step may end on
  Snapshot snapshot_;
  std::vector<double> row_;
  VecX y_;
  RunResult result_;
  double end_ = 0, output_ = 0, step_end_ = 0;
  double limit_ = 0;  // where the step under way must end at the latest
  std::int64_t tiny_steps_ = 0;
  std::int64_t next_output_ = 0;
  std::vector<double> breaks_;
  std::size_t next_break_ = 0;
  sim::Features features_;
  bool peaks_wanted_ = false;
  std::vector<double> last_steps_;
  std::chrono::steady_clock::time_point last_progress_{}, last_look_{};
};

}  // namespace

RunResult run(const Model& model, const State& start, std::span<Observer* const> observers,
              const RunOptions& options) {
  return Run(model, start, observers, options).go();
}

}  // namespace freeplay
