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

bool allowed(const std::string& name, Place place, const std::string& path,
             Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& why) {
    diagnostics.error(place, path, why, "choose another name");
    return false;
  };
  if (!is_identifier(name))
    return refuse("the name " + quote(name) +
                  " cannot stand in an expression; letters, digits and _ can");
  if (is_reserved_name(name)) return refuse(quote(name) + " is a function or constant");
  return true;
}

bool is_value(const Node& node) {
  return node.is_text() || (node.is_number() && std::isfinite(node.number()));
}

/// One dimension for all entries: bare numbers, such as 0, take that of the others.
bool unify(Value& vector) {
  const Dimension* whole = nullptr;
  for (int i = 0; i < vector.size; ++i) {
    const Dimension& part = vector.parts[static_cast<std::size_t>(i)].dimension;
    if (part.plain()) continue;
    if (whole && (!whole->same_physics(part) || whole->turn != part.turn)) return false;
    if (!whole) whole = &part;
  }
  if (!whole) return true;
  const Dimension dimension = *whole;
  for (int i = 0; i < vector.size; ++i)
    vector.parts[static_cast<std::size_t>(i)].dimension = dimension;
  return true;
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
    item.node = &entry.node;
    item.path = "parameters." + entry.key;
    add(entry.key, entry.place, std::move(item), diagnostics);
  }
  resolve_all(diagnostics);
}

Parameters::Parameters(const Node& root, bool planar, Diagnostics& diagnostics)
    : planar_(planar), diagnostics_(&diagnostics) {
  for (const char* section : {"parameters", "points"}) {
    const Node* table = root.find(section);
    if (!table || table->is_false()) continue;
    const bool points = section == std::string_view("points");
    if (!table->is_table()) {
      diagnostics.error(table->place, section,
                        "found " + table->described() +
                            "; expected a table of NAME = " + (points ? "point" : "quantity"));
    } else if (points) {
      add_points(*table, diagnostics);
    } else {
      for (const Entry& entry : table->entries()) {
        Item item;
        item.node = &entry.node;
        item.path = "parameters." + entry.key;
        add(entry.key, entry.place, std::move(item), diagnostics);
      }
    }
  }
  resolve_all(diagnostics);
}

void Parameters::add(const std::string& name, Place place, Item item, Diagnostics& diagnostics) {
  if (!allowed(name, place, item.path, diagnostics)) item.state = State::broken;
  const std::string path = item.path;
  const auto [known, is_new] = items_.emplace(name, std::move(item));
  if (is_new) return;
  diagnostics.error(place, path, quote(name) + " is already the name of " + known->second.path,
                    "parameters and points share their names; choose another one");
}

void Parameters::add_points(const Node& table, Diagnostics& diagnostics) {
  has_points_ = true;
  for (const Entry& entry : table.entries()) {
    if (entry.node.is_table() || entry.node.is_false()) continue;
    Item item;
    item.node = &entry.node;
    item.path = "points." + entry.key;
    item.point = true;
    add(entry.key, entry.place, std::move(item), diagnostics);
  }
  for (const Entry& entry : table.entries())
    if (entry.node.is_table()) add_repeated_points(entry, diagnostics);
}

void Parameters::add_repeated_points(const Entry& entry, Diagnostics& diagnostics) {
  const std::string path = "points." + entry.key;
  for (const Entry& key : entry.node.entries())
    if (key.key != "repeat" && key.key != "at")
      diagnostics.error(key.place, path + "." + key.key, "unknown key " + quote(key.key),
                        "a row of points is { repeat = COUNT, at = [x, y, z] }");
  const Node *at = entry.node.find("at"), *count = entry.node.find("repeat");
  if (!at || !count) {
    if (!entry.node.has("at") || !entry.node.has("repeat"))
      diagnostics.error(entry.node.place, path,
                        std::string(at ? "'repeat'" : "'at'") + " is missing",
                        "a point is [x, y, z]; a row of them { repeat = COUNT, at = [x, y, z] }");
    return;
  }
  const auto repeat = read_repeat(*count, path + ".repeat", diagnostics);
  if (!repeat) return;
  for (long i = repeat->first; i < repeat->first + repeat->count; ++i) {
    Item item;
    item.node = at;
    item.scope = add_scope(*repeat, i);
    item.point = true;
    try {
      const std::string name = name_of_copy(entry.key, *repeat, i, item.scope);
      item.path = "points." + name;
      add(name, entry.place, std::move(item), diagnostics);
    } catch (const ExpressionError& error) {
      return diagnostics.error(entry.place, path, error.what(), error.hint());
    } catch (const BrokenParameter&) {
      return;
    }
  }
}

void Parameters::resolve_all(Diagnostics& diagnostics) {
  for (const auto& [name, item] : items_) {
    std::vector<std::string> open;
    resolve(name, open, diagnostics);
  }
}

Value Parameters::compute(const Node& text, int scope, std::vector<std::string>& open,
                          Diagnostics& diagnostics) {
  const Expression expression =
      parse_expression(scope > 0 ? filled(text.text(), scope) : text.text());
  for (const Step& step : expression.steps) {
    if (step.kind != Step::Kind::name || !items_.contains(step.name)) continue;
    if (items_.at(step.name).state == State::open) {
      std::string circle;
      for (auto n = std::find(open.begin(), open.end(), step.name); n != open.end(); ++n)
        circle += *n + " -> ";
      const bool points = items_.at(step.name).point;
      throw ExpressionError(step.offset, std::string(points ? "points" : "parameters") +
                                             " depend on each other in a circle: " + circle +
                                             step.name);
    }
    if (open.size() > kDeepest)
      throw ExpressionError(step.offset, "parameters refer to each other too deep");
    resolve(step.name, open, diagnostics);
  }
  return evaluate_value(expression, lookup(scope));
}

std::optional<Value> Parameters::read_vector(const Item& item, std::vector<std::string>& open,
                                             Diagnostics& diagnostics) {
  const Node::Items& entries = item.node->items();
  Value out;
  out.size = static_cast<int>(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string path = item.path + "." + std::to_string(i);
    try {
      Value part;
      if (entries[i].is_number())
        part = Quantity{entries[i].number(), {}};
      else
        part = compute(entries[i], item.scope, open, diagnostics);
      if (part.is_vector()) throw ExpressionError(0, "this is a vector; a number was expected");
      out.parts[i] = part.parts[0];
    } catch (const ExpressionError& error) {
      report(error, entries[i], path, diagnostics);
      return {};
    }
  }
  if (unify(out)) return out;
  diagnostics.error(item.node->place, item.path, "the entries have different units");
  return {};
}

bool Parameters::fits_point(const Item& item, Value& value, Diagnostics& diagnostics) const {
  const Node& node = *item.node;
  const int size = planar_ ? 2 : 3;
  const std::string expected = planar_ ? "[x, y] in m" : "[x, y, z] in m";
  if (value.size != size) {
    diagnostics.error(node.place, item.path,
                      (value.is_vector() ? "found " + std::to_string(value.size) + " entries"
                                         : "found " + node.described()) +
                          "; expected " + expected,
                      !value.is_vector() ? ""
                      : planar_          ? "the mechanism is planar"
                                : "for a planar mechanism write 'planar = true' in [mechanism]");
    return false;
  }
  const Dimension metre = parse_unit("m")->dimension;
  for (Quantity& part : value.parts) {
    if (!fits(part.dimension, metre)) {
      diagnostics.error(
          node.place, item.path,
          "found a vector in " + unit_name(part.dimension) + "; expected " + expected);
      return false;
    }
    part.dimension = metre;
  }
  return true;
}

void Parameters::resolve(const std::string& name, std::vector<std::string>& open,
                         Diagnostics& diagnostics) {
  Item& item = items_.at(name);
  if (item.state != State::untouched) return;
  item.state = State::broken;  // until the end is reached
  const Node& node = *item.node;
  if (node.broken()) return;
  const bool is_list = node.is_array() && (node.items().size() == 2 || node.items().size() == 3) &&
                       std::ranges::all_of(node.items(), is_value);
  if (!is_list && !is_value(node)) {
    const std::string expected = item.point ? planar_ ? "[x, y] in m, or an expression of points"
                                                      : "[x, y, z] in m, or an expression of points"
                                            : "a finite number, a quantity or a vector of them";
    diagnostics.error(node.place, item.path,
                      "found " + node.described() + "; expected " + expected);
    return;
  }
  item.state = State::open;
  open.push_back(name);
  bool sound = false;
  try {
    if (is_list) {
      const auto vector = read_vector(item, open, diagnostics);
      if (vector) item.value = *vector;
      sound = vector.has_value();
    } else {
      item.value = node.is_number() ? Value(Quantity{node.number(), {}})
                                    : compute(node, item.scope, open, diagnostics);
      sound = true;
    }
    if (sound && item.point) sound = fits_point(item, item.value, diagnostics);
  } catch (const ExpressionError& error) {
    report(error, node, item.path, diagnostics);
    sound = false;
  } catch (const BrokenParameter&) {
    sound = false;
  }
  item.state = sound ? State::known : State::broken;
  open.pop_back();
}

Value Parameters::value(const std::string& name, std::size_t offset) const {
  const auto found = items_.find(name);
  if (found == items_.end()) {
    const bool tired = diagnostics_ && diagnostics_->full();
    throw ExpressionError(
        offset,
        std::string("there is no parameter ") + (has_points_ ? "or point " : "") + quote(name),
        tired ? "" : did_you_mean(name, names()));
  }
  if (found->second.state != State::known) throw BrokenParameter{};
  return found->second.value;
}

Lookup Parameters::lookup(int scope) const {
  return [this, scope](const std::string& name, std::size_t offset) -> Value {
    if (scope > 0) {
      const auto& [index, number] = scopes_[static_cast<std::size_t>(scope) - 1];
      if (name == index) return Quantity{number, {}};
    }
    return value(name, offset);
  };
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> out;
  for (const auto& [name, item] : items_) out.push_back(name);
  return out;
}

bool Parameters::is_point(const std::string& name) const {
  const auto found = items_.find(name);
  return found != items_.end() && found->second.point;
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
