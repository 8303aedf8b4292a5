// SPDX-License-Identifier: Apache-2.0
#include "model/formula.hpp"

#include "io/functions.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <cmath>

// From an expression to the postfix code of a Formula. Numbers are SI throughout, so that
// dimensions play no part; whatever contains no variable is computed here and now.
namespace freeplay::io {
namespace {

// Precedence of the outermost operator of a text, so that parentheses are written only where
// needed.
enum Rank { rank_sum, rank_product, rank_sign, rank_power, rank_atom };

struct Fragment {
  bool constant = true;
  double value = 0;                        // when constant
  std::vector<Formula::Instruction> code;  // otherwise
  std::string text;
  Rank rank = rank_atom;
  int stack = 1;  // numbers it needs at a time
};

Fragment constant(double value, std::size_t offset) {
  if (!std::isfinite(value)) throw ExpressionError(offset, "the result is not a finite number");
  Fragment out;
  out.value = value;
  out.text = shortest(value);
  out.rank = std::signbit(value) ? rank_sign : rank_atom;
  return out;
}

std::string wrapped(const Fragment& part, Rank least) {
  return part.rank < least ? "(" + part.text + ")" : part.text;
}

void append(std::vector<Formula::Instruction>& code, const Fragment& part) {
  if (part.constant)
    code.push_back({Formula::Op::number, part.value});
  else
    code.insert(code.end(), part.code.begin(), part.code.end());
}

Fragment unary(Formula::Op op, const Fragment& a, std::string text, Rank rank) {
  Fragment out;
  out.constant = false;
  append(out.code, a);
  out.code.push_back({op, 0});
  out.text = std::move(text);
  out.rank = rank;
  out.stack = a.stack;
  return out;
}

Fragment binary(const Step& step, const Fragment& a, const Fragment& b) {
  using Kind = Step::Kind;
  if (a.constant && b.constant) {
    switch (step.kind) {
      case Kind::add:
        return constant(a.value + b.value, step.offset);
      case Kind::subtract:
        return constant(a.value - b.value, step.offset);
      case Kind::multiply:
        return constant(a.value * b.value, step.offset);
      case Kind::divide:
        return constant(a.value / b.value, step.offset);
      default:
        return constant(std::pow(a.value, b.value), step.offset);
    }
  }
  Fragment out;
  out.constant = false;
  append(out.code, a);
  append(out.code, b);
  out.stack = std::max(a.stack, 1 + b.stack);
  // The right operand of - and / and the base of ^ need parentheses already at equal rank; so do
  // those of + and *, because regrouping a sum changes its rounding.
  switch (step.kind) {
    case Kind::add:
      out.code.push_back({Formula::Op::add, 0});
      out.text = wrapped(a, rank_sum) + " + " + wrapped(b, rank_product);
      out.rank = rank_sum;
      break;
    case Kind::subtract:
      out.code.push_back({Formula::Op::subtract, 0});
      out.text = wrapped(a, rank_sum) + " - " + wrapped(b, rank_product);
      out.rank = rank_sum;
      break;
    case Kind::multiply:
      out.code.push_back({Formula::Op::multiply, 0});
      out.text = wrapped(a, rank_product) + "*" + wrapped(b, rank_sign);
      out.rank = rank_product;
      break;
    case Kind::divide:
      out.code.push_back({Formula::Op::divide, 0});
      out.text = wrapped(a, rank_product) + "/" + wrapped(b, rank_sign);
      out.rank = rank_product;
      break;
    default:
      out.code.push_back({Formula::Op::power, 0});
      out.text = wrapped(a, rank_atom) + "^" + wrapped(b, rank_sign);
      out.rank = rank_power;
  }
  return out;
}

Fragment call(const Step& step, std::span<const Fragment> arguments) {
  const Function& function = *find_function(step.name);
  const bool fixed =
      std::all_of(arguments.begin(), arguments.end(), [](auto& a) { return a.constant; });
  if (fixed) {
    std::vector<Quantity> numbers;
    for (const Fragment& a : arguments) numbers.push_back({a.value, {}});
    return constant(function.apply(numbers, step).value, step.offset);
  }
  if (!function.code)
    throw ExpressionError(step.offset, step.name + "() of a variable has no smooth derivatives",
                          "use a 'table', a 'step' or smooth functions");
  return unary(*function.code, arguments[0], step.name + "(" + arguments[0].text + ")", rank_atom);
}

double parameter(const Step& step, const Lookup& lookup) {
  try {
    return value_of_name(step, lookup).parts[0].value;
  } catch (const ExpressionError& error) {
    if (step.name != "x" && step.name != "v") throw;
    throw ExpressionError(error.offset(), error.what(),
                          "the coordinate x and the speed v are known to springs, forces, torques "
                          "and efforts, not to drives");
  }
}

/// A parameter must not lend its name to a variable unnoticed.
Fragment variable(const Step& step, const Lookup& lookup) {
  if (is_known(step.name, lookup))
    throw ExpressionError(step.offset,
                          quote(step.name) + " is a parameter, and here also the " +
                              (step.name == "x"   ? "coordinate of the element"
                               : step.name == "v" ? "speed of the element"
                                                  : "time"),
                          "give the parameter another name");
  Fragment out;
  out.constant = false;
  out.code = {{step.name == "x"   ? Formula::Op::coordinate
               : step.name == "v" ? Formula::Op::speed
                                  : Formula::Op::time,
               0}};
  out.text = step.name;
  return out;
}

/// Can it be written without marks?
bool is_plain(const std::string& name) {
  const std::size_t dot = name.find('.');
  const auto plain = [](std::string_view part, bool slashes) {
    return !part.empty() && starts_name(part[0]) && part[0] != '%' &&
           std::ranges::all_of(part,
                               [&](char c) { return continues_name(c) || (slashes && c == '/'); });
  };
  const bool path = name.find('/') != std::string::npos;
  if (path && !is_group_of_paths(name.substr(0, name.find('/')))) return false;
  return plain(name.substr(0, dot), path) &&
         (dot == std::string::npos || (path && plain(name.substr(dot + 1), false)));
}

/// What is recorded, by its number among what is read.
Fragment reading(const std::string& name, std::vector<std::string>& reads) {
  const auto known = std::ranges::find(reads, name);
  Fragment out;
  out.constant = false;
  out.code = {{Formula::Op::variable, static_cast<double>(known - reads.begin())}};
  if (known == reads.end()) reads.push_back(name);
  out.text = is_plain(name) ? name : "'" + name + "'";
  return out;
}

}  // namespace

Formula compile_formula(const Expression& expression, const Lookup& lookup,
                        std::vector<std::string>* reads) {
  std::vector<Fragment> stack;
  for (const Step& step : expression.steps) {
    using Kind = Step::Kind;
    switch (step.kind) {
      case Kind::literal:
        refuse_doubtful_units(step, lookup);
        stack.push_back(constant(step.value.value, step.offset));
        break;
      case Kind::name:
        stack.push_back(reads && step.component < 0 && !is_known(step.name, lookup)
                            ? reading(step.name, *reads)
                            : constant(parameter(step, lookup), step.offset));
        break;
      case Kind::variable:
        stack.push_back(reads && step.name != "t" ? reading(step.name, *reads)
                                                  : variable(step, lookup));
        break;
      case Kind::negate: {
        const Fragment& a = stack.back();
        stack.back() = a.constant
                           ? constant(-a.value, step.offset)
                           : unary(Formula::Op::negate, a, "-" + wrapped(a, rank_sign), rank_sign);
        break;
      }
      case Kind::call: {
        const auto first = stack.end() - step.arguments;
        Fragment result = call(step, {first, stack.end()});
        stack.erase(first, stack.end());
        stack.push_back(std::move(result));
        break;
      }
      default: {
        const Fragment b = std::move(stack.back());
        stack.pop_back();
        stack.back() = binary(step, stack.back(), b);
      }
    }
  }
  const Fragment& whole = stack.back();
  if (whole.stack > model::kFormulaStack)
    throw ExpressionError(0, "the formula is nested too deep");
  if (whole.text.size() > kLongestExpression) throw ExpressionError(0, "the formula is too long");
  Formula out;
  append(out.code, whole);
  out.text = whole.text;
  return out;
}

Formula compile_formula(std::string_view text, const Variables& variables,
                        std::vector<std::string>* reads) {
  const Lookup none = [](const std::string& name, std::size_t offset) -> Quantity {
    throw ExpressionError(offset, "there is no parameter " + quote(name));
  };
  return compile_formula(parse_expression(text, variables), none, reads);
}

}  // namespace freeplay::io
