// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/expression.hpp"
#include "io/node.hpp"

#include <map>
#include <string>
#include <vector>

// What expressions may name: the [parameters] table of quantities and vectors, the [points] table,
// and the index of a repeated table. Parameters and points may be computed from each other in any
// order.
namespace freeplay::io {

/// Thrown by a lookup of a parameter that is itself wrong: already reported, so dependents keep
/// quiet.
struct BrokenParameter {};

/// The copies of a repeated table: NAME_first ... NAME_(first + count - 1).
struct Repeat {
  long count = 0, first = 1;
  std::string index = "i";
};
/// Copies of all repeated tables together. Chosen: ten times what can be integrated in a day, and
/// read in seconds.
inline constexpr long kMostCopies = 50000;

class Parameters {
 public:
  Parameters() = default;
  /// `table` may be null. Mistakes, circles among them, are reported.
  Parameters(const Node* table, Diagnostics& diagnostics);
  /// Parameters and points of a model.
  Parameters(const Node& root, bool planar, Diagnostics& diagnostics);

  /// Value for use in an expression. Throws ExpressionError (unknown) or BrokenParameter.
  [[nodiscard]] Value value(const std::string& name, std::size_t offset) const;
  /// With the index that is known in a scope.
  [[nodiscard]] Lookup lookup(int scope = 0) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool is_point(const std::string& name) const;
  /// Is there a parameter or point of that name, sound or not?
  [[nodiscard]] bool has(const std::string& name) const { return items_.contains(name); }

  /// `repeat` of a table; nothing when it is wrong, which is reported.
  [[nodiscard]] std::optional<Repeat> read_repeat(const Node& node, const std::string& path,
                                                  Diagnostics& diagnostics);
  /// The scope in which the index of a repetition has this value.
  [[nodiscard]] int add_scope(const Repeat& repeat, long index);
  /// Name of a copy: its braces filled, or the index behind it.
  [[nodiscard]] std::string name_of_copy(const std::string& name, const Repeat& repeat, long index,
                                         int scope) const;
  /// "pin_{i+1}" with every {expression} replaced by its whole number. Throws ExpressionError or
  /// BrokenParameter.
  [[nodiscard]] std::string filled(const std::string& text, int scope) const;

 private:
  enum class State { untouched, open, known, broken };
  struct Item {
    const Node* node = nullptr;
    std::string path;
    int scope = 0;
    bool point = false;
    State state = State::untouched;
    Value value = {};
  };
  void add(const std::string& name, Place place, Item item, Diagnostics& diagnostics);
  void add_points(const Node& table, Diagnostics& diagnostics);
  void add_repeated_points(const Entry& entry, Diagnostics& diagnostics);
  void resolve(const std::string& name, std::vector<std::string>& open, Diagnostics& diagnostics);
  void resolve_all(Diagnostics& diagnostics);
  [[nodiscard]] Value compute(const Node& text, int scope, std::vector<std::string>& open,
                              Diagnostics& diagnostics);
  [[nodiscard]] std::optional<Value> read_vector(const Item& item, std::vector<std::string>& open,
                                                 Diagnostics& diagnostics);
  [[nodiscard]] bool fits_point(const Item& item, Value& value, Diagnostics& diagnostics) const;
  [[nodiscard]] std::optional<long> read_whole(const Node& node, const std::string& path,
                                               Diagnostics& diagnostics);

  std::map<std::string, Item> items_;
  std::vector<std::pair<std::string, double>> scopes_;  // [scope - 1]: the index and its value
  bool planar_ = false, has_points_ = false;
  long copies_ = 0;
  const Diagnostics* diagnostics_ = nullptr;
};

/// Reports an ExpressionError where it is in the file.
void report(const ExpressionError& error, const Node& text, const std::string& path,
            Diagnostics& diagnostics);

}  // namespace freeplay::io
