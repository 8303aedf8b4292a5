// SPDX-License-Identifier: Apache-2.0
#include "io/named_tables.hpp"

#include "io/model_tables.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <array>

namespace freeplay::io {
namespace {

constexpr int kDeepest = 32;  // chosen: tables that use tables that ...

/// Sizes of which two say the third: outer part, inner part, play.
struct Triple {
  const char *outer, *inner, *play;
};
constexpr std::array kTriples{
    Triple{"socket_radius", "ball_radius", "radial"},
    Triple{"bearing_radius", "journal_radius", "radial"},
    Triple{"guide_width", "slider_width", "radial"},
    Triple{"guide_height", "slider_height", "radial"},
    Triple{"slot_radius", "pin_radius", "radial"},
    Triple{"bearing_length", "journal_length", "axial"},
};

const std::string* law_of(const Node& table, const TableShape& shape) {
  const Node* node = shape.discriminator.empty() ? nullptr : table.find(shape.discriminator);
  if (node) return node->is_text() ? &node->text() : nullptr;
  return shape.fallback.empty() ? nullptr : &shape.fallback;
}

bool excluded(const Node& own, const Key& key, const TableShape& shape) {
  for (const Entry& entry : own.entries()) {
    if (entry.node.is_false()) continue;
    const Key* other = shape.find(entry.key, nullptr);
    const auto names = [](const Key* k, const std::string& name) {
      return k && std::ranges::find(k->without, name) != k->without.end();
    };
    if (names(other, key.name) || names(&key, entry.key)) return true;
  }
  return false;
}

/// Adds to `own` the keys of `base` that it does not have itself.
void lay_under(Node& own, const Node& base, const TableShape& shape) {
  const Node written = own;
  for (const Entry& entry : base.entries()) {
    const Key* key = shape.find_or_other(entry.key, nullptr);
    if (!key || entry.key == "use") continue;
    Entry* mine = own.entry(entry.key);
    if (!mine) {
      if (!excluded(written, *key, shape)) own.entries().push_back(entry);
      continue;
    }
    if (!mine->node.is_table() || !entry.node.is_table()) continue;
    const Shape* inner = &key->shape;
    for (const Shape& alternative : key->shape.of)
      if (alternative.kind == Shape::Kind::table) inner = &alternative;
    if (inner->kind != Shape::Kind::table) continue;
    // Another law has other parameters; nothing of the first one is meant then.
    const TableShape& table = *inner->table;
    const std::string *a = law_of(mine->node, table), *b = law_of(entry.node, table);
    if (mine->node.has(table.discriminator) && (!a || !b || *a != *b)) continue;
    lay_under(mine->node, entry.node, table);
  }
  for (const Triple& t : kTriples) {
    if (!own.has(t.outer) || !own.has(t.inner) || !own.has(t.play)) continue;
    const char* surplus = !written.has(t.inner) ? t.inner : !written.has(t.play) ? t.play : nullptr;
    if (surplus) std::erase_if(own.entries(), [&](const Entry& e) { return e.key == surplus; });
  }
}

class NamedTables {
 public:
  NamedTables(Node& root, const CheckInput& input) : input_(input), shape_(clearance_table()) {
    if (Entry* section = root.entry("clearances"); section && !section->node.broken()) {
      if (!section->node.is_table()) {
        refuse(section->node, "clearances",
               "found " + section->node.described() + "; expected a table of NAME = { ... }");
        section->node.value = Node::Broken{};
      }
      section_ = &section->node;
      for (Entry& entry : section->node.is_table() ? section->node.entries() : none_)
        if (!entry.node.is_false()) check_table(entry.node, "clearances." + entry.key);
    }
    const Node* defaults = root.find("defaults");
    if (!defaults || defaults->is_false()) return;
    if (!defaults->is_table()) {
      refuse(*defaults, "defaults", "found " + defaults->described() + "; expected a table");
      return;
    }
    for (const Entry& entry : defaults->entries())
      if (entry.key != "clearance")
        input_.diagnostics.error(entry.place, "defaults." + entry.key,
                                 "there are no defaults for " + quote(entry.key),
                                 "expected [defaults.clearance]");
    if (Entry* clearance = root.entry("defaults")->node.entry("clearance")) {
      if (clearance->node.is_false()) return;
      check_table(clearance->node, "defaults.clearance");
      if (clearance->node.has("use")) {
        refuse(clearance->node, "defaults.clearance.use", "defaults cannot use another table");
        clearance->node.value = Node::Broken{};
      }
      defaults_ = &clearance->node;
    }
  }

  void lay(Entry& clearance, const std::string& path) {
    Node& node = clearance.node;
    if (node.is_text()) {
      Node name = node;
      node.value = Node::Entries{{"use", node.place, std::move(name)}};
    }
    if (!node.is_table()) return;
    if (!follow(node, path + ".use", 0)) {
      node.value = Node::Broken{};
      return;
    }
    if (!defaults_) return;
    if (defaults_->is_table())
      lay_under(node, *defaults_, shape_);
    else
      node.value = Node::Broken{};
  }

 private:
  void refuse(const Node& node, const std::string& path, std::string message,
              std::string hint = {}) {
    input_.diagnostics.error(node.place, path, std::move(message), std::move(hint));
  }

  /// Its mistakes are said here, and not again in every joint that uses it.
  void check_table(Node& node, const std::string& path) {
    if (node.broken()) return;
    const std::size_t before = input_.diagnostics.errors();
    static_cast<void>(check_value(table(shape_), node, path, input_));
    if (input_.diagnostics.errors() > before) node.value = Node::Broken{};
  }

  /// Lays the table that `node` names under it, and what that one names.
  bool follow(Node& node, const std::string& path, int depth) {
    const Entry* use = node.entry("use");
    if (!use) return true;
    const Node name = use->node;
    if (name.broken()) return false;
    if (!name.is_text()) {
      refuse(name, path, "found " + name.described() + "; expected the name of a table");
      return false;
    }
    if (section_ && section_->broken()) return false;
    const Entry* named = section_ ? section_->entry(name.text()) : nullptr;
    if (!named || named->node.is_false()) {
      std::vector<std::string> names;
      for (const Entry& entry : section_ ? section_->entries() : none_) names.push_back(entry.key);
      std::string hint = did_you_mean(name.text(), names);
      if (hint.empty()) hint = "write it as [clearances." + name.text() + "]";
      refuse(name, path, "there is no table 'clearances." + name.text() + "'", hint);
      return false;
    }
    if (depth > kDeepest) {
      refuse(name, path, "tables use each other in a circle");
      return false;
    }
    if (named->node.broken()) return false;
    std::erase_if(node.entries(), [](const Entry& e) { return e.key == "use"; });
    lay_under(node, named->node, shape_);
    const Entry* next = named->node.entry("use");
    if (!next) return true;
    node.entries().push_back(*next);
    return follow(node, "clearances." + name.text() + ".use", depth + 1);
  }

  const CheckInput& input_;
  TableShape shape_;
  const Node *section_ = nullptr, *defaults_ = nullptr;
  Node::Entries none_;
};

}  // namespace

void lay_named_tables(Node& root, const CheckInput& input) {
  if (!root.is_table()) return;
  NamedTables named(root, input);
  Entry* joints = root.entry("joints");
  if (!joints || !joints->node.is_table()) return;
  for (Entry& joint : joints->node.entries())
    if (Entry* clearance = joint.node.entry("clearance"))
      named.lay(*clearance, "joints." + joint.key + ".clearance");
}

}  // namespace freeplay::io
