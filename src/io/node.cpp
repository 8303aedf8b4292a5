// SPDX-License-Identifier: Apache-2.0
#include "io/node.hpp"

#include "io/text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <utility>

namespace freeplay::io {

const Entry* Node::entry(std::string_view key) const {
  if (!is_table()) return nullptr;
  for (const Entry& entry : entries())
    if (entry.key == key) return &entry;
  return nullptr;
}

Entry* Node::entry(std::string_view key) {
  return const_cast<Entry*>(std::as_const(*this).entry(key));
}

const Node* Node::find(std::string_view key) const {
  const Entry* found = entry(key);
  return found && !found->node.broken() ? &found->node : nullptr;
}

std::string Node::described() const {
  if (is_truth()) return truth() ? "true" : "false";
  if (is_number()) return "the number " + brief(number());
  if (is_text()) return "the string " + quote(text());
  if (is_array()) return "an array of " + std::to_string(items().size());
  if (is_table()) return "a table";
  return broken() ? "something broken" : "a date";
}

bool same(const Node& a, const Node& b) {
  if (a.value.index() != b.value.index()) return false;
  if (a.is_number())
    return std::bit_cast<std::uint64_t>(a.number()) == std::bit_cast<std::uint64_t>(b.number());
  if (a.is_truth()) return a.truth() == b.truth();
  if (a.is_text()) return a.text() == b.text();
  if (a.is_array())
    return std::ranges::equal(a.items(), b.items(),
                              [](const Node& x, const Node& y) { return same(x, y); });
  if (a.is_table())
    return std::ranges::equal(a.entries(), b.entries(), [](const Entry& x, const Entry& y) {
      return x.key == y.key && same(x.node, y.node);
    });
  return true;
}

void merge(Node& base, Node over) {
  if (!base.is_table() || !over.is_table()) {
    base = std::move(over);
    return;
  }
  for (Entry& entry : over.entries()) {
    if (Entry* known = base.entry(entry.key)) {
      known->place = entry.place;
      merge(known->node, std::move(entry.node));
    } else {
      base.entries().push_back(std::move(entry));
    }
  }
}

void set_scope(Node& node, int scope) {
  node.scope = scope;
  if (node.is_array())
    for (Node& item : node.items()) set_scope(item, scope);
  if (node.is_table())
    for (Entry& entry : node.entries()) set_scope(entry.node, scope);
}

Place locate(const Node& root, std::string_view path) {
  const Node* node = &root;
  Place place = root.place;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    if (const Entry* entry = node->entry(key)) {
      node = &entry->node;
      // A table is best known by its header, a value by itself.
      place = node->is_table() ? entry->place : node->place;
    } else if (node->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      if (error != std::errc{} || end != key.data() + key.size() || index >= node->items().size())
        break;
      node = &node->items()[index];
      place = node->place;
    } else {
      break;
    }
  }
  return place;
}

}  // namespace freeplay::io
