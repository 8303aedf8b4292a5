// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/check.hpp"
#include "io/expression.hpp"
#include "io/fields.hpp"
#include "laws/formula.hpp"

#include <optional>
#include <span>
#include <string>

// Laws that are written as a formula: text and parameters of the file become code, and units are
// inferred. Numbers with a unit have that dimension; a bare number is SI, as everywhere, and takes
// the one dimension with which the formula makes sense.
namespace freeplay::io {

struct LawParameter {
  std::string name;
  double value = 0;                    ///< SI
  std::optional<Dimension> dimension;  ///< absent: a bare number
};

/// Throws ExpressionError where a name is unknown or units do not fit. `angle`: of a stop on an
/// angle; absent: units are not looked at.
[[nodiscard]] laws::FormulaCode compile_law(const Expression& expression,
                                            const laws::FormulaUse& use,
                                            std::span<const LawParameter> parameters,
                                            std::optional<bool> angle);

/// The names that the formulas of a law may use.
[[nodiscard]] Variables variables_of(const laws::FormulaUse& use, bool angle);

/// Where such a table stands: as written, what may stand in it, its path.
struct LawTable {
  const Node& raw;
  const TableShape& shape;
  const std::string& kind;  ///< the law
  const std::string& path;
  bool angle;
};
/// Checks formula and parameters of a table, and adds to `checked` the latter, those of the whole
/// file that the formula names among them, each as { value, unit }: what is checked speaks for
/// itself.
void check_law_formula(const LawTable& table, const CheckInput& input, Node::Entries& checked);

/// A number of a law of the user as it is checked: { value, unit }.
[[nodiscard]] Node described_number(double value, const std::string& unit, Place place);
/// Of a number as written: its unit where one of it is 1 in SI, otherwise that of SI.
[[nodiscard]] std::string written_unit(const Node& raw, const Dimension& dimension);

/// The unit of a parameter in SI as text that reads back as that dimension; "" of none.
[[nodiscard]] std::string si_unit(const Dimension& dimension);

}  // namespace freeplay::io
