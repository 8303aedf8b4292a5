// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu_time.hpp"
#include <freeplay/run.hpp>
#include <freeplay/simulator.hpp>

#include <fmt/format.h>

#include <chrono>

// The run: a Simulator taken from its start to its end, step by step, unless somebody stops it.
namespace freeplay {
namespace {

class Run {
 public:
  Run(const Model& model, const RunOptions& options, Simulator& simulator)
      : model_(model), options_(options), simulator_(simulator), cpu_start_(sim::cpu_seconds()) {}

  RunResult go() {
    while (simulator_.time() < simulator_.end()) {
      if (interrupted()) return simulator_.interrupt(reason_, remedy_);
      if (simulator_.step() == Stopped::failed) break;
      report_progress();
    }
    return simulator_.finish();
  }

 private:
  bool interrupted() {
    if (options_.stop && options_.stop->load(std::memory_order_relaxed)) {
      reason_ = "interrupted";
      remedy_ = "continue with 'run --resume'";
      return true;
    }
    if (options_.time_limit > 0 && out_of_time()) {
      reason_ = fmt::format("the time limit of {:g} CPU seconds is used up", options_.time_limit);
      remedy_ = "raise the limit, or continue with 'run --resume'";
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

  void report_progress() {
    if (!options_.progress) return;
    const auto moment = std::chrono::steady_clock::now();
    if (moment - last_progress_ < std::chrono::milliseconds(20)) return;
    last_progress_ = moment;
    const double time = simulator_.time();
    options_.progress(time, (time - model_.simulation.start) / model_.simulation.duration);
  }

  const Model& model_;
  const RunOptions& options_;
  Simulator& simulator_;
  double cpu_start_;
  std::string reason_, remedy_;
  std::chrono::steady_clock::time_point last_progress_{}, last_look_{};
};

}  // namespace

RunResult run(const Model& model, const State& start, std::span<Observer* const> observers,
              const RunOptions& options) {
  Simulator simulator(model, start, observers, options);
  simulator.announce(model);
  return Run(model, options, simulator).go();
}

}  // namespace freeplay
