// SPDX-License-Identifier: Apache-2.0
#include "tape/tape.hpp"

#include "core/sin_cos.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace freeplay::tape {
namespace {

std::size_t hash(const Tape::Step& s) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;  // 2^64 over the golden ratio
  std::uint64_t h = std::bit_cast<std::uint64_t>(s.number) ^
                    static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(s.function));
  for (const int part : {static_cast<int>(s.op), s.a, s.b, s.place.block, s.place.index})
    h = (h ^ (h >> 29) ^ static_cast<std::uint64_t>(part)) * kMix;
  return static_cast<std::size_t>(h >> 20);
}
/// Constants by their bits: 0 and -0 are not the same.
bool same(const Tape::Step& x, const Tape::Step& y) {
  return x.op == y.op && x.a == y.a && x.b == y.b && x.function == y.function &&
         x.place == y.place &&
         std::bit_cast<std::uint64_t>(x.number) == std::bit_cast<std::uint64_t>(y.number);
}

}  // namespace

double carried_out(Op op, double a, double b) {
  const auto mask = [](bool holds) {
    return std::bit_cast<double>(holds ? ~std::uint64_t{0} : std::uint64_t{0});
  };
  const auto x = std::bit_cast<std::uint64_t>(a), y = std::bit_cast<std::uint64_t>(b);
  double sine = 0, cosine = 0;
  if (op == Op::sine || op == Op::cosine) freeplay::sin_cos(a, sine, cosine);
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
      return sine;
    case Op::cosine:
      return cosine;
    case Op::less:
      return mask(a < b);
    case Op::at_most:
      return mask(a <= b);
    case Op::equal:
      return mask(a == b);
    case Op::both:
      return std::bit_cast<double>(x & y);
    case Op::without:
      return std::bit_cast<double>(x & ~y);
    case Op::either:
      return std::bit_cast<double>(x | y);
    default:
      return a;
  }
}

int Tape::find_or_add(const Step& step) {
  if (2 * (entered_ + 1) > static_cast<int>(known_.size())) {  // half full: twice as large
    const std::vector<int> old =
        std::exchange(known_, std::vector<int>(std::max<std::size_t>(256, 2 * known_.size()), -1));
    entered_ = 0;
    for (const int s : old)
      if (s >= 0) enter(s);
  }
  for (std::size_t at = hash(step);; ++at) {
    const int s = known_[at & (known_.size() - 1)];
    if (s < 0) break;
    if (same(steps_[s], step)) return s;
  }
  steps_.push_back(step);
  enter(static_cast<int>(steps_.size()) - 1);
  return static_cast<int>(steps_.size()) - 1;
}

void Tape::enter(int step) {
  std::size_t at = hash(steps_[step]);
  while (known_[at & (known_.size() - 1)] >= 0) ++at;
  known_[at & (known_.size() - 1)] = step;
  ++entered_;
}

int Tape::constant(double number) { return find_or_add({Op::constant, 0, 0, number, {}}); }

int Tape::call(Function* function, int a, int b) {
  if (steps_[a].op == Op::constant && steps_[b].op == Op::constant)
    return constant(function(steps_[a].number, steps_[b].number));
  return find_or_add({Op::call, a, b, 0, {}, function});
}

int Tape::input(Place place) { return find_or_add({Op::input, 0, 0, 0, place}); }

int Tape::apply(Op op, int a, int b) {
  if (steps_[a].op == Op::constant && steps_[b].op == Op::constant)
    return constant(carried_out(op, steps_[a].number, steps_[b].number));
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
      if (a == b && numbers_) return constant(0);
      if (negated(b)) return apply(Op::add, a, steps_[b].a);
      break;
    case Op::multiply:
      if ((is(a, 0) || is(b, 0)) && numbers_) return constant(0);
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
      if (is(a, 0) && numbers_) return constant(0);
      if (is(b, 1)) return a;
      break;
    case Op::negate:
      if (negated(a)) return steps_[a].a;
      break;
    default:
      break;
  }
  if ((op == Op::add || op == Op::multiply) && a > b) std::swap(a, b);
  return find_or_add({op, a, b, 0, {}});
}

int Tape::select(int comparison, int a, int b) {
  if (a == b) return a;
  const auto nothing = [&](int s) {  // no bit of it is set
    return steps_[s].op == Op::constant && std::bit_cast<std::uint64_t>(steps_[s].number) == 0;
  };
  if (nothing(b)) return apply(Op::both, comparison, a);
  if (nothing(a)) return apply(Op::without, b, comparison);
  return apply(Op::either, apply(Op::both, comparison, a), apply(Op::without, b, comparison));
}

void Tape::output(Place place, int step) { outputs_.push_back({step, stages() - 1, place}); }

void Tape::cut() {
  ends_.push_back(static_cast<int>(steps_.size()));
  std::fill(known_.begin(), known_.end(), -1);
  entered_ = 0;
  for (int s = 0; s < ends_.front(); ++s) enter(s);
}

std::vector<double> Tape::constants() const {
  std::vector<double> out;
  for (const Step& s : steps_)
    if (s.op == Op::constant) out.push_back(s.number);
  return out;
}

bool Tape::has_structure_of(const Tape& other) const {
  const auto same_step = [](const Step& x, const Step& y) {
    return x.op == y.op && x.a == y.a && x.b == y.b && x.function == y.function &&
           x.place == y.place;
  };
  const auto same_output = [](const Output& x, const Output& y) {
    return x.step == y.step && x.stage == y.stage && x.place == y.place;
  };
  return ends_ == other.ends_ && std::ranges::equal(steps_, other.steps_, same_step) &&
         std::ranges::equal(outputs_, other.outputs_, same_output);
}

int Tape::stage_of(int step) const {
  return static_cast<int>(std::upper_bound(ends_.begin(), ends_.end(), step) - ends_.begin());
}

}  // namespace freeplay::tape
