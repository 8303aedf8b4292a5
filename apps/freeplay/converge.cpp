// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "interrupt.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

// `freeplay converge`: runs the model at its tolerance, at a tenth and at a hundredth of it, and
// takes the last for the truth. What the runs have in common is settled; in a chaotic motion, only
// until some time.
namespace freeplay::cli {
namespace {

// Positions of the bodies on the uniform grid, which all runs share.
class Positions : public Observer {
 public:
  bool wants_peaks() const override { return false; }
  void begin(const RunHeader& header) override {
    for (const Channel& c : header.channels)
      if (c.path.starts_with("bodies/") && c.path.ends_with("/position")) bodies_.push_back(c);
    rows_.resize(bodies_.size());
  }
  void uniform(double time, std::span<const double> row) override {
    times_.push_back(time);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      Vec3 p = Vec3::Zero();
      for (int k = 0; k < bodies_[b].width; ++k)
        p[k] = row[static_cast<std::size_t>(bodies_[b].offset + k)];
      rows_[b].push_back(p);
    }
  }
  [[nodiscard]] std::size_t bodies() const { return bodies_.size(); }
  [[nodiscard]] std::string body(std::size_t b) const {
    const auto& path = bodies_[b].path;  // bodies/NAME/position
    return path.substr(7, path.rfind('/') - 7);
  }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  [[nodiscard]] const std::vector<Vec3>& of(std::size_t b) const { return rows_[b]; }

 private:
  std::vector<Channel> bodies_;
  std::vector<double> times_;
  std::vector<std::vector<Vec3>> rows_;
};

constexpr double kSettled = 1e-6;  // of the characteristic length

Settled compare(const Positions& run, const Positions& truth, std::size_t body, double length) {
  Settled out;
  const auto& a = run.of(body);
  const auto& b = truth.of(body);
  const auto count = std::min(a.size(), b.size());
  bool parted = false;
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = (a[i] - b[i]).norm();
    out.difference = std::max(out.difference, difference);
    parted = parted || difference > kSettled * length;
    if (!parted) out.until = truth.times()[i];
  }
  const double relative = out.difference / length;
  // 16 digits are all that a number has.
  out.digits = relative > 1e-16
                   ? std::clamp(static_cast<int>(std::floor(-std::log10(relative))), 0, 16)
                   : 16;
  return out;
}

}  // namespace

int converge_command(const ConvergeArguments& a) {
  auto [model, warnings] = load(a.model);
  show(warnings);
  const Assembly assembly = assemble(a.model, model);
  const double length = scales_of(model).length;

  // A fixed step takes the place of the tolerance, and is halved.
  const bool fixed =
      model.simulation.method == Method::rk4 || model.simulation.method == Method::heun;
  double& knob = fixed ? model.simulation.step : model.simulation.tolerance;
  const double asked = knob, factor = fixed ? 0.5 : 0.1;

  Convergence report;
  report.knob = fixed ? "step" : "tolerance";
  std::array<Positions, 3> runs;
  const Interrupt interrupt;
  ProgressBar bar(true);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    knob = asked * std::pow(factor, static_cast<double>(i));
    report.values.push_back(knob);
    RunOptions options;
    options.stop = interrupt.flag();
    options.record_steps = false;
    options.progress = [&](double time, double fraction) {
      bar.show((static_cast<double>(i) + fraction) / 3,
               fmt::format("{} {:.1g}, t = {:.4g} s", report.knob, knob, time));
    };
    Observer* const observers[] = {&runs[i]};
    const RunResult result = naming_the_file(
        a.model, model, [&](const Model& m) { return run(m, assembly.start, observers, options); });
    if (result.status == RunStatus::done || result.status == RunStatus::audit_broken) continue;
    bar.clear();
    const auto reason = fmt::format("the run at {} {:.1g} ended at t = {:.9g} s: {}", report.knob,
                                    knob, result.time, result.reason);
    complain(reason);
    if (a.json)
      print(json_of_error(result.status == RunStatus::interrupted ? "interrupted" : "failed",
                          reason, {}));
    return result.status == RunStatus::interrupted ? kInterrupted : kFailed;
  }
  bar.clear();

  for (std::size_t b = 0; b < runs[2].bodies(); ++b)
    report.bodies.push_back({runs[2].body(b), compare(runs[0], runs[2], b, length),
                             compare(runs[1], runs[2], b, length)});
  report.end = runs[2].times().empty() ? 0 : runs[2].times().back();
  report.length = length;
  if (a.json) {
    print(json_of(report));
    return kDone;
  }
  Table table({"body", "difference, m", "digits", "settled until, s", "at a finer " + report.knob,
               "digits", "settled until, s"});
  for (const auto& body : report.bodies)
    table.add({body.name, fmt::format("{:.2e}", body.asked.difference),
               std::to_string(body.asked.digits), fmt::format("{:.6g}", body.asked.until),
               fmt::format("{:.2e}", body.finer.difference), std::to_string(body.finer.digits),
               fmt::format("{:.6g}", body.finer.until)});
  print(bold(model.name.empty() ? "mechanism" : model.name) +
        fmt::format(": positions at {0} {1:.1g} and {2:.1g}, against {3:.1g}\n", report.knob,
                    report.values[0], report.values[1], report.values[2]) +
        table.text() +
        fmt::format("  of the characteristic length, {:.4g} m; settled: within {:.0e} of it; the "
                    "run ends at {:.6g} s\n",
                    length, kSettled, report.end));
  return kDone;
}

}  // namespace freeplay::cli
