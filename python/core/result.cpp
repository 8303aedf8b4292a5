// SPDX-License-Identifier: Apache-2.0
#include "result.hpp"

#include "io/result_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freeplay::python {
using namespace py::literals;

// ---- tables

py::dict dict_of(const RunResult& r) {
  py::dict out("status"_a = std::string(name_of(r.status)), "time"_a = r.time,
               "steps"_a = r.stats.steps, "rejected"_a = r.stats.rejected,
               "evaluations"_a = r.stats.evaluations, "jacobians"_a = r.stats.jacobians,
               "events"_a = r.stats.events, "cpu_seconds"_a = r.stats.cpu_seconds,
               "contacts"_a = r.contacts, "energy_residual"_a = r.energy_residual,
               "energy_scale"_a = r.energy_scale, "friction_use"_a = r.friction_use,
               "warnings"_a = r.warnings, "reason"_a = r.reason, "remedy"_a = r.remedy);
  return out;
}

namespace {

/// Names as numbers, in the order of their first appearance.
class Names {
 public:
  int number(const std::string& name) {
    const auto [at, fresh] = numbers_.try_emplace(name, static_cast<int>(names_.size()));
    if (fresh) names_.push_back(name);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& list() const { return names_; }

 private:
  std::map<std::string, int> numbers_;
  std::vector<std::string> names_;
};

template <class T, class Row, class F>
py::array_t<T> column(const std::vector<Row>& rows, F&& value) {
  py::array_t<T> out(static_cast<py::ssize_t>(rows.size()));
  T* to = out.mutable_data();
  for (const Row& row : rows) *to++ = value(row);
  return out;
}

}  // namespace

py::dict columns_of(const std::vector<Event>& events) {
  Names joints, kinds;
  py::dict out;
  out["time"] = column<double>(events, [](const Event& e) { return e.time; });
  out["joint"] = column<int>(events, [&](const Event& e) { return joints.number(e.joint); });
  out["contact"] = column<std::int32_t>(events, [](const Event& e) { return e.contact; });
  out["kind"] = column<int>(events, [&](const Event& e) { return kinds.number(e.kind); });
  out["speed"] = column<double>(events, [](const Event& e) { return e.speed; });
  out["names"] = py::dict("joint"_a = joints.list(), "kind"_a = kinds.list());
  return out;
}

py::dict columns_of(const std::vector<Impact>& impacts) {
  Names joints;
  py::dict out;
  out["start"] = column<double>(impacts, [](const Impact& i) { return i.start; });
  out["end"] = column<double>(impacts, [](const Impact& i) { return i.end; });
  out["joint"] = column<int>(impacts, [&](const Impact& i) { return joints.number(i.joint); });
  out["contact"] = column<std::int32_t>(impacts, [](const Impact& i) { return i.contact; });
  // The numbers in between, under the names that the file gives them.
  const auto fields = io::impact_row(0).fields;
  for (std::size_t k = 0; k < 7; ++k)
    out[py::str(fields[4 + k].name)] =
        column<double>(impacts, [&](const Impact& i) { return io::impact_numbers(i)[k]; });
  out["open"] = column<bool>(impacts, [](const Impact& i) { return i.open; });
  out["names"] = py::dict("joint"_a = joints.list());
  return out;
}

namespace {

py::tuple tuple_of(const Channel& c) {
  return py::make_tuple(c.path, c.unit, c.long_name, c.frame, c.width);
}

/// What a result holds besides its channels, as result files describe it.
void append_solver(py::list& out, const Layout* layout) {
  const auto add = [&](const char* path, const char* unit, const char* what, int width) {
    out.append(py::make_tuple(path, unit, what, "", width));
  };
  add("solver/step", "s", "length of the step that ended here", 1);
  add("solver/order", "1", "order of the method in the step", 1);
  add("solver/rejected", "1", "rejected tries so far", 1);
  add("solver/evaluations", "1", "evaluations of the equations of motion so far", 1);
  add("solver/jacobians", "1", "Jacobians so far", 1);
  if (!layout) return;
  add("state/y", "SI", "state vector", layout->y_size());
  add("state/memory", "SI", "what changes only between steps", layout->memory_size());
}

/// Only to be looked at: others share it.
py::array locked(py::array array) {
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::array table_of(const std::vector<double>& values, std::size_t rows, std::size_t width) {
  py::array_t<double> out = width == 1 ? py::array_t<double>(static_cast<py::ssize_t>(rows))
                                       : py::array_t<double>({rows, width});
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

}  // namespace

// ---- in memory

py::list MemoryResult::channels() const {
  py::list out;
  for (const Channel& c : run->channels()) out.append(tuple_of(c));
  if (run->steps().rows() > 0)
    append_solver(out,
                  run->find("state/y", false) ? run->total().final_state.layout.get() : nullptr);
  return out;
}

py::object MemoryResult::values(const std::string& path, bool uniform) const {
  const auto place = run->find(path, uniform);
  if (!place) return py::none();
  // The view keeps the whole run alive.
  const py::capsule owner(new std::shared_ptr<const KeptRun>(run), [](void* held) {
    delete static_cast<std::shared_ptr<const KeptRun>*>(held);
  });
  const auto view = [&]<class T>(const Rows<T>& table) {
    const auto rows = static_cast<py::ssize_t>(table.rows());
    const auto stride = static_cast<py::ssize_t>(table.width() * sizeof(T));
    const T* first = table.data() ? table.data() + place->offset : nullptr;
    static const T none{};
    if (!first) first = &none;
    if (place->width == 1 && path.find("state/") != 0)
      return locked(py::array_t<T>({rows}, {stride}, first, owner));
    return locked(py::array_t<T>({rows, static_cast<py::ssize_t>(place->width)},
                                 {stride, static_cast<py::ssize_t>(sizeof(T))}, first, owner));
  };
  if (place->counter) return view(run->counters());
  return view(uniform ? run->grid() : run->steps());
}

py::array MemoryResult::at(const std::string& path, const std::vector<double>& times) const {
  std::vector<double> all;
  std::size_t width = 1;
  for (const double time : times) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const py::gil_scoped_release released;
    const auto values = run->at(path, time);
    width = values.size();
    all.insert(all.end(), values.begin(), values.end());
  }
  return table_of(all, times.size(), width);
}

std::filesystem::path MemoryResult::save(const std::filesystem::path& file,
                                         const std::string& command) const {
  const py::gil_scoped_release released;
  Recorder recorder(file,
                    {.command = command, .seed = 0, .resume = false, .record = run->record()});
  run->replay(recorder);
  if (!recorder.write_error().empty()) throw IoError(recorder.write_error());
  return recorder.path();
}

// ---- in a file

py::list FileResult::channels() {
  py::list out;
  for (const Channel& c : file_.channels()) out.append(tuple_of(c));
  append_solver(out, file_.layout().get());
  return out;
}

py::object FileResult::values(const std::string& path, bool uniform) {
  const std::string name = (uniform ? "uniform/" : "") + path;
  if (const auto at = known_.find(name); at != known_.end()) return at->second;
  const Series series = file_.series(name);
  if (!uniform && !file_.has_steps())
    throw NotInResult(fmt::format(
        "the file keeps the uniform grid alone: r.uniform[\"{}\"] has it, r.at(\"{}\", t) "
        "any instant",
        path, path));
  const auto width = static_cast<std::size_t>(series.channel.width);
  const bool flat = width == 1 && path.find("state/") != 0;
  py::array array;
  if (path.starts_with("solver/") && path != "solver/step") {
    py::array_t<std::int64_t> counts(static_cast<py::ssize_t>(series.values.size()));
    std::transform(series.values.begin(), series.values.end(), counts.mutable_data(),
                   [](double x) { return static_cast<std::int64_t>(x); });
    array = counts;
  } else {
    array = table_of(series.values, series.time.size(), width);
    if (!flat && width == 1)
      array = array.reshape({static_cast<py::ssize_t>(series.time.size()), py::ssize_t{1}});
  }
  return known_[name] = locked(std::move(array));
}

py::array FileResult::at(const std::string& path, const std::vector<double>& times) const {
  std::vector<double> all;
  std::size_t width = 1;
  for (const double time : times) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const auto values = file_.at(path, time);
    width = values.size();
    all.insert(all.end(), values.begin(), values.end());
  }
  return table_of(all, times.size(), width);
}

// ---- the module

void bind_result(py::module_& module) {
  py::class_<MemoryResult>(module, "MemoryResult", "A run kept in memory.")
      .def("channels", &MemoryResult::channels)
      .def("values", &MemoryResult::values, py::arg("path"), py::arg("uniform"))
      .def("at", &MemoryResult::at, py::arg("path"), py::arg("times"))
      .def("events", [](const MemoryResult& r) { return columns_of(r.run->events()); })
      .def("impacts", [](const MemoryResult& r) { return columns_of(r.run->impacts()); })
      .def("total", [](const MemoryResult& r) { return dict_of(r.run->total()); })
      .def("model_text", [](const MemoryResult& r) { return write_model(r.run->model()); })
      .def("model_source", [](const MemoryResult& r) { return r.run->model().source; })
      .def("name", [](const MemoryResult& r) { return r.run->model().name; })
      .def("save", &MemoryResult::save, py::arg("file"), py::arg("command"))
      .def("bytes", [](const MemoryResult& r) {
        const KeptRun& run = *r.run;
        return 8 * (run.steps().rows() * run.steps().width() +
                    run.counters().rows() * run.counters().width() +
                    run.grid().rows() * run.grid().width());
      });

  py::class_<FileResult>(module, "FileResult", "A result file.")
      .def(py::init<const std::filesystem::path&>(), py::arg("file"))
      .def("channels", &FileResult::channels)
      .def("values", &FileResult::values, py::arg("path"), py::arg("uniform"))
      .def("at", &FileResult::at, py::arg("path"), py::arg("times"))
      .def("events", [](const FileResult& r) { return columns_of(r.file().events()); })
      .def("impacts", [](const FileResult& r) { return columns_of(r.file().impacts()); })
      .def("total", [](const FileResult& r) { return dict_of(r.file().total()); })
      .def("model_text", [](const FileResult& r) { return r.file().model_text(); })
      .def("model_source", [](const FileResult& r) { return r.file().model_source(); })
      .def("name", [](const FileResult& r) { return r.file().attribute("name"); })
      .def(
          "attribute",
          [](const FileResult& r, const std::string& n) { return r.file().attribute(n); },
          py::arg("name"))
      .def("complete", [](const FileResult& r) { return r.file().complete(); })
      .def("sealed", [](const FileResult& r) { return r.file().sealed(); })
      .def("trust",
           [](const FileResult& r) -> py::object {
             const auto t = r.file().trust();
             if (!t) return py::none();
             return py::dict(py::arg(t->knob.c_str()) = t->value, "difference"_a = t->difference,
                             "rotation"_a = t->rotation, "converged_until"_a = t->until,
                             "end"_a = t->end);
           })
      .def(
          "extremes",
          [](const FileResult& r, const std::string& path) {
            py::list out;
            for (const Extremes& e : r.file().extremes(path))
              out.append(py::make_tuple(e.min, e.max, e.at_min, e.at_max));
            return out;
          },
          py::arg("path"));
}

}  // namespace freeplay::python
