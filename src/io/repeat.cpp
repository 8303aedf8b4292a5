// SPDX-License-Identifier: Apache-2.0
#include "io/repeat.hpp"

#include "io/text.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::io {
namespace {

/// A number that is whole to rounding, as "units/2 - 1" may be.
std::optional<long> whole(double number) {
  const double near = std::round(number);
  if (!(std::abs(number) < 1e15) || std::abs(number - near) > 1e-9) return {};
  return static_cast<long>(near);
}

class Unfolder {
 public:
  Unfolder(Parameters& parameters, Diagnostics& diagnostics)
      : parameters_(parameters), diagnostics_(diagnostics) {}

  void section(Node& node, const std::string& path) {
    broken_ = false;
    Node::Entries out;
    std::map<std::string, Place> names;
    for (Entry& entry : node.entries()) {
      const std::string own_path = path + "." + entry.key;
      const std::size_t from = out.size();
      const Entry* repeat = entry.node.entry("repeat");
      if (!repeat || repeat->node.is_false()) {
        fill(entry.node, own_path);
        out.push_back(std::move(entry));
      } else {
        copy(entry, *repeat, own_path, out);
      }
      for (std::size_t i = from; i < out.size(); ++i) claim(out[i], path, names);
    }
    node.value = std::move(out);
    // Whoever refers to a copy that is not there is not to blame.
    if (broken_) node.value = Node::Broken{};
  }

 private:
  void claim(const Entry& entry, const std::string& path, std::map<std::string, Place>& names) {
    const auto [known, is_new] = names.emplace(entry.key, entry.place);
    if (is_new) return;
    diagnostics_.error(entry.place, path + "." + entry.key,
                       "there is a second " + quote(entry.key) + ", which " +
                           (known->second.line == entry.place.line
                                ? "the same repetition makes"
                                : "line " + std::to_string(known->second.line) + " makes"),
                       "copies of a repeated table are called NAME_1, NAME_2, ...; rename one of "
                       "the tables");
  }

  void copy(const Entry& entry, const Entry& key, const std::string& path, Node::Entries& out) {
    const auto repeat = parameters_.read_repeat(key.node, path + ".repeat", diagnostics_);
    if (!repeat) {
      broken_ = true;
      return;
    }
    Node pattern = entry.node;
    std::erase_if(pattern.entries(), [](const Entry& e) { return e.key == "repeat"; });
    for (long i = repeat->first; i < repeat->first + repeat->count; ++i) {
      const int scope = parameters_.add_scope(*repeat, i);
      try {
        Entry one{parameters_.name_of_copy(entry.key, *repeat, i, scope), entry.place, pattern};
        set_scope(one.node, scope);
        fill(one.node, path.substr(0, path.find('.') + 1) + one.key);
        out.push_back(std::move(one));
      } catch (const ExpressionError& error) {
        return diagnostics_.error(entry.place, path,
                                  "in the name " + quote(entry.key) + ": " + error.what(),
                                  error.hint());
      } catch (const BrokenParameter&) {
        return;
      }
    }
  }

  /// The braces of all texts and keys below.
  void fill(Node& node, const std::string& path) {
    if (node.is_array())
      for (Node& item : node.items()) fill(item, path);
    if (node.is_table())
      for (Entry& entry : node.entries()) {
        // A quoted key is where its text begins, less the quote that `report` counts.
        if (const auto key = filled(entry.key, entry.place, node.scope, path)) entry.key = *key;
        fill(entry.node, path + "." + entry.key);
      }
    if (!node.is_text()) return;
    if (auto text = filled(node.text(), node.place, node.scope, path))
      node.value = std::move(*text);
    else
      node.value = Node::Broken{};
  }

  [[nodiscard]] std::optional<std::string> filled(const std::string& text, Place place, int scope,
                                                  const std::string& path) {
    if (text.find_first_of("{}") == std::string::npos) return text;
    try {
      return parameters_.filled(text, scope);
    } catch (const ExpressionError& error) {
      report(error, {text, place}, path, diagnostics_);
    } catch (const BrokenParameter&) {
    }
    return {};
  }

  Parameters& parameters_;
  Diagnostics& diagnostics_;
  bool broken_ = false;
};

}  // namespace

std::optional<long> Parameters::read_whole(const Node& node, const std::string& path,
                                           Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& found) {
    diagnostics.error(node.place, path, "found " + found + "; expected a whole number");
    return std::nullopt;
  };
  if (node.broken()) return {};
  if (node.is_number()) {
    const auto number = whole(node.number());
    return number ? number : refuse(brief(node.number()));
  }
  if (!node.is_text()) return refuse(node.described());
  try {
    std::vector<std::string> open;
    const Value value = compute(node, 0, open, diagnostics);
    const bool plain = !value.is_vector() && value.parts[0].dimension.plain();
    const auto number = plain ? whole(value.parts[0].value) : std::nullopt;
    return number ? number
                  : refuse(quote(node.text()) +
                           (value.is_vector() ? ", a vector"
                            : plain           ? ", which is " + brief(value.parts[0].value)
                                              : ", in " + unit_name(value.parts[0].dimension)));
  } catch (const ExpressionError& error) {
    report(error, node, path, diagnostics);
  } catch (const BrokenParameter&) {
  }
  return {};
}

std::optional<Repeat> Parameters::read_repeat(const Node& node, const std::string& path,
                                              Diagnostics& diagnostics) {
  Repeat out;
  const Node* count = &node;
  if (node.broken()) return {};
  if (node.is_table()) {
    for (const Entry& entry : node.entries())
      if (entry.key != "count" && entry.key != "first" && entry.key != "index") {
        diagnostics.error(entry.place, path + "." + entry.key, "unknown key " + quote(entry.key),
                          "expected { count = 14, first = 1, index = \"i\" }");
        return {};
      }
    count = node.find("count");
    if (!count) {
      if (!node.has("count")) diagnostics.error(node.place, path, "'count' is missing");
      return {};
    }
    if (const Entry* first = node.entry("first")) {
      const auto number = read_whole(first->node, path + ".first", diagnostics);
      if (!number) return {};
      out.first = *number;
    }
    if (const Entry* index = node.entry("index")) {
      const Node& name = index->node;
      const bool letters =
          name.is_text() && !name.text().empty() && name.text().size() < 100 &&
          std::ranges::all_of(name.text(), [](char c) { return starts_name(c) && c != '%'; });
      if (!letters || is_reserved_name(name.text())) {
        diagnostics.error(name.place, path + ".index",
                          "found " + name.described() + "; expected a name of letters, as \"i\"");
        return {};
      }
      out.index = name.text();
    }
  }
  if (has(out.index)) {
    diagnostics.error(
        node.place, path,
        "the index " + quote(out.index) + " is also the name of " + items_.at(out.index).path,
        "rename that, or write repeat = { count = ..., index = \"k\" }");
    return {};
  }
  const auto number = read_whole(*count, count == &node ? path : path + ".count", diagnostics);
  if (!number) return {};
  // What is computed may come to nothing: a chain of one has no neighbours.
  if (*number < 0 || (*number == 0 && count->is_number())) {
    diagnostics.error(count->place, path,
                      "found " + std::to_string(*number) + " copies; expected 1 or more",
                      "take the table away to have none");
    return {};
  }
  if (*number > kMostCopies || copies_ + *number > kMostCopies ||
      std::abs(out.first) > 1000000000) {
    diagnostics.error(count->place, path,
                      std::to_string(*number) + " copies from " + std::to_string(out.first) +
                          "; a model has at most " + std::to_string(kMostCopies) +
                          " copies of all repeated tables");
    return {};
  }
  copies_ += *number;
  out.count = *number;
  return out;
}

int Parameters::add_scope(const Repeat& repeat, long index) {
  scopes_.emplace_back(repeat.index, static_cast<double>(index));
  return static_cast<int>(scopes_.size());
}

std::string Parameters::name_of_copy(const std::string& name, const Repeat&, long index,
                                     int scope) const {
  return name.find('{') == std::string::npos ? name + "_" + std::to_string(index)
                                             : filled(name, scope);
}

std::string Parameters::filled(const std::string& text, int scope) const {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find_first_of("{}", at);
    out += text.substr(at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = text.find('}', open);
    if (text[open] == '}' || close == std::string::npos)
      throw ExpressionError(
          open, text[open] == '}' ? "a '}' without a '{' before it" : "a closing '}' is missing",
          "braces in a name hold the number of a copy: \"bar_{i+1}\"");
    const std::string inside = text.substr(open + 1, close - open - 1);
    try {
      const Quantity q = evaluate(parse_expression(inside), lookup(scope));
      const auto number = q.dimension.plain() ? whole(q.value) : std::nullopt;
      if (!number)
        throw ExpressionError(0, "found " + brief(q.value) + (q.dimension.plain() ? "" : " in ") +
                                     (q.dimension.plain() ? "" : unit_name(q.dimension)) +
                                     " in braces; expected a whole number");
      out += std::to_string(*number);
    } catch (const ExpressionError& error) {
      throw ExpressionError(open + 1 + error.offset(), error.what(), error.hint());
    }
    at = close + 1;
  }
  return out;
}

Key repeat_key() {
  return key("repeat",
             either({number(), table({"repeat",
                                      "Copies of a table, NAME_1, NAME_2, ..., in which the index "
                                      "is known to expressions and names: \"i*pitch\", "
                                      "\"bar_{i+1}\".",
                                      {key("count", number().at_least(0), "how many").require(),
                                       key("first", number(),
                                           "value of the index in the first; "
                                           "absent: 1"),
                                       key("index", text(), "its name; absent: \"i\"")}})}),
             "how many copies of this table there are, NAME_1, NAME_2, ...; in them, i is the "
             "number of the copy")
      .resolve_away();
}

void unfold_repeats(Node& root, const TableShape& shape, Parameters& parameters,
                    Diagnostics& diagnostics) {
  if (!root.is_table()) return;
  Unfolder unfolder(parameters, diagnostics);
  for (Entry& entry : root.entries()) {
    const Key* key = shape.find(entry.key, nullptr);
    const bool named = key && key->shape.kind == Shape::Kind::map &&
                       key->shape.of[0].kind == Shape::Kind::table &&
                       key->shape.of[0].table->find("repeat", nullptr);
    if (named && entry.node.is_table()) unfolder.section(entry.node, entry.key);
  }
}

}  // namespace freeplay::io
