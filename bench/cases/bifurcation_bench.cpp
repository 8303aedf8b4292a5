// SPDX-License-Identifier: Apache-2.0
#include "study/row.hpp"
#include "study/row_plan.hpp"
#include "support/paths.hpp"
#include <freeplay/study.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>

// The bifurcation diagram of the slider-crank of cases.md G: 500 clearances, 200 turns each. A
// sample of the rows tells the time of a turn and, from it, that of the whole;
// FREEPLAY_FULL_STUDY=1 runs the whole.
namespace freeplay {
namespace {

std::filesystem::path study_path() {
  return testing::source_dir() / "bench/models/clearance_bifurcation.toml";
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Argument: turns of each of eight rows spread over the range.
void sample_of_the_diagram(benchmark::State& state) {
  study::Study s = study::read_study(study_path());
  const study::RowPlan plan(s);
  const int all_turns = s.transient + s.record;
  s.transient = 0;
  s.record = static_cast<int>(state.range(0));
  double seconds = 0;
  std::int64_t turns = 0, failed = 0;
  for (auto _ : state)
    for (std::int64_t i = 0; i < 8; ++i) {
      double inputs[1];
      plan.inputs((2 * i + 1) * plan.rows() / 16, inputs);
      const double begin = thread_seconds();
      const study::RowOutcome row = study::run_row(s, inputs, nullptr);
      seconds += thread_seconds() - begin;
      turns += s.record;
      failed += row.status == study::RowStatus::done ? 0 : 1;
    }
  const double per_turn = seconds / static_cast<double>(turns);
  state.counters["ms_per_turn"] = 1e3 * per_turn;
  state.counters["minutes_on_2_cores"] =
      per_turn * static_cast<double>(plan.rows() * all_turns) / 2 / 60;
  state.counters["failed_rows"] = static_cast<double>(failed);
}

void whole_diagram(benchmark::State& state) {
  StudyOptions options;
  options.output = std::filesystem::temp_directory_path() / "clearance_bifurcation.h5";
  options.workers = 2;
  for (auto _ : state) {
    const StudySummary summary = run_study(study_path(), options);
    state.counters["failed_rows"] = static_cast<double>(summary.failed);
  }
}

const bool registered = [] {
  benchmark::RegisterBenchmark("bifurcation/sample", sample_of_the_diagram)
      ->Arg(2)
      ->Arg(20)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  if (std::getenv("FREEPLAY_FULL_STUDY"))
    benchmark::RegisterBenchmark("bifurcation/whole", whole_diagram)
        ->Iterations(1)
        ->Unit(benchmark::kSecond)
        ->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace freeplay
