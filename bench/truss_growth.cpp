// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include "integrate/klu_factors.hpp"
#include "integrate/sparse_jacobian.hpp"
#include "sim/trajectory.hpp"
#include "support/trusses.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// How the cost of large mechanisms with play grows: scissor masts of 40 to 1000 pins, each with
// clearance and friction, of which those near the root touch first; and rings as large, in which
// all of them touch at once. One evaluation, one Jacobian, one factorisation (the three of a Radau
// step), CPU time per simulated millisecond and the memory of a process that does nothing else.
//   truss_growth [MILLISECONDS [LARGEST]]   simulated (half of that for rings); largest number of
//                                           pins
// Fails when a cost grows faster than the bounds at the end.
namespace {

using namespace freeplay;

struct Row {
  double pins = 0, states = 0;
  double evaluation = 0, jacobian = 0, factorisation = 0;  // s
  double run = 0;                                          // CPU s per simulated s
  double memory = 0;                                       // bytes, of the whole process
  double steps = 0, evaluations = 0, jacobians = 0, events = 0;
};

/// Seconds of one call: the least of five batches of at least 20 ms.
template <class Work>
double seconds_of(Work&& work) {
  double best = 0;
  int count = 1;
  for (int batch = 0; batch < 6; ++batch) {
    const double start = bench::cpu_seconds();
    for (int k = 0; k < count; ++k) work(k);
    const double each = (bench::cpu_seconds() - start) / count;
    if (batch == 0)
      count = std::clamp(static_cast<int>(0.02 / std::max(each, 1e-9)), 3, 100000);
    else
      best = batch == 1 ? each : std::min(best, each);
  }
  return best;
}

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

template <class T>
void factorise(integrate::KluFactors<T>& factors, const integrate::SparseJacobian& jacobian,
               const T& diagonal) {
  for (std::size_t p = 0; p < factors.values().size(); ++p)
    factors.values()[p] = -jacobian.values()[p];
  for (const int p : jacobian.diagonal()) factors.values()[static_cast<std::size_t>(p)] += diagonal;
  if (!factors.factorise()) std::abort();
}

Row measure(bool mast, int units, double duration) {
  Model model = mast ? testing::scissor_mast(units) : testing::ring_truss(units);
  model.simulation.duration = duration;
  model.simulation.output = duration;
  Row row;
  row.pins = 3 * units - (mast ? 2 : 0);
  const RunResult result = run(model, assemble(model).start, {});
  if (!result.reason.empty()) fmt::print(stderr, "{}\n", result.reason);
  row.run = result.stats.cpu_seconds / result.time;
  row.steps = static_cast<double>(result.stats.steps);
  row.evaluations = static_cast<double>(result.stats.evaluations);
  row.jacobians = static_cast<double>(result.stats.jacobians);
  row.events = static_cast<double>(result.stats.events);
  row.memory = peak_memory();

  // Where the run ended, in contact.
  State state = result.final_state;
  const auto system = dynamics::make_system(model);
  system->keep_plain();
  system->prepare(state);
  const auto trajectory = sim::make_trajectory(*system, state);
  const VecX y = trajectory->reduce(state);
  VecX slope(y.size()), moved(y.size()), rate(y.size());
  row.states = static_cast<double>(y.size());
  const auto rhs = [&](double t, const VecX& at, VecX& f) {
    return trajectory->rhs(t, at.data(), f.data());
  };
  row.evaluation = seconds_of([&](int k) {  // never twice at the same instant
    if (!rhs(state.time + (k % 2) * 1e-9, y, slope)) std::abort();
  });
  integrate::SparseJacobian jacobian(trajectory->structure());
  row.jacobian = seconds_of([&](int) {
    const auto evaluate = [&](const VecX& at, VecX& f) { return rhs(state.time, at, f); };
    if (!evaluate(y, slope) || !jacobian.find(y, slope, moved, rate, evaluate)) std::abort();
  });
  integrate::KluFactors<double> real(jacobian.starts(), jacobian.rows());
  integrate::KluFactors<std::complex<double>> one(jacobian.starts(), jacobian.rows()),
      other(jacobian.starts(), jacobian.rows());
  row.factorisation = seconds_of([&](int k) {
    const double rate_of_step = 1e5 * (1 + 0.1 * (k % 2));  // 1/h of steps of 10 us
    factorise(real, jacobian, 6 * rate_of_step);
    factorise(one, jacobian, std::complex<double>(3.7, 8.7) * rate_of_step);
    factorise(other, jacobian, std::complex<double>(5.7, 4.2) * rate_of_step);
  });
  return row;
}

/// In a process of its own, whose memory is nobody else's.
Row measure_apart(bool mast, int units, double duration) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const Row row = measure(mast, units, duration);
    const bool sent = write(ends[1], &row, sizeof row) == static_cast<ssize_t>(sizeof row);
    _exit(sent ? 0 : 1);
  }
  Row row;
  close(ends[1]);
  if (read(ends[0], &row, sizeof row) != static_cast<ssize_t>(sizeof row)) std::exit(1);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return row;
}

/// Slope of the logarithms over those of the pins.
double exponent(const std::vector<Row>& rows, double Row::*what) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  for (const Row& row : rows) {
    const double x = std::log(row.pins), y = std::log(row.*what);
    sx += x, sy += y, sxx += x * x, sxy += x * y, n += 1;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Prints a table and its exponents; false when one exceeds its bound.
bool holds_bounds(bool mast, double duration, int largest) {
  fmt::print(
      "{}, {:g} ms\n| pins | states | evaluation us | Jacobian ms | factorisation ms | CPU ms per "
      "ms | "
      "peak MB | steps | evaluations | Jacobians | events "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      mast ? "scissor mast" : "ring truss", 1e3 * duration);
  std::vector<Row> rows;
  for (const int units : {14, 34, 134, 334}) {
    if (3 * units - 2 > largest) break;
    rows.push_back(measure_apart(mast, units, duration));
    const Row& r = rows.back();
    fmt::print("| {} | {} | {:.1f} | {:.2f} | {:.2f} | {:.1f} | {:.1f} | {} | {} | {} | {} |\n",
               r.pins, r.states, 1e6 * r.evaluation, 1e3 * r.jacobian, 1e3 * r.factorisation, r.run,
               1e-6 * r.memory, r.steps, r.evaluations, r.jacobians, r.events);
    std::fflush(stdout);
  }
  if (rows.size() < 2) return true;
  struct Bound {
    const char* name;
    double Row::*what;
    double most;
  };
  bool held = true;
  for (const Bound& bound :
       {Bound{"evaluation", &Row::evaluation, 1.1}, Bound{"Jacobian", &Row::jacobian, 1.1},
        Bound{"factorisation", &Row::factorisation, 1.1},
        Bound{"CPU per simulated time", &Row::run, 1.3}, Bound{"memory", &Row::memory, 1.0}}) {
    const double found = exponent(rows, bound.what);
    fmt::print("{}: exponent {:.2f}, at most {}\n", bound.name, found, bound.most);
    held &= found <= bound.most;
  }
  return held;
}

}  // namespace

int main(int argc, char** argv) {
  const double duration = 1e-3 * (argc > 1 ? std::atof(argv[1]) : 20);
  const int largest = argc > 2 ? std::atoi(argv[2]) : 1000;
  const bool mast = holds_bounds(true, duration, largest),
             ring = holds_bounds(false, 0.5 * duration, largest);
  return mast && ring ? 0 : 1;
}
