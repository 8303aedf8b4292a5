// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include <freeplay/load.hpp>
#include <freeplay/study.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

// The life of a slider-crank whose rod pins wear on all four of their surfaces: seconds for the
// whole of it.
namespace freeplay {
namespace {

/// Argument: cycles after which it ends at the latest.
void life(benchmark::State& state) {
  const Model model = load_model(testing::source_dir() / "examples/13_wear/slider_crank.toml", {});
  StudyOptions options;
  options.output = testing::scratch_dir() / "life.h5";
  StudySummary summary;
  for (auto _ : state) {
    summary = run_study(model,
                        fmt::format("kind = \"wear\"\ncycle = \"0.2 s\"\nuntil = {{ cycles = {}, "
                                    "clearance = \"0.3 mm\" }}\n",
                                    state.range(0)),
                        options);
    for (const StudyFailure& failure : summary.failures) {
      state.SkipWithError(failure.error.c_str());
      return;
    }
  }
  for (const StudyNumber& number : summary.numbers)
    for (const char* name : {"end", "ended_by", "simulated_cycles"})
      if (number.name == std::string("life/") + name) state.counters[name] = number.values[0];
}

BENCHMARK(life)->Arg(1000)->Arg(1000000)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace freeplay
