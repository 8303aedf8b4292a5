// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/expression.hpp"
#include "io/node.hpp"

#include <map>
#include <string>
#include <vector>

// The [parameters] table: named quantities that any number of the file may be computed from, and
// that may be computed from each other in any order.
namespace freeplay::io {

/// Thrown by a lookup of a parameter that is itself wrong: already reported, so dependents keep
/// quiet.
struct BrokenParameter {};

class Parameters {
 public:
  Parameters() = default;
  /// `table` may be null. Mistakes, circles among them, are reported.
  Parameters(const Node* table, Diagnostics& diagnostics);

  /// Value for use in an expression. Throws ExpressionError (unknown) or BrokenParameter.
  [[nodiscard]] Quantity value(const std::string& name, std::size_t offset) const;
  [[nodiscard]] Lookup lookup() const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  enum class State { untouched, open, known, broken };
  struct Item {
    const Entry* entry = nullptr;
    State state = State::untouched;
    Quantity value;
  };
  void resolve(const std::string& name, std::vector<std::string>& open, Diagnostics& diagnostics);
  [[nodiscard]] static bool allowed(const Entry& entry, Diagnostics& diagnostics);

  std::map<std::string, Item> items_;
  const Diagnostics* diagnostics_ = nullptr;
};

/// Reports an ExpressionError where it is in the file.
void report(const ExpressionError& error, const Node& text, const std::string& path,
            Diagnostics& diagnostics);

}  // namespace freeplay::io
