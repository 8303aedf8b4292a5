// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/expression.hpp"

#include <optional>
#include <span>

// The functions an expression may call: one table for values with units and for formulas of time.
namespace freeplay::io {

struct Function {
  std::string_view name;
  int least, most;  ///< numbers of arguments
  Quantity (*apply)(std::span<const Quantity>, const Step&);
  std::optional<Formula::Op> code;  ///< absent: not for functions of time
  bool of_points = false;           ///< of vectors, by evaluate_value; parameters may have its name
};

/// Null when there is none.
[[nodiscard]] const Function* find_function(std::string_view name);

}  // namespace freeplay::io
