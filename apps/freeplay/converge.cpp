// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "io/text.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

// `freeplay converge`: runs the model at its tolerance, at a tenth and at a hundredth of it, and
// takes the last for the truth. What the runs have in common is settled; in a chaotic motion, only
// until some time. Of a result it takes the model as stored, and notes there what came out.
namespace freeplay::cli {
namespace {

bool is_result(const std::string& file) { return std::filesystem::path(file).extension() == ".h5"; }

LoadedModel load_stored(const ModelArguments& a, const Result& result) {
  if (!a.set.empty() || !a.tolerance.empty() || !a.formulation.empty() || !a.integrator.empty() ||
      !a.duration.empty())
    throw UsageError(
        "a result is checked as it was made; leave out --set and similar options, or name "
        "the model file");
  if (!result.complete())
    throw UsageError(io::quote(a.file) + " is incomplete: its run did not reach the end");
  return {parse_model(result.model_text(), a.file + ": model", {},
                      std::filesystem::absolute(a.file).parent_path()),
          {},
          {}};
}

std::string table_of(const Convergence& report, const std::string& name) {
  Table table({"body", "difference, m", "turn, rad", "digits", "settled until, s",
               "at a finer " + report.knob, "turn, rad", "digits", "settled until, s"});
  const auto cells = [](const Settled& s, std::vector<std::string>& row) {
    row.push_back(fmt::format("{:.2e}", s.difference));
    row.push_back(fmt::format("{:.2e}", s.rotation));
    row.push_back(std::to_string(s.digits));
    row.push_back(fmt::format("{:.6g}", s.until));
  };
  for (const auto& body : report.bodies) {
    std::vector<std::string> row{body.name};
    cells(body.asked, row);
    cells(body.finer, row);
    table.add(std::move(row));
  }
  return bold(name.empty() ? "mechanism" : name) +
         fmt::format(": positions and rotations at {0} {1:.1g} and {2:.1g}, against {3:.1g}\n",
                     report.knob, report.values[0], report.values[1], report.values[2]) +
         table.text() +
         fmt::format(
             "  digits of the characteristic length, {:.4g} m, and of a radian; settled: "
             "within {:.0e} of both; the run ends at {:.6g} s\n",
             report.length, kSettled, report.end);
}

}  // namespace

int converge_command(const ConvergeArguments& a) {
  std::optional<Result> stored;
  if (is_result(a.model.file)) stored.emplace(a.model.file);
  auto [model, warnings, record] = stored ? load_stored(a.model, *stored) : load(a.model);
  show(warnings);
  const Assembly assembly = assemble(a.model, model);
  const double length = scales_of(model).length;
  const Knob knob = knob_of(model);
  const double asked = *knob.value;

  Convergence report;
  report.knob = knob.name;
  std::array<Track, 3> runs;
  const Interrupt interrupt;
  ProgressBar bar(true);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    *knob.value = asked * std::pow(knob.finer, static_cast<double>(i));
    report.values.push_back(*knob.value);
    RunOptions options;
    options.stop = interrupt.flag();
    options.record_steps = false;
    options.progress = [&](double time, double fraction) {
      bar.show((static_cast<double>(i) + fraction) / 3,
               fmt::format("{} {:.1g}, t = {:.4g} s", report.knob, *knob.value, time));
    };
    Observer* const observers[] = {&runs[i]};
    const RunResult result = naming_the_file(
        a.model, model, [&](const Model& m) { return run(m, assembly.start, observers, options); });
    if (result.status == RunStatus::done || result.status == RunStatus::audit_broken) continue;
    bar.clear();
    const auto reason = fmt::format("the run at {} {:.1g} ended at t = {:.9g} s: {}", report.knob,
                                    *knob.value, result.time, result.reason);
    complain(reason);
    if (a.json)
      print(json_of_error(result.status == RunStatus::interrupted ? "interrupted" : "failed",
                          reason, {}));
    return result.status == RunStatus::interrupted ? kInterrupted : kFailed;
  }
  bar.clear();

  for (std::size_t b = 0; b < runs[2].bodies(); ++b)
    report.bodies.push_back({runs[2].name(b), compare(runs[0], runs[2], b, length),
                             compare(runs[1], runs[2], b, length)});
  report.end = runs[2].times().empty() ? 0 : runs[2].times().back();
  report.length = length;
  if (stored) {
    Trust trust = trust_of(Track(*stored), runs[2], length);
    trust.knob = report.knob;
    trust.value = report.values[2];
    stored.reset();  // a file has one writer and no readers beside it
    store_trust(a.model.file, trust);
  }
  print(a.json ? json_of(report) : table_of(report, model.name));
  return kDone;
}

}  // namespace freeplay::cli
