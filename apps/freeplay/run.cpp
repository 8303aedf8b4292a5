// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "io/beginning.hpp"
#include "io/impact_units.hpp"
#include "io/source_files.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/result.hpp>
#include <freeplay/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

// `freeplay run`: load, assemble, simulate into a file, sum up.
namespace freeplay::cli {
namespace {

namespace fs = std::filesystem;

fs::path output_path(const RunArguments& a) {
  return a.output.empty() ? fs::path(a.model.file).stem().concat(".h5") : fs::path(a.output);
}

void refuse_to_overwrite_the_model(const std::vector<fs::path>& read, const fs::path& output) {
  for (const auto& file : {output, partial_path(output)})
    if (const fs::path* source = io::same_file(read, file))
      throw UsageError(fmt::format(
          "the result would overwrite {}, which the model is read from; name another with -o",
          source->string()));
}

// Where the run begins: at the assembled start, or, with --resume, where an interrupted one
// stopped.
io::Beginning beginning_of(const Model& model, const State& start, const fs::path& output,
                           bool resume) {
  if (!resume) return {start};
  auto beginning = io::find_beginning(model, start, output);
  if (!beginning.refused.empty()) throw UsageError(beginning.refused + "; or run without --resume");
  if (!beginning.note.empty()) note(beginning.note);
  return beginning;
}

// Simulates into the file. Trouble with a row is a failed run; trouble with the file is an IoError.
RunResult simulate(const Model& model, const io::Beginning& beginning, Recorder& recorder,
                   const RunArguments& a) {
  const Interrupt interrupt;
  ProgressBar bar(!a.quiet);
  RunOptions options;
  options.go_on = beginning.resumed;
  options.stop = interrupt.flag();
  options.time_limit = a.time_limit;
  options.progress = [&](double time, double fraction) {
    bar.show(fraction, fmt::format("t = {:.4g} s", time));
  };
  Observer* const observers[] = {&recorder};
  try {
    run(model, beginning.state, observers, options);
  } catch (const IoError& error) {
    if (!recorder.write_error().empty()) throw;
    RunResult failed;
    failed.status = RunStatus::failed;
    failed.reason = error.what();
    failed.remedy = "look at the state just before, or tighten 'tolerance'";
    recorder.end(failed);
  }
  if (!recorder.write_error().empty()) throw IoError(recorder.write_error());
  return recorder.total();
}

// The impact with the largest force, or with the largest impulse where the law has no force; of
// those that are measured in the same units. Read back from the file because a resumed run saw only
// its last ones.
std::optional<Impact> hardest_impact(const std::vector<Impact>& impacts, double Impact::*what) {
  const auto largest =
      std::max_element(impacts.begin(), impacts.end(),
                       [&](const Impact& a, const Impact& b) { return a.*what < b.*what; });
  return largest == impacts.end() || !((*largest).*what > 0) ? std::nullopt
                                                             : std::optional(*largest);
}

void add_impacts(Table& table, const Result& result, const Model& model) {
  std::map<std::string, std::vector<Impact>> alike;  // by their unit of force: "N" comes first
  std::map<std::string, io::ImpactUnits> units;
  for (const Joint& joint : model.joints) units[joint.name] = io::impact_units(joint);
  for (const Impact& impact : result.impacts()) alike[units[impact.joint].force].push_back(impact);
  for (const auto& [force, impacts] : alike) {
    const auto where = [&](const Impact& impact) {
      return fmt::format(" in {} at t = {:.6g} s, approaching at {:.4g} {}{}", impact.joint,
                         impact.start, impact.approach_speed, units[impact.joint].speed,
                         impact.open ? "; still in contact at the end" : "");
    };
    const std::string kind = force == "N m" ? " at a stop" : "";
    if (const auto hardest = hardest_impact(impacts, &Impact::peak_force))
      table.add({"largest impact" + kind,
                 fmt::format("{:.4g} {}", hardest->peak_force, force) + where(*hardest)});
    if (const auto hardest = hardest_impact(impacts, &Impact::impulse))
      table.add({"largest impulse" + kind,
                 fmt::format("{:.4g} {}", hardest->impulse, units[hardest->joint].impulse) +
                     where(*hardest)});
  }
}

std::string summary(const Model& model, const Assembly& assembly, const RunResult& r,
                    const fs::path& result, const std::optional<Trust>& trust) {
  Table table;
  const double relative = r.energy_scale > 0 ? r.energy_residual / r.energy_scale : 0;
  table.add({"bodies", std::to_string(assembly.bodies)});
  table.add({"joints", std::to_string(model.joints.size())});
  table.add({"degrees of freedom", std::to_string(assembly.freedom)});
  table.add({"simulated", fmt::format("{:.6g} s to {:.6g} s", model.simulation.start, r.time)});
  table.add({"steps", fmt::format("{} ({} rejected)", r.stats.steps, r.stats.rejected)});
  table.add({"evaluations", std::to_string(r.stats.evaluations)});
  table.add({"CPU time", fmt::format("{:.3g} s", r.stats.cpu_seconds)});
  table.add({"energy residual",
             fmt::format("{:.2g} J, {:.2g} of the energy in motion", r.energy_residual, relative)});
  table.add({"contacts", std::to_string(r.contacts)});
  const Result stored(result);
  add_impacts(table, stored, model);
  if (trust) table.add({"converged", text_of(*trust)});
  if (const auto kept = stored.kept(); !kept.empty() && kept != "all steps")
    table.add(
        {"kept", fmt::format("{}: {} rows; 'get --at' has the rest", kept, stored.rows(false))});
  std::error_code unknown;
  const auto size = static_cast<double>(fs::file_size(result, unknown));
  table.add({"result", result.string() + (unknown ? "" : ", " + bytes_text(size))});
  return bold(model.name.empty() ? "mechanism" : model.name) + "\n" + table.text();
}

// A second run at a finer tolerance, and how far the first agrees with it; noted in the result.
// None when the second does not get there.
std::optional<Trust> ask_for_trust(Model model, const Assembly& assembly, const fs::path& result,
                                   const RunArguments& a) {
  const double length = scales_of(model).length;
  const Knob knob = knob_of(model);
  *knob.value *= knob.finer;
  const Interrupt interrupt;
  ProgressBar bar(!a.quiet);
  RunOptions options;
  options.stop = interrupt.flag();
  options.record_steps = false;
  options.progress = [&](double time, double fraction) {
    bar.show(fraction, fmt::format("{} {:.1g}, t = {:.4g} s", knob.name, *knob.value, time));
  };
  Track finer;
  Observer* const observers[] = {&finer};
  const RunResult second = run(model, assembly.start, observers, options);
  if (second.status != RunStatus::done) {
    bar.clear();
    warn(
        fmt::format("convergence could not be determined: the run at {} {:.1g} ended at "
                    "t = {:.9g} s: {}",
                    knob.name, *knob.value, second.time, second.reason));
    return std::nullopt;
  }
  Trust trust = trust_of(Track(Result(result)), finer, length);
  trust.knob = knob.name;
  trust.value = *knob.value;
  store_trust(result, trust);
  return trust;
}

int exit_status(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return kDone;
    case RunStatus::interrupted:
      return kInterrupted;
    default:
      return kFailed;
  }
}

}  // namespace

int run_command(const RunArguments& a) {
  const auto output = output_path(a);
  std::vector<fs::path> read;
  const auto [model, warnings, record] = load(a.model, &read);
  refuse_to_overwrite_the_model(read, output);
  if (!a.quiet) show(warnings);
  const Assembly assembly = assemble(a.model, model);
  for (const auto& text : assembly.notes) note(text);  // --quiet too: the start is another one
  if (!a.quiet)
    for (const auto& text : contacts_at_start(model, start_row(model, assembly))) note(text);

  const auto beginning = beginning_of(model, assembly.start, output, a.resume);
  RunResult result;
  fs::path where = output;
  if (beginning.already) {
    if (!a.quiet) note(output.string() + " is complete already");
    result = *beginning.already;
  } else {
    Recorder recorder(
        output, {.command = a.command, .seed = 0, .resume = beginning.resumed, .record = record});
    result = naming_the_file(a.model, model,
                             [&](const Model& m) { return simulate(m, beginning, recorder, a); });
    where = recorder.path();
  }

  std::optional<Trust> trust;
  if (a.trust && result.status == RunStatus::done) trust = ask_for_trust(model, assembly, where, a);
  for (const auto& text : result.warnings) warn(text);
  if (a.json)
    print(json_of(result, where.string(), trust));
  else if (!a.quiet)
    print(summary(model, assembly, result, where, trust));
  if (result.status != RunStatus::done)
    complain(fmt::format("{}{}{}; the motion up to t = {:.9g} s is in {}", result.reason,
                         result.remedy.empty() ? "" : "; ", result.remedy, result.time,
                         where.string()));
  return exit_status(result.status);
}

}  // namespace freeplay::cli
