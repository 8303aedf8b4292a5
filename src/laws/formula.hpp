// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace freeplay::tape {
class Traced;
}

// Laws that a user writes as a formula. The reader of formulas (io/law_formula.hpp) turns text into
// FormulaCode, which knows numbers and variables but neither names nor units; a CompiledFormula is
// what a law asks: value and exact slopes from one recording of the same code.
namespace freeplay::laws {

/// A number that the formulas of a law may name.
struct Variable {
  std::string_view name, unit, angular_unit, doc;  ///< of a stop on an angle; empty: not there
};

/// What a law that is written as a formula asks for: the key of its text, what comes out, of what.
struct FormulaUse {
  std::string_view key, result, unit, angular_unit, example;
  std::span<const Variable> variables;
};

/// Postfix code, numbers in SI.
struct FormulaCode {
  enum class Op : unsigned char {
    number,
    variable,  ///< number `value` of the law's list
    add,
    subtract,
    multiply,
    divide,
    power,
    minimum,
    maximum,
    arctangent,  ///< of two numbers
    negate,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    sqrt,
    abs
  };
  struct Step {
    Op op = Op::number;
    double value = 0;
  };
  std::vector<Step> steps;

  [[nodiscard]] bool uses(int variable) const;
};

/// A formula ready to be asked. Constant, shared by the copies of a law and by threads; no question
/// allocates.
class CompiledFormula {
 public:
  static constexpr int kMostVariables = 8, kSlopes = 2;
  /// chosen: the steps of value and slopes lie on the stack while they are worked out
  static constexpr int kMostSteps = 1000;

  CompiledFormula();
  ~CompiledFormula();
  CompiledFormula(const CompiledFormula&) = delete;
  CompiledFormula& operator=(const CompiledFormula&) = delete;

  /// `fixed`: the number that a variable always is; NaN or nothing: it is given at each question.
  /// Null where the formula has more than kMostSteps steps.
  [[nodiscard]] static std::shared_ptr<const CompiledFormula> make(
      const FormulaCode& code, std::span<const double> fixed = {});

  /// All arguments are in the order of the law's variables; those that are fixed are not looked at.
  [[nodiscard]] double value(const double* at) const;
  /// The value, and its derivatives with respect to the first two variables.
  [[nodiscard]] std::array<double, 1 + kSlopes> with_slopes(const double* at) const;
  /// The value on the tape that is being recorded, with the bits of value(). Nothing where the
  /// formula calls functions: a tape would call them in flight too.
  [[nodiscard]] std::optional<tape::Traced> on_tape(std::span<const tape::Traced> at) const;

  /// Looks for what is not defined on a set of points: a result that is not a finite number, or a
  /// divisor that is zero at one of them or differs in sign between two.
  class Probe {
   public:
    explicit Probe(const CompiledFormula& formula);
    /// The value; NaN where it is none. `at` as above.
    double operator()(const double* at);
    [[nodiscard]] bool divides_by_zero() const { return zero_; }

   private:
    const CompiledFormula& formula_;
    std::vector<signed char> signs_;  // of each divisor; 0: not seen yet
    bool zero_ = false;
  };

 private:
  struct Recorded;
  std::unique_ptr<Recorded> recorded_;
};

/// A law that is written as a formula.
template <class L>
concept FormulaLaw = requires(L law, FormulaCode code) {
  { L::use } -> std::convertible_to<FormulaUse>;
  { law.take(code) } -> std::same_as<bool>;  // false: too long
};

/// Points at which a formula is looked at: powers of ten from one to the other, and both ends.
[[nodiscard]] std::vector<double> decades(double from, double to);

}  // namespace freeplay::laws
