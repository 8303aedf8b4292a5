// SPDX-License-Identifier: Apache-2.0
#include "law_arguments.hpp"

#include "io/expression.hpp"
#include "io/text.hpp"
#include <freeplay/result.hpp>

#include <cmath>

namespace freeplay::python {
using namespace py::literals;

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
    const io::Quantity q =
        io::evaluate(io::parse_expression(text), [](const std::string& name, std::size_t offset) {
          throw io::ExpressionError(offset, io::quote(name) + " is no number or unit");
          return io::Quantity{};
        });
    const auto expected = io::parse_unit(unit);  // none: the unit depends on another parameter
    if (expected && !io::fits(q.dimension, expected->dimension))
      throw py::value_error(key + ": " + io::quote(text) + " is " + io::unit_name(q.dimension) +
                            ", not " + std::string(unit));
    return q.value;
  } catch (const io::ExpressionError& error) {
    throw py::value_error(key + ": " + io::quote(text) + ": " + error.what());
  }
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
