// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include "four_bar.hpp"
#include "rkf78.hpp"
#include "slider_crank.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

// The engine against programs derived by hand for one mechanism each.
//   yardsticks                   rows of both over the tolerances, for bench/peers/table.py
//   yardsticks --check           only that both compute the same, for the test suite
//   yardsticks --slider-crank    only its rows over many clearances and turns
//   yardsticks --engine CASE TOLERANCE    one run of the engine alone, to be profiled
//   yardsticks --csv FILE TOLERANCE       the four-bar with friction by hand, 2 s, its steps as
//   text
namespace {

using namespace freeplay;
namespace fb = freeplay::bench;

/// Tolerance of the reference, which is computed with more digits.
constexpr double kReference = 1e-17;

struct Measured {
  double value = 0, cpu = 0;
  long evaluations = 0;
};

template <class Mechanism, class Watch>
Measured by_hand(const Mechanism& mechanism, double duration, double tolerance, Watch watch,
                 int repeats = 5) {
  Measured best;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Mechanism m = mechanism;
    yardstick::Rkf78<Mechanism> stepper(m, tolerance);
    auto y = m.start();
    const double start = fb::cpu_seconds();
    stepper.run(0, y, duration);
    const double cpu = fb::cpu_seconds() - start;
    if (repeat == 0 || cpu < best.cpu)
      best = {static_cast<double>(watch(m, y.data())), cpu, stepper.cost.evaluations};
  }
  return best;
}

struct Case {
  const char* name;
  Model model;
  const char* path;
  int component;
  std::function<Measured(double)> hand;
  // How far the two may differ where both are converged; m. Beyond it is the growth of round-off.
  double agreement;
  // To compare results, a time at which the motion has not yet forgotten its digits.
  Model early;
  std::function<Measured(double)> early_hand;
};

std::vector<Case> all_cases() {
  const auto height = [](const auto& m, const auto* y) { return m.height(y); };
  const auto place = [](const auto&, const auto* y) { return y[1]; };
  // Below 1e-13 it is the reference, with the digits for it.
  const auto bar = [=](bool friction, double duration) {
    return [=](double tolerance) {
      if (tolerance < 1e-13)
        return by_hand(yardstick::FourBar<long double>(friction), duration, tolerance, height, 1);
      return by_hand(yardstick::FourBar<>(friction), duration, tolerance, height);
    };
  };
  const auto slider = [=](double turns) {
    return [=](double tolerance) {
      if (tolerance < 1e-13)
        return by_hand(yardstick::SliderCrank<long double>(), 0.012 * turns, tolerance, place, 1);
      return by_hand(yardstick::SliderCrank<>(), 0.012 * turns, tolerance, place);
    };
  };
  return {{"four-bar friction 2 s", fb::four_bar(true, true, 2), "bodies/rocker/position", 2,
           bar(true, 2), 1e-10, fb::four_bar(true, true, 0.2), bar(true, 0.2)},
          {"four-bar friction 0.2 s", fb::four_bar(true, true, 0.2), "bodies/rocker/position", 2,
           bar(true, 0.2), 1e-10, fb::four_bar(true, true, 0.1), bar(true, 0.1)},
          {"four-bar frictionless 0.2 s", fb::four_bar(true, false, 0.2), "bodies/rocker/position",
           2, bar(false, 0.2), 1e-10, fb::four_bar(true, false, 0.1), bar(false, 0.1)},
          {"slider-crank 1 turn", fb::slider_crank(1), "bodies/slider/position", 0, slider(1),
           1e-10, fb::slider_crank(0.25), slider(0.25)}};
}

Model with(Model model, double tolerance) {
  model.simulation.tolerance = tolerance;
  model.simulation.formulation = Formulation::automatic;
  model.simulation.method = Method::automatic;
  return model;
}

/// The slider-crank over one turn and over a hundred. The error of a single motion through thirty
/// impacts is a matter of luck: it is the geometric mean over one turn with each of sixteen
/// clearances. A hundred turns are chaos, without digits to compare, but they tell what a turn
/// costs once everything is under way.
void print_slider_crank() {
  const char* const one = "slider-crank, 16 clearances";
  const char* const many = "slider-crank, 1 of 100 turns";
  constexpr int kCount = 16;
  const auto play_of = [](int k) { return 0.3e-3 + 0.02e-3 * k; };
  const auto watch = [](const auto&, const auto* y) { return y[1]; };
  const auto hand = [&]<class Number>(Number, double play, double turns, double tolerance,
                                      int repeats = 5) {
    yardstick::SliderCrank<Number> mechanism;
    mechanism.play = play;
    return by_hand(mechanism, 0.012 * turns, tolerance, watch, repeats);
  };
  const auto engine = [&](double play, double turns, double tolerance) {
    Model model = with(fb::slider_crank(turns), tolerance);
    for (Joint& joint : model.joints)
      if (joint.clearance) joint.clearance->inner_radius = joint.clearance->outer_radius - play;
    const fb::Outcome out = fb::simulate(std::move(model), "bodies/slider/position", 0, 60);
    return Measured{out.value, out.cpu, out.evaluations};
  };
  std::vector<double> exact;
  for (int k = 0; k < kCount; ++k) exact.push_back(hand(0.0L, play_of(k), 1, kReference, 1).value);
  for (const char* name : {one, many}) fb::print_row(name, "reference", "by hand", 0, 0, 0);
  const auto print = [&](const char* who, double tolerance, auto&& measure) {
    const std::string setting = fmt::format("{:.1e}", tolerance);
    double log_error = 0, cpu = 0;
    long evaluations = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
      const Measured m = measure(play_of(static_cast<int>(k)), 1);
      log_error += std::log(std::max(std::abs(m.value - exact[k]), 1e-16));
      cpu += m.cpu;
      evaluations += m.evaluations;
    }
    const double error = std::exp(log_error / kCount);
    fb::print_row(one, who, setting, error, cpu / kCount, evaluations / kCount);
    const Measured m = measure(0.5e-3, 100);
    fb::print_row(many, who, setting, error, 0.01 * m.cpu, m.evaluations / 100);
  };
  // Ours in quarters of a decade: a run of theirs is compared with the fastest of ours that is no
  // less accurate, which should not be much more accurate either.
  for (int quarter = 20; quarter <= 48; ++quarter) {
    const double tolerance = std::pow(10.0, -0.25 * quarter);
    if (quarter % 2 == 0)
      print("by hand", tolerance,
            [&](double play, double turns) { return hand(0.0, play, turns, tolerance); });
    print("freeplay", tolerance,
          [&](double play, double turns) { return engine(play, turns, tolerance); });
  }
}

/// The same mechanism by two programs that share nothing: their converged results must agree.
bool agree(const Case& c) {
  const double hand = c.early_hand(kReference).value;
  const double engine = fb::simulate(with(c.early, 1e-12), c.path, c.component, 60, 1).value;
  const bool good = std::abs(hand - engine) <= c.agreement;
  fmt::print("{:<28} at {:g} s: by hand {:.13f}, engine {:.13f}, difference {:.1e} m: {}\n", c.name,
             c.early.simulation.duration, hand, engine, std::abs(hand - engine),
             good ? "agree" : "DIFFER");
  return good;
}

/// What a program written for one mechanism does with its results: a line for each step, with the
/// state and its rate.
int write_csv(const char* file, double tolerance) {
  std::FILE* out = std::fopen(file, "w");
  if (!out) return 1;
  yardstick::FourBar<> m(true);
  yardstick::Rkf78<yardstick::FourBar<>> stepper(m, tolerance);
  auto y = m.start();
  auto f = y;
  stepper.run(0, y, 2, [&](double t, const auto& now) {
    m.derivative(t, now.data(), f.data());
    std::fprintf(out, "%.15g", t);
    for (const double x : now) std::fprintf(out, ",%.15g", x);
    for (const double x : f) std::fprintf(out, ",%.15g", x);
    std::fputc('\n', out);
  });
  return std::fclose(out) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3 && !std::strcmp(argv[1], "--csv")) return write_csv(argv[2], std::atof(argv[3]));
  const bool only_check = argc > 1 && !std::strcmp(argv[1], "--check");
  if (argc > 3 && !std::strcmp(argv[1], "--engine")) {
    const Case c = all_cases().at(static_cast<std::size_t>(std::atoi(argv[2])));
    const auto out = fb::simulate(with(c.model, std::atof(argv[3])), c.path, c.component, 60, 1);
    fmt::print("{}: {} steps, {} evaluations, {} Jacobians, {:.4f} CPU s, result {:.12f}\n", c.name,
               out.steps, out.evaluations, out.jacobians, out.cpu, out.value);
    if (!out.ok) fmt::print("{}\n", out.reason);
    return out.ok ? 0 : 1;
  }
  if (argc > 1 && !std::strcmp(argv[1], "--slider-crank")) {
    print_slider_crank();
    return 0;
  }
  bool good = true;
  for (const Case& c : all_cases()) {
    good &= agree(c);
    if (only_check) continue;
    fb::print_row(c.name, "reference", "by hand", c.hand(kReference).value, 0, 0);
    for (int half = 12; half <= 24; ++half) {
      const double tolerance = std::pow(10.0, -0.5 * half);
      const std::string setting = fmt::format("{:.0e}", tolerance);
      const Measured m = c.hand(tolerance);
      fb::print_row(c.name, "by hand", setting, m.value, m.cpu, m.evaluations);
      const fb::Outcome out = fb::simulate(with(c.model, tolerance), c.path, c.component, 60);
      if (out.ok) fb::print_row(c.name, "freeplay", setting, out.value, out.cpu, out.evaluations);
    }
  }
  if (!only_check) print_slider_crank();
  return good ? 0 : 1;
}
