// SPDX-License-Identifier: Apache-2.0
#include "io/check.hpp"

#include "io/columns.hpp"
#include "io/law_plugin.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

constexpr std::size_t kLongestName = 100;  // fits HDF5 paths, file names and table headings

/// Bare numbers that are legal but look like another unit ("mm given as m").
struct Suspicion {
  std::string_view unit;
  double limit;
  std::string_view meant, write;
};
constexpr std::array kSuspicions{
    Suspicion{"m", 1e3, "millimetres", "mm"},
    Suspicion{"kg", 1e7, "grams", "g"},
    Suspicion{"rad", 6.3, "degrees", "deg"},
    Suspicion{"rad/s", 1e3, "revolutions per minute", "rpm"},
};

/// Where the checker stands.
struct Spot {
  std::string path;
  Measure measure = Measure::unknown;
  const Node* around = nullptr;  // innermost table
  std::size_t index = 0;         // in a list

  [[nodiscard]] Spot at(const std::string& key) const {
    Spot out = *this;
    out.path += (path.empty() ? "" : ".") + key;
    return out;
  }
};

class Checker {
 public:
  using Variety = std::optional<std::string>;  // value of a table's discriminator

  explicit Checker(const CheckInput& input) : in_(input) {}

  Node value(const Node& raw, const Shape& shape, const Spot& spot) {
    using Kind = Shape::Kind;
    if (raw.broken()) return broken(raw);
    if (!may_be(shape, raw)) return mismatch(raw, shape, spot);
    switch (shape.kind) {
      case Kind::quantity:
        return quantity(raw, shape, spot);
      case Kind::truth:
      case Kind::text:
      case Kind::law:  // `table` looks at it together with its parameters
        return raw;
      case Kind::choice:
        return choice(raw, shape, spot);
      case Kind::formula:
        return formula(raw, shape, spot);
      case Kind::file:
        return raw;  // `table` puts the columns in its place
      case Kind::list:
        return raw.is_text() ? vector(raw, shape, spot) : list(raw, shape, spot);
      case Kind::table:
        return table(raw, *shape.table, spot);
      case Kind::map:
        return map(raw, shape, spot);
      case Kind::either:
        for (const Shape& alternative : shape.of)
          if (may_be(alternative, raw) && !misread(alternative, raw))
            return value(raw, alternative, spot);
    }
    return mismatch(raw, shape, spot);
  }

  Node table(const Node& raw, const TableShape& shape, Spot spot) {
    if (shape.measure) spot.measure = shape.measure(in_.document.root, raw, spot.around);
    spot.around = &raw;
    const Variety kind = kind_of(raw, shape);
    const auto present = [&](const std::string& name) {
      const Entry* entry = raw.entry(name);
      return entry && !removed(*entry, shape, kind);
    };

    for (const Entry& entry : raw.entries())
      if (!removed(entry, shape, kind)) check_belongs(entry, shape, kind, present, spot);
    if (!shape.one_of.empty()) check_one_of(raw, shape, present, spot);
    if (!shape.some_of.empty() && std::ranges::none_of(shape.some_of, present))
      error(raw, spot, "one of " + one_of_these(shape.some_of) + " is missing");

    Node out;
    out.place = raw.place;
    Node::Entries entries;
    for (const Key& key : shape.keys) {
      if (find(shape, key.name, kind) != &key) continue;
      const Entry* entry = raw.entry(key.name);
      if (!entry || removed(*entry, shape, kind)) {
        const bool wanted =
            key.required && key.fits_space(in_.planar) && (kind || key.only.empty());
        if (wanted) missing(raw, entry, key, spot);
        continue;
      }
      if (key.resolved_away || !key.fits_space(in_.planar)) continue;
      Node checked = value(entry->node, key.shape, spot.at(key.name));
      if (key.shape.kind == Shape::Kind::file && checked.is_text())
        put_columns(entries, *entry, key, spot.at(key.name));
      else
        entries.push_back({entry->key, entry->place, std::move(checked)});
    }
    if (kind && shape.find_or_other("", &*kind))  // names of the law itself
      check_own_law({raw, shape, *kind, spot.path, spot.measure == Measure::angle}, in_, entries);
    out.value = std::move(entries);
    return out;
  }

 private:
  static Node broken(const Node& raw) {
    Node out;
    out.place = raw.place;
    return out;
  }

  Node error(const Node& raw, const Spot& spot, std::string message, std::string hint = {}) {
    in_.diagnostics.error(raw.place, spot.path, std::move(message), std::move(hint));
    return broken(raw);
  }

  [[nodiscard]] std::string expected(const Shape& shape, const Spot& spot) const {
    return described(shape, in_.planar, spot.measure);
  }

  Node mismatch(const Node& raw, const Shape& shape, const Spot& spot) {
    return error(raw, spot, "found " + raw.described() + "; expected " + expected(shape, spot));
  }

  // ---- numbers

  Node quantity(const Node& raw, const Shape& shape, const Spot& spot) {
    Quantity q;
    if (raw.is_number()) {
      q.value = raw.number();
    } else {
      try {
        q = evaluate(parse_expression(raw.text()), in_.parameters.lookup(raw.scope));
      } catch (const ExpressionError& e) {
        report(e, raw, spot.path, in_.diagnostics);
        return broken(raw);
      } catch (const BrokenParameter&) {
        return broken(raw);
      }
    }
    const std::string found = raw.is_text() ? quote(raw.text()) : brief(q.value);
    if (!std::isfinite(q.value))
      return error(raw, spot, "found " + found + "; expected a finite number");
    if (!fits_unit(q.dimension, shape.unit, spot))
      return error(raw, spot,
                   "found " + found + ", in " + unit_name(q.dimension) + "; expected " +
                       expected(shape, spot),
                   unit_remedy(raw, turn_remedy(q, shape, spot)));
    const bool low = shape.min_open ? !(q.value > shape.min) : !(q.value >= shape.min);
    if (low || q.value > shape.max || (shape.no_zero && q.value == 0))
      return error(raw, spot, "found " + found + "; expected " + expected(shape, spot));
    if (raw.is_number()) check_plausible(raw, shape, spot);
    Node out = raw;
    out.value = q.value;
    return out;
  }

  [[nodiscard]] bool fits_unit(const Dimension& found, const std::string& unit,
                               const Spot& spot) const {
    if (unit.empty()) return true;
    const auto fits_as = [&](Measure measure) {
      return fits(found, parse_unit(unit_for(unit, measure, spot.index))->dimension);
    };
    if (spot.measure != Measure::unknown) return fits_as(spot.measure);
    return fits_as(Measure::angle) || fits_as(Measure::length);
  }

  /// "2 L" is two litres, even if L is a parameter: say so.
  [[nodiscard]] std::string unit_remedy(const Node& raw, std::string other) const {
    if (!raw.is_text()) return other;
    for (const Step& step : parse_expression(raw.text()).steps)
      for (const std::string& unit : step.units)
        if (in_.parameters.has(unit))
          return quote(unit) + " behind a number is the unit; the parameter is multiplied with '*'";
    return other;
  }

  /// 5 Hz is not 5 rad/s: say what it is.
  [[nodiscard]] std::string turn_remedy(const Quantity& q, const Shape& shape,
                                        const Spot& spot) const {
    if (spot.measure == Measure::unknown && shape.unit.find('{') != std::string::npos) return {};
    const Dimension wanted = parse_unit(unit_for(shape.unit, spot.measure, spot.index))->dimension;
    if (!q.dimension.same_physics(wanted) || wanted.dimensionless()) return {};
    if (q.dimension.turn == Turn::cycle && wanted.turn == Turn::angle)
      return "a cycle is a turn: write 'rev/s'";
    if (q.dimension.turn == Turn::angle && wanted.turn == Turn::cycle)
      return "that is " + brief(q.value / (2 * std::numbers::pi)) + " Hz";
    return {};
  }

  void check_plausible(const Node& raw, const Shape& shape, const Spot& spot) {
    // Gigapascals are how handbooks print it; the softest rubber has 10 kPa.
    if (spot.path.ends_with(".young") && raw.number() < 1e4) {
      const std::string number = brief(raw.number());
      in_.diagnostics.warn(raw.place, spot.path, number + " Pa is softer than any bearing material",
                           "if gigapascals were meant, write \"" + number + " GPa\"");
    }
    if (spot.measure == Measure::unknown && shape.unit.find('{') != std::string::npos) return;
    const std::string unit = unit_for(shape.unit, spot.measure, spot.index);
    for (const Suspicion& s : kSuspicions) {
      // A driven angle may well go through many turns; an orientation hardly does.
      if (s.unit != unit || (unit == "rad" && shape.unit != unit) ||
          std::abs(raw.number()) <= s.limit)
        continue;
      const std::string number = brief(raw.number());
      std::string message = number, hint = "if ";
      message.append(" ").append(unit).append(" is unusually large");
      hint.append(s.meant).append(" were meant, write \"").append(number).append(" ");
      hint.append(s.write).append("\"");
      in_.diagnostics.warn(raw.place, spot.path, std::move(message), std::move(hint));
    }
  }

  // ---- vectors in one expression: the name of a point, "(A + B)/2"

  [[nodiscard]] bool is_vector(const Node& raw) const {
    if (!raw.is_text()) return false;
    try {
      return evaluate_value(parse_expression(raw.text()), in_.parameters.lookup(raw.scope))
          .is_vector();
    } catch (const ExpressionError&) {
      return false;
    } catch (const BrokenParameter&) {
      return false;
    }
  }

  /// ["A", "B"] are two points, not the coordinates of one.
  [[nodiscard]] bool misread(const Shape& shape, const Node& raw) const {
    if (shape.kind != Shape::Kind::list || !raw.is_array() || raw.items().empty()) return false;
    const Node& first = raw.items()[0];
    return first.is_text() && is_vector(first) != (shape.of[0].kind == Shape::Kind::list);
  }

  Node vector(const Node& raw, const Shape& shape, const Spot& spot) {
    Value v;
    try {
      const Expression expression = parse_expression(raw.text());
      v = evaluate_value(expression, in_.parameters.lookup(raw.scope));
      for (const Step& step : expression.steps)
        if (shape.local && step.kind == Step::Kind::name && in_.parameters.is_point(step.name))
          throw ExpressionError(step.offset,
                                quote(step.name) +
                                    " is a global point; here, a point "
                                    "in the frame of the body belongs",
                                "write at = \"" + step.name + "\"");
    } catch (const ExpressionError& e) {
      report(e, raw, spot.path, in_.diagnostics);
      return broken(raw);
    } catch (const BrokenParameter&) {
      return broken(raw);
    }
    if (v.size != (in_.planar ? 2 : 3))
      return error(raw, spot,
                   "found " + quote(raw.text()) +
                       (v.is_vector() ? ", a vector of " + std::to_string(v.size) : ", a number") +
                       "; expected " + expected(shape, spot));
    Node out;
    out.place = raw.place;
    Node::Items items;
    for (int i = 0; i < v.size; ++i) {
      const Quantity& part = v.parts[static_cast<std::size_t>(i)];
      // A direction may have any length, and so any unit.
      if (shape.of[0].unit != "1" && !fits_unit(part.dimension, shape.of[0].unit, spot))
        return error(raw, spot,
                     "found " + quote(raw.text()) + ", in " + unit_name(part.dimension) +
                         "; expected " + expected(shape, spot));
      items.push_back({part.value, raw.place});
    }
    out.value = std::move(items);
    return out;
  }

  Node formula(const Node& raw, const Shape& shape, const Spot& spot) {
    Node out = raw;
    try {
      const Expression expression = parse_expression(raw.text(), shape.words);
      std::vector<std::string> reads;
      const bool open = std::ranges::find(shape.words, kAnything) != shape.words.end();
      out.value =
          compile_formula(expression, in_.parameters.lookup(raw.scope), open ? &reads : nullptr)
              .text;
    } catch (const ExpressionError& e) {
      report(e, raw, spot.path, in_.diagnostics);
      return broken(raw);
    } catch (const BrokenParameter&) {
      return broken(raw);
    }
    return out;
  }

  // ---- words, lists, tables

  Node choice(const Node& raw, const Shape& shape, const Spot& spot) {
    Node out = raw;
    for (const auto& [other, word] : shape.aliases)
      if (raw.text() == other) out.value = word;
    if (std::ranges::find(shape.words, out.text()) != shape.words.end()) return out;
    return error(
        raw, spot, "found " + quote(raw.text()) + "; expected " + one_of_these(shape.words),
        nearest(raw.text(), shape.words).empty() ? "" : did_you_mean(raw.text(), shape.words));
  }

  Node list(const Node& raw, const Shape& shape, Spot spot) {
    std::vector<std::size_t> counts = shape.counts;
    if (shape.spatial) counts = {in_.planar ? std::size_t{2} : std::size_t{3}};
    const std::size_t count = raw.items().size();
    const bool wrong =
        counts.empty() ? count == 0 : std::ranges::find(counts, count) == counts.end();
    if (wrong) {
      const bool other_space = shape.spatial && (count == 2 || count == 3);
      return error(raw, spot,
                   "found " + std::to_string(count) + " entries; expected " + expected(shape, spot),
                   !other_space ? ""
                   : in_.planar ? "the mechanism is planar"
                                : "for a planar mechanism write 'planar = true' in [mechanism]");
    }
    Node out;
    out.place = raw.place;
    Node::Items items;
    items.reserve(count);
    bool sound = true;
    const std::string path = spot.path;
    for (spot.index = 0; spot.index < count; ++spot.index) {
      spot.path = path + "." + std::to_string(spot.index);
      items.push_back(value(raw.items()[spot.index], shape.of[0], spot));
      sound = sound && !items.back().broken();
    }
    if (sound) out.value = std::move(items);
    return out;
  }

  Node map(const Node& raw, const Shape& shape, const Spot& spot) {
    Node out;
    out.place = raw.place;
    Node::Entries entries;
    for (const Entry& entry : raw.entries()) {
      if (entry.node.is_false()) continue;  // taken away
      check_name(entry, shape, spot.at(entry.key));
      entries.push_back(
          {entry.key, entry.place, value(entry.node, shape.of[0], spot.at(entry.key))});
    }
    out.value = std::move(entries);
    return out;
  }

  void check_name(const Entry& entry, const Shape& shape, const Spot& spot) {
    const std::string& name = entry.key;
    const auto refuse = [&](const std::string& why) {
      in_.diagnostics.error(entry.place, spot.path, why);
    };
    const bool control =
        std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (name.empty())
      refuse("the name is empty");
    else if (name.size() > kLongestName)
      refuse("the name " + quote(name) + " has " + std::to_string(name.size()) +
             " bytes; at most " + std::to_string(kLongestName) + " are allowed");
    else if (name.find_first_of("./{}") != std::string::npos || control || name.front() == ' ' ||
             name.back() == ' ')
      refuse("the name " + quote(name) +
             " contains a '.', '/', brace or blank end, which paths of results could not tell");
    else if (std::ranges::find(shape.reserved, name) != shape.reserved.end())
      refuse("the name " + quote(name) + " is taken");
  }

  /// Value of the key that decides which others belong; nothing while it is missing or wrong.
  [[nodiscard]] Variety kind_of(const Node& raw, const TableShape& shape) const {
    if (shape.discriminator.empty()) return {};
    if (!raw.has(shape.discriminator) && !shape.fallback.empty()) return shape.fallback;
    const Node* node = raw.find(shape.discriminator);
    const Key* key = shape.find(shape.discriminator, nullptr);
    if (!node || !node->is_text() || !key) return {};
    std::string word = node->text();
    for (const auto& [other, meant] : key->shape.aliases)
      if (word == other) word = meant;
    if (std::ranges::find(key->shape.words, word) == key->shape.words.end()) return {};
    return word;
  }

  [[nodiscard]] const Key* find(const TableShape& shape, const std::string& name,
                                const Variety& kind) const {
    return shape.find(name, kind ? &*kind : nullptr, in_.planar);
  }

  /// `key = false` takes an optional key away: the way to make a joint ideal by --set or an
  /// include.
  [[nodiscard]] bool removed(const Entry& entry, const TableShape& shape,
                             const Variety& kind) const {
    if (!entry.node.is_false()) return false;
    const Key* key = find(shape, entry.key, kind);
    return key && !may_be(key->shape, entry.node);
  }

  template <class Present>
  void check_belongs(const Entry& entry, const TableShape& shape, const Variety& kind,
                     const Present& present, const Spot& spot) {
    const auto refuse = [&](std::string why, std::string hint = {}) {
      in_.diagnostics.error(entry.place, spot.at(entry.key).path, std::move(why), std::move(hint));
    };
    const Key* key = shape.find_or_other(entry.key, kind ? &*kind : nullptr, in_.planar);
    if (!key) {
      const Key* elsewhere = shape.find(entry.key, nullptr);
      if (!elsewhere)
        return refuse("unknown key " + quote(entry.key), did_you_mean(entry.key, shape.names()));
      return refuse(shape.discriminator + " = " + quote(*kind) + " has no key " + quote(entry.key),
                    "it belongs to " + one_of_these(elsewhere->only));
    }
    if (!key->fits_space(in_.planar))
      return refuse(quote(entry.key) + (in_.planar
                                            ? " has no place in a planar mechanism"
                                            : " belongs to planar mechanisms ('planar = true')"));
    if (!key->with.empty() && std::ranges::none_of(key->with, present))
      refuse(quote(entry.key) + " needs " + one_of_these(key->with) + " beside it");
    for (const std::string& other : key->without)
      if (present(other))
        refuse(quote(entry.key) + " and " + quote(other) + " exclude each other", "keep one");
  }

  template <class Present>
  void check_one_of(const Node& raw, const TableShape& shape, const Present& present,
                    const Spot& spot) {
    std::vector<std::string> given;
    std::ranges::copy_if(shape.one_of, std::back_inserter(given), present);
    if (given.size() == 1) return;
    in_.diagnostics.error(
        raw.place, spot.path,
        given.empty() ? "one of " + one_of_these(shape.one_of) + " is missing"
                      : one_of_these(given, "and") + " are given together; only one may be");
  }

  void missing(const Node& raw, const Entry* removed_entry, const Key& key, const Spot& spot) {
    in_.diagnostics.error(
        removed_entry ? removed_entry->node.place : raw.place, spot.at(key.name).path,
        removed_entry ? quote(key.name) + " is required and cannot be taken away"
                      : quote(key.name) + " is missing; expected " + expected(key.shape, spot));
  }

  // ---- files of columns

  void put_columns(Node::Entries& entries, const Entry& entry, const Key& key, const Spot& spot) {
    std::vector<std::vector<double>> columns;
    try {
      const std::string text =
          normalised(in_.document.read_beside(entry.node.place, entry.node.text()));
      columns = read_columns(text, key.shape.words.size(),
                             in_.diagnostics.add_file(entry.node.text()), in_.diagnostics);
    } catch (const IoError& e) {
      in_.diagnostics.error(entry.node.place, spot.path,
                            "cannot read " + quote(entry.node.text()) + ": " + e.what());
    }
    for (std::size_t i = 0; i < key.shape.words.size(); ++i) {
      Node node;
      node.place = entry.node.place;
      if (!columns.empty()) {
        Node::Items items;
        for (const double number : columns[i]) items.push_back({number, node.place});
        node.value = std::move(items);
      }
      entries.push_back({key.shape.words[i], entry.place, std::move(node)});
    }
  }

  const CheckInput& in_;
};

}  // namespace

Node check_value(const Shape& shape, const Node& node, const std::string& path,
                 const CheckInput& input) {
  return Checker(input).value(node, shape, {path});
}

Node check(const TableShape& shape, const CheckInput& input) {
  return Checker(input).table(input.document.root, shape, {});
}

}  // namespace freeplay::io
