// SPDX-License-Identifier: Apache-2.0
#include "io/check.hpp"
#include "io/expression.hpp"
#include "io/text.hpp"
#include "io/units.hpp"
#include "study/study_reading.hpp"
#include "study/study_words.hpp"

#include <algorithm>
#include <cmath>

// `vary`: the paths that change from row to row, and the values they take.
namespace freeplay::study {
namespace {

using io::Entry;
using io::Node;
using io::Place;
using io::quote;

class VaryReader {
 public:
  explicit VaryReader(StudyReading& reading) : r_(reading) {}

  void read(const std::vector<Entry>& entries, Place top) {
    if (entries.empty() && !r_.diagnostics.failed())
      r_.error(
          top, "vary", "'vary' is missing; expected paths of the model and their values",
          "vary.\"joints.pin.clearance.radial\" = { from = \"0.1 mm\", to = \"0.5 mm\", count = "
          "9 }");
    for (const Entry& entry : entries) {
      Variable variable;
      variable.path = entry.key;
      if (std::ranges::any_of(r_.study.vary, [&](const auto& v) { return v.path == entry.key; }))
        r_.error(entry.place, entry.key, "is varied twice");
      if (entry.node.is_array())
        read_values(entry.node, variable);
      else if (entry.node.is_table())
        read_range(entry, variable);
      else
        r_.error(entry.node.place, entry.key,
                 "found " + entry.node.described() +
                     "; expected { from, to, count }, a list of values, or { distribution, ... }");
      r_.study.vary.push_back(std::move(variable));
    }
  }

 private:
  void read_values(const Node& list, Variable& variable) {
    if (list.items().empty()) r_.error(list.place, variable.path, "the list of values is empty");
    for (const Node& item : list.items()) {
      if (item.is_number()) {
        if (!std::isfinite(item.number()))
          r_.error(item.place, variable.path,
                   "found " + io::brief(item.number()) + "; expected a finite number");
        variable.values.push_back(item.number());
        continue;
      }
      if (item.is_text()) {
        try {
          const auto q = io::evaluate(io::parse_expression(item.text()), io::Parameters().lookup());
          variable.values.push_back(q.value);
          note_unit(q, item.text(), variable);
          continue;
        } catch (const io::ExpressionError&) {  // a word
        }
      }
      if (!item.is_text() && !item.is_truth()) {
        r_.error(item.place, variable.path, "found " + item.described() + "; expected a value");
        continue;
      }
      variable.words.push_back(item.is_text() ? "\"" + item.text() + "\""
                                              : (item.truth() ? "true" : "false"));
    }
    if (!variable.words.empty() && !variable.values.empty())
      r_.error(list.place, variable.path, "numbers and words do not mix");
    if (!variable.words.empty() && variable.values.empty())
      for (std::size_t i = 0; i < variable.words.size(); ++i)
        variable.values.push_back(static_cast<double>(i));
  }

  /// Parameters of a model have the units that were written, so those of the study are handed on.
  /// The first word that is a number with a unit says how people want to read them.
  static void note_unit(const io::Quantity& q, const std::string& text, Variable& variable) {
    if (q.dimension.plain()) return;
    variable.unit = io::unit_name(q.dimension);
    if (variable.written.empty()) variable.written = written_unit(text);
  }
  static void note_units(const Node& table, Variable& variable) {
    for (const char* key : {"from", "to", "mean", "mode", "lower", "upper"}) {
      const Node* node = table.find(key);
      if (!node || !node->is_text()) continue;
      try {
        note_unit(io::evaluate(io::parse_expression(node->text()), io::Parameters().lookup()),
                  node->text(), variable);
      } catch (const io::ExpressionError&) {  // reported where it is checked
      }
    }
  }

  void read_range(const Entry& entry, Variable& variable) {
    Node table = entry.node;
    std::optional<Node> values;
    if (const Node* node = table.find("values")) {
      values = *node;
      std::erase_if(table.entries(), [](const Entry& e) { return e.key == "values"; });
    }
    io::Document part = r_.document;
    part.root = table;
    const Node checked = io::check(vary_shape(), {part, r_.parameters, r_.diagnostics, false});
    if (values) {
      if (!table.entries().empty())
        return r_.error(entry.place, entry.key, "'values' stands alone", "keep one");
      if (!values->is_array())
        return r_.error(values->place, entry.key,
                        "found " + values->described() + "; expected a list");
      return read_values(*values, variable);
    }
    note_units(table, variable);
    const bool ranged = checked.has("from");
    variable.from = r_.number(checked, "from", 0);
    variable.to = r_.number(checked, "to", 1);
    const std::string law = r_.word(checked, "distribution", "");
    if (!ranged && law.empty())
      return r_.error(entry.place, entry.key,
                      "expected { from, to, count }, { values } or { distribution, ... }");
    if (!law.empty()) return read_distribution(entry, checked, law, variable);
    const std::int64_t count = r_.whole(checked, "count", 0);
    const bool logarithmic = r_.word(checked, "spacing", "linear") == "logarithmic";
    if (logarithmic && !(variable.from * variable.to > 0))
      return r_.error(entry.place, entry.key, "a logarithmic range cannot contain 0");
    for (std::int64_t i = 0; i < count; ++i) {
      // The ends are exactly those of the file.
      const double u = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
      const double value = logarithmic ? variable.from * std::pow(variable.to / variable.from, u)
                                       : variable.from + u * (variable.to - variable.from);
      variable.values.push_back(i > 0 && i == count - 1 ? variable.to : value);
    }
    variable.distribution = Distribution{};
    variable.distribution->from = variable.from;
    variable.distribution->to = variable.to;
    if (variable.to < variable.from && r_.study.kind != Kind::sweep &&
        r_.study.kind != Kind::bifurcation && r_.study.kind != Kind::periodic)
      r_.error(entry.place, entry.key, "'to' lies below 'from'");
  }

  void read_distribution(const Entry& entry, const Node& checked, const std::string& law,
                         Variable& variable) {
    Distribution d;
    const auto need = [&](std::initializer_list<const char*> keys) {
      for (const char* key : keys)
        if (!checked.has(key))
          r_.error(entry.place, entry.key, "a " + law + " distribution needs " + quote(key));
    };
    d.from = variable.from;
    d.to = variable.to;
    d.mean = r_.number(checked, "mean", 0);
    d.standard_deviation = r_.number(checked, "standard_deviation", 1);
    d.mode = r_.number(checked, "mode", 0.5 * (d.from + d.to));
    d.lower = r_.number(checked, "lower", d.lower);
    d.upper = r_.number(checked, "upper", d.upper);
    if (law == "uniform" || law == "triangular") {
      d.law = law == "uniform" ? Distribution::Law::uniform : Distribution::Law::triangular;
      need({"from", "to"});
      if (!(d.from < d.to)) r_.error(entry.place, entry.key, "'to' must lie above 'from'");
      if (law == "triangular" && !(d.from <= d.mode && d.mode <= d.to))
        r_.error(entry.place, entry.key, "'mode' must lie between 'from' and 'to'");
    } else {
      d.law = law == "normal" ? Distribution::Law::normal : Distribution::Law::lognormal;
      need({"mean", "standard_deviation"});
      if (law == "lognormal" && !(d.mean > 0))
        r_.error(entry.place, entry.key, "the mean of a lognormal distribution must be positive");
      if (!(d.lower < d.upper)) r_.error(entry.place, entry.key, "'upper' must lie above 'lower'");
    }
    variable.from = d.quantile(0.5);
    variable.distribution = d;
  }

  StudyReading& r_;
};

}  // namespace

std::string written_unit(std::string_view text) {
  double ignored = 0;
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t length = io::scan_number(text, ignored);
  if (length == 0) return {};
  text.remove_prefix(length);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return !text.empty() && io::parse_unit(text) ? std::string(text) : std::string();
}

void read_vary(StudyReading& reading, const std::vector<Entry>& entries, Place top) {
  VaryReader(reading).read(entries, top);
}

}  // namespace freeplay::study
