// SPDX-License-Identifier: Apache-2.0
#include "attend.hpp"
#include "io/beginning.hpp"
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
  bool steps = true, go_on = false;
};

/// Simulates. `refused` says whether the observer, not the run, is in trouble.
void simulate(const Model& model, const State& from, Observer& observer, const Wishes& wishes,
              const std::atomic<bool>& stop, Progress& progress, Lookout& lookout,
              const std::function<bool()>& refused) {
  RunOptions options;
  options.stop = &stop;
  options.go_on = wishes.go_on;
  options.time_limit = wishes.time_limit;
  options.record_steps = wishes.steps;
  options.progress = [&](double time, double fraction) {
    progress.tell(fraction, time);
    lookout.glance();
  };
  Observer* const observers[] = {&observer};
  try {
    (void)run(model, from, observers, options);
  } catch (const IoError& error) {  // a row with a number that is none: a failed run
    if (refused()) throw;
    RunResult failed;
    failed.status = RunStatus::failed;
    failed.reason = error.what();
    failed.remedy = "look at the state just before, or tighten 'tolerance'";
    observer.end(failed);
  }
}

/// The result, notes on the start, and what was raised meanwhile or None.
py::tuple run_in_memory(const ReadyModel& ready, double time_limit, bool steps, bool uniform,
                        bool states, bool peaks, const py::object& show) {
  const auto kept = std::make_shared<KeptRun>(
      ready.model, KeptRun::Options{steps, uniform, states, peaks, ready.record});
  Progress progress(show);
  std::atomic<bool> stop{false};
  Lookout lookout(
      stop, [&] { progress.look(); }, progress.wanted());
  std::vector<std::string> notes;
  {
    const py::gil_scoped_release released;
    // Points of the grid that nobody looks at cost as much as steps.
    std::optional<Model> bare;
    if (!uniform) {
      bare = *ready.model;
      bare->simulation.output = bare->simulation.duration;
    }
    const Model& model = bare ? *bare : *ready.model;
    Assembly assembly = io::assemble_start(model);
    notes = std::move(assembly.notes);
    simulate(model, assembly.start, *kept, {time_limit, steps}, stop, progress, lookout,
             [] { return false; });
  }
  return py::make_tuple(MemoryResult{kept}, notes, lookout.raised());
}

/// The same into a file: where it is, instead of the result.
py::tuple run_into_file(const ReadyModel& ready, const std::filesystem::path& file,
                        const std::string& command, double time_limit, bool resume,
                        const py::object& show) {
  Progress progress(show);
  std::atomic<bool> stop{false};
  Lookout lookout(
      stop, [&] { progress.look(); }, progress.wanted());
  std::vector<std::string> notes;
  std::filesystem::path where = file;
  {
    const py::gil_scoped_release released;
    const Model& model = *ready.model;
    Assembly assembly = io::assemble_start(model);
    notes = std::move(assembly.notes);
    io::Beginning beginning{std::move(assembly.start)};
    if (resume) beginning = io::find_beginning(model, beginning.state, file);
    if (!beginning.refused.empty())
      throw py::value_error(beginning.refused + "; or run without resume");
    if (!beginning.note.empty()) notes.push_back(beginning.note);
    if (!beginning.already) {
      Recorder recorder(
          file,
          {.command = command, .seed = 0, .resume = beginning.resumed, .record = ready.record});
      simulate(model, beginning.state, recorder, {time_limit, true, beginning.resumed}, stop,
               progress, lookout, [&] { return !recorder.write_error().empty(); });
      if (!recorder.write_error().empty()) throw IoError(recorder.write_error());
      where = recorder.path();
    }
  }
  return py::make_tuple(where, notes, lookout.raised());
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("run_in_memory", &run_in_memory, py::arg("model"), py::arg("time_limit"),
             py::arg("steps"), py::arg("uniform"), py::arg("states"), py::arg("peaks"),
             py::arg("show"));
  module.def("run_into_file", &run_into_file, py::arg("model"), py::arg("file"), py::arg("command"),
             py::arg("time_limit"), py::arg("resume"), py::arg("show"));
}

}  // namespace freeplay::python
