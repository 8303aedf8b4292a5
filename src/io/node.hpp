// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

// A model file as a tree in which every value knows where it was written. The same type serves for
// the tree as written (numbers may be strings with units and parameters) and for the checked tree
// (SI numbers only). Entries of a table keep the order of the file.
namespace freeplay::io {

/// Where something was written. `file` indexes Diagnostics' list; line 0 means "somewhere in it".
struct Place {
  int file = -1;
  int line = 0, column = 0;  ///< 1-based
};

struct Entry;

struct Node {
  struct Broken {};  ///< wrong, and already reported: readers pass over it in silence
  struct Date {};    ///< TOML has dates; models have none
  using Items = std::vector<Node>;
  using Entries = std::vector<Entry>;

  std::variant<Broken, Date, bool, double, std::string, Items, Entries> value;
  Place place;
  /// Of the copy of a repeated table it belongs to: which index it may use (Parameters); 0: none.
  int scope = 0;

  [[nodiscard]] bool broken() const { return std::holds_alternative<Broken>(value); }
  [[nodiscard]] bool is_truth() const { return std::holds_alternative<bool>(value); }
  [[nodiscard]] bool is_number() const { return std::holds_alternative<double>(value); }
  [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string>(value); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Items>(value); }
  [[nodiscard]] bool is_table() const { return std::holds_alternative<Entries>(value); }
  [[nodiscard]] bool is_false() const { return is_truth() && !std::get<bool>(value); }

  [[nodiscard]] bool truth() const { return std::get<bool>(value); }
  [[nodiscard]] double number() const { return std::get<double>(value); }
  [[nodiscard]] const std::string& text() const { return std::get<std::string>(value); }
  [[nodiscard]] const Items& items() const { return std::get<Items>(value); }
  [[nodiscard]] Items& items() { return std::get<Items>(value); }
  [[nodiscard]] const Entries& entries() const { return std::get<Entries>(value); }
  [[nodiscard]] Entries& entries() { return std::get<Entries>(value); }

  /// Entry of a table, or null when there is none (or this is no table).
  [[nodiscard]] const Entry* entry(std::string_view key) const;
  [[nodiscard]] Entry* entry(std::string_view key);
  /// Is the key there, be it broken?
  [[nodiscard]] bool has(std::string_view key) const { return entry(key) != nullptr; }
  /// The sound value of a key; null when it is absent or broken.
  [[nodiscard]] const Node* find(std::string_view key) const;

  /// "the number 3", "the string 'abc'", "an array of 2", ... for messages
  [[nodiscard]] std::string described() const;
};

struct Entry {
  std::string key;
  Place place;  ///< of the key
  Node node;
};

/// Equal to the last bit, keys in the same order. Places do not count.
[[nodiscard]] bool same(const Node& a, const Node& b);

/// Of a node and all below it.
void set_scope(Node& node, int scope);

/// Lays `over` on `base`: tables are merged key by key, everything else is replaced.
void merge(Node& base, Node over);

/// The node of a dotted path ("bodies.rod.position.0"), or the last one on the way that exists.
[[nodiscard]] Place locate(const Node& root, std::string_view path);

}  // namespace freeplay::io
