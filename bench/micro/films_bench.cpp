// SPDX-License-Identifier: Apache-2.0
#include "films/evaluate.hpp"

#include <benchmark/benchmark.h>

// What a film costs per evaluation inside a run: value, and value with derivatives; a journal on an
// orbit, so that the wet set moves as it would.
namespace freeplay::films {
namespace {

template <class L>
const L& ready() {
  static const L law = [] {
    L out;
    out.prepare(L::sample_site);
    return out;
  }();
  return law;
}

FilmMotion<> orbit(int i, double c) {
  const double a = 0.003 * i, w = 50;
  return {0.6 * c * std::cos(a),
          0.6 * c * std::sin(a),
          -0.6 * c * w * std::sin(a),
          0.6 * c * w * std::cos(a),
          0,
          300};
}

template <class L>
void value(benchmark::State& state) {
  const L& law = ready<L>();
  int i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(law.force(orbit(++i, law.c)).fx);
}

template <class L>
void with_derivatives(benchmark::State& state) {
  const FilmLaw law = ready<L>();
  const double c = ready<L>().c;
  int i = 0;
  for (auto _ : state) {
    const FilmMotion<> m = orbit(++i, c);
    const FilmMotion<PairDual> d{PairDual::variable(m.ex, 0),     PairDual::variable(m.ey, 1),
                                 PairDual::variable(m.ex_dot, 2), PairDual::variable(m.ey_dot, 3),
                                 PairDual::variable(0, 4),        PairDual::variable(300, 5)};
    benchmark::DoNotOptimize(journal_force(law, d).fx.value);
  }
}

// 64 x 16 intervals, the default.
BENCHMARK(value<ShortBearing>);
BENCHMARK(with_derivatives<ShortBearing>);
BENCHMARK(value<LongBearing>);
BENCHMARK(with_derivatives<LongBearing>);
BENCHMARK(value<MoesMobility>);
BENCHMARK(value<ReynoldsSwiftStieber>)->Unit(benchmark::kMicrosecond);
BENCHMARK(with_derivatives<ReynoldsSwiftStieber>)->Unit(benchmark::kMicrosecond);
BENCHMARK(value<ReynoldsGuembel>)->Unit(benchmark::kMicrosecond);
BENCHMARK(with_derivatives<ReynoldsGuembel>)->Unit(benchmark::kMicrosecond);
BENCHMARK(value<ReynoldsMassConserving>)->Unit(benchmark::kMicrosecond);
BENCHMARK(with_derivatives<ReynoldsMassConserving>)->Unit(benchmark::kMicrosecond);

void tabulated(benchmark::State& state) {
  static const ReynoldsSwiftStieber law = [] {
    ReynoldsSwiftStieber out;
    out.tabulated = true;
    out.prepare(kOilJournal);
    return out;
  }();
  int i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(law.force(orbit(++i, law.c)).fx);
}
BENCHMARK(tabulated);

}  // namespace
}  // namespace freeplay::films
