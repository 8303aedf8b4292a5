// SPDX-License-Identifier: Apache-2.0
#include "attend.hpp"
#include "io/start.hpp"
#include "model.hpp"
#include "result.hpp"
#include <freeplay/run.hpp>

#include <optional>

// One run, in memory or into a file, as `freeplay run` makes it.
namespace freeplay::python {
namespace {

struct Wishes {
  double time_limit = 0;
  bool steps = true;
};

/// Assembles and simulates. `refused` says whether the observer, not the run, is in trouble.
std::vector<std::string> simulate(const Model& model, Observer& observer, const Wishes& wishes,
                                  const std::atomic<bool>& stop, Progress& progress,
                                  const std::function<bool()>& refused) {
  const Assembly assembly = io::assemble_start(model);
  RunOptions options;
  options.stop = &stop;
  options.time_limit = wishes.time_limit;
  options.record_steps = wishes.steps;
  if (progress.wanted())
    options.progress = [&](double time, double fraction) { progress.tell(fraction, time); };
  Observer* const observers[] = {&observer};
  try {
    (void)run(model, assembly.start, observers, options);
  } catch (const IoError& error) {  // a row with a number that is none: a failed run
    if (refused()) throw;
    RunResult failed;
    failed.status = RunStatus::failed;
    failed.reason = error.what();
    failed.remedy = "look at the state just before, or tighten 'tolerance'";
    observer.end(failed);
  }
  return assembly.notes;
}

/// The result, notes on the start, and what was raised meanwhile or None.
py::tuple run_in_memory(const ReadyModel& ready, double time_limit, bool steps, bool uniform,
                        bool states, bool peaks, const py::object& show) {
  const auto kept =
      std::make_shared<KeptRun>(ready.model, KeptRun::Options{steps, uniform, states, peaks});
  Progress progress(show);
  std::atomic<bool> stop{false};
  std::vector<std::string> notes;
  const py::object raised = attend(
      stop,
      [&] {
        // Points of the grid that nobody looks at cost as much as steps.
        std::optional<Model> bare;
        if (!uniform) {
          bare = *ready.model;
          bare->simulation.output = bare->simulation.duration;
        }
        notes = simulate(bare ? *bare : *ready.model, *kept, {time_limit, steps}, stop, progress,
                         [] { return false; });
      },
      [&] { progress.look(); });
  return py::make_tuple(MemoryResult{kept}, notes, raised);
}

/// The same into a file: where it is, instead of the result.
py::tuple run_into_file(const ReadyModel& ready, const std::filesystem::path& file,
                        const std::string& command, double time_limit, const py::object& show) {
  Progress progress(show);
  std::atomic<bool> stop{false};
  std::vector<std::string> notes;
  std::filesystem::path where;
  const py::object raised = attend(
      stop,
      [&] {
        Recorder recorder(file, {.command = command, .seed = 0, .resume = false});
        notes = simulate(*ready.model, recorder, {time_limit, true}, stop, progress,
                         [&] { return !recorder.write_error().empty(); });
        if (!recorder.write_error().empty()) throw IoError(recorder.write_error());
        where = recorder.path();
      },
      [&] { progress.look(); });
  return py::make_tuple(where, notes, raised);
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("run_in_memory", &run_in_memory, py::arg("model"), py::arg("time_limit"),
             py::arg("steps"), py::arg("uniform"), py::arg("states"), py::arg("peaks"),
             py::arg("show"));
  module.def("run_into_file", &run_into_file, py::arg("model"), py::arg("file"), py::arg("command"),
             py::arg("time_limit"), py::arg("show"));
}

}  // namespace freeplay::python
