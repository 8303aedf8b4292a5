// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/layout.hpp"
#include "dynamics/tree/tree.hpp"
#include "support/models.hpp"
#include "support/paths.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <benchmark/benchmark.h>

// Cost of one evaluation of the equations of motion in both formulations, and how it grows with the
// mechanism.
namespace freeplay {
namespace {

void evaluate(benchmark::State& state, Model model, Formulation formulation) {
  model.simulation.formulation = formulation;
  const State start = assemble(model).start;
  const auto system = dynamics::make_system(model);
  system->prepare(start);
  VecX f(system->size());
  int count = 0;
  for (auto _ : state) {
    // Never twice at the same instant: a system remembers where it is.
    bool ok = system->derivative(start.time + (++count % 2) * 1e-9, start.y.data(),
                                 start.memory.data(), f.data());
    benchmark::DoNotOptimize(ok);
  }
  const double bodies = static_cast<double>(model.bodies.size() - 1);
  state.counters["bodies"] = bodies;
  state.counters["states"] = system->size() - system->work_size();
  state.counters["ns_per_body"] =
      benchmark::Counter(bodies * static_cast<double>(state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Ratio of the cost per body (or per joint with play) is what must not grow.
void growing(benchmark::internal::Benchmark* b) {
  b->RangeMultiplier(10)->Range(10, 1000)->Unit(benchmark::kMicrosecond);
}

Model n_four_bar_at_rest(int windows) {
  Model model = testing::n_four_bar(windows);
  model.joints.front().start_speeds.clear();
  return model;
}
void n_four_bar(benchmark::State& state, Formulation formulation) {
  evaluate(state, n_four_bar_at_rest(static_cast<int>(state.range(0))), formulation);
}
BENCHMARK_CAPTURE(n_four_bar, cartesian, Formulation::cartesian)->Apply(growing);
BENCHMARK_CAPTURE(n_four_bar, tree, Formulation::tree)->Apply(growing);

void spherical_chain(benchmark::State& state, Formulation formulation) {
  evaluate(state, testing::spherical_chain(static_cast<int>(state.range(0))), formulation);
}
BENCHMARK_CAPTURE(spherical_chain, cartesian, Formulation::cartesian)->Apply(growing);
BENCHMARK_CAPTURE(spherical_chain, tree, Formulation::tree)->Apply(growing);

/// Links cut apart: every ball has play, and starts pressed against its socket.
void clearance_chain(benchmark::State& state, Formulation formulation) {
  evaluate(state, testing::clearance_chain(static_cast<int>(state.range(0))), formulation);
}
void counted(benchmark::internal::Benchmark* b) {
  for (int n : {2, 20, 200, 1000}) b->Arg(n);
  b->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(clearance_chain, cartesian, Formulation::cartesian)->Apply(counted);
BENCHMARK_CAPTURE(clearance_chain, tree, Formulation::tree)->Apply(counted);

void file(benchmark::State& state, const char* path, Formulation formulation) {
  Model model = load_model(testing::source_dir() / path);
  if (std::string_view(path).starts_with("mechanisms/"))  // ideal joints
    for (Joint& joint : model.joints) joint.clearance.reset();
  evaluate(state, model, formulation);
}
BENCHMARK_CAPTURE(file, spatial_four_bar_cartesian, "mechanisms/spatial_four_bar.toml",
                  Formulation::cartesian);
BENCHMARK_CAPTURE(file, spatial_four_bar_tree, "mechanisms/spatial_four_bar.toml",
                  Formulation::tree);
BENCHMARK_CAPTURE(file, spatial_four_bar_clearance_cartesian,
                  "bench/models/spatial_four_bar_clearance.toml", Formulation::cartesian);
BENCHMARK_CAPTURE(file, spatial_four_bar_clearance_tree,
                  "bench/models/spatial_four_bar_clearance.toml", Formulation::tree);
BENCHMARK_CAPTURE(file, slider_crank_cartesian, "mechanisms/slider_crank.toml",
                  Formulation::cartesian);
BENCHMARK_CAPTURE(file, slider_crank_tree, "mechanisms/slider_crank.toml", Formulation::tree);

}  // namespace
}  // namespace freeplay
