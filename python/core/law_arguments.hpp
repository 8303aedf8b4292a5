// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core.hpp"
#include "io/law_formula.hpp"
#include "laws/catalogue.hpp"
#include "laws/plugin_law.hpp"

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

/// A number that a formula names, with its unit if it has one.
[[nodiscard]] io::LawParameter law_parameter(const std::string& key, const py::handle& value);
/// The code of a formula, units checked. Throws ValueError.
[[nodiscard]] laws::FormulaCode formula_code(const laws::FormulaUse& use, const std::string& text,
                                             const std::vector<io::LawParameter>& parameters);

/// The law of a plug-in; a file is found from the current folder. Throws ValueError.
[[nodiscard]] std::shared_ptr<const laws::PluginFunction> plugin_function(
    std::string_view kind, const std::string& text, const std::string& digest,
    const std::vector<std::pair<std::string, py::object>>& parameters);

/// The law with these parameters; its table says their units.
template <class V>
[[nodiscard]] V make_law(const std::string& key, const py::dict& parameters,
                         const std::vector<laws::Entry>& catalogue) {
  auto law = laws::make_law<V>(key);
  if (!law) no_such_law(key, catalogue);
  const laws::Entry* entry = nullptr;
  for (const laws::Entry& e : catalogue)
    if (e.key == key) entry = &e;
  std::optional<std::string> formula;
  std::vector<io::LawParameter> named;
  std::optional<std::string> plugin;
  std::string digest;
  std::vector<std::pair<std::string, py::object>> handed;
  const bool is_plugin = key == laws::kPluginKey;
  for (const std::pair<py::handle, py::handle> item : parameters) {
    const std::string word = py::str(item.first);
    const py::handle value = item.second;
    if (bool* flag = laws::find_flag(*law, word)) {
      if (!py::isinstance<py::bool_>(value)) throw py::type_error(word + ": write True or False");
      *flag = value.cast<bool>();
      continue;
    }
    double* number = laws::find_parameter(*law, word);
    if (is_plugin && word == laws::kPluginKey) {
      plugin = py::cast<std::string>(value);
      continue;
    }
    if (is_plugin && word == "digest") {
      digest = py::cast<std::string>(value);
      continue;
    }
    if (is_plugin && !number) {
      handed.emplace_back(word, py::reinterpret_borrow<py::object>(value));
      continue;
    }
    if (entry->use && word == entry->use->key) {
      formula = py::cast<std::string>(value);
      continue;
    }
    if (entry->use && !number) {
      named.push_back(law_parameter(word, value));
      continue;
    }
    if (!number) no_such_parameter(*entry, word);
    std::string_view unit;
    for (const laws::Parameter& p : entry->parameters)
      if (p.key == word) unit = p.unit;
    *number = quantity(word, value, unit);
  }
  if (formula || !named.empty())
    std::visit(
        [&]<class L>(L& own) {
          if constexpr (laws::FormulaLaw<L>)
            if (!own.take(formula_code(L::use, formula.value_or(""), named)))
              throw py::value_error("the formula is too long for a law");
        },
        *law);
  if (is_plugin && !plugin && !handed.empty()) no_such_parameter(*entry, handed.front().first);
  if (plugin)
    std::visit(
        [&]<class L>(L& own) {
          if constexpr (laws::PluginUser<L>)
            own.take(plugin_function(L::plugin_kind, *plugin, digest, handed));
        },
        *law);
  return *law;
}

/// The catalogue as dictionaries.
[[nodiscard]] py::list list_of(const std::vector<laws::Entry>& catalogue);
[[nodiscard]] py::dict dict_of(const std::vector<laws::Derived>& derived);

/// Numbers of equal shape, one after the other.
[[nodiscard]] py::ssize_t common_size(std::initializer_list<const Numbers*> arrays);

}  // namespace freeplay::python
