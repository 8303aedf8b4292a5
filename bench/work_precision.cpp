// SPDX-License-Identifier: Apache-2.0
#include "dynamics/system.hpp"
#include "engine.hpp"
#include "support/models.hpp"
#include "support/paths.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

// Error against CPU time for both formulations, Freeplay's own integrators and those of SUNDIALS;
// and how the cost of one evaluation grows with the mechanism.
//   work_precision [largest CPU seconds of one run; default 20]
//   work_precision --growth    only the growth; fails when an exponent is 1.1 or more
//   work_precision --rows      one evaluation of what peers are measured on, for
//   bench/peers/table.py
namespace {

using namespace freeplay;

// ---------------------------------------------------------------- one evaluation

/// Seconds of one evaluation at a state: the least of five batches.
double evaluation(const Model& model, const State& state, bool compile = true) {
  const auto system = dynamics::make_system(model);
  if (!compile) system->keep_plain();
  system->prepare(state);
  VecX f(system->size());
  double best = 0;
  int count = 1;
  for (int batch = 0; batch < 6; ++batch) {
    const double start = bench::cpu_seconds();
    // Never twice at the same instant: a system remembers where it is.
    for (int k = 0; k < count; ++k)
      if (!system->derivative(state.time + (k % 2) * 1e-9, state.y.data(), state.memory.data(),
                              f.data()))
        return NAN;
    const double each = (bench::cpu_seconds() - start) / count;
    if (batch == 0)  // to find out how many fill 20 ms
      count = std::clamp(static_cast<int>(0.02 / std::max(each, 1e-9)), 3, 100000);
    else
      best = batch == 1 ? each : std::min(best, each);
  }
  return best;
}

struct Growth {
  const char* name;
  Model (*make)(int);
  Formulation formulation;
};

Model four_bars_at_rest(int windows) {
  Model model = testing::n_four_bar(windows);
  model.joints.front().start_speeds.clear();
  return model;
}

/// Seconds for N = 10 ... 10 000 and the slope of their logarithms; true when it is below 1.1. In
/// plain code, which is the same for all N; what small trees gain by being compiled comes last.
bool print_growth() {
  fmt::print("\none evaluation, microseconds\n{:<28} {:>10} {:>10} {:>10} {:>10} {:>9}\n", "N", 10,
             100, 1000, 10000, "exponent");
  bool linear = true;
  for (const Growth& growth :
       {Growth{"open chain, tree", testing::spherical_chain, Formulation::tree},
        Growth{"open chain, cartesian", testing::spherical_chain, Formulation::cartesian},
        Growth{"N-four-bar, cartesian", four_bars_at_rest, Formulation::cartesian},
        Growth{"clearance chain, tree", testing::clearance_chain, Formulation::tree},
        Growth{"clearance chain, cartesian", testing::clearance_chain, Formulation::cartesian}}) {
    fmt::print("{:<28}", growth.name);
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int n : {10, 100, 1000, 10000}) {
      Model model = growth.make(n);
      model.simulation.formulation = growth.formulation;
      const double seconds = evaluation(model, assemble(model).start, false);
      fmt::print(" {:>10.2f}", 1e6 * seconds);
      std::fflush(stdout);
      const double x = std::log10(n), y = std::log10(seconds);
      sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    const double exponent = (4 * sxy - sx * sy) / (4 * sxx - sx * sx);
    fmt::print(" {:>9.3f}\n", exponent);
    linear &= exponent < 1.1;
  }
  for (const Growth& growth :
       {Growth{"open chain, compiled", testing::spherical_chain, Formulation::tree},
        Growth{"clearance chain, compiled", testing::clearance_chain, Formulation::tree}}) {
    fmt::print("{:<28}", growth.name);
    for (int n : {10, 100}) {
      Model model = growth.make(n);
      model.simulation.formulation = growth.formulation;
      fmt::print(" {:>10.2f}", 1e6 * evaluation(model, assemble(model).start));
    }
    fmt::print("\n");
  }
  return linear;
}

void print_rows() {
  Model bar = bench::four_bar(true, true, 0.5);
  bar.simulation.tolerance = 1e-8;
  bar.simulation.formulation = Formulation::tree;
  const State touching = run(bar, assemble(bar).start, {}).final_state;
  bench::print_row("one evaluation, four-bar", "freeplay", "in contact", 0,
                   evaluation(bar, touching), 1);
  Model many = four_bars_at_rest(1000);
  bench::print_row("one evaluation, open chain", "freeplay", "1000-four-bar", 0,
                   evaluation(many, assemble(many).start), 1);
  Model chain = testing::spherical_chain(1000);
  chain.simulation.formulation = Formulation::tree;
  bench::print_row("one evaluation, open chain", "freeplay chain", "1000 links", 0,
                   evaluation(chain, assemble(chain).start), 1);
}

// ---------------------------------------------------------------- error against time

struct Case {
  std::string name;
  Model model;
  const char* path;
  int component;
};

Model press(double duration) {
  Model model = load_model(testing::source_dir() / "mechanisms/press.toml");
  model.simulation.duration = duration;
  return model;
}

void print_case(const Case& c, double time_limit) {
  const std::pair<const char*, Method> methods[] = {
      {"auto", Method::automatic},          {"dop853", Method::dop853},
      {"cvode-adams", Method::cvode_adams}, {"cvode-bdf", Method::cvode_bdf},
      {"arkode-erk", Method::arkode_erk},   {"arkode-dirk", Method::arkode_dirk}};
  Model model = c.model;
  model.simulation.tolerance = 1e-13;
  model.simulation.formulation = Formulation::automatic;
  model.simulation.method = Method::dop853;
  const double exact = bench::simulate(model, c.path, c.component, 10 * time_limit, 1).value;
  fmt::print("\n{}: {:.12f} m at tolerance 1e-13\n", c.name, exact);
  fmt::print("{:<10} {:<12} {:>9} {:>10} {:>10} {:>11} {:>8} {:>9}\n", "", "integrator",
             "tolerance", "error m", "CPU s", "evaluations", "steps", "jacobians");
  std::map<double, std::pair<double, std::string>> fastest;  // error reached -> CPU and who
  for (const auto& [formulation, key] :
       {std::pair{"tree", Formulation::tree}, std::pair{"cartesian", Formulation::cartesian}})
    for (const auto& [name, method] : methods)
      for (int digits = 6; digits <= 11; ++digits) {
        model.simulation.formulation = key;
        model.simulation.method = method;
        model.simulation.tolerance = std::pow(10.0, -digits);
        const bench::Outcome out = bench::simulate(model, c.path, c.component, time_limit);
        if (!out.ok) {
          fmt::print("{:<10} {:<12} {:>9.0e} stopped after {:.2f} s: {}\n", formulation, name,
                     model.simulation.tolerance, out.cpu, out.reason);
          break;
        }
        const double error = std::abs(out.value - exact);
        fmt::print("{:<10} {:<12} {:>9.0e} {:>10.1e} {:>10.4f} {:>11} {:>8} {:>9}\n", formulation,
                   name, model.simulation.tolerance, error, out.cpu, out.evaluations, out.steps,
                   out.jacobians);
        std::fflush(stdout);
        for (double goal : {3e-7, 3e-8, 6e-9}) {
          auto [at, first] = fastest.try_emplace(goal, out.cpu, "");
          if (error <= goal && (at->second.second.empty() || out.cpu < at->second.first))
            at->second = {out.cpu, fmt::format("{}, {}, tolerance {:.0e}", formulation, name,
                                               model.simulation.tolerance)};
        }
      }
  for (const auto& [goal, best] : fastest)
    if (!best.second.empty())
      fmt::print("fastest with error <= {:.0e} m: {:.4f} CPU s ({})\n", goal, best.first,
                 best.second);
}

/// After a few turns the motion has forgotten its digits: what can be compared is the cost of a
/// turn.
void print_hundred_turns() {
  fmt::print("\nslider-crank with play, 100 turns, auto\n{:>9} {:>13} {:>14} {:>9}\n", "tolerance",
             "ms a turn", "evaluations", "contacts");
  for (int digits = 6; digits <= 10; ++digits) {
    Model model = bench::slider_crank(100);
    model.simulation.tolerance = std::pow(10.0, -digits);
    const bench::Outcome out = bench::simulate(model, "bodies/slider/position", 0, 60);
    fmt::print("{:>9.0e} {:>13.3f} {:>14.0f} {:>9.2f}\n", model.simulation.tolerance, 10 * out.cpu,
               0.01 * static_cast<double>(out.evaluations),
               0.01 * static_cast<double>(out.contacts));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "--rows")) {
    print_rows();
    return 0;
  }
  const bool linear = print_growth();
  if (argc > 1 && !std::strcmp(argv[1], "--growth")) return linear ? 0 : 1;
  const double time_limit = argc > 1 ? std::atof(argv[1]) : 20;
  const char* const rocker = "bodies/rocker/position";
  for (const Case& c :
       {Case{"spatial four-bar, ideal, 2 s", bench::four_bar(false, false, 2), rocker, 2},
        Case{"spatial four-bar, frictionless, 0.2 s", bench::four_bar(true, false, 0.2), rocker, 2},
        Case{"spatial four-bar, friction, 2 s", bench::four_bar(true, true, 2), rocker, 2},
        Case{"slider-crank, 1 turn", bench::slider_crank(1), "bodies/slider/position", 0},
        Case{"press F4, 0.2 s (one turn)", press(0.2), "bodies/main_slider/position", 1}})
    print_case(c, time_limit);
  print_hundred_turns();
  return linear ? 0 : 1;
}
