// SPDX-License-Identifier: Apache-2.0
#include "io/fields.hpp"

#include "io/text.hpp"
#include "laws/formula.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::io {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::string bounds(const Shape& shape) {
  const bool below = std::isfinite(shape.min), above = std::isfinite(shape.max);
  std::string out;
  if (below && above)
    out = std::string(shape.min_open ? " in (" : " in [") + brief(shape.min) + ", " +
          brief(shape.max) + "]";
  else if (below)
    out = std::string(shape.min_open ? " > " : " >= ") + brief(shape.min);
  else if (above)
    out = " <= " + brief(shape.max);
  return shape.no_zero ? out + " other than 0" : out;
}

std::string in_unit(std::string unit, Measure measure) {
  if (unit.empty()) return " with any unit";
  replace_all(unit, "{i}", "i");  // of the i-th entry
  return unit == "1" ? "" : " in " + unit_for(unit, measure);
}

}  // namespace

Shape& Shape::alias(std::string other, std::string word) {
  aliases.emplace_back(std::move(other), std::move(word));
  return *this;
}

Shape& Shape::reserve(std::string name) {
  reserved.push_back(std::move(name));
  return *this;
}

const Key* TableShape::find(const std::string& wanted, const std::string* kind,
                            std::optional<bool> planar) const {
  const Key* second_best = nullptr;
  for (const Key& key : keys) {
    const bool belongs =
        key.only.empty() || !kind || std::ranges::find(key.only, *kind) != key.only.end();
    if (key.name != wanted || !belongs) continue;
    if (!planar || key.fits_space(*planar)) return &key;
    if (!second_best) second_best = &key;
  }
  return second_best;
}

const Key* TableShape::find_or_other(const std::string& wanted, const std::string* kind,
                                     std::optional<bool> planar) const {
  if (const Key* key = find(wanted, kind, planar)) return key;
  const bool belongs =
      others && (!kind || std::ranges::find(others->only, *kind) != others->only.end());
  return belongs ? &*others : nullptr;
}

std::vector<std::string> TableShape::names() const {
  std::vector<std::string> out;
  for (const Key& key : keys)
    if (std::ranges::find(out, key.name) == out.end()) out.push_back(key.name);
  return out;
}

Shape quantity(std::string unit) {
  Shape out;
  out.unit = std::move(unit);
  return out;
}

Shape number() { return quantity("1"); }

Shape truth() {
  Shape out;
  out.kind = Shape::Kind::truth;
  return out;
}

Shape text() {
  Shape out;
  out.kind = Shape::Kind::text;
  return out;
}

Shape choice(std::vector<std::string> words) {
  Shape out;
  out.kind = Shape::Kind::choice;
  out.words = std::move(words);
  return out;
}

Shape formula(std::vector<std::string> variables) {
  Shape out;
  out.kind = Shape::Kind::formula;
  out.words = std::move(variables);
  return out;
}

Shape law_formula(const laws::FormulaUse& use) {
  Shape out;
  out.kind = Shape::Kind::law;
  out.use = &use;
  for (const laws::Variable& v : use.variables) out.words.emplace_back(v.name);
  return out;
}

Shape columns(std::vector<std::string> keys) {
  Shape out;
  out.kind = Shape::Kind::file;
  out.words = std::move(keys);
  return out;
}

Shape list(Shape item, std::vector<std::size_t> counts) {
  Shape out;
  out.kind = Shape::Kind::list;
  out.of.push_back(std::move(item));
  out.counts = std::move(counts);
  return out;
}

Shape vector(std::string unit) {
  Shape out = list(quantity(std::move(unit)));
  out.spatial = true;
  return out;
}

Shape table(TableShape shape) {
  Shape out;
  out.kind = Shape::Kind::table;
  out.table = std::make_shared<const TableShape>(std::move(shape));
  return out;
}

Shape map(Shape item) {
  Shape out;
  out.kind = Shape::Kind::map;
  out.of.push_back(std::move(item));
  return out;
}

Shape either(std::vector<Shape> shapes) {
  Shape out;
  out.kind = Shape::Kind::either;
  out.of = std::move(shapes);
  return out;
}

Key key(std::string name, Shape shape, std::string doc) {
  Key out;
  out.name = std::move(name);
  out.shape = std::move(shape);
  out.doc = std::move(doc);
  return out;
}

bool may_be(const Shape& shape, const Node& node) {
  using Kind = Shape::Kind;
  switch (shape.kind) {
    case Kind::quantity:
      return node.is_number() || node.is_text();
    case Kind::truth:
      return node.is_truth();
    case Kind::text:
    case Kind::choice:
    case Kind::formula:
    case Kind::law:
    case Kind::file:
      return node.is_text();
    case Kind::list:
      // [[...], [...]] and [x, y, z] are told apart by their first entry.
      if (node.is_text()) return shape.spatial;
      if (!node.is_array() || node.items().empty()) return node.is_array();
      return shape.of[0].kind == Kind::list ? may_be(shape.of[0], node.items()[0])
                                            : !node.items()[0].is_array();
    case Kind::table:
    case Kind::map:
      return node.is_table();
    case Kind::either:
      return std::ranges::any_of(shape.of, [&](const Shape& s) { return may_be(s, node); });
  }
  return false;
}

std::string unit_for(const std::string& unit, Measure measure, std::size_t index) {
  if (measure == Measure::unknown && unit.find_first_of('{') != std::string::npos) {
    const std::string angle = unit_for(unit, Measure::angle, index),
                      length = unit_for(unit, Measure::length, index);
    return angle == length ? angle : angle + " or " + length;
  }
  std::string out = unit;
  replace_all(out, "{q}", measure == Measure::angle ? "rad" : "m");
  replace_all(out, "{f}", measure == Measure::angle ? "N m" : "N");
  replace_all(out, "{i}", std::to_string(index));
  return out;
}

std::string described(const Shape& shape, bool planar, Measure measure) {
  using Kind = Shape::Kind;
  switch (shape.kind) {
    case Kind::quantity:
      return "a number" + bounds(shape) + in_unit(shape.unit, measure);
    case Kind::truth:
      return "true or false";
    case Kind::text:
      return "a string";
    case Kind::choice:
      return one_of_these(shape.words);
    case Kind::formula:
      if (std::ranges::find(shape.words, "*") != shape.words.end())
        return "a formula of what is recorded, of signals and of t";
      return shape.words.size() > 1 ? "a formula in x, v and t" : "a formula in " + shape.words[0];
    case Kind::law: {
      std::string out = "a formula in ";
      for (const std::string& word : shape.words)
        out += (word == shape.words[0] ? "" : ", ") + word;
      return out + " and parameters";
    }
    case Kind::file:
      return "the name of a file with " + std::to_string(shape.words.size()) + " columns";
    case Kind::list: {
      const Shape& item = shape.of[0];
      if (shape.spatial) return (planar ? "[x, y]" : "[x, y, z]") + in_unit(item.unit, measure);
      std::string count;
      for (const std::size_t n : shape.counts)
        count += (count.empty() ? "" : " or ") + std::to_string(n);
      return "a list of " + (count.empty() ? "" : count + " times ") +
             described(item, planar, measure);
    }
    case Kind::table: {
      for (const auto& keys : {shape.table->one_of, shape.table->some_of})
        if (!keys.empty()) return "a table with one of " + one_of_these(keys);
      std::string names;
      for (const std::string& name : shape.table->names())
        names += (names.empty() ? "" : ", ") + name;
      return "a table { " + names + " }";
    }
    case Kind::map:
      return "a table of NAME = " + described(shape.of[0], planar, measure);
    case Kind::either: {
      std::string out;
      for (const Shape& s : shape.of)
        out += (out.empty() ? "" : ", or ") + described(s, planar, measure);
      return out;
    }
  }
  return {};
}

}  // namespace freeplay::io
