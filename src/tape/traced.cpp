// SPDX-License-Identifier: Apache-2.0
#include "tape/traced.hpp"

#include "tape/branches.hpp"

#include <limits>

namespace freeplay::tape {
namespace {

thread_local Tape* recorded = nullptr;
thread_local bool recording_broke = false;
thread_local Branches* branches = nullptr;

}  // namespace

Traced Traced::apply(Op op, const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) return carried_out(op, a.number_, b.number_);
  const int step = recorded->apply(op, a.on(*recorded), b.on(*recorded));
  const Tape::Step& made = recorded->steps()[static_cast<std::size_t>(step)];
  return made.op == Op::constant ? Traced(made.number) : Traced::step(step);
}

bool Traced::holds(Op comparison, const Traced& a, const Traced& b) {
  const Traced mask = apply(comparison, a, b);
  if (mask.is_constant()) return mask.number_ != 0;  // NaN, where all bits are set
  if (branches) return branches->take(mask.step_);
  recording_broke = true;
  return false;
}

Traced Traced::broken() {
  (branches ? branches->broke_ : recording_broke) = true;
  return std::numeric_limits<double>::quiet_NaN();
}

Traced call(Function* function, const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) return function(a.number_, b.number_);
  return Traced::step(recorded->call(function, a.on(*recorded), b.on(*recorded)));
}

Recording::Recording(Tape& tape) : tape_(tape) {
  recorded = &tape;
  recording_broke = false;
}
Recording::~Recording() { recorded = nullptr; }
Traced Recording::input(Place place) const { return Traced::step(tape_.input(place)); }
void Recording::output(Place place, const Traced& value) const {
  tape_.output(place, value.on(tape_));
}
bool Recording::broke() const { return recording_broke; }

Branches::Branches() {
  branches = this;
  recorded->expect_numbers(false);
}
Branches::~Branches() {
  branches = nullptr;
  recorded->expect_numbers(true);
}

bool Branches::take(int comparison) {
  const Tape::Step& asked = recorded->steps()[static_cast<std::size_t>(comparison)];
  for (std::size_t k = 0; k < met_; ++k) {
    // Asked again on the same way, the answer is the same; and what is less is not at least.
    if (way_[k].comparison == comparison) return way_[k].holds;
    const Tape::Step& known = recorded->steps()[static_cast<std::size_t>(way_[k].comparison)];
    if (way_[k].holds && known.op == Op::less && asked.op == Op::at_most && known.a == asked.b &&
        known.b == asked.a)
      return false;
  }
  if (met_ == way_.size()) way_.push_back({comparison, true});
  return way_[met_++].holds;
}

void Branches::begin(std::span<const Turn> way) {
  way_.assign(way.begin(), way.end());
  met_ = 0;
  if (++ways_ > kMostWays) broke_ = true;
}

Traced Branches::select(int comparison, const Traced& a, const Traced& b) {
  const int step = recorded->select(comparison, a.on(*recorded), b.on(*recorded));
  const Tape::Step& made = recorded->steps()[static_cast<std::size_t>(step)];
  return made.op == Op::constant ? Traced(made.number) : Traced::step(step);
}

}  // namespace freeplay::tape
