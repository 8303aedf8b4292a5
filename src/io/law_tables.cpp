// SPDX-License-Identifier: Apache-2.0
#include "io/law_tables.hpp"

#include "io/text.hpp"
#include "laws/plugin_law.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::io {
namespace {

/// Shape of a parameter: its unit and bounds. A stiffness in N/m^n has the unit of its exponent,
/// which only the law knows: any unit is taken there, a bare number is SI as always.
Shape shape_of(const laws::Parameter& parameter) {
  if (parameter.is_flag) return truth();
  if (parameter.unit == laws::kListUnit) return list(quantity(""));
  if (parameter.unit == laws::kTextUnit) return text();
  if (parameter.formula) return law_formula(*parameter.formula);
  const bool open_unit = parameter.unit.find("^n") != std::string_view::npos ||
                         !parameter.unit_at_reference_load.empty();
  Shape shape = quantity(open_unit ? "" : std::string(parameter.unit));
  if (std::isfinite(parameter.min)) shape.at_least(parameter.min);
  if (std::isfinite(parameter.max)) shape.at_most(parameter.max);
  return shape;
}

bool same(const Key& key, const laws::Parameter& parameter) {
  const Shape shape = shape_of(parameter);
  return key.name == parameter.key && key.required == parameter.required &&
         key.shape.kind == shape.kind && key.shape.unit == shape.unit &&
         key.shape.min == shape.min && key.shape.max == shape.max && key.shape.use == shape.use;
}

/// A number of a formula or a plug-in, { value, unit }.
freeplay::Expression::Parameter named_number(const Entry& entry) {
  return {entry.key, entry.node.find("value")->number(), entry.node.find("unit")->text()};
}

}  // namespace

TableShape law_table(const std::string& name, const std::string& doc,
                     const std::vector<laws::Entry>& catalogue, const std::string& fallback,
                     std::vector<Key> more) {
  std::vector<std::string> words;
  for (const laws::Entry& law : catalogue) words.emplace_back(law.key);
  TableShape out{name, doc, {}};
  Key which = key("law", choice(words), "which law; `freeplay laws` lists them");
  if (fallback.empty()) which.require();
  out.keys.push_back(which);
  // Laws that have a parameter in common share its key.
  for (const laws::Entry& law : catalogue)
    for (const laws::Parameter& parameter : law.parameters) {
      if (parameter.formula || parameter.key == laws::kPluginKey) {
        if (!out.others)
          out.others = key("NAME", quantity(""), "a number that the formula or the plug-in names");
        out.others->only.emplace_back(law.key);
      }
      const auto known =
          std::ranges::find_if(out.keys, [&](const Key& k) { return same(k, parameter); });
      if (known != out.keys.end()) {
        known->only.emplace_back(law.key);
        continue;
      }
      Key added = key(std::string(parameter.key), shape_of(parameter), std::string(parameter.doc));
      added.only_for({std::string(law.key)});
      if (parameter.required) added.require();
      if (parameter.key == laws::kPluginKey) added.shape.words = {std::string(law.kind)};
      out.keys.push_back(std::move(added));
    }
  for (Key& k : more) out.keys.push_back(std::move(k));
  out.discriminator = "law";
  out.fallback = fallback;
  return out;
}

void say_departure(Build& build, const Node& table, const std::string& path,
                   const std::vector<laws::Entry>& catalogue) {
  const Node* law = table.find("law");
  if (!law || table.has("as_published")) return;
  for (const laws::Entry& entry : catalogue)
    if (entry.key == law->text() && !entry.departs.empty())
      build.diagnostics.warn(
          table.place, path,
          quote(law->text()) + " is not quite the published law: " + std::string(entry.departs),
          "as_published = true takes it as printed, false keeps this form and this message away");
}

LawChoice read_law(const Node& table, const std::string& fallback,
                   const std::vector<std::string>& skip) {
  LawChoice out;
  std::string digest;
  const Node* law = table.find("law");
  out.key = law ? law->text() : fallback;
  for (const Entry& entry : table.entries()) {
    if (entry.key == "law" || entry.node.broken() ||
        std::ranges::find(skip, entry.key) != skip.end())
      continue;
    // Only laws of the user have texts, and tables { value, unit } made of the numbers that a
    // formula names (law_formula.hpp) or a plug-in takes (law_plugin.hpp).
    if (entry.node.is_text() || entry.node.is_table()) {
      if (!out.expression) out.expression.emplace();
      if (entry.node.is_text() && entry.key == "digest")
        digest = entry.node.text();
      else if (entry.node.is_text())
        out.expression->text = entry.node.text();
      else
        out.expression->parameters.push_back(named_number(entry));
      continue;
    }
    out.parameters.emplace_back(entry.key, entry.node.is_number() ? entry.node.number()
                                           : entry.node.truth()   ? 1.0
                                                                  : 0.0);
  }
  if (!digest.empty() && out.expression) {
    auto which = laws::PluginReference::read(out.expression->text);
    which.digest = digest;
    out.expression->text = which.text();
  }
  return out;
}

}  // namespace freeplay::io
