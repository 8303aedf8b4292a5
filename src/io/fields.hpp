// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/node.hpp"

#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The words of the model file as data. A table of the file is a list of keys; a key has a shape, a
// unit, bounds and a sentence of documentation. Parsing (check.hpp), the JSON Schema and the
// reference page (schema.hpp) and the paths of --set (overrides.hpp) all walk this one description,
// so that a new key is written in one place:
//
//   key("mass", quantity("kg").at_least(0), "mass").require()
//
// Units that depend on what a joint leaves free are written with placeholders: {q} is the
// coordinate (rad or m), {f} the effort on it (N m or N), {i} the position in a list; "{f}/{q}" is
// N m/rad or N/m.
namespace freeplay::io {

struct TableShape;
}  // namespace freeplay::io
namespace freeplay::laws {
struct FormulaUse;
}
namespace freeplay::io {

/// Is the joint coordinate at hand an angle or a length?
enum class Measure { unknown, angle, length };

/// What a value may look like.
struct Shape {
  enum class Kind {
    quantity,  ///< number, or string with unit or expression
    truth,     ///< true or false
    text,
    choice,   ///< one of a few words
    formula,  ///< expression in `words`
    law,      ///< formula of a law, in `words`; `use` says more
    file,     ///< name of a file of columns, which replace it
    list,     ///< array of of[0]
    table,
    map,    ///< table of NAME = of[0]
    either  ///< one of several shapes, told apart by their TOML types
  };
  Kind kind = Kind::quantity;
  std::string unit;  ///< quantity; "" allows any
  double min = -std::numeric_limits<double>::infinity(),
         max = std::numeric_limits<double>::infinity();
  bool min_open = false;  ///< min itself is not allowed
  bool no_zero = false;
  std::vector<std::string> words;  ///< choice; formula: its variables; file: keys of the columns
  std::vector<std::pair<std::string, std::string>> aliases;  ///< choice: other word -> word
  std::vector<Shape> of;                                     ///< list, map, either
  std::vector<std::size_t> counts;  ///< list: allowed lengths; empty: 1 and more
  bool spatial = false;             ///< list: 3 entries, or 2 in a planar mechanism
  bool local = false;               ///< list: in the frame of a body, so that no point belongs here
  std::shared_ptr<const TableShape> table;
  std::vector<std::string> reserved;      ///< map: names that are taken
  const laws::FormulaUse* use = nullptr;  ///< law

  Shape& at_least(double bound) { return min = bound, *this; }
  Shape& above(double bound) { return min = bound, min_open = true, *this; }
  Shape& at_most(double bound) { return max = bound, *this; }
  Shape& not_zero() { return no_zero = true, *this; }
  Shape& in_body() { return local = true, *this; }
  Shape& alias(std::string other, std::string word);
  Shape& reserve(std::string name);
};

/// One key of a table.
struct Key {
  enum class Space { any, planar, spatial };
  std::string name;
  Shape shape;
  std::string doc;
  bool required = false;
  bool resolved_away = false;  ///< has done its work once the file is checked
  std::vector<std::string>
      only;  ///< values of the table's discriminator that have this key; empty: all
  std::vector<std::string> with;     ///< keys of which one must be there too
  std::vector<std::string> without;  ///< keys it excludes
  Space space = Space::any;

  Key& require() { return required = true, *this; }
  Key& resolve_away() { return resolved_away = true, *this; }
  Key& only_for(std::vector<std::string> values) { return only = std::move(values), *this; }
  Key& needs(std::vector<std::string> keys) { return with = std::move(keys), *this; }
  Key& excludes(std::vector<std::string> keys) { return without = std::move(keys), *this; }
  Key& in_plane() { return space = Space::planar, *this; }
  Key& in_space() { return space = Space::spatial, *this; }
  [[nodiscard]] bool fits_space(bool planar) const {
    return space == Space::any || (space == Space::planar) == planar;
  }
};

/// A table of the file.
struct TableShape {
  std::string
      name;  ///< heading on the reference page: "[bodies.NAME]", or "drive" for a table inside one
  std::string doc;
  std::vector<Key> keys;
  std::string discriminator = {};         ///< key that decides which others belong ("type", "law")
  std::vector<std::string> one_of = {};   ///< exactly one of these keys
  std::vector<std::string> some_of = {};  ///< at least one of these keys
  std::string fallback = {};  ///< value of the discriminator when it is not written; empty: none
  /// Of any other name, for the values of the discriminator that it says in `only`; absent: there
  /// are none.
  std::optional<Key> others = {};
  /// What {q} means inside: from the whole tree as written, the table, and the table around it.
  std::function<Measure(const Node& root, const Node& table, const Node* around)> measure = {};

  /// The key of that name that belongs to this value of the discriminator (null: any) and
  /// preferably to a planar or spatial mechanism, if that is told; null if there is none.
  [[nodiscard]] const Key* find(const std::string& key, const std::string* kind,
                                std::optional<bool> planar = {}) const;
  /// The same, or what any other name may be.
  [[nodiscard]] const Key* find_or_other(const std::string& key, const std::string* kind,
                                         std::optional<bool> planar = {}) const;
  [[nodiscard]] std::vector<std::string> names() const;
};

[[nodiscard]] Shape quantity(std::string unit);
[[nodiscard]] Shape number();  ///< without unit
[[nodiscard]] Shape truth();
[[nodiscard]] Shape text();
[[nodiscard]] Shape choice(std::vector<std::string> words);
[[nodiscard]] Shape formula(std::vector<std::string> variables);
[[nodiscard]] Shape law_formula(const laws::FormulaUse& use);
[[nodiscard]] Shape columns(std::vector<std::string> keys);
[[nodiscard]] Shape list(Shape item, std::vector<std::size_t> counts = {});
[[nodiscard]] Shape vector(std::string unit);  ///< 3 components, 2 in a planar mechanism
[[nodiscard]] Shape table(TableShape shape);
[[nodiscard]] Shape map(Shape item);
[[nodiscard]] Shape either(std::vector<Shape> shapes);
[[nodiscard]] Key key(std::string name, Shape shape, std::string doc);

/// Could a value of this TOML type have this shape?
[[nodiscard]] bool may_be(const Shape& shape, const Node& node);

/// "a number in m", "[x, y, z] in m/s", "'auto' or 'rk4'", ... for messages and the reference page
[[nodiscard]] std::string described(const Shape& shape, bool planar, Measure measure);

/// The unit with its placeholders filled; both forms ("N m/rad or N/m") when the measure is
/// unknown.
[[nodiscard]] std::string unit_for(const std::string& unit, Measure measure, std::size_t index = 0);

/// A key together with the member of T that it fills and is written from, so that the key is named
/// once. For structs
/// whose members are plain settings.
template <class T>
struct Field {
  Key key;
  std::function<void(T&, const Node&)> set;
  std::function<Node(const T&)> get;  ///< Broken: nothing to be written
};

template <class T>
[[nodiscard]] Field<T> field(Key key, double T::*member) {
  return {std::move(key), [member](T& out, const Node& node) { out.*member = node.number(); },
          [member](const T& from) {
            Node out;
            out.value = from.*member;
            return out;
          }};
}

/// A choice that becomes an enumerator: the words in the order of the enumerators.
template <class T, class E>
[[nodiscard]] Field<T> field(Key key, E T::*member, std::vector<E> values) {
  const std::vector<std::string> words = key.shape.words;
  return {std::move(key),
          [=](T& out, const Node& node) {
            for (std::size_t i = 0; i < words.size(); ++i)
              if (words[i] == node.text()) out.*member = values[i];
          },
          [=](const T& from) {
            Node out;
            out.value = "none";  // of them; the reader refuses it
            for (std::size_t i = 0; i < words.size(); ++i)
              if (values[i] == from.*member) out.value = words[i];
            return out;
          }};
}

template <class T>
[[nodiscard]] std::vector<Key> keys_of(const std::vector<Field<T>>& fields) {
  std::vector<Key> keys;
  for (const Field<T>& f : fields) keys.push_back(f.key);
  return keys;
}

/// Fills what a checked table gives; the rest keeps its defaults.
template <class T>
void fill(T& out, const Node& table, const std::vector<Field<T>>& fields) {
  for (const Field<T>& f : fields)
    if (const Node* node = table.find(f.key.name)) f.set(out, *node);
}

}  // namespace freeplay::io
