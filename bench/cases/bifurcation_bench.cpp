// SPDX-License-Identifier: Apache-2.0
#include "study/row.hpp"
#include "study/row_plan.hpp"
#include "support/paths.hpp"
#include "yardsticks/rkf78.hpp"
#include "yardsticks/slider_crank.hpp"
#include <freeplay/study.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <ctime>

// The bifurcation diagram of the slider-crank of verification/cases G: 500 clearances, 200 turns
// each. A sample of the rows tells the time of a turn and, from it, that of the whole, which is run
// last (a minute or two; --benchmark_filter=-whole leaves it out).
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

/// Where the slider of the yardstick is at the end; m.
double by_hand(double play, double stiffness, double duration) {
  yardstick::SliderCrank<> mechanism;
  mechanism.play = play;
  mechanism.stiffness = stiffness;
  auto y = mechanism.start();
  yardstick::Rkf78 integrator(mechanism, 1e-7);
  integrator.run(0, y, duration);
  return y[1];
}

/// The same clearances and turns by a program written for this one mechanism, at the same
/// tolerance, with its error after 3 ms of case G2: what an engine for all mechanisms competes
/// with.
void hand_derived(benchmark::State& state) {
  const study::Study s = study::read_study(study_path());
  const study::RowPlan plan(s);
  const double composite = 207e9 / (2 * (1 - 0.3 * 0.3)), radius = 0.010;  // of the model
  double seconds = 0;
  std::int64_t turns = 0;
  for (auto _ : state)
    for (std::int64_t i = 0; i < 8; ++i) {
      double c[1];
      plan.inputs((2 * i + 1) * plan.rows() / 16, c);
      const double begin = thread_seconds();
      by_hand(c[0], 4.0 / 3 * composite * std::sqrt(radius * (radius - c[0]) / c[0]),
              0.012 * static_cast<double>(state.range(0)));
      seconds += thread_seconds() - begin;
      turns += state.range(0);
    }
  const double known = by_hand(5e-4, 6.61e10, 0.003);
  state.counters["ms_per_turn"] = 1e3 * seconds / static_cast<double>(turns);
  state.counters["G2_error_um"] = 1e6 * std::abs(known - 0.108808278082);
}

void whole_diagram(benchmark::State& state) {
  StudyOptions options;
  options.output = std::filesystem::temp_directory_path() / "clearance_bifurcation.h5";
  options.workers = 2;
  std::int64_t told = 0;
  options.progress = [&](const StudyProgress& p) {  // a word every 50 rows
    if (p.done / 50 == told) return;
    told = p.done / 50;
    std::fprintf(stderr, "%lld of %lld rows\n", static_cast<long long>(p.done),
                 static_cast<long long>(p.total));
  };
  for (auto _ : state) {
    const StudySummary summary = run_study(study_path(), options);
    state.counters["failed_rows"] = static_cast<double>(summary.failed);
  }
}

/// 200 equal runs with one worker and with two: the share of two cores that does work.
void equal_runs(benchmark::State& state) {
  StudyOptions options;
  options.output = std::filesystem::temp_directory_path() / "equal_runs.h5";
  const auto seconds = [&](int workers) {
    options.workers = workers;
    const auto begin = std::chrono::steady_clock::now();
    run_study(testing::source_dir() / "bench/models/equal_runs.toml", options);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    std::filesystem::remove(options.output);
    return taken.count();
  };
  for (auto _ : state) {
    const double one = seconds(1), two = seconds(2);
    state.counters["rows_per_second"] = 200 / two;
    state.counters["efficiency"] = one / (2 * two);
  }
}

const bool registered = [] {
  benchmark::RegisterBenchmark("study/equal_runs", equal_runs)
      ->Iterations(1)
      ->Unit(benchmark::kSecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark("bifurcation/sample", sample_of_the_diagram)
      ->Arg(2)
      ->Arg(20)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("bifurcation/hand_derived", hand_derived)
      ->Arg(20)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("bifurcation/whole", whole_diagram)
      ->Iterations(1)
      ->Unit(benchmark::kSecond)
      ->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace freeplay
