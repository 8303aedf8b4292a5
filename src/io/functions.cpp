// SPDX-License-Identifier: Apache-2.0
#include "io/functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace freeplay::io {
namespace {

using Arguments = std::span<const Quantity>;
constexpr int kMany = 100;

void need_plain(const Quantity& q, const Step& step) {
  if (!q.dimension.dimensionless())
    throw ExpressionError(step.offset, step.name + "() of " + unit_name(q.dimension) +
                                           "; a number without unit was expected");
}

/// Plain number (or angle) in, plain number out.
template <double (*F)(double)>
Quantity of_number(Arguments a, const Step& step) {
  need_plain(a[0], step);
  return {F(a[0].value), {}};
}

/// Plain number in, angle out.
template <double (*F)(double)>
Quantity to_angle(Arguments a, const Step& step) {
  need_plain(a[0], step);
  return {F(a[0].value), {.turn = Turn::angle}};
}

Quantity absolute(Arguments a, const Step&) { return {std::abs(a[0].value), a[0].dimension}; }

Quantity root(Arguments a, const Step&) {
  Dimension d = power(a[0].dimension, 0.5);
  d.turn = Turn::none;
  return {std::sqrt(a[0].value), d};
}

/// All arguments of one dimension.
void need_same(Arguments a, const Step& step) {
  for (const Quantity& q : a)
    if (!q.dimension.same_physics(a[0].dimension))
      throw ExpressionError(step.offset, step.name + "() of " + unit_name(a[0].dimension) +
                                             " and " + unit_name(q.dimension));
}

Quantity arc_tangent(Arguments a, const Step& step) {
  need_same(a, step);
  return {std::atan2(a[0].value, a[1].value), {.turn = Turn::angle}};
}

Quantity smallest(Arguments a, const Step& step) {
  need_same(a, step);
  return *std::min_element(a.begin(), a.end(), [](auto& x, auto& y) { return x.value < y.value; });
}

Quantity largest(Arguments a, const Step& step) {
  need_same(a, step);
  return *std::max_element(a.begin(), a.end(), [](auto& x, auto& y) { return x.value < y.value; });
}

Quantity of_points(Arguments, const Step& step) {
  throw ExpressionError(step.offset, step.name + "() has no place in a formula",
                        "give what it computes a name in [parameters] or [points]");
}

using Op = Formula::Op;
constexpr std::array kFunctions{
    Function{"sin", 1, 1, of_number<std::sin>, Op::sin},
    Function{"cos", 1, 1, of_number<std::cos>, Op::cos},
    Function{"tan", 1, 1, of_number<std::tan>, Op::tan},
    Function{"asin", 1, 1, to_angle<std::asin>, Op::asin},
    Function{"acos", 1, 1, to_angle<std::acos>, Op::acos},
    Function{"atan", 1, 1, to_angle<std::atan>, Op::atan},
    Function{"sinh", 1, 1, of_number<std::sinh>, Op::sinh},
    Function{"cosh", 1, 1, of_number<std::cosh>, Op::cosh},
    Function{"tanh", 1, 1, of_number<std::tanh>, Op::tanh},
    Function{"exp", 1, 1, of_number<std::exp>, Op::exp},
    Function{"log", 1, 1, of_number<std::log>, Op::log},
    Function{"sqrt", 1, 1, root, Op::sqrt},
    Function{"abs", 1, 1, absolute, Op::abs},
    Function{"atan2", 2, 2, arc_tangent, {}},
    Function{"min", 1, kMany, smallest, {}},
    Function{"max", 1, kMany, largest, {}},
    Function{"distance", 2, 2, of_points, {}, true},
    Function{"angle", 2, 2, of_points, {}, true},
    Function{"polar", 2, 2, of_points, {}, true},
    Function{"meet", 4, 4, of_points, {}, true},
};

}  // namespace

const Function* find_function(std::string_view name) {
  for (const Function& function : kFunctions)
    if (function.name == name) return &function;
  return nullptr;
}

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    out.reserve(kFunctions.size());
    for (const Function& function : kFunctions) out.emplace_back(function.name);
    return out;
  }();
  return names;
}

}  // namespace freeplay::io
