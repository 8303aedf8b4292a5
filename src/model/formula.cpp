// SPDX-License-Identifier: Apache-2.0
#include "model/formula.hpp"

namespace freeplay::model {

std::vector<Formula> parts_in_time(const Formula& formula) {
  using Op = Formula::Op;
  struct Operand {
    std::size_t begin = 0;  // of its code, which ends where the next one's begins
    bool time = false, motion = false;
  };
  std::vector<Formula> parts;
  std::vector<Operand> stack;
  const auto take = [&](const Operand& operand, std::size_t end) {
    if (!operand.time || operand.motion) return;
    Formula part;
    part.text = formula.text;
    part.code.assign(formula.code.begin() + static_cast<std::ptrdiff_t>(operand.begin),
                     formula.code.begin() + static_cast<std::ptrdiff_t>(end));
    parts.push_back(std::move(part));
  };
  for (std::size_t k = 0; k < formula.code.size(); ++k) {
    const Op op = formula.code[k].op;
    if (op <= Op::variable) {
      stack.push_back({k, op == Op::time, op > Op::time});
    } else if (op >= Op::add && op <= Op::power) {
      const Operand right = stack.back();
      stack.pop_back();
      Operand& left = stack.back();
      if (left.motion != right.motion) {  // here what depends on time alone comes to an end
        take(left, right.begin);
        take(right, k);
      }
      left.time |= right.time;
      left.motion |= right.motion;
    }
  }
  if (!stack.empty()) take(stack.back(), formula.code.size());
  return parts;
}

}  // namespace freeplay::model
