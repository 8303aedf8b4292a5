// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include "support/paths.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace freeplay::bench {
namespace {

/// Keeps one component at the last point of the uniform grid.
class Last final : public Observer {
 public:
  Last(std::string path, int component) : path_(std::move(path)), component_(component) {}
  double value = 0;
  void begin(const RunHeader& header) override {
    for (const Channel& channel : header.channels)
      if (channel.path == path_) column_ = channel.offset + component_;
    if (column_ < 0) throw std::runtime_error("no series " + path_);
  }
  bool wants_peaks() const override { return false; }
  void uniform(double, std::span<const double> row) override {
    value = row[static_cast<std::size_t>(column_)];
  }

 private:
  std::string path_;
  int component_, column_ = -1;
};

}  // namespace

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Outcome simulate(Model model, const std::string& path, int component, double time_limit,
                 int repeats) {
  model.simulation.output = model.simulation.duration;
  Outcome best;
  const State start = assemble(model).start;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Last last(path, component);
    Observer* observers[] = {&last};
    RunOptions options;
    options.record_steps = false;
    options.time_limit = time_limit;
    const RunResult result = run(model, start, observers, options);
    const double cpu = result.stats.cpu_seconds;
    if (repeat == 0 || cpu < best.cpu)
      best = {result.status == RunStatus::done,
              result.reason,
              last.value,
              cpu,
              result.stats.evaluations,
              result.stats.steps,
              result.stats.jacobians,
              result.contacts};
    if (cpu > 0.5) break;  // long enough to be measured once
  }
  return best;
}

Model four_bar(bool play, bool friction, double duration) {
  Model model = load_model(testing::source_dir() / "bench/models/spatial_four_bar_clearance.toml");
  model.simulation.duration = duration;
  for (Joint& joint : model.joints) {
    if (joint.clearance && !friction) joint.clearance->friction.reset();
    if (!play) joint.clearance.reset();
  }
  return model;
}

Model slider_crank(double turns) {
  Model model = load_model(testing::source_dir() / "mechanisms/slider_crank.toml");
  model.simulation.duration = turns * 0.012;  // s, at 5000 rpm
  return model;
}

void print_row(const std::string& name, const std::string& who, const std::string& setting,
               double value, double cpu, std::int64_t evaluations) {
  fmt::print("row\t{}\t{}\t{}\t{:.15g}\t{:.6g}\t{}\n", name, who, setting, value, cpu, evaluations);
  std::fflush(stdout);
}

}  // namespace freeplay::bench
