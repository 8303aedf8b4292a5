// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include "support/paths.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

// What it costs that a rod bends: the slider-crank of examples/15_flexible_rod through its first
// three blows (verification/cases L5), each time at the loosest tolerance that has their peak
// forces to 1 % of those at 1e-11, against the rigid rod at its default tolerance. And how an
// evaluation and an implicit step grow with the number of elements of a beam. Fails beyond the
// bounds in main().
namespace {

using namespace freeplay;
using Overrides = std::vector<Override>;

struct Blows final : Observer {
  std::vector<double> peaks;  // N
  void impact(const Impact& impact) override { peaks.push_back(impact.peak_force); }
  bool wants_rows() const override { return false; }
};

struct Cost {
  std::vector<double> peaks;
  double cpu = 0;  // s, the least of the repeats
  std::int64_t evaluations = 0, steps = 0;
};

Cost cost_of(const Model& model, int repeats) {
  Cost best;
  const State start = assemble(model).start;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Blows blows;
    Observer* observers[] = {&blows};
    RunOptions options;
    options.record_steps = false;
    const double begin = bench::cpu_seconds();
    const RunResult result = run(model, start, observers, options);
    const double cpu = bench::cpu_seconds() - begin;
    if (result.status != RunStatus::done) throw std::runtime_error(result.reason);
    if (repeat == 0 || cpu < best.cpu)
      best = {blows.peaks, cpu, result.stats.evaluations, result.stats.steps};
  }
  return best;
}

Model rod(const Overrides& changes) {
  LoadOptions options{changes, nullptr};
  Model model =
      load_model(testing::source_dir() / "examples/15_flexible_rod/slider_crank.toml", options);
  model.simulation.output = model.simulation.duration;
  return model;
}

/// The largest relative difference of the first three peaks; 1 when there are not three.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3 || b.size() < 3) return 1;
  double worst = 0;
  for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, std::abs(a[i] / b[i] - 1));
  return worst;
}

/// Cost over that of the rigid rod, at the loosest tolerance that is good to 1 %.
double times_rigid(const char* name, const Overrides& changes, double rigid) {
  Model model = rod(changes);
  model.simulation.tolerance = 1e-11;
  const std::vector<double> exact = cost_of(model, 1).peaks;
  for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    model.simulation.tolerance = tolerance;
    const double off = difference(cost_of(model, 1).peaks, exact);
    if (off > 0.01) continue;
    const Cost cost = cost_of(model, 15);
    fmt::print("| {} | {:.0e} | {:.2g} % | {} | {} | {:.2f} | {:.1f} |\n", name, tolerance,
               100 * off, cost.steps, cost.evaluations, 1e3 * cost.cpu, cost.cpu / rigid);
    return cost.cpu / rigid;
  }
  throw std::runtime_error(fmt::format("{}: not good to 1 % at any tolerance", name));
}

/// A steel bar that falls from the horizontal about a pin at its end.
Model falling_bar(int elements, bool implicit) {
  return parse_model(fmt::format(R"(
[mechanism]
name = "falling bar"
planar = true
gravity = [0, -9.81]
[bodies.bar.flexible]
from = [0, 0]
to = [1, 0]
section = {{ width = "10 mm", height = "10 mm" }}
material = "steel"
method = "beam"
elements = {}
[joints.pin]
type = "revolute"
bodies = ["ground", "bar"]
at = [0, 0]
[simulation]
duration = "{} ms"
output = "0.01 ms"
tolerance = 1e-6
integrator = "{}"
{}
)",
                                 elements, implicit ? 2 : 0.01, implicit ? "radau" : "rk4",
                                 implicit ? "" : "step = \"0.02 us\""),
                     "falling_bar.toml");
}

/// Slope of log cost over log elements, by least squares.
double exponent(const std::vector<std::pair<double, double>>& costs) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [elements, cost] : costs) {
    const double x = std::log(elements), y = std::log(cost);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const auto n = static_cast<double>(costs.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

int main() try {
  const Override rigid{"bodies.rod.flexible", "false"};
  const Override four{"bodies.rod.flexible.modes", "4"};
  const Override beam{"bodies.rod.flexible.method", "\"beam\""};
  const Override eight{"bodies.rod.flexible.elements", "8"};
  fmt::print(
      "| rod | tolerance | off in force | steps | evaluations | CPU ms | times rigid "
      "|\n|---|---|---|---|---|---|---|\n");
  const auto rigid_row = [&](const char* name, Formulation formulation) {
    Model model = rod({rigid});
    model.simulation.formulation = formulation;
    const Cost cost = cost_of(model, 15);
    fmt::print("| {} | default | | {} | {} | {:.2f} | |\n", name, cost.steps, cost.evaluations,
               1e3 * cost.cpu);
    return cost;
  };
  rigid_row("rigid, joint coordinates, compiled", Formulation::tree);
  const Cost base = rigid_row("rigid, Cartesian", Formulation::cartesian);
  times_rigid("4 modes", {four}, base.cpu);
  times_rigid("10 modes", {}, base.cpu);
  times_rigid("beam, 8 elements", {beam, eight}, base.cpu);

  // Steps of Radau IIA are dense for beams: longer ones than this only take time.
  constexpr int kMostImplicit = 64;
  fmt::print("\n| elements | evaluation us | implicit step us |\n|---|---|---|\n");
  std::vector<std::pair<double, double>> evaluations, steps;
  for (const int elements : {4, 8, 16, 32, 64, 128, 256}) {
    const Cost many = cost_of(falling_bar(elements, false), 5);
    evaluations.emplace_back(elements, many.cpu / static_cast<double>(many.evaluations));
    fmt::print("| {} | {:.2f} | ", elements, 1e6 * evaluations.back().second);
    if (elements <= kMostImplicit) {
      const Cost implicit = cost_of(falling_bar(elements, true), 3);
      steps.emplace_back(elements, implicit.cpu / static_cast<double>(implicit.steps));
      fmt::print("{:.0f}", 1e6 * steps.back().second);
    }
    fmt::print(" |\n");
  }
  constexpr double kMost = 1.15;
  const double grows = exponent(evaluations);
  fmt::print("| exponent | {:.2f}, at most {} | {:.2f} |\n", grows, kMost, exponent(steps));
  return grows <= kMost ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "flexible_cost: {}\n", error.what());
  return 1;
}
