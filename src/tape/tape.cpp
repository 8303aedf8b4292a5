// SPDX-License-Identifier: Apache-2.0
#include "tape/tape.hpp"

#include "tape/traced.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace freeplay::tape {
namespace {

thread_local Tape* recorded = nullptr;

double result(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::root:
      return std::sqrt(a);
    case Op::sine:
      return std::sin(a);
    case Op::cosine:
      return std::cos(a);
    default:
      return a;
  }
}

}  // namespace

int Tape::find_or_add(const Key& key, const Step& step) {
  const auto [found, fresh] = known_.try_emplace(key, static_cast<int>(steps_.size()));
  if (fresh) steps_.push_back(step);
  return found->second;
}

int Tape::constant(double number) {
  return find_or_add({Op::constant, std::bit_cast<std::uint64_t>(number), 0},
                     {Op::constant, 0, 0, number, {}});
}

int Tape::input(Place place) {
  return find_or_add(
      {Op::input, static_cast<std::uint64_t>(place.block), static_cast<std::uint64_t>(place.index)},
      {Op::input, 0, 0, 0, place});
}

int Tape::apply(Op op, int a, int b) {
  if (steps_[a].op == Op::constant && steps_[b].op == Op::constant)
    return constant(result(op, steps_[a].number, steps_[b].number));
  // Signs move outward, where they meet and cancel; no rounding depends on them.
  switch (op) {
    case Op::add:
      if (is(a, 0)) return b;
      if (is(b, 0)) return a;
      if (negated(b)) return apply(Op::subtract, a, steps_[b].a);
      if (negated(a)) return apply(Op::subtract, b, steps_[a].a);
      break;
    case Op::subtract:
      if (is(b, 0)) return a;
      if (is(a, 0)) return apply(Op::negate, b, b);
      if (a == b) return constant(0);
      if (negated(b)) return apply(Op::add, a, steps_[b].a);
      break;
    case Op::multiply:
      if (is(a, 0) || is(b, 0)) return constant(0);
      if (is(a, 1)) return b;
      if (is(b, 1)) return a;
      if (is(a, -1)) return apply(Op::negate, b, b);
      if (is(b, -1)) return apply(Op::negate, a, a);
      if (negated(a)) {
        const int product = apply(Op::multiply, steps_[a].a, b);
        return apply(Op::negate, product, product);
      }
      if (negated(b)) {
        const int product = apply(Op::multiply, a, steps_[b].a);
        return apply(Op::negate, product, product);
      }
      break;
    case Op::divide:
      if (is(a, 0)) return constant(0);
      if (is(b, 1)) return a;
      break;
    case Op::negate:
      if (negated(a)) return steps_[a].a;
      break;
    default:
      break;
  }
  if ((op == Op::add || op == Op::multiply) && a > b) std::swap(a, b);
  return find_or_add({op, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)},
                     {op, a, b, 0, {}});
}

void Tape::output(Place place, int step) { outputs_.push_back({step, stages() - 1, place}); }

void Tape::cut() {
  ends_.push_back(static_cast<int>(steps_.size()));
  std::erase_if(known_, [&](const auto& entry) { return entry.second >= ends_.front(); });
}

int Tape::stage_of(int step) const {
  return static_cast<int>(std::upper_bound(ends_.begin(), ends_.end(), step) - ends_.begin());
}

Traced Traced::apply(Op op, const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) return result(op, a.number_, b.number_);
  const int step = recorded->apply(op, a.on(*recorded), b.on(*recorded));
  const Tape::Step& made = recorded->steps()[static_cast<std::size_t>(step)];
  return made.op == Op::constant ? Traced(made.number) : Traced::step(step);
}

Recording::Recording(Tape& tape) : tape_(tape) { recorded = &tape; }
Recording::~Recording() { recorded = nullptr; }
Traced Recording::input(Place place) const { return Traced::step(tape_.input(place)); }
void Recording::output(Place place, const Traced& value) const {
  tape_.output(place, value.on(tape_));
}

}  // namespace freeplay::tape
