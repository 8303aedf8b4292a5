// SPDX-License-Identifier: Apache-2.0
#include "io/paths.hpp"

#include <algorithm>

namespace freeplay::io {
namespace {

using Kind = Shape::Kind;

/// A place in the file: what may stand there, and what does (null: nothing).
struct Spot {
  const Shape* shape = nullptr;
  const TableShape* table = nullptr;
  const Node* node = nullptr;
};

/// Of several forms the one written, or else the first that leads on.
Spot settled(Spot spot) {
  if (!spot.shape) return spot;
  if (spot.shape->kind == Kind::either) {
    const Shape* chosen = nullptr;
    for (const Shape& s : spot.shape->of)
      if (!chosen && spot.node && may_be(s, *spot.node)) chosen = &s;
    if (!chosen || chosen->kind == Kind::quantity || chosen->kind == Kind::text)
      for (const Shape& s : spot.shape->of)
        if (s.kind == Kind::table) chosen = &s;
    return settled({chosen, nullptr, spot.node});
  }
  if (spot.shape->kind == Kind::table) spot.table = spot.shape->table.get();
  return spot;
}

bool leads_on(const Spot& spot) {
  if (spot.table) return true;
  if (!spot.shape || !spot.node) return false;
  return (spot.shape->kind == Kind::map && spot.node->is_table()) ||
         (spot.shape->kind == Kind::list && spot.node->is_array());
}

Spot child(const Spot& spot, const std::string& part) {
  const Entry* entry = spot.node ? spot.node->entry(part) : nullptr;
  const Node* node = entry ? &entry->node : nullptr;
  if (spot.table) {
    const Key* key = spot.table->find_or_other(part, nullptr);
    return key ? settled({&key->shape, nullptr, node}) : Spot{};
  }
  if (!leads_on(spot)) return {};
  if (spot.shape->kind == Kind::list) {
    const auto index = static_cast<std::size_t>(std::strtoul(part.c_str(), nullptr, 10));
    node = index < spot.node->items().size() ? &spot.node->items()[index] : nullptr;
  }
  return node ? settled({&spot.shape->of[0], nullptr, node}) : Spot{};
}

std::vector<std::string> names_in(const Spot& spot) {
  std::vector<std::string> out;
  if (spot.table) {
    out = spot.table->names();
    if (spot.table->others && spot.node && spot.node->is_table())  // what is there already
      for (const Entry& entry : spot.node->entries())
        if (std::ranges::find(out, entry.key) == out.end()) out.push_back(entry.key);
    return out;
  }
  if (!leads_on(spot)) return out;
  if (spot.shape->kind == Kind::list)
    for (std::size_t i = 0; i < spot.node->items().size(); ++i) out.push_back(std::to_string(i));
  else
    for (const Entry& entry : spot.node->entries()) out.push_back(entry.key);
  return out;
}

}  // namespace

std::vector<std::string> paths_from(const Node& root, const TableShape& shape,
                                    std::string_view begun) {
  Spot spot{nullptr, &shape, &root};
  std::string before;
  for (std::size_t dot = begun.find('.'); dot != std::string_view::npos; dot = begun.find('.')) {
    const std::string part(begun.substr(0, dot));
    spot = child(spot, part);
    before += part + ".";
    begun.remove_prefix(dot + 1);
  }
  std::vector<std::string> out;
  for (const std::string& name : names_in(spot)) {
    if (!name.starts_with(begun) || (before.empty() && name == "include")) continue;
    const Spot next = child(spot, name);
    if (next.shape && next.shape->kind == Kind::map && !next.node) continue;  // nothing is in it
    out.push_back(before + name + (leads_on(next) ? "." : "="));
  }
  std::ranges::sort(out);
  return out;
}

std::string unit_at(const Node& root, const TableShape& shape, std::string_view path) {
  Spot spot{nullptr, &shape, &root};
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    spot = child(spot, std::string(path.substr(0, dot)));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  if (!spot.shape || spot.shape->kind != Kind::quantity) return {};
  return spot.shape->unit.find('{') == std::string::npos ? spot.shape->unit : std::string();
}

}  // namespace freeplay::io
