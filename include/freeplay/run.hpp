// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/assembly.hpp>
#include <freeplay/model.hpp>
#include <freeplay/observed.hpp>
#include <freeplay/state.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Model in, numbers out: assemble a start, run it, watch it through observers.
namespace freeplay {

/// What one accepted step cost and used.
struct StepInfo {
  double step = 0;  ///< s
  int order = 0;
  std::int64_t rejected = 0;     ///< rejected tries so far
  std::int64_t evaluations = 0;  ///< right-hand sides so far
  std::int64_t jacobians = 0;    ///< so far
};

struct RunStats {
  std::int64_t steps = 0, rejected = 0, evaluations = 0, jacobians = 0, events = 0;
  double cpu_seconds = 0;
};

enum class RunStatus { done, failed, audit_broken, interrupted };

/// How a run ended. A failed run still delivered its history up to `time` to the observers.
struct RunResult {
  RunStatus status = RunStatus::done;
  double time = 0;     ///< last good time; s
  std::string reason;  ///< empty when done: what gave way, where and when
  std::string remedy;  ///< what to try
  RunStats stats;
  double energy_residual = 0;  ///< largest |E - E(0) - work in + heat out|; J
  /// Largest T + |V - V(0)|, and no less than a hundredth of a free fall over the mechanism; J.
  double energy_scale = 0;
  /// Largest friction over what its law allows, at any recorded step: at most 1 but for round-off.
  double friction_use = 0;
  std::int64_t contacts = 0;          ///< touches located
  std::vector<std::string> warnings;  ///< what was seen that should not be; a sentence each
  State final_state;
};

/// Names and units of everything that is recorded, before the first row arrives.
struct RunHeader {
  const Model* model = nullptr;
  std::vector<Channel> channels;
  int width = 0;                         ///< numbers in a row
  std::shared_ptr<const Layout> layout;  ///< of the states that come with the steps
};

/// Sees a run go by. Rows are only lent for the call.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const RunHeader&) {}
  /// Every accepted step, the start included. The row is empty where wants_rows() said so.
  virtual void step(const State&, std::span<const double> /*row*/, const StepInfo&) {}
  /// Every point of the uniform grid, from the dense output.
  virtual void uniform(double /*time*/, std::span<const double> /*row*/) {}
  virtual void event(const Event&) {}
  /// Every contact that has ended; before `end`, also those that are open then.
  virtual void impact(const Impact&) {}
  /// A step from which the run could go on to the last bit, with its step memory, and the totals so
  /// far. Handed out where wants_checkpoint() asks for it, and when the run is interrupted.
  virtual void checkpoint(const State& /*state*/, const RunResult& /*so_far*/) {}
  [[nodiscard]] virtual bool wants_checkpoint() { return false; }
  /// Are peak_force and peak_depth of impacts read? They lie between steps, and looking for them
  /// takes up to a third of a run: where no observer asks, both stay zero.
  [[nodiscard]] virtual bool wants_peaks() const { return true; }
  /// Are the rows of the steps read, or their states alone? A row takes the accelerations of all
  /// bodies and the reactions of all joints, and costs as much as the step. Asked after begin().
  [[nodiscard]] virtual bool wants_rows() const { return true; }
  virtual void end(const RunResult&) {}
};

struct RunOptions {
  /// Takes up the step memory of the start, if it has one: the run goes on to the last bit as if it
  /// had never stopped.
  bool go_on = false;
  const std::atomic<bool>* stop = nullptr;  ///< set from a signal handler to interrupt
  std::function<void(double time, double fraction)>
      progress;                   ///< called fifty times a second at most
  double time_limit = 0;          ///< CPU seconds; 0: none
  bool record_steps = true;       ///< false: observers only see the uniform grid
  std::int64_t reject_every = 0;  ///< test aid: refuse every n-th good step once
  /// Test aid: false lets events count only from the end of the step they fall into, as codes
  /// without event location do.
  bool locate_events = true;
  bool compile = true;  ///< false: no machine code for the mechanism; same results, slower
};

/// Simulates from `start` to the end of model.simulation. The model is only read; any number of
/// runs may share it.
RunResult run(const Model& model, const State& start, std::span<Observer* const> observers,
              const RunOptions& options = {});

/// The series as it was at another instant: integrates on from a stored state, so that the value is
/// as exact as the run itself. `row` has RunHeader::width numbers.
void observe_at(const Model& model, const State& stored, double time, std::span<double> row);

/// Channels of a model, as `run` announces them.
[[nodiscard]] RunHeader describe(const Model& model);

}  // namespace freeplay
