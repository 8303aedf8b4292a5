// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/units.hpp"
#include <freeplay/motion.hpp>

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Arithmetic in the model file: "2*crank_length - 3 mm", "0.1*sin(3*t)". Text is parsed once into
// postfix steps; walking them with quantities gives a value whose units are checked, walking them
// with code fragments gives a formula of time, or of an element's own coordinate, speed and time.
//
//   sum      = product { (+|-) product }
//   product  = signed { (*|/) signed }
//   signed   = { - | + } power
//   power    = primary [ ^ signed ]                       right-associative, binds tighter than the
//   sign primary  = number [unit] | name [. x|y|z] | function(sum, ...) | ( sum )
//
// A name may be that of a point or of another vector: then sums, differences and multiples of
// vectors are vectors, and A.x is a number.
namespace freeplay::io {

/// What is wrong with an expression, and at which byte of it.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t offset, const std::string& message, std::string hint = {})
      : std::runtime_error(message), offset_(offset), hint_(std::move(hint)) {}
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::size_t offset_;
  std::string hint_;
};

/// Longer ones are refused: it bounds the time and memory that nonsense can cost.
inline constexpr std::size_t kLongestExpression = 10000;

struct Step {
  enum class Kind { literal, name, variable, add, subtract, multiply, divide, power, negate, call };
  Kind kind = Kind::literal;
  Quantity value;          ///< literal
  std::string name;        ///< name, variable, call
  int component = -1;      ///< name: 0, 1, 2 for .x, .y, .z
  int arguments = 0;       ///< call
  std::size_t offset = 0;  ///< byte in the text, for messages
  /// Literal: names in its unit, and those of them behind a * or /, where a parameter of that name
  /// could be meant as well.
  std::vector<std::string> units = {}, doubtful = {};
};

/// Postfix: arguments stand before what uses them, the last step is the result.
struct Expression {
  std::string text;
  std::vector<Step> steps;
};

/// A number, or a vector of two or three, with units.
struct Value {
  std::array<Quantity, 3> parts = {};
  int size = 0;  ///< 0: a number, parts[0]

  Value() = default;
  Value(const Quantity& number) : parts{number} {}  // NOLINT: every number is a value
  [[nodiscard]] bool is_vector() const { return size > 0; }
};

/// Finds the value of a parameter; throws ExpressionError when there is none.
using Lookup = std::function<Value(const std::string& name, std::size_t offset)>;

/// Names that a formula leaves open: the time t; the coordinate x and the speed v of an element.
using Variables = std::vector<std::string>;
inline const Variables kOfTime{"t"}, kOfPlace{"x"}, kOfMotion{"x", "v", "t"};
/// Stands for all that is recorded: paths of results, "joints/pin/rate" (in ' marks where a name in
/// them has characters of its own), and any name that no parameter has.
inline constexpr std::string_view kAnything = "*";
inline const Variables kOfSignals{"t", std::string(kAnything)};
/// Is it what paths of results begin with?
[[nodiscard]] bool is_group_of_paths(std::string_view word);

/// `variables` stand for what is known only during a run and are not folded.
[[nodiscard]] Expression parse_expression(std::string_view text, const Variables& variables = {});

/// Value and dimension; throws ExpressionError when the units do not fit together.
[[nodiscard]] Quantity evaluate(const Expression& expression, const Lookup& lookup);
/// The same where a vector may come out as well.
[[nodiscard]] Value evaluate_value(const Expression& expression, const Lookup& lookup);

/// What the name of a step stands for: a number, or with `vector` also a vector.
[[nodiscard]] Value value_of_name(const Step& step, const Lookup& lookup, bool vector = false);
/// Is there a parameter or point of that name?
[[nodiscard]] bool is_known(const std::string& name, const Lookup& lookup);
/// Refuses "2 kg*L" where L is a litre and a parameter.
void refuse_doubtful_units(const Step& literal, const Lookup& lookup);

/// Postfix code in the variables with everything constant folded into SI numbers. Formula::text is
/// written anew from the code, so that it needs no parameters and compiles to the same code again.
/// `reads`: takes the names of what else it reads, its variables in their order; null: nothing else
/// may stand in it.
[[nodiscard]] Formula compile_formula(const Expression& expression, const Lookup& lookup,
                                      std::vector<std::string>* reads = nullptr);

/// The same of a text without parameters.
[[nodiscard]] Formula compile_formula(std::string_view text, const Variables& variables,
                                      std::vector<std::string>* reads = nullptr);

/// Names that no parameter may have: functions and pi.
[[nodiscard]] bool is_reserved_name(std::string_view name);
[[nodiscard]] const std::vector<std::string>& function_names();

}  // namespace freeplay::io
