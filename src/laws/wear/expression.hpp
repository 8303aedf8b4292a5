// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/formula.hpp"
#include "laws/wear.hpp"

namespace freeplay::laws {

/// The rate of a formula of the user, with the coefficient of each part.
struct WearExpression : WearLawBase {
  static constexpr Text key = "expression";
  static constexpr Text title = "A formula of your own";
  static constexpr Text cite = "the text in the model file";
  static constexpr Text formula =
      "dh/dt = rate(k, p, v, shear, h), k the coefficient of the part: `outer` or `inner`";
  static constexpr Text limits =
      "Must name k and must not be negative. A formula that names the friction, shear, needs "
      "friction in the joint. Further keys of the table are the numbers that the formula names.";

  static constexpr std::array variables{
      Variable{"k", "1/Pa", "", "coefficient of the part, `outer` or `inner`"},
      Variable{"p", "Pa", "", "pressure"},
      Variable{"v", "m/s", "", "speed of the other surface over it"},
      Variable{"shear", "Pa", "", "friction over area"},
      Variable{"h", "m", "", "depth that the place has lost so far"}};
  static constexpr FormulaUse use{.key = "rate",
                                  .result = "rate",
                                  .unit = "m/s",
                                  .angular_unit = "",
                                  .example = "k*p*v",
                                  .variables = variables};
  enum Index { kCoefficient, kPressure, kSlip, kShear, kLost };

  bool uses_shear = false;  // hides that of the base: here the formula decides
  FormulaCode code = sample_code();
  std::shared_ptr<const CompiledFormula> compiled = CompiledFormula::make(code);  // derived

  static constexpr auto fields() {
    return std::array{outer_field<WearExpression>(), inner_field<WearExpression>()};
  }
  static constexpr std::array samples{WearSample{{1e7, 0.1}, 1e-8}, WearSample{{5e7, 0.02}, 1e-8}};

  /// The sample: k p v, Archard's law.
  static FormulaCode sample_code() {
    using enum FormulaCode::Op;
    return {{{variable, kCoefficient},
             {variable, kPressure},
             {multiply},
             {variable, kSlip},
             {multiply}}};
  }
  [[nodiscard]] bool take(FormulaCode given);
  [[nodiscard]] std::string conflict() const;
  [[nodiscard]] double rate(double k, const Rubbing& at) const {
    return compiled->value(std::array{k, at.pressure, at.slip, at.shear, at.depth}.data());
  }
};

}  // namespace freeplay::laws
