// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian.hpp"
#include "support/models.hpp"
#include "support/paths.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <benchmark/benchmark.h>

// Cost of one evaluation of the equations of motion, and how it grows with the mechanism.
namespace freeplay {
namespace {

void evaluate(benchmark::State& state, const Model& model) {
  const Assembly assembly = assemble(model);
  dynamics::Cartesian system(model);
  system.prepare(assembly.start);
  VecX f(system.size());
  for (auto _ : state) {
    bool ok = system.derivative(assembly.start.time, assembly.start.y.data(),
                                assembly.start.memory.data(), f.data());
    benchmark::DoNotOptimize(ok);
  }
  const double bodies = static_cast<double>(model.bodies.size() - 1);
  state.counters["bodies"] = bodies;
  state.counters["rows"] = system.rows();
  state.counters["ns_per_body"] =
      benchmark::Counter(bodies * static_cast<double>(state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void n_four_bar(benchmark::State& state) {
  evaluate(state, testing::n_four_bar(static_cast<int>(state.range(0))));
}
BENCHMARK(n_four_bar)->RangeMultiplier(10)->Range(10, 1000)->Unit(benchmark::kMicrosecond);

void spherical_chain(benchmark::State& state) {
  evaluate(state, testing::spherical_chain(static_cast<int>(state.range(0))));
}
BENCHMARK(spherical_chain)->RangeMultiplier(10)->Range(10, 1000)->Unit(benchmark::kMicrosecond);

void spatial_four_bar(benchmark::State& state) {
  evaluate(state, load_model(testing::source_dir() / "mechanisms" / "spatial_four_bar.toml"));
}
BENCHMARK(spatial_four_bar)->Unit(benchmark::kMicrosecond);

void slider_crank(benchmark::State& state) {
  evaluate(state, load_model(testing::source_dir() / "mechanisms" / "slider_crank.toml"));
}
BENCHMARK(slider_crank)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace freeplay
