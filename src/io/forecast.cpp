// SPDX-License-Identifier: Apache-2.0
#include "io/forecast.hpp"

#include "io/record_choice.hpp"
#include "io/step_thinning.hpp"
#include <freeplay/result.hpp>

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <vector>

namespace freeplay::io {
namespace {

namespace fs = std::filesystem;

/// chosen: a trial sees the first part of a run, whose rest may have several times its contacts
constexpr double kAnotherMotion = 2.5;
/// Numbers that repeat are packed to nothing, others hardly; and the rest of a run may be another
/// motion.
constexpr double kOtherNumbers = 1.5;

/// A folder of its own, gone with everything in it in the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "freeplay-trial-XXXXXX").string();
    if (!mkdtemp(name.data())) throw IoError("cannot make a folder in " + name);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// Notes when the run is where.
class Pace final : public Observer {
 public:
  void step(const State& state, std::span<const double>, const StepInfo&) override {
    times_.push_back(state.time);
    if (times_.size() == 1 || times_.size() % 16 == 0) seconds_.push_back({state.time, now()});
  }
  [[nodiscard]] bool wants_rows() const override { return false; }
  [[nodiscard]] std::size_t steps() const { return times_.size(); }
  /// CPU seconds for a second of the motion: on the whole, and in its later half.
  [[nodiscard]] std::pair<double, double> rates() const {
    const auto rate = [&](std::size_t from) {
      const Mark &a = seconds_[from], &b = seconds_.back();
      return b.time > a.time ? (b.cpu - a.cpu) / (b.time - a.time) : 0.0;
    };
    return {rate(0), rate(seconds_.size() / 2)};
  }
  static double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

 private:
  struct Mark {
    double time, cpu;
  };
  std::vector<double> times_;
  std::vector<Mark> seconds_;
};

Band around(double value, double factor) { return {value, value / factor, value * factor}; }

}  // namespace

Forecast forecast(const Model& model, const State& start, const Record& record,
                  double cpu_seconds) {
  Forecast out;
  const Simulation& run_of = model.simulation;
  const Folder folder;
  const fs::path file = folder / "trial.h5";
  Pace pace;
  const double begin = Pace::now();
  RunOptions options;
  options.time_limit = cpu_seconds;
  RunResult trial;
  fs::path written;
  std::size_t step_rows = 0, grid_rows = 0;
  {
    Recorder recorder(file, {.command = "freeplay check", .record = record});
    Observer* const observers[] = {&recorder, &pace};
    trial = run(model, start, observers, options);
    written = recorder.path();
  }
  out.spent = Pace::now() - begin;
  out.simulated = trial.time - run_of.start;
  if (trial.status == RunStatus::failed || trial.status == RunStatus::audit_broken) {
    out.reason = trial.reason;
    return out;
  }
  const auto size = static_cast<double>(fs::file_size(written));
  out.whole = trial.status == RunStatus::done;
  if (out.whole) {
    out.seconds = {out.spent, out.spent, out.spent};
    out.bytes = {size, size, size};
    return out;
  }
  if (!(out.simulated > 0) || pace.steps() < 8) {
    out.reason = fmt::format("the trial of {:.2g} CPU s did not get anywhere", cpu_seconds);
    return out;
  }

  const auto [whole, lately] = pace.rates();
  const double left = run_of.duration - out.simulated;
  out.seconds.value = out.spent + left * lately;
  out.seconds.low = out.spent + left * std::min(whole, lately) / kAnotherMotion;
  out.seconds.high = out.spent + left * std::max(whole, lately) * kAnotherMotion;

  // Bytes go with the rows; what the file has without any stays.
  {
    const Result stored(written);
    step_rows = stored.rows(false);
    grid_rows = stored.rows(true);
  }
  const RunHeader header = describe(model);
  double on_grid = 8, at_step = 8 * (8.0 + header.layout->y_size() + header.layout->memory_size());
  int width = 0;
  std::size_t series = 0;
  for (const Channel& c : chosen_channels(record, header.channels)) {
    on_grid += 8 * c.width;
    at_step += 8 * c.width;
    width += c.width;
    ++series;
  }
  const double output = run_of.output > 0 ? run_of.output : run_of.duration / 1000;
  const double scale = run_of.duration / out.simulated;
  double steps = scale * static_cast<double>(pace.steps());
  if (!record.steps)
    steps = at_step = 0;
  else if (record.every > 0)
    steps = scale * static_cast<double>(step_rows);
  else
    steps = std::min(steps, 0.8 * static_cast<double>(most_step_rows(width)));
  constexpr double kPerSeries = 1800;  // names, units and the index of its chunks, grid and steps
  const double bare = kPerSeries * static_cast<double>(series);
  const double raw = on_grid * static_cast<double>(grid_rows) +
                     at_step * static_cast<double>(record.steps ? step_rows : 0);
  const double packed = std::clamp((size - bare) / std::max(raw, 1.0), 0.1, 1.0);
  const double numbers = on_grid * (run_of.duration / output + 1) + at_step * steps;
  out.bytes = around(bare + packed * numbers, kOtherNumbers);
  return out;
}

}  // namespace freeplay::io
