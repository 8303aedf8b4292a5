// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/channels.hpp"
#include "dynamics/control/control.hpp"
#include "dynamics/system.hpp"
#include "sim/audit.hpp"
#include "sim/event_storm.hpp"
#include "sim/features.hpp"
#include "sim/first_steps.hpp"
#include "sim/itinerary.hpp"
#include "sim/locate.hpp"
#include "sim/overload.hpp"
#include "sim/peaks.hpp"
#include "sim/stepper.hpp"
#include "sim/trajectory.hpp"
#include "sim/wear_sum.hpp"
#include <freeplay/run.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

// One step after the other. The integrator proposes a step and events inside it are located: then
// the step is in hand, and can be looked at anywhere. Taking it hands out what the observers asked
// for inside it, carries out its events and audits it. Nothing of a step is told before it is
// taken.
namespace freeplay::sim {

class Engine {
 public:
  /// `model` outlives the engine. Throws a ModelError where the integrator does not fit the model,
  /// std::invalid_argument where the start does not.
  Engine(const Model& model, const State& start, std::span<Observer* const> observers,
         const RunOptions& options);

  [[nodiscard]] RunHeader header(const Model& announced) const;
  /// Tells the observers, as a run of `announced`. False when nothing can be known at the start.
  [[nodiscard]] bool begin(const Model& announced);
  /// The same from a state that was restored, which is the first that they see.
  [[nodiscard]] bool begin_midway(const Model& announced) {
    if (!begin(announced)) return false;
    if (state_.time > model_.simulation.start) record_step({});
    return true;
  }

  /// Afterwards a step is in hand. `latest`: where it has to end. False: no step leads on.
  [[nodiscard]] bool propose(double latest);
  [[nodiscard]] bool in_hand() const { return in_hand_; }
  [[nodiscard]] double step_end() const { return step_end_; }
  /// The state at an instant of the step in hand. False when it cannot be evaluated.
  [[nodiscard]] bool look(double t, State& out);
  /// The row of an observer at a state; false when it cannot be evaluated.
  [[nodiscard]] bool observe(const State& state, std::span<double> row);
  /// The step in hand becomes the past.
  [[nodiscard]] bool take();
  /// Up to t alone, which lies in it; the events behind are forgotten.
  [[nodiscard]] bool take_until(double t);
  // Neighbouring motions that are led along the way of another (itinerary.hpp).
  /// From the start, only steps that they can follow; false: the integrator has none.
  [[nodiscard]] bool keep_to_repeatable() { return stepper_->keep_to_repeatable(); }
  /// The step in hand, as a neighbour will need to know it.
  [[nodiscard]] Leg leg();
  /// The same once it is taken, with what happened at its end.
  void complete(Leg& leg) const;
  /// In place of the other `propose`: a step in hand as another motion took it.
  [[nodiscard]] bool propose(const Leg& leg);

  /// What follows does not continue what was (an input has changed): the integrator begins anew.
  /// False when nothing fits the laws.
  [[nodiscard]] bool restart();

  /// At the end of the last step taken, and what happened in it.
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] std::span<const Event> events() const { return {events_.data(), happened_}; }
  [[nodiscard]] double end() const { return end_; }  ///< of the model's simulation; s
  /// Could a step from here lead beyond t?
  [[nodiscard]] bool may_pass(double t);

  /// True when `save` can keep all that the next step depends on.
  [[nodiscard]] bool can_be_saved() const { return stepper_->can_be_saved(); }
  /// That, as numbers; not while a step is in hand.
  void save(std::vector<double>& stepping);
  /// Goes back to a state, with its step memory if it has one. Throws std::invalid_argument where
  /// they do not fit.
  void restore(const State& state);

  [[nodiscard]] bool energy_is_accounted_for() { return audit_->energy_is_accounted_for(); }
  /// Why, after something returned false.
  bool fail(std::string reason, std::string remedy);
  bool fail_audit() { return fail(audit_->reason(), audit_->remedy()); }
  const RunResult& so_far();
  /// Hands all observers a state to go on from, if there can be one here.
  void checkpoint();
  /// Tells the observers that this was all.
  RunResult finish(RunStatus status);

 private:
  void start_from(const State& state);
  [[nodiscard]] bool propose_step(double latest);
  [[nodiscard]] double next_stop();
  [[nodiscard]] bool find_event_of(const Leg& leg);
  [[nodiscard]] std::string event_of(int which);
  [[nodiscard]] bool fail_step(const std::string& reason, double time);
  [[nodiscard]] bool gets_on(double h);
  void locate_events();
  [[nodiscard]] integrate::Integrator& now() { return stepper_->now(); }
  [[nodiscard]] bool fixed_steps() const;
  void look_at(double t) { look_at(t, y_); }
  void look_at(double t, VecX& y);
  [[nodiscard]] bool hand_out_uniform(bool with_end);
  [[nodiscard]] double output_time() const;
  void look_for_peaks();
  void add_wear(double until, State& state);
  [[nodiscard]] bool follow_wear(double next);
  void warn_of_wear();
  [[nodiscard]] bool accept();
  [[nodiscard]] bool go_to_end_of_step();
  [[nodiscard]] bool settle();
  // Signals and controllers (instants.cpp).
  void begin_control();
  [[nodiscard]] bool settle_control();
  [[nodiscard]] double control_limit(double limit);
  [[nodiscard]] bool ends_on_instant();
  void remember_step();
  void note_jump();
  [[nodiscard]] bool carry_out_instants(double next);
  [[nodiscard]] bool carry_out_events(double next);
  bool tell_events();
  [[nodiscard]] bool is_seen() const { return options_.record_steps && !observers_.empty(); }
  [[nodiscard]] bool needs_snapshot() const;
  [[nodiscard]] bool evaluate_state();
  void record_step(const StepInfo& info);
  [[nodiscard]] bool watch_overload();
  [[nodiscard]] std::string what_is_blocked();
  void carry(Archive& archive);
  void offer_checkpoint();
  void follow_mode();

  const Model& model_;
  std::vector<Observer*> observers_;
  RunOptions options_;
  std::unique_ptr<dynamics::System> system_;
  dynamics::Channels channels_;
  State state_, sample_;
  double cpu_start_;
  std::unique_ptr<Trajectory> trajectory_;
  std::optional<Stepper> stepper_;
  std::optional<Locator> locator_;
  std::optional<FirstSteps> first_steps_;
  std::optional<Audit> audit_;
  std::optional<OverloadWatch> overload_;
  std::optional<PeakSearch> peaks_;
  std::optional<WearSum> wear_;
  double most_at_once_ = 0;  // worn away from one shape to the next, over what was pressed in
  const Found* found_ = nullptr;
  int expected_ = -1;  // event function that the next step may end on
  dynamics::Snapshot snapshot_;
  std::vector<double> row_, scratch_;
  VecX y_;
  RunResult result_;
  double end_ = 0, output_ = 0, step_end_ = 0;
  double limit_ = 0;          // where the step under way must end at the latest
  double stop_ = 0;           // likewise, as far as the model says so
  const Leg* leg_ = nullptr;  // that it follows
  int strayed_ = -1;          // event function that has crossed ahead of the leg that says so
  bool took_over_ = false;    // the implicit method, after the last step
  std::int64_t tiny_steps_ = 0;
  std::int64_t next_output_ = 0;
  std::vector<double> breaks_;
  std::size_t next_break_ = 0;
  Features features_;
  bool control_began_ = false;
  bool peaks_wanted_ = false, rows_wanted_ = false, in_hand_ = false;
  std::vector<double> last_steps_;
  std::vector<Event> events_;  // kept for their memory; the first `happened_` are of the last step
  Impact impact_;              // likewise: the one that observers are told of
  std::size_t happened_ = 0;
  EventStorm storm_{0};
  std::optional<Event> endless_;  // the event that was too many
};

}  // namespace freeplay::sim
