// SPDX-License-Identifier: Apache-2.0
#include "io/parameters.hpp"

#include "io/text.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::io {
namespace {

constexpr std::size_t kDeepest = 200;  // chosen: parameters that refer to parameters that ...

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

}  // namespace

Parameters::Parameters(const Node* table, Diagnostics& diagnostics) : diagnostics_(&diagnostics) {
  if (!table) return;
  if (!table->is_table()) {
    diagnostics.error(table->place, "parameters",
                      "found " + table->described() + "; expected a table of NAME = quantity");
    return;
  }
  for (const Entry& entry : table->entries()) {
    Item item;
    item.entry = &entry;
    if (!allowed(entry, diagnostics)) item.state = State::broken;
    items_.emplace(entry.key, item);
  }
  for (const Entry& entry : table->entries()) {
    std::vector<std::string> open;
    resolve(entry.key, open, diagnostics);
  }
}

bool Parameters::allowed(const Entry& entry, Diagnostics& diagnostics) {
  const std::string path = "parameters." + entry.key;
  const auto refuse = [&](const std::string& why) {
    diagnostics.error(entry.place, path, why, "choose another name");
    return false;
  };
  if (!is_identifier(entry.key))
    return refuse("the name " + quote(entry.key) +
                  " cannot stand in an expression; letters, digits and _ can");
  if (is_reserved_name(entry.key)) return refuse(quote(entry.key) + " is a function or constant");
  if (find_unit(entry.key)) return refuse(quote(entry.key) + " is a unit");
  return true;
}

void Parameters::resolve(const std::string& name, std::vector<std::string>& open,
                         Diagnostics& diagnostics) {
  Item& item = items_.at(name);
  if (item.state != State::untouched) return;
  item.state = State::broken;  // until the end is reached
  const Node& node = item.entry->node;
  const std::string path = "parameters." + name;
  if (node.is_number() && std::isfinite(node.number())) {
    item.value = {node.number(), {}};
    item.state = State::known;
    return;
  }
  if (!node.is_text()) {
    diagnostics.error(node.place, path,
                      "found " + node.described() + "; expected a finite number or a quantity");
    return;
  }
  item.state = State::open;
  open.push_back(name);
  try {
    const Expression expression = parse_expression(node.text());
    for (const Step& step : expression.steps) {
      if (step.kind != Step::Kind::name || !items_.contains(step.name)) continue;
      if (items_.at(step.name).state == State::open) {
        std::string circle;
        for (auto n = std::find(open.begin(), open.end(), step.name); n != open.end(); ++n)
          circle += *n + " -> ";
        throw ExpressionError(step.offset,
                              "parameters depend on each other in a circle: " + circle + step.name);
      }
      if (open.size() > kDeepest)
        throw ExpressionError(step.offset, "parameters refer to each other too deep");
      resolve(step.name, open, diagnostics);
    }
    item.value = evaluate(expression, lookup());
    item.state = State::known;
  } catch (const ExpressionError& error) {
    report(error, node, path, diagnostics);
    item.state = State::broken;
  } catch (const BrokenParameter&) {
    item.state = State::broken;
  }
  open.pop_back();
}

Quantity Parameters::value(const std::string& name, std::size_t offset) const {
  const auto found = items_.find(name);
  if (found == items_.end()) {
    const bool tired = diagnostics_ && diagnostics_->full();
    throw ExpressionError(offset, "there is no parameter " + quote(name),
                          tired ? "" : did_you_mean(name, names()));
  }
  if (found->second.state != State::known) throw BrokenParameter{};
  return found->second.value;
}

Lookup Parameters::lookup() const {
  return [this](const std::string& name, std::size_t offset) { return value(name, offset); };
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> out;
  for (const auto& [name, item] : items_) out.push_back(name);
  return out;
}

void report(const ExpressionError& error, const Node& text, const std::string& path,
            Diagnostics& diagnostics) {
  Place place = text.place;
  // The opening quote stands at the column of the string; escapes before the spot are rare and
  // shift it.
  if (place.line > 0) place.column += 1 + static_cast<int>(error.offset());
  diagnostics.error(place, path, "in " + quote(text.text()) + ": " + error.what(), error.hint());
}

}  // namespace freeplay::io
