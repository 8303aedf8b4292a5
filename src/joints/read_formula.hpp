// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/formula.hpp"
#include <freeplay/model.hpp>

#include <stdexcept>
#include <string>

namespace freeplay::joints {

/// What is wrong with the formula of a law, and the remedy.
struct FormulaError : std::runtime_error {
  FormulaError(const std::string& message, std::string remedy)
      : std::runtime_error(message), hint(std::move(remedy)) {}
  std::string hint;
};

/// The code of a formula that a model carries as text, for models that were not read from a file as
/// well. Joints need it and io has the one grammar, so that it is declared here and defined there
/// (io/law_formula.cpp). Throws FormulaError.
[[nodiscard]] laws::FormulaCode read_formula(const Expression& expression,
                                             const laws::FormulaUse& use);

}  // namespace freeplay::joints
