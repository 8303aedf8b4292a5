// SPDX-License-Identifier: Apache-2.0
#include "law_arguments.hpp"

#include "io/expression.hpp"
#include "io/plugin_file.hpp"
#include "io/text.hpp"
#include "joints/choose_law.hpp"
#include <freeplay/result.hpp>

#include <cmath>

namespace freeplay::python {
using namespace py::literals;

namespace {

/// A text without names: what it says, and in what unit.
io::Quantity evaluated(const std::string& text) {
  return io::evaluate(io::parse_expression(text), [](const std::string& name, std::size_t offset) {
    throw io::ExpressionError(offset, io::quote(name) + " is no number or unit");
    return io::Quantity{};
  });
}

}  // namespace

double quantity(const std::string& key, const py::handle& value, std::string_view unit) {
  if (!py::isinstance<py::str>(value)) {
    if (py::isinstance<py::bool_>(value) || !PyNumber_Check(value.ptr()))
      throw py::type_error(key + ": a number in SI units, or a string with a unit");
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred()) throw py::error_already_set();
    return number;
  }
  const auto text = value.cast<std::string>();
  try {
    const io::Quantity q = evaluated(text);
    const auto expected = io::parse_unit(unit);  // none: the unit depends on another parameter
    if (expected && !io::fits(q.dimension, expected->dimension))
      throw py::value_error(key + ": " + io::quote(text) + " is " + io::unit_name(q.dimension) +
                            ", not " + std::string(unit));
    return q.value;
  } catch (const io::ExpressionError& error) {
    throw py::value_error(key + ": " + io::quote(text) + ": " + error.what());
  }
}

io::LawParameter law_parameter(const std::string& key, const py::handle& value) {
  io::LawParameter out{key, quantity(key, value, ""), {}};
  if (py::isinstance<py::str>(value)) {
    const io::Quantity q = evaluated(value.cast<std::string>());
    if (!q.dimension.plain()) out.dimension = q.dimension;
  }
  return out;
}

laws::FormulaCode formula_code(const laws::FormulaUse& use, const std::string& text,
                               const std::vector<io::LawParameter>& parameters) {
  try {
    return io::compile_law(io::parse_expression(text, io::variables_of(use, false)), use,
                           parameters, false);
  } catch (const io::ExpressionError& error) {
    throw py::value_error(std::string(use.key) + ": " + io::quote(text) + ": " + error.what() +
                          (error.hint().empty() ? "" : " (" + error.hint() + ")"));
  }
}

std::shared_ptr<const laws::PluginFunction> plugin_function(
    std::string_view kind, const std::string& text, const std::string& digest,
    const std::vector<std::pair<std::string, py::object>>& parameters) {
  const auto which = laws::PluginReference::read(text);
  laws::PluginLaws all = laws::find_plugin(which.of_program() ? which.file : digest);
  if (all.empty() && which.of_program())
    throw py::value_error("this program has no law " + io::quote(which.file));
  if (all.empty() && !plugins_allowed())
    throw py::value_error(io::quote(which.file) + " is compiled code, which is not allowed (" +
                          joints::kAllowPlugins + ")");
  if (all.empty()) {
    const std::string found = io::open_plugin(std::filesystem::canonical(which.file));
    if (!digest.empty() && digest != found)
      throw py::value_error("the plug-in has changed: its digest is " + found);
    all = laws::find_plugin(found);
  }
  std::string why;
  const auto law = laws::choose(all, kind, which.name, why);
  if (!law) throw py::value_error(io::quote(which.file) + ": " + why);
  std::vector<std::pair<std::string, double>> numbers;
  for (const auto& [key, value] : parameters) {
    std::string unit;
    for (const laws::PluginParameter& p : law->parameters)
      if (p.name == key) unit = p.unit.empty() ? "1" : p.unit;
    numbers.emplace_back(key, quantity(key, value, unit));
  }
  return laws::PluginFunction::make(law, numbers);
}

void no_such_law(const std::string& key, const std::vector<laws::Entry>& catalogue) {
  std::vector<std::string> known;
  for (const laws::Entry& e : catalogue) known.emplace_back(e.key);
  throw NotInResult("there is no law " + io::quote(key) + "; " + io::did_you_mean(key, known));
}

void no_such_parameter(const laws::Entry& law, const std::string& key) {
  std::vector<std::string> known;
  for (const laws::Parameter& p : law.parameters) known.emplace_back(p.key);
  throw NotInResult("the law '" + std::string(law.key) + "' has no " + io::quote(key) + "; " +
                    io::did_you_mean(key, known));
}

void refuse(const std::string& law, const std::vector<laws::Fault>& faults) {
  std::string text;
  for (const laws::Fault& f : faults)
    text += (text.empty() ? "" : "\n") + ("law '" + law + "': ") +
            (f.key.empty() ? "" : std::string(f.key) + ": ") + f.message;
  throw py::value_error(text);
}

py::list list_of(const std::vector<laws::Entry>& catalogue) {
  py::list out;
  for (const laws::Entry& e : catalogue) {
    py::list parameters;
    for (const laws::Parameter& p : e.parameters)
      parameters.append(py::dict("key"_a = p.key, "unit"_a = p.unit, "doc"_a = p.doc,
                                 "min"_a = p.min, "max"_a = p.max, "default"_a = p.fallback,
                                 "required"_a = p.required, "flag"_a = p.is_flag));
    out.append(py::dict("key"_a = e.key, "title"_a = e.title, "text"_a = laws::to_text(e),
                        "parameters"_a = parameters));
  }
  return out;
}

py::dict dict_of(const std::vector<laws::Derived>& derived) {
  py::dict out;
  for (const laws::Derived& d : derived)
    out[py::str(std::string(d.name))] = py::make_tuple(d.value, d.unit);
  return out;
}

py::ssize_t common_size(std::initializer_list<const Numbers*> arrays) {
  const py::ssize_t size = (*arrays.begin())->size();
  for (const Numbers* a : arrays)
    if (a->size() != size) throw py::value_error("arrays of different sizes");
  return size;
}

}  // namespace freeplay::python
