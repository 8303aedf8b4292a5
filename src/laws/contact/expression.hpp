// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/own.hpp"
#include "laws/formula.hpp"

#include <array>
#include <memory>
#include <string>

namespace freeplay::laws {

/// The force of a formula of the user.
struct ContactExpression : OwnContact<CompiledFormula> {
  static constexpr Text key = "expression";
  static constexpr Text title = "A formula of your own";
  static constexpr Text cite = "the text in the model file";
  static constexpr Text formula =
      "F = force(d, v, v0, mass, modulus, radius, length), never tensile unless `tension` is set; "
      "zero without depth";
  static constexpr Text limits =
      "Units, exact slopes, divisions by zero and the sign of the damping are checked before "
      "anything runs. A contact ends at zero depth; a force at zero depth that comes with the rate "
      "jumps at the touch, one at rest is refused. Further keys of the table are the numbers that "
      "the formula names. Stored energy is that of the force at v = 0.";

  static constexpr std::array variables{
      Variable{"d", "m", "rad", "depth, positive in contact"},
      Variable{"v", "m/s", "rad/s", "rate of the depth, positive while approaching"},
      Variable{"v0", "m/s", "rad/s",
               "approach speed at the first touch of this contact, not below min_approach_speed"},
      Variable{"mass", "kg", "kg m^2", "effective mass along the normal"},
      Variable{"modulus", "Pa", "", "E* of both materials"},
      Variable{"radius", "m", "", "of the sphere on a plane with the same curvature"},
      Variable{"length", "m", "", "of a line contact"}};
  static constexpr FormulaUse use{.key = "force",
                                  .result = "force",
                                  .unit = "N",
                                  .angular_unit = "N m",
                                  .example = "K*d^1.5*(1 + 3/4*(1 - e^2)*v/v0)",
                                  .variables = variables};

  FormulaCode code = sample_code();

  static constexpr std::array<Field<ContactExpression>, 0> fields() { return {}; }
  static constexpr auto flags() {
    return std::array{
        Flag<ContactExpression>{&ContactExpression::tension, "tension",
                                "negative forces pull: contact lasts until the depth is 0 again"}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 338.7589943455},
                                      ContactSample{{1e-5, -0.1, 0.2}, 293.6965376881}};

  /// The sample: K d^1.5 (1 + b v/v0) with K = 1e10 and b = 3/4 (1 - 0.9^2).
  static FormulaCode sample_code() {
    using enum FormulaCode::Op;
    return {{{number, 1e10},
             {variable, kDepth},
             {number, 1.5},
             {power},
             {multiply},
             {number, 1},
             {number, 0.75 * (1 - 0.9 * 0.9)},
             {variable, kRate},
             {multiply},
             {variable, kTouch},
             {divide},
             {add},
             {multiply}}};
  }
  [[nodiscard]] bool take(FormulaCode given);

  [[nodiscard]] std::string misfit(const ContactSite& site) const;
  void prepare(const ContactSite& site);

 private:
  [[nodiscard]] std::shared_ptr<const CompiledFormula> compile(const ContactSite& site) const;
};

}  // namespace freeplay::laws
