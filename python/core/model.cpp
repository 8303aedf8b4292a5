// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include "io/document.hpp"
#include "io/loose_dimensions.hpp"
#include "io/model_tables.hpp"
#include "io/overrides.hpp"
#include "io/source_files.hpp"
#include "io/start.hpp"
#include "io/toml_writer.hpp"
#include <freeplay/equilibrium.hpp>
#include <freeplay/result.hpp>
#include <freeplay/tolerance.hpp>

#include <pybind11/numpy.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace freeplay::python {

// ---- values

io::Node node_of(const py::handle& value) {
  io::Node out;
  if (value.is_none()) {
    out.value = false;
  } else if (py::isinstance<py::bool_>(value)) {
    out.value = value.cast<bool>();
  } else if (py::isinstance<py::str>(value)) {
    out.value = value.cast<std::string>();
  } else if (py::isinstance<py::dict>(value)) {
    io::Node::Entries entries;
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value)) {
      if (!py::isinstance<py::str>(key)) throw py::type_error("keys of a table are words");
      entries.push_back({key.cast<std::string>(), {}, node_of(item)});
    }
    out.value = std::move(entries);
  } else if (py::hasattr(value, "tolist")) {  // of NumPy, scalars included
    return node_of(value.attr("tolist")());
  } else if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    io::Node::Items items;
    for (const auto& item : value) items.push_back(node_of(item));
    out.value = std::move(items);
  } else if (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)) {
    out.value = value.cast<double>();
  } else if (py::hasattr(value, "__fspath__")) {
    return node_of(value.attr("__fspath__")());
  } else {
    throw py::type_error(
        "a model holds numbers, strings with units, true or false, lists and tables, not " +
        py::repr(py::type::of(value)).cast<std::string>());
  }
  return out;
}

py::object object_of(const io::Node& node) {
  if (node.is_truth()) return py::bool_(node.truth());
  if (node.is_number()) return py::float_(node.number());
  if (node.is_text()) return py::str(node.text());
  if (node.is_array()) {
    py::list out;
    for (const io::Node& item : node.items()) out.append(object_of(item));
    return out;
  }
  if (node.is_table()) {
    py::dict out;
    for (const io::Entry& entry : node.entries()) out[py::str(entry.key)] = object_of(entry.node);
    return out;
  }
  return py::none();
}

// ---- the text

namespace {

/// As seen by whoever wrote Python: places in a text nobody wrote mean nothing.
std::vector<Issue> without_places(std::vector<Issue> issues) {
  for (Issue& issue : issues) {
    issue.file.clear();
    issue.line = issue.column = 0;
  }
  return issues;
}

const io::Node* follow(const io::Node& root, const std::string& path) {
  const io::Node* node = &root;
  for (std::size_t start = 0; start <= path.size() && !path.empty();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string part = path.substr(start, dot - start);
    start = dot + 1;
    if (node->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
      if (error != std::errc{} || end != part.data() + part.size() || index >= node->items().size())
        return nullptr;
      node = &node->items()[index];
      continue;
    }
    const io::Entry* entry = node->entry(part);
    if (!entry || entry->node.is_false()) return entry ? &entry->node : nullptr;
    node = &entry->node;
  }
  return node;
}

/// The tree with one change. Throws NotInResult where the path leads nowhere.
io::Node changed(io::Node root, const Override& change) {
  io::Diagnostics diagnostics;
  io::apply_overrides(root, io::model_table(), std::span(&change, 1), diagnostics);
  try {
    diagnostics.finish(nullptr);
  } catch (const ModelError& error) {
    const Issue& issue = error.issues().front();
    throw NotInResult(issue.message + (issue.hint.empty() ? "" : " (" + issue.hint + ")"));
  }
  return root;
}

}  // namespace

ModelText::ModelText(std::string text, std::string name, std::string folder,
                     std::vector<Override> changes, bool in_code)
    : text_(std::move(text)),
      name_(std::move(name)),
      folder_(std::move(folder)),
      changes_(std::move(changes)),
      in_code_(in_code) {}

const io::Node& ModelText::tree() const {
  if (tree_) return *tree_;
  io::Diagnostics diagnostics;
  io::Document document = io::parse_document(text_, name_, folder_, diagnostics);
  if (!document.root.broken())
    io::apply_overrides(document.root, io::model_table(), changes_, diagnostics);
  diagnostics.finish(nullptr);
  tree_ = std::move(document.root);
  return *tree_;
}

const io::Node* ModelText::find(const std::string& path) const {
  if (const io::Node* found = follow(tree(), path)) return found->is_false() ? nullptr : found;
  (void)changed(tree(), {path, "false"});
  return nullptr;
}

void ModelText::change(const std::string& path, const io::Node& value) {
  const Override change{path, io::write_value(value)};
  tree_ = changed(tree(), change);
  // Of two changes at one place the later counts.
  std::erase_if(changes_, [&](const Override& old) { return old.path == path; });
  changes_.push_back(change);
}

std::string ModelText::toml() const { return changes_.empty() ? text_ : io::write_toml(tree()); }

ReadyModel ModelText::ready() const {
  ReadyModel out;
  LoadOptions options;
  options.overrides = changes_;
  options.warnings = &out.warnings;
  options.record = &out.record;
  try {
    out.model = std::make_shared<const Model>(parse_model(text_, name_, options, folder_));
  } catch (const ModelError& error) {
    if (in_code_) throw ModelError(without_places(error.issues()));
    throw;
  }
  if (in_code_) out.warnings = without_places(std::move(out.warnings));
  return out;
}

// ---- the module

namespace {

py::dict dict_of(const Assembly& a, const Scales& scales) {
  using namespace py::literals;
  return py::dict(
      "bodies"_a = a.bodies, "degrees_of_freedom"_a = a.freedom, "coordinates"_a = a.coordinates,
      "constraint_rows"_a = a.rows, "rank"_a = a.rank, "redundant"_a = a.redundant,
      "not_unique"_a = a.not_unique, "residual_before"_a = a.residual_before,
      "residual_after"_a = a.residual_after, "largest_move"_a = a.largest_move,
      "largest_turn"_a = a.largest_turn, "notes"_a = a.notes,
      "scales"_a =
          py::dict("length"_a = scales.length, "time"_a = scales.time, "mass"_a = scales.mass));
}

py::dict values_of(const std::vector<Channel>& channels, const std::vector<double>& row) {
  py::dict out;
  for (const Channel& c : channels) {
    if (row.size() < static_cast<std::size_t>(c.offset + c.width)) continue;
    const auto begin = row.begin() + c.offset;
    if (c.width == 1)
      out[py::str(c.path)] = *begin;
    else
      out[py::str(c.path)] = py::array_t<double>(c.width, &*begin);
  }
  return out;
}

py::dict equilibrium_of(const ReadyModel& ready) {
  using namespace py::literals;
  Equilibrium e;
  std::vector<Channel> channels;
  {
    const py::gil_scoped_release released;
    e = find_equilibrium(*ready.model);
    channels = describe(*ready.model).channels;
  }
  py::list loads;
  for (const CarriedLoad& load : e.loads)
    loads.append(py::dict("joint"_a = load.joint, "by"_a = load.by, "force"_a = load.force,
                          "depth"_a = load.depth, "eccentricity_ratio"_a = load.ratio));
  return py::dict("found"_a = e.found, "reason"_a = e.reason, "remedy"_a = e.remedy,
                  "spinning"_a = e.spinning, "iterations"_a = e.iterations,
                  "residual"_a = e.residual, "unbalanced"_a = e.unbalanced, "loads"_a = loads,
                  "free_motions"_a = e.free_motions, "values"_a = values_of(channels, e.row));
}

/// About the equilibrium, or, with `at_start`, about the assembled start.
py::list modes_of(const ReadyModel& ready, bool at_start) {
  using namespace py::literals;
  std::vector<Mode> modes;
  std::string uneven;
  {
    const py::gil_scoped_release released;
    State about;
    if (at_start) {
      about = io::assemble_start(*ready.model).start;
    } else {
      Equilibrium e = find_equilibrium(*ready.model);
      if (!e.found) throw AssemblyError(e.reason + (e.remedy.empty() ? "" : "; " + e.remedy));
      about = std::move(e.state);
    }
    modes = natural_modes(*ready.model, about);
  }
  py::list out;
  for (const Mode& m : modes)
    out.append(py::dict("frequency"_a = m.frequency, "damping"_a = m.damping, "real"_a = m.real,
                        "imaginary"_a = m.imaginary, "motion"_a = m.motion));
  return out;
}

/// Errors by play and by dimensions, given as {path: "120 mm+-0.05 mm"}; `changed` makes the model
/// with the values that it is given, {path: value}.
py::dict tolerance_of(const ReadyModel& ready, const std::vector<std::string>& of,
                      const std::map<std::string, std::string>& dimensions,
                      const py::function& changed, int positions,
                      std::optional<std::pair<double, double>> between, bool anywhere, int samples,
                      std::uint64_t seed) {
  using namespace py::literals;
  io::LooseDimensions loose;
  for (const auto& [path, text] : dimensions)
    if (!loose.add(path, text))
      throw py::value_error(
          "a dimension is a value and its tolerance, such as \"120 mm+-0.05 mm\", "
          "not \"" +
          text + "\"");
  ToleranceOptions options;
  options.outputs = of;
  options.positions = positions;
  if (between) std::tie(options.from, options.to) = *between;
  if (between && !(options.to > options.from))
    throw py::value_error("`between` is a pair of times, the later one second");
  if (positions < 1 || samples < 0)
    throw py::value_error("`positions` is 1 or more, `samples` 0 or more");
  options.played = anywhere ? PlayedAt::anywhere : PlayedAt::wall;
  options.samples = samples;
  options.seed = seed;
  options.dimensions = loose.list();
  options.moved = [&](std::span<const double> by) {
    const py::gil_scoped_acquire held;
    py::dict values;
    for (std::size_t k = 0; k < by.size(); ++k)
      values[py::str(loose.list()[k].path)] = loose.value(k, by[k]);
    return *changed(values).cast<std::shared_ptr<ReadyModel>>()->model;
  };
  if (!dimensions.empty())  // paths and values are checked before anything is computed
    static_cast<void>(options.moved(std::vector<double>(dimensions.size(), 0.0)));
  Tolerances found;
  {
    const py::gil_scoped_release released;
    found = find_tolerances(*ready.model, options);
  }
  py::list parts, outputs;
  for (const Looseness& l : found.loose)
    parts.append(py::dict("path"_a = l.path, "what"_a = l.what, "size"_a = l.size));
  for (const OutputTolerance& o : found.outputs) {
    py::dict columns;
    const auto column = [&](const char* name, double OutputError::*member) {
      py::array_t<double> values(static_cast<py::ssize_t>(o.at.size()));
      for (std::size_t k = 0; k < o.at.size(); ++k) values.mutable_data()[k] = o.at[k].*member;
      columns[name] = values;
    };
    column("time", &OutputError::time);
    column("nominal", &OutputError::nominal);
    column("low", &OutputError::low);
    column("high", &OutputError::high);
    column("linear", &OutputError::linear);
    column("deviation", &OutputError::deviation);
    py::array_t<double> shares(
        {static_cast<py::ssize_t>(o.at.size()), static_cast<py::ssize_t>(found.loose.size())});
    for (std::size_t k = 0; k < o.at.size(); ++k)
      std::ranges::copy(o.at[k].shares, shares.mutable_data() + k * found.loose.size());
    columns["shares"] = shares;
    columns["unit"] = o.unit;
    columns["worst"] = o.worst;
    if (o.sampled.samples > 0)
      columns["sampled"] = py::dict("samples"_a = o.sampled.samples, "time"_a = o.sampled.time,
                                    "mean"_a = o.sampled.mean, "deviation"_a = o.sampled.deviation,
                                    "low"_a = o.sampled.low, "high"_a = o.sampled.high);
    outputs.append(py::make_tuple(o.path, columns));
  }
  return py::dict("loose"_a = parts, "outputs"_a = py::dict(outputs), "notes"_a = found.notes);
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<ReadyModel, std::shared_ptr<ReadyModel>>(
      module, "ReadyModel", "A model that was read and checked; it never changes.")
      .def_property_readonly("name", [](const ReadyModel& r) { return r.model->name; })
      .def_property_readonly("planar", [](const ReadyModel& r) { return r.model->planar; })
      .def_property_readonly("warnings", [](const ReadyModel& r) { return issues_of(r.warnings); })
      .def(
          "resolved", [](const ReadyModel& r) { return write_model(*r.model); },
          "The model in canonical form: SI numbers, body frames, nothing left to a default.")
      .def(
          "digest", [](const ReadyModel& r) { return model_digest(*r.model); },
          "SHA-256 of the canonical form, which results carry as `model_sha256`.")
      .def("assemble",
           [](const ReadyModel& r) {
             Assembly assembly;
             {
               const py::gil_scoped_release released;
               assembly = io::assemble_start(*r.model);
             }
             return dict_of(assembly, scales_of(*r.model));
           })
      .def("equilibrium", &equilibrium_of)
      .def("modes", &modes_of, py::arg("at_start"))
      .def("tolerance", &tolerance_of, py::arg("of"), py::arg("dimensions"), py::arg("changed"),
           py::arg("positions"), py::arg("between"), py::arg("anywhere"), py::arg("samples"),
           py::arg("seed"));

  using Changes = std::vector<std::pair<std::string, std::string>>;
  py::class_<ModelText>(module, "ModelText", "The text of a model and what was changed of it.")
      .def(py::init([](std::string text, std::string name, std::string folder,
                       const Changes& changes, bool in_code) {
             std::vector<Override> overrides;
             for (const auto& [path, value] : changes) overrides.push_back({path, value});
             return ModelText(std::move(text), std::move(name), std::move(folder),
                              std::move(overrides), in_code);
           }),
           py::arg("text"), py::arg("name"), py::arg("folder"), py::arg("changes"),
           py::arg("in_code"))
      .def(
          "copy", [](const ModelText& m) { return ModelText(m); },
          "The same text and changes, and what was read of them.")
      .def_property_readonly("text", &ModelText::text)
      .def_property_readonly("name", &ModelText::name)
      .def_property_readonly("folder", &ModelText::folder)
      .def_property_readonly("in_code", &ModelText::in_code)
      .def_property_readonly("changes",
                             [](const ModelText& m) {
                               Changes out;
                               for (const Override& o : m.changes())
                                 out.emplace_back(o.path, o.value);
                               return out;
                             })
      .def(
          "get",
          [](const ModelText& m, const std::string& path) -> py::object {
            const io::Node* node = m.find(path);
            return node ? object_of(*node) : py::none();
          },
          py::arg("path"))
      .def(
          "set",
          [](ModelText& m, const std::string& path, const py::object& value) {
            m.change(path, node_of(value));
          },
          py::arg("path"), py::arg("value"))
      .def("toml", &ModelText::toml)
      .def("ready", [](const ModelText& m) {
        const ModelText now = m;  // the model may be changed meanwhile
        const py::gil_scoped_release released;
        return std::make_shared<ReadyModel>(now.ready());
      });

  module.def(
      "read_text",
      [](const std::filesystem::path& file) {
        std::string text = io::read_text(file);
        (void)io::normalised(text);  // says what is wrong with text that Python could not hold
        return text;
      },
      py::arg("file"), "Text of a model file, or the reason why it cannot be read.");
  module.def(
      "toml", [](const py::dict& tree) { return io::write_toml(node_of(tree)); }, py::arg("tree"),
      "A tree of sections as the text of a file.");
}

}  // namespace freeplay::python
