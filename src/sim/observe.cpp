// SPDX-License-Identifier: Apache-2.0
#include "dynamics/channels.hpp"
#include "dynamics/system.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/run.hpp>
#include <freeplay/simulator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

// A result looked at between its stored steps: the run is simply continued from the step before.
namespace freeplay {
namespace {

/// Keeps the last row of a run.
class LastRow final : public Observer {
 public:
  explicit LastRow(std::span<double> row) : row_(row) {}
  void step(const State&, std::span<const double> row, const StepInfo&) override {
    std::copy(row.begin(), row.end(), row_.begin());
  }
  bool wants_peaks() const override { return false; }

 private:
  std::span<double> row_;
};

}  // namespace

RunHeader describe(const Model& model) {
  const auto system = dynamics::make_system(model);
  const dynamics::Channels channels(*system);
  RunHeader header;
  header.model = &model;
  header.channels = channels.list();
  header.width = channels.width();
  header.layout = system->layout();
  return header;
}

void observe_at(const Model& model, const State& stored, double time, std::span<double> row) {
  // No step is as short as what rounding leaves of an instant.
  if (time - stored.time <= 64 * std::numeric_limits<double>::epsilon() * std::abs(time)) {
    const auto system = dynamics::make_system(model);
    const dynamics::Channels channels(*system);
    dynamics::Snapshot snapshot;
    system->prepare(stored);
    if (!system->snapshot(stored, snapshot))
      throw IoError(
          fmt::format("the stored state at t = {:.9g} s cannot be evaluated", stored.time));
    channels.fill(snapshot, row);
    return;
  }
  RunOptions options;
  options.compile = false;  // not worth it for so short a way
  LastRow last(row);
  Observer* observers[] = {&last};
  // With its step memory, or at the start of the run, the state goes on with the very steps that
  // the run took, and what is asked for lies inside one of them.
  if (!stored.stepping.empty() || stored.time == model.simulation.start) {
    options.go_on = true;
    Simulator simulator(model, stored, observers, options);
    const bool there = simulator.advance(time) != Stopped::failed;
    const auto found = there ? simulator.snapshot() : std::span<const double>();
    if (found.empty())
      throw IoError(fmt::format("the run cannot be continued to t = {:.9g} s: {}", time,
                                simulator.result().reason));
    std::copy(found.begin(), found.end(), row.begin());
    return;
  }
  Model onwards = model;
  onwards.simulation.duration = time - model.simulation.start;
  onwards.simulation.output = onwards.simulation.duration;
  const RunResult result = run(onwards, stored, observers, options);
  if (result.time < time)
    throw IoError(
        fmt::format("the run cannot be continued to t = {:.9g} s: {}", time, result.reason));
}

}  // namespace freeplay
