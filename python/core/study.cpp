// SPDX-License-Identifier: Apache-2.0
#include "attend.hpp"
#include "io/hdf5_file.hpp"
#include "model.hpp"
#include "study/row.hpp"
#include "study/row_plan.hpp"
#include "study/study_file.hpp"
#include <freeplay/gradient.hpp>
#include <freeplay/study.hpp>

#include <algorithm>
#include <memory>

// Studies: the scheduler of the command line, and single rows for those who bring their own.
namespace freeplay::python {
namespace {

using namespace py::literals;
namespace fs = std::filesystem;

ModelSource source_of(const ModelText& model, const std::string& study_folder) {
  return {model.text(), model.in_code() ? fs::path() : fs::path(model.name()), model.changes(),
          study_folder};
}

/// Lines of a text that Python wrote mean nothing to anyone.
template <class F>
auto without_places(F&& work) {
  try {
    return work();
  } catch (const ModelError& error) {
    auto issues = error.issues();
    for (Issue& issue : issues) {
      if (issue.file != "study") continue;
      issue.file.clear();
      issue.line = issue.column = 0;
    }
    throw ModelError(std::move(issues));
  }
}

py::dict dict_of(const StudySummary& s) {
  py::list failures, numbers;
  for (const StudyFailure& f : s.failures) failures.append(py::make_tuple(f.row, f.error));
  for (const StudyNumber& n : s.numbers) numbers.append(py::make_tuple(n.name, n.values, n.unit));
  return py::dict("kind"_a = s.kind, "rows"_a = s.rows, "failed"_a = s.failed,
                  "complete"_a = s.complete, "result"_a = s.result.string(),
                  "failures"_a = failures, "table"_a = s.table, "numbers"_a = numbers);
}

/// The summary, notes, and what was raised meanwhile.
py::tuple carried_out(const std::function<StudySummary(const StudyOptions&)>& run,
                      const fs::path& output, bool resume, int workers, const std::string& command,
                      const py::object& show) {
  Progress progress(show);
  std::atomic<bool> stop{false};
  std::vector<std::string> notes;
  StudySummary summary;
  StudyOptions options;
  options.output = output;
  options.resume = resume;
  options.workers = workers;
  options.command = command;
  options.stop = &stop;
  options.note = [&](const std::string& text) { notes.push_back(text); };
  options.progress = [&](const StudyProgress& p) {
    progress.tell(
        static_cast<double>(p.done) / static_cast<double>(std::max<std::int64_t>(1, p.total)),
        static_cast<double>(p.done));
  };
  const py::object raised = attend(
      stop, [&] { summary = run(options); }, [&] { progress.look(); });
  return py::make_tuple(dict_of(summary), notes, raised);
}

/// What was found, and what was raised meanwhile.
py::tuple gradient_of(const ModelText& model, const std::vector<std::string>& of,
                      const std::vector<std::string>& wrt, bool central, double step, int workers) {
  std::atomic<bool> stop{false};
  GradientOptions options;
  options.of = of;
  options.wrt = wrt;
  options.central = central;
  options.step = step;
  options.workers = workers;
  options.stop = &stop;
  const ModelSource source = source_of(model, "");
  Gradient found;
  const py::object raised = attend(stop, [&] {
    try {
      found = find_gradient(source, options);
    } catch (const NoGradient&) {
      if (!stop) throw;  // what was raised says why
    }
  });
  py::dict outputs;
  for (const GradientOutput& o : found.outputs) {
    const bool known = o.refused.empty();
    outputs[py::str(o.name)] = py::dict(
        "value"_a = o.value, "unit"_a = o.unit,
        "slope"_a = py::array_t<double>(static_cast<py::ssize_t>(o.slope.size()), o.slope.data()),
        "error"_a = py::array_t<double>(static_cast<py::ssize_t>(o.error.size()), o.error.data()),
        "refused"_a = known ? py::object(py::none()) : py::str(o.refused));
  }
  py::list variables;
  for (const GradientVariable& v : found.variables)
    variables.append(
        py::dict("path"_a = v.path, "unit"_a = v.unit, "value"_a = v.value, "step"_a = v.step));
  return py::make_tuple(
      py::dict("variables"_a = variables, "outputs"_a = outputs,
               "trusted_until"_a = found.trusted_until, "horizon"_a = found.horizon,
               "neighbours"_a = found.neighbours, "run_seconds"_a = found.run_seconds,
               "cpu_seconds"_a = found.cpu_seconds),
      raised);
}

/// A study that was read, for whoever runs its rows one by one.
class RowByRow {
 public:
  RowByRow(const ModelText& model, const std::string& text, const std::string& study_folder)
      : study_(without_places(
            [&] { return study::read_study(text, source_of(model, study_folder)); })),
        plan_(study_) {}
  RowByRow(const RowByRow&) = delete;

  [[nodiscard]] std::int64_t rows() const { return plan_.rows(); }
  [[nodiscard]] std::vector<std::string> variables() const {
    std::vector<std::string> out;
    for (const study::Variable& v : study_.vary) out.push_back(v.path);
    return out;
  }
  [[nodiscard]] std::vector<std::string> outputs() const { return study::outputs_of(study_); }
  /// As --set takes them.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> changes(std::int64_t row) const {
    const auto inputs = inputs_of(row);
    std::vector<std::pair<std::string, std::string>> out;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      out.emplace_back(study_.vary[k].path, study_.vary[k].text(inputs[k]));
    return out;
  }
  [[nodiscard]] std::vector<double> inputs_of(std::int64_t row) const {
    if (row < 0 || row >= rows())
      throw py::index_error("there are " + std::to_string(rows()) + " rows");
    std::vector<double> inputs(study_.vary.size());
    plan_.inputs(row, inputs);
    return inputs;
  }
  /// Status, error, outputs, samples.
  [[nodiscard]] py::tuple run(std::int64_t row) const {
    const auto inputs = inputs_of(row);
    if (study_.continuation)
      throw py::value_error("rows of a continued study follow each other; run the study itself");
    study::RowOutcome out;
    {
      const py::gil_scoped_release released;
      out = study::run_row(study_, inputs, nullptr);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return py::make_tuple(static_cast<int>(out.status), out.error, out.outputs, out.samples);
  }

 private:
  study::Study study_;
  study::RowPlan plan_;
};

// ---- the table

py::array numbers_of(const io::Hdf5File& file, const std::string& path) {
  const auto data = file.dataset(path, {io::Scalar::f64, 1, {}});
  py::array_t<double> out(static_cast<py::ssize_t>(data.rows()));
  if (data.rows() > 0) data.read(0, data.rows(), out.mutable_data());
  return out;
}

py::object attribute_of(const io::Hdf5File& file, const std::string& object,
                        const std::string& name) {
  const auto value = file.attribute(object, name);
  if (!value) return py::none();
  return std::visit([](const auto& v) { return py::cast(v); }, *value);
}

/// Everything in the file of a study: columns by their paths, units, attributes, texts.
py::dict study_table(const fs::path& path) {
  const io::Hdf5File file = io::Hdf5File::open(path);
  const py::object format = attribute_of(file, "/", "format");
  if (format.is_none() || !format.equal(py::str("freeplay-study")))
    throw IoError("cannot read " + path.string() + ": it is not the result of a study");
  py::dict columns, units, words;
  std::vector<std::string> errors;
  for (const std::string& name : file.datasets("/")) {
    if (name == "study" || name == "model") continue;
    if (name == "rows/error") {
      const auto data = file.dataset(name, {io::Scalar::text, 1, {{"error", io::Scalar::text, 0}}});
      const std::size_t bytes = data.row().bytes();
      std::string all(data.rows() * bytes, '\0');
      if (data.rows() > 0) data.read(0, data.rows(), all.data());
      for (std::size_t i = 0; i < data.rows(); ++i)
        errors.emplace_back(all.substr(i * bytes, bytes).c_str());
      continue;
    }
    columns[py::str(name)] = numbers_of(file, name);
    const py::object unit = attribute_of(file, name, "unit");
    units[py::str(name)] = unit.is_none() ? py::str("") : unit;
    if (const py::object word = attribute_of(file, name, "words"); !word.is_none())
      words[py::str(name)] = word;
  }
  py::dict attributes;
  for (const char* name : {"kind", "rows", "failed", "complete", "created", "seed", "command",
                           "study_sha256", "program_version"})
    attributes[name] = attribute_of(file, "/", name);
  return py::dict("columns"_a = columns, "units"_a = units, "words"_a = words, "errors"_a = errors,
                  "attributes"_a = attributes, "study"_a = file.text("study"),
                  "model"_a = file.text("model"));
}

}  // namespace

void bind_study(py::module_& module) {
  module.def(
      "run_study",
      [](const ModelText& model, const std::string& text, const std::string& folder,
         const fs::path& output, bool resume, int workers, const std::string& command,
         const py::object& show) {
        const ModelSource source = source_of(model, folder);
        return without_places([&] {
          return carried_out([&](const StudyOptions& o) { return run_study(source, text, o); },
                             output, resume, workers, command, show);
        });
      },
      py::arg("model"), py::arg("text"), py::arg("folder"), py::arg("output"), py::arg("resume"),
      py::arg("workers"), py::arg("command"), py::arg("show"));
  module.def(
      "run_study_file",
      [](const fs::path& file, const fs::path& output, bool resume, int workers,
         const std::string& command, const py::object& show) {
        return carried_out([&](const StudyOptions& o) { return run_study(file, o); }, output,
                           resume, workers, command, show);
      },
      py::arg("file"), py::arg("output"), py::arg("resume"), py::arg("workers"), py::arg("command"),
      py::arg("show"));
  module.def("gradient", &gradient_of, py::arg("model"), py::arg("of"), py::arg("wrt"),
             py::arg("central"), py::arg("step"), py::arg("workers"));
  module.def("study_table", &study_table, py::arg("file"));
  py::class_<RowByRow>(module, "RowByRow", "The rows of a study, one by one.")
      .def(py::init<const ModelText&, const std::string&, const std::string&>(), py::arg("model"),
           py::arg("text"), py::arg("folder"))
      .def("rows", &RowByRow::rows)
      .def("variables", &RowByRow::variables)
      .def("outputs", &RowByRow::outputs)
      .def("inputs", &RowByRow::inputs_of, py::arg("row"))
      .def("changes", &RowByRow::changes, py::arg("row"))
      .def("run", &RowByRow::run, py::arg("row"));
}

}  // namespace freeplay::python
