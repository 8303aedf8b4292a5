// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/result.hpp>

#include <cmath>
#include <string>
#include <vector>

// A run without physics: rows that follow from their number, so that a test knows each of them.
namespace freeplay::testing {

struct SyntheticRun {
  Model model;
  RunHeader header;
  double step = 0.01;  // s; a uniform point lies at the middle of each step, an event at every 10th

  SyntheticRun() {
    model.name = "synthetic";
    model.source = "# as given\n";
    model.joints.resize(1);
    model.joints[0].name = "pin";
    header.model = &model;
    header.channels = {
        {"bodies/rod/position", "m", "position of the centre of mass", "global", 3, 0},
        {"bodies/rod/quaternion", "1", "Euler parameters", "global", 4, 3},
        {"energy/kinetic", "J", "kinetic energy", "", 1, 7}};
    header.width = 8;
    auto layout = std::make_shared<Layout>("synthetic");
    layout->declare({"bodies/rod/position", BlockKind::position, 5, "m", 1});
    layout->declare(
        {.name = "joints/pin/touching", .kind = BlockKind::memory, .size = 2, .unit = "1"});
    header.layout = layout;
  }

  [[nodiscard]] double time(int i) const { return i * step; }

  static std::vector<double> row(double t) {
    return {t, std::sin(t), std::cos(t), std::cos(t / 2), 0, 0, std::sin(t / 2), 0.5 * t * t};
  }

  [[nodiscard]] State state(int i) const {
    State s;
    s.time = time(i);
    s.layout = header.layout;
    s.y = VecX::LinSpaced(5, s.time, s.time + 1);
    s.memory = {static_cast<double>(i), -s.time};
    return s;
  }

  /// The calls of a run loop for the steps after `from` up to `to`; the start too when `from` is
  /// -1.
  void feed(Observer& observer, int from, int to) const {
    for (int i = from + 1; i <= to; ++i) {
      if (i > 0) {
        const double middle = time(i) - 0.5 * step;
        observer.uniform(middle, row(middle));
        if (i % 10 == 0)
          observer.event({time(i), "pin", 1, i % 20 == 0 ? "touch" : "separation", 0.25 * i});
      }
      if (i > 0 && i % 20 == 0) {
        Impact impact;
        impact.joint = "pin";
        impact.start = time(i - 1);
        impact.end = time(i);
        impact.approach_speed = 0.5;
        impact.separation_speed = 0.25;
        impact.peak_force = i;
        observer.impact(impact);
      }
      StepInfo info;
      info.step = i > 0 ? step : 0;
      info.order = 8;
      info.rejected = (i - std::max(from, 0)) / 7;
      info.evaluations = 12 * (i - std::max(from, 0));
      observer.step(state(i), row(time(i)), info);
    }
  }

  [[nodiscard]] RunResult ending(RunStatus status, int steps) const {
    RunResult r;
    r.status = status;
    r.time = time(steps);
    r.stats.steps = steps;
    r.stats.evaluations = 12 * steps;
    r.stats.cpu_seconds = 0.5;
    r.energy_residual = 1e-9;
    r.energy_scale = 2;
    return r;
  }

  /// A complete result.
  void write(const std::filesystem::path& file, int steps) const {
    Recorder recorder(file, {.command = "freeplay run synthetic.toml", .seed = 7, .resume = false});
    recorder.begin(header);
    feed(recorder, -1, steps);
    recorder.end(ending(RunStatus::done, steps));
  }
};

}  // namespace freeplay::testing
