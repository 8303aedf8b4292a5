// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <benchmark/benchmark.h>

// A slider-crank at 5000 rpm whose pin runs in oil, the film solved for or looked up at every
// evaluation: time per turn of the crank.
namespace freeplay {
namespace {

constexpr double kTurn = 0.012;  // s

/// Argument: turns.
void oiled(benchmark::State& state, const std::vector<Override>& changes) {
  LoadOptions options;
  options.overrides = changes;
  Model model = load_model(testing::source_dir() / "bench/models/oiled_slider_crank.toml", options);
  const auto turns = static_cast<double>(state.range(0));
  model.simulation.duration = turns * kTurn;
  const State start = assemble(model).start;
  RunResult result;
  for (auto _ : state) {
    result = run(model, start, {}, {});
    if (result.status != RunStatus::done) {
      state.SkipWithError(result.reason.c_str());
      return;
    }
  }
  state.counters["ms_per_turn"] = 1e3 * result.stats.cpu_seconds / turns;
  state.counters["evaluations_per_turn"] = static_cast<double>(result.stats.evaluations) / turns;
  state.counters["energy_residual"] = result.energy_residual / result.energy_scale;
}

const bool registered = [] {
  const auto law = [](const char* key) {
    return std::vector<Override>{{"joints.pin.clearance.film.law", key}};
  };
  const std::pair<const char*, std::vector<Override>> cases[] = {
      {"oiled/reynolds", {}},
      {"oiled/reynolds-guembel", law("reynolds-guembel")},
      {"oiled/tabulated", {{"joints.pin.clearance.film.tabulated", "true"}}}};
  for (const auto& [name, changes] : cases)
    benchmark::RegisterBenchmark(name, oiled, changes)
        ->Arg(1)
        ->Arg(100)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace freeplay
