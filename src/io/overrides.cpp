// SPDX-License-Identifier: Apache-2.0
#include "io/overrides.hpp"

#include "io/check.hpp"
#include "io/text.hpp"
#include "io/toml_reader.hpp"

#include <algorithm>
#include <charconv>

namespace freeplay::io {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    out.emplace_back(path.substr(start, dot - start));
    start = dot + 1;
  }
  return out;
}

std::optional<std::size_t> index_of(const std::string& part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc{} || end != part.data() + part.size()) return {};
  return index;
}

/// Follows one path down the tree and the shapes together.
class Assignment {
 public:
  Assignment(const Override& what, Place place, Diagnostics& diagnostics,
             std::vector<Override>* later)
      : what_(what),
        parts_(split(what.path)),
        place_(place),
        diagnostics_(diagnostics),
        later_(later) {
    // What is no TOML value is a string: `0.1mm`, `300 rpm`, `spherical`.
    if (auto value = parse_toml_value(what.value, place.file)) {
      value_ = std::move(*value);
    } else {
      value_.value = what.value;
      value_.place = place;
    }
  }

  void run(Node& root, const TableShape& shape) {
    if (parts_[0] == "include") return fail("files can only be included by a file");
    in_table(root, shape, 0);
  }

 private:
  void descend(Node& node, const Shape& shape, std::size_t depth) {
    if (depth == parts_.size()) {
      const int scope = node.scope;  // the index of a repeated table is known here
      node = value_;
      set_scope(node, scope);
      return;
    }
    using Kind = Shape::Kind;
    switch (shape.kind) {
      case Kind::table:
        return in_table(node, *shape.table, depth);
      case Kind::map:
        return in_map(node, shape, depth);
      case Kind::list:
        return in_list(node, shape, depth);
      case Kind::either: {
        const Shape* way = nullptr;
        for (const Shape& alternative : shape.of)
          if (!way && leads_on(node, alternative, depth)) way = &alternative;
        for (const Shape& alternative : shape.of)  // none leads on: let the table say what it knows
          if (!way && alternative.kind == Kind::table) way = &alternative;
        if (way) return descend(node, *way, depth);
        [[fallthrough]];
      }
      default:
        fail(quote(so_far(depth)) + " is a value; there is nothing below it", beside(depth));
    }
  }

  [[nodiscard]] bool leads_on(const Node& node, const Shape& shape, std::size_t depth) const {
    if (shape.kind == Shape::Kind::table)
      return shape.table->find(parts_[depth], nullptr) != nullptr;
    return may_be(shape, node) && (shape.kind == Shape::Kind::map ||
                                   (shape.kind == Shape::Kind::list && index_of(parts_[depth])));
  }

  void in_table(Node& node, const TableShape& shape, std::size_t depth) {
    const std::string& part = parts_[depth];
    // Which law it will be may be said elsewhere; then the check of the whole knows.
    const Node* kind = node.find(shape.discriminator);
    const Key* key = kind && kind->is_text() && !shape.find(part, nullptr)
                         ? shape.find_or_other(part, &kind->text())
                         : shape.find_or_other(part, nullptr);
    if (!key) return unknown(depth, shape.names());
    if (node.is_text() && shape.find("use", nullptr)) {
      // The name of a table that many use: this key goes before what it says.
      Node name = node;
      node.value = Node::Entries{{"use", node.place, std::move(name)}};
    }
    if (!node.is_table()) node.value = Node::Entries{};  // absent, or taken away by `false`
    if (!node.has(part)) node.entries().push_back({part, place_, {{}, place_}});
    descend(node.entry(part)->node, key->shape, depth + 1);
  }

  void in_map(Node& node, const Shape& shape, std::size_t depth) {
    std::vector<std::string> names;
    if (node.is_table())
      for (const Entry& entry : node.entries()) names.push_back(entry.key);
    Entry* entry = node.entry(parts_[depth]);
    const auto repeated = [](const Entry& e) { return e.node.has("repeat"); };
    if (!entry && later_ && node.is_table() && std::ranges::any_of(node.entries(), repeated))
      return later_->push_back(what_);
    if (!entry) return unknown(depth, names);
    descend(entry->node, shape.of[0], depth + 1);
  }

  void in_list(Node& node, const Shape& shape, std::size_t depth) {
    const auto index = index_of(parts_[depth]);
    if (node.is_text())
      return fail(quote(so_far(depth)) + " is one expression, " + quote(node.text()) +
                      ", and has no entries of its own",
                  "set it as a whole");
    const std::size_t count = node.is_array() ? node.items().size() : 0;
    if (!index || *index >= count)
      return fail(quote(so_far(depth)) + " has " + std::to_string(count) +
                  " entries, counted from 0");
    descend(node.items()[*index], shape.of[0], depth + 1);
  }

  /// What stands beside the word of a law, "friction.kinetic", is easily looked for below it.
  [[nodiscard]] std::string beside(std::size_t depth) const {
    if (depth < 2 || (parts_[depth - 1] != "law" && parts_[depth - 1] != "type")) return {};
    std::string path = so_far(depth - 1);
    for (std::size_t i = depth; i < parts_.size(); ++i) path += "." + parts_[i];
    return "did you mean " + quote(path) + "?";
  }

  void unknown(std::size_t depth, const std::vector<std::string>& known) {
    const std::string where = depth == 0 ? "the model" : quote(so_far(depth));
    fail(where + " has no " + quote(parts_[depth]), did_you_mean(parts_[depth], known));
  }

  [[nodiscard]] std::string so_far(std::size_t depth) const {
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) out += (i > 0 ? "." : "") + parts_[i];
    return out;
  }

  void fail(std::string message, std::string hint = {}) {
    diagnostics_.error(place_, what_.path, std::move(message), std::move(hint));
  }

  const Override& what_;
  std::vector<std::string> parts_;
  Place place_;
  Diagnostics& diagnostics_;
  std::vector<Override>* later_;
  Node value_;
};

}  // namespace

void apply_overrides(Node& root, const TableShape& shape, std::span<const Override> overrides,
                     Diagnostics& diagnostics, std::vector<Override>* later) {
  if (overrides.empty() || !root.is_table()) return;
  const Place place{diagnostics.add_file("--set"), 0, 0};
  for (const Override& what : overrides)
    Assignment(what, place, diagnostics, later).run(root, shape);
}

}  // namespace freeplay::io
