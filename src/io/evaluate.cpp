// SPDX-License-Identifier: Apache-2.0
#include "io/expression.hpp"
#include "io/functions.hpp"
#include "io/parameters.hpp"
#include "io/text.hpp"

#include <cmath>

// Expressions with quantities and vectors of them.
namespace freeplay::io {
namespace {

std::string with_unit(const Quantity& q) { return unit_name(q.dimension); }

/// Sum or difference: both of one dimension. What is known of angles is kept.
Dimension same_dimension(const Quantity& a, const Quantity& b, const Step& step,
                         std::string_view verb) {
  const bool clash = a.dimension.turn != b.dimension.turn && a.dimension.turn != Turn::none &&
                     b.dimension.turn != Turn::none;
  if (!a.dimension.same_physics(b.dimension) || clash)
    throw ExpressionError(
        step.offset, "cannot " + std::string(verb) + " " + with_unit(a) + " and " + with_unit(b),
        a.dimension.plain() || b.dimension.plain() ? "give both a unit, such as '3 mm'" : "");
  Dimension out = a.dimension;
  if (out.turn == Turn::none) out.turn = b.dimension.turn;
  return out;
}

/// Twice an angle is an angle; radius times angle is a length. Cycles are forgotten, because 2*pi*f
/// is how a frequency properly becomes an angular speed.
Dimension product_dimension(const Quantity& a, const Quantity& b, bool divide) {
  Dimension out = divide ? a.dimension / b.dimension : a.dimension * b.dimension;
  const bool scaled = b.dimension.plain() || (!divide && a.dimension.plain());
  const Turn turn = scaled && b.dimension.plain() ? a.dimension.turn
                    : scaled                      ? b.dimension.turn
                                                  : Turn::none;
  out.turn = turn == Turn::angle ? turn : Turn::none;
  return out;
}

[[noreturn]] void refuse_vector(const Step& step, const std::string& what) {
  throw ExpressionError(step.offset, what, "components of a point A are A.x, A.y and A.z");
}

/// Component by component, where the rules of vectors allow it.
template <class F>
Value combine(const Value& a, const Value& b, F&& part) {
  Value out;
  out.size = std::max(a.size, b.size);
  for (int i = 0; i < std::max(out.size, 1); ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.parts[at] = part(a.parts[a.is_vector() ? at : 0], b.parts[b.is_vector() ? at : 0]);
  }
  return out;
}

Value sum(const Value& a, const Value& b, const Step& step, std::string_view verb, double sign) {
  if (a.is_vector() != b.is_vector())
    refuse_vector(step, "cannot " + std::string(verb) + " a vector and a number");
  if (a.size != b.size)
    throw ExpressionError(step.offset, "cannot " + std::string(verb) + " vectors of " +
                                           std::to_string(a.size) + " and " +
                                           std::to_string(b.size) + " entries");
  return combine(a, b, [&](const Quantity& x, const Quantity& y) {
    return Quantity{x.value + sign * y.value, same_dimension(x, y, step, verb)};
  });
}

Value product(const Value& a, const Value& b, const Step& step) {
  if (a.is_vector() && b.is_vector()) refuse_vector(step, "cannot multiply two vectors");
  return combine(a, b, [](const Quantity& x, const Quantity& y) {
    return Quantity{x.value * y.value, product_dimension(x, y, false)};
  });
}

Value quotient(const Value& a, const Value& b, const Step& step) {
  if (b.is_vector()) refuse_vector(step, "cannot divide by a vector");
  if (b.parts[0].value == 0) throw ExpressionError(step.offset, "division by zero");
  return combine(a, b, [](const Quantity& x, const Quantity& y) {
    return Quantity{x.value / y.value, product_dimension(x, y, true)};
  });
}

Value raised(const Value& a, const Value& b, const Step& step) {
  if (a.is_vector() || b.is_vector()) refuse_vector(step, "vectors have no powers");
  const Quantity& exponent = b.parts[0];
  if (!exponent.dimension.dimensionless())
    throw ExpressionError(
        step.offset, "the exponent is in " + with_unit(exponent) + "; a plain number was expected");
  Dimension d = power(a.parts[0].dimension, exponent.value);
  d.turn = Turn::none;
  return Quantity{std::pow(a.parts[0].value, exponent.value), d};
}

[[noreturn]] void expect_points(const Step& step, const std::string& form) {
  throw ExpressionError(step.offset, step.name + "() of something else than it needs",
                        "expected " + step.name + "(" + form + "), A and B being points");
}

/// distance(A, B) and angle(A, B): of the line from A to B.
Quantity along_line(const Step& step, const Value& a, const Value& b) {
  if (!a.is_vector() || a.size != b.size) expect_points(step, "A, B");
  const Value d = sum(b, a, step, "subtract", -1);
  const double x = d.parts[0].value, y = d.parts[1].value, z = d.size > 2 ? d.parts[2].value : 0;
  if (step.name == "distance")
    return {d.size > 2 ? std::hypot(x, y, z) : std::hypot(x, y), d.parts[0].dimension};
  if (x == 0 && y == 0)
    throw ExpressionError(step.offset, "the two points of angle() are the same in x and y");
  return {std::atan2(y, x), {.turn = Turn::angle}};
}

/// polar(r, angle): a vector in the plane.
Value polar(const Step& step, const Value& r, const Value& angle) {
  if (r.is_vector() || angle.is_vector() || !angle.parts[0].dimension.dimensionless())
    expect_points(step, "length, angle");
  Value out;
  out.size = 2;
  out.parts[0] = {r.parts[0].value * std::cos(angle.parts[0].value), r.parts[0].dimension};
  out.parts[1] = {r.parts[0].value * std::sin(angle.parts[0].value), r.parts[0].dimension};
  return out;
}

/// meet(A, ra, B, rb): the point in the plane at these distances from A and B, on the left of the
/// way from A to B. A dyad of two bars closes there.
Value meet(const Step& step, std::span<const Value> given) {
  const Value &a = given[0], &b = given[2];
  const Quantity &ra = given[1].parts[0], &rb = given[3].parts[0];
  if (a.size != 2 || b.size != 2 || given[1].is_vector() || given[3].is_vector())
    expect_points(step, "A, distance, B, distance");
  const Value d = sum(b, a, step, "subtract", -1);
  same_dimension(d.parts[0], ra, step, "compare");
  same_dimension(d.parts[0], rb, step, "compare");
  const double dx = d.parts[0].value, dy = d.parts[1].value, square = dx * dx + dy * dy;
  const double along = (ra.value * ra.value - rb.value * rb.value + square) / 2;
  const double across = square * ra.value * ra.value - along * along;
  if (!(square > 0) || across < 0)
    throw ExpressionError(step.offset,
                          "no point is " + brief(ra.value) + " m from the one and " +
                              brief(rb.value) + " m from the other point: these are " +
                              brief(std::sqrt(square)) + " m apart",
                          "the bars are too short or too long to be joined");
  const double u = along / square, v = std::sqrt(across) / square;
  Value out = a;
  out.parts[0].value += u * dx - v * dy;
  out.parts[1].value += u * dy + v * dx;
  return out;
}

Value call(const Step& step, std::span<const Value> arguments) {
  const Function& function = *find_function(step.name);
  if (step.name == "meet") return meet(step, arguments);
  if (step.name == "polar") return polar(step, arguments[0], arguments[1]);
  if (function.of_points) return along_line(step, arguments[0], arguments[1]);
  std::vector<Quantity> numbers;
  for (const Value& argument : arguments) {
    if (argument.is_vector()) refuse_vector(step, step.name + "() of a vector");
    numbers.push_back(argument.parts[0]);
  }
  return function.apply(numbers, step);
}

Value pop(std::vector<Value>& stack) {
  Value out = stack.back();
  stack.pop_back();
  return out;
}

void apply(const Step& step, const Lookup& lookup, std::vector<Value>& stack) {
  using Kind = Step::Kind;
  Value b;  // right operand
  if (step.kind >= Kind::add && step.kind <= Kind::power) b = pop(stack);
  switch (step.kind) {
    case Kind::literal:
      refuse_doubtful_units(step, lookup);
      stack.emplace_back(step.value);
      break;
    case Kind::name:
      stack.push_back(value_of_name(step, lookup, true));
      break;
    case Kind::variable:
      throw ExpressionError(step.offset, step.name + " has no place in a fixed value");
    case Kind::negate:
      for (Quantity& part : stack.back().parts) part.value = -part.value;
      break;
    case Kind::call: {
      const auto first = stack.end() - step.arguments;
      const Value result = call(step, {first, stack.end()});
      stack.erase(first, stack.end());
      stack.push_back(result);
      break;
    }
    case Kind::add:
      stack.back() = sum(stack.back(), b, step, "add", 1);
      break;
    case Kind::subtract:
      stack.back() = sum(stack.back(), b, step, "subtract", -1);
      break;
    case Kind::multiply:
      stack.back() = product(stack.back(), b, step);
      break;
    case Kind::divide:
      stack.back() = quotient(stack.back(), b, step);
      break;
    case Kind::power:
      stack.back() = raised(stack.back(), b, step);
      break;
  }
  for (const Quantity& part : stack.back().parts)
    if (!std::isfinite(part.value))
      throw ExpressionError(step.offset, "the result is not a finite number");
}

}  // namespace

bool is_known(const std::string& name, const Lookup& lookup) {
  try {
    static_cast<void>(lookup(name, 0));
    return true;
  } catch (const ExpressionError&) {
    return false;
  } catch (const BrokenParameter&) {
    return true;
  }
}

void refuse_doubtful_units(const Step& literal, const Lookup& lookup) {
  for (const std::string& name : literal.doubtful)
    if (is_known(name, lookup))
      throw ExpressionError(literal.offset,
                            quote(name) + " is a unit here, but also the name of a parameter",
                            "write the number and its unit in parentheses before '*' or '/', as in "
                            "'(2 kg)*" +
                                name + "'; or rename the parameter");
}

Value value_of_name(const Step& step, const Lookup& lookup, bool vector) {
  Value out;
  try {
    out = lookup(step.name, step.offset);
  } catch (const ExpressionError&) {
    if (step.name == "t")
      throw ExpressionError(step.offset, "the time t has no place in a fixed value",
                            "functions of time are written { formula = \"...\" }");
    if (find_unit(step.name))
      throw ExpressionError(step.offset,
                            "the unit " + quote(step.name) + " has no number before it",
                            "write '1 " + step.name + "'");
    throw;
  }
  if (step.component < 0) {
    if (out.is_vector() && !vector)
      throw ExpressionError(step.offset, quote(step.name) + " is a vector; a number was expected",
                            "its components are " + step.name + ".x and so on");
    return out;
  }
  if (!out.is_vector())
    throw ExpressionError(step.offset, quote(step.name) + " is a number and has no components");
  if (step.component >= out.size)
    throw ExpressionError(step.offset, quote(step.name) + " has no z: it has two entries");
  return out.parts[static_cast<std::size_t>(step.component)];
}

Value evaluate_value(const Expression& expression, const Lookup& lookup) {
  std::vector<Value> stack;
  for (const Step& step : expression.steps) apply(step, lookup, stack);
  return stack.back();
}

Quantity evaluate(const Expression& expression, const Lookup& lookup) {
  const Value out = evaluate_value(expression, lookup);
  if (out.is_vector())
    throw ExpressionError(0, "this is a vector; a number was expected",
                          "components of a point A are A.x, A.y and A.z");
  return out.parts[0];
}

}  // namespace freeplay::io
