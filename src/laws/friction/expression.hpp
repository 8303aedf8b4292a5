// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/formula.hpp"
#include "laws/friction/own.hpp"

#include <array>

namespace freeplay::laws {

/// The coefficient of a formula of the user, of the slip speed and the load.
struct FrictionExpression : OwnFriction<FrictionExpression, CompiledFormula> {
  static constexpr Text key = "expression";
  static constexpr Text title = "A formula of your own";
  static constexpr Text cite = "the text in the model file";
  static constexpr Text formula = "F/N = coefficient(v, load)";
  static constexpr Text limits =
      "Must vanish at rest with a finite slope, and so creeps under a load: friction that holds at "
      "rest is set-valued, which no formula is; take `coulomb`. Must not be negative. A "
      "coefficient "
      "that names the load is for joints with clearance. Further keys of the table are the numbers "
      "that the formula names.";

  static constexpr std::array variables{
      Variable{"v", "m/s", "", "speed of the slip, not negative"},
      Variable{"load", "N", "", "what presses the surfaces together, damping included"}};
  static constexpr FormulaUse use{.key = "coefficient",
                                  .result = "coefficient",
                                  .unit = "1",
                                  .angular_unit = "",
                                  .example = "mu*tanh(v/v1)",
                                  .variables = variables};
  enum Index { kSpeed, kLoad };

  FormulaCode code = sample_code();

  FrictionExpression() { compiled = CompiledFormula::make(code); }

  static constexpr std::array<Field<FrictionExpression>, 0> fields() { return {}; }
  static constexpr std::array samples{SlipSample{5e-4, 0.0462117157},
                                      SlipSample{2e-3, 0.096402758}};

  /// The sample: 0.1 tanh(v/v1) with v1 = 1 mm/s.
  static FormulaCode sample_code() {
    using enum FormulaCode::Op;
    return {{{number, 0.1}, {variable, kSpeed}, {number, 1e-3}, {divide}, {tanh}, {multiply}}};
  }
  [[nodiscard]] bool take(FormulaCode given);
  [[nodiscard]] bool depends_on_load() const { return code.uses(kLoad); }
  [[nodiscard]] std::string conflict() const;
};

}  // namespace freeplay::laws
