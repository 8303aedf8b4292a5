// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core.hpp"
#include "laws/catalogue.hpp"

#include <string>
#include <vector>

// How laws are made from Python: keys of the model file, numbers or strings with units.
namespace freeplay::python {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A number in SI, or a string with a unit that has to fit. Throws ValueError or TypeError.
[[nodiscard]] double quantity(const std::string& key, const py::handle& value,
                              std::string_view unit);

[[noreturn]] void no_such_law(const std::string& key, const std::vector<laws::Entry>& catalogue);
[[noreturn]] void no_such_parameter(const laws::Entry& law, const std::string& key);
[[noreturn]] void refuse(const std::string& law, const std::vector<laws::Fault>& faults);

/// The law with these parameters; its table says their units.
template <class V>
[[nodiscard]] V make_law(const std::string& key, const py::dict& parameters,
                         const std::vector<laws::Entry>& catalogue) {
  auto law = laws::make_law<V>(key);
  if (!law) no_such_law(key, catalogue);
  const laws::Entry* entry = nullptr;
  for (const laws::Entry& e : catalogue)
    if (e.key == key) entry = &e;
  for (const std::pair<py::handle, py::handle> item : parameters) {
    const std::string word = py::str(item.first);
    const py::handle value = item.second;
    if (bool* flag = laws::find_flag(*law, word)) {
      if (!py::isinstance<py::bool_>(value)) throw py::type_error(word + ": write True or False");
      *flag = value.cast<bool>();
      continue;
    }
    double* number = laws::find_parameter(*law, word);
    if (!number) no_such_parameter(*entry, word);
    std::string_view unit;
    for (const laws::Parameter& p : entry->parameters)
      if (p.key == word) unit = p.unit;
    *number = quantity(word, value, unit);
  }
  return *law;
}

/// The catalogue as dictionaries.
[[nodiscard]] py::list list_of(const std::vector<laws::Entry>& catalogue);
[[nodiscard]] py::dict dict_of(const std::vector<laws::Derived>& derived);

/// Numbers of equal shape, one after the other.
[[nodiscard]] py::ssize_t common_size(std::initializer_list<const Numbers*> arrays);

}  // namespace freeplay::python
