// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/series.hpp"
#include <freeplay/motion.hpp>

#include <array>
#include <span>
#include <vector>

// Formulas walked with any kind of number: doubles, series (derivatives), intervals (bounds).
namespace freeplay::model {

/// Numbers that the evaluation of a formula can hold at a time; the loader refuses those that need
/// more.
inline constexpr int kFormulaStack = 64;

/// What a formula may know of the element it belongs to.
template <class T>
struct Arguments {
  T coordinate, speed, time;
  std::span<const T> variables = {};
};

template <class T>
T evaluate(const Formula& formula, const Arguments<T>& at) {
  std::array<T, kFormulaStack> stack;
  int top = -1;
  for (const Formula::Instruction& i : formula.code) {
    using Op = Formula::Op;
    T& a = stack[static_cast<std::size_t>(top < 0 ? 0 : top)];
    // Two operands: the left one is replaced by the result.
    if (i.op >= Op::add && i.op <= Op::power) {
      T& left = stack[static_cast<std::size_t>(--top)];
      switch (i.op) {
        case Op::add:
          left = left + a;
          break;
        case Op::subtract:
          left = left - a;
          break;
        case Op::multiply:
          left = left * a;
          break;
        case Op::divide:
          left = left / a;
          break;
        default:
          left = power(left, a);
      }
      continue;
    }
    switch (i.op) {
      case Op::number:
        stack[static_cast<std::size_t>(++top)] = T(i.value);
        break;
      case Op::time:
        stack[static_cast<std::size_t>(++top)] = at.time;
        break;
      case Op::coordinate:
        stack[static_cast<std::size_t>(++top)] = at.coordinate;
        break;
      case Op::speed:
        stack[static_cast<std::size_t>(++top)] = at.speed;
        break;
      case Op::variable:
        stack[static_cast<std::size_t>(++top)] = at.variables[static_cast<std::size_t>(i.value)];
        break;
      case Op::negate:
        a = -a;
        break;
      case Op::sin:
        a = sin(a);
        break;
      case Op::cos:
        a = cos(a);
        break;
      case Op::tan:
        a = tan(a);
        break;
      case Op::asin:
        a = asin(a);
        break;
      case Op::acos:
        a = acos(a);
        break;
      case Op::atan:
        a = atan(a);
        break;
      case Op::sinh:
        a = sinh(a);
        break;
      case Op::cosh:
        a = cosh(a);
        break;
      case Op::tanh:
        a = tanh(a);
        break;
      case Op::exp:
        a = exp(a);
        break;
      case Op::log:
        a = log(a);
        break;
      case Op::sqrt:
        a = sqrt(a);
        break;
      case Op::abs:
        a = abs(a);
        break;
      default:
        break;
    }
  }
  return stack[0];
}

/// The largest parts of a formula that depend on time alone, those that are only numbers left out.
[[nodiscard]] std::vector<Formula> parts_in_time(const Formula& formula);

}  // namespace freeplay::model
