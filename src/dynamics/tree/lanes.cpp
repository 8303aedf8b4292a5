// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace freeplay::dynamics {

using namespace program;

template <int Rd>
TreeLanes<Rd>::TreeLanes(const TreeProgram<Rd>& first)
    : tape_(first.tape_),
      whole_(first.whole_),
      frame_size_(first.frame_.size() - static_cast<std::size_t>(first.code_->shared_size())),
      sum_(static_cast<std::size_t>(first.sum_)),
      moving_(first.placed_.size()) {
  for (const tape::Tape::Step& step : tape_.steps())
    if (step.op == tape::Op::input && step.place.block == kMemory)
      remembered_.push_back(static_cast<std::size_t>(step.place.index));
}

template <int Rd>
bool TreeLanes<Rd>::takes(const Variant& variant) const {
  const auto* program = dynamic_cast<const TreeProgram<Rd>*>(&variant);
  if (!program || !program->tape_.has_structure_of(tape_)) return false;
  // Places of what only laws that are asked between the stages look at are no part of the tape.
  return program->whole_ == whole_ && static_cast<std::size_t>(program->sum_) == sum_ &&
         program->placed_.size() == moving_;
}

template <int Rd>
bool TreeLanes<Rd>::ready() {
  if (std::exchange(asked_for_, true)) return code_ != nullptr;
  // Constants take the place of poses, which are for others than contacts, and there are none.
  if (std::ranges::any_of(tape_.outputs(), [](const tape::Tape::Output& output) {
        return output.place.block == kPoses;
      }))
    return false;
  code_ = tape::Program::compile_packed(tape_, {kFrame, static_cast<int>(frame_size_)}, kPoses);
  if (!code_) return false;
  frame_.assign(frame_size_ + static_cast<std::size_t>(code_->shared_size()), Four{});
  constants_.assign(tape_.constants().size(), Four{});
  memory_.assign(remembered_.empty() ? 0 : *std::ranges::max_element(remembered_) + 1, Four{});
  return true;
}

template <int Rd>
void TreeLanes<Rd>::enter(int lane, Variant& variant, const double* memory) {
  const auto l = static_cast<std::size_t>(lane);
  Place& place = places_[l];
  place.memory = memory;
  for (const std::size_t k : remembered_) memory_[k][l] = memory[k];
  if (std::exchange(place.id, variant.id()) == variant.id()) return;
  place.program = static_cast<const TreeProgram<Rd>*>(&variant);
  const std::vector<double> constants = place.program->tape_.constants();
  for (std::size_t k = 0; k < constants.size(); ++k) constants_[k][l] = constants[k];
}

template <int Rd>
unsigned TreeLanes<Rd>::evaluate(const Four& t, const Four* y, Four* f) {
  frame_[0] = t;
  const auto numbers = [](const Four* of) { return const_cast<double*>(of->data()); };
  const std::array<double*, tape::kBlocks> blocks = {numbers(y), numbers(frame_.data()),
                                                     numbers(constants_.data()), numbers(f),
                                                     numbers(memory_.data())};
  code_->run(0, blocks);
  if (!whole_) {
    ask_laws(f);
    code_->run(1, blocks);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (const TreeTouch& c : places_[lane].program->list_) {
        frame_[sum_][lane] += f[moving_ + static_cast<std::size_t>(c.normal_work)][lane];
        if (c.friction_work >= 0)
          frame_[sum_][lane] += f[moving_ + static_cast<std::size_t>(c.friction_work)][lane];
      }
  }
  unsigned bad = 0;
  const Four& sum = frame_[sum_];
  if (std::isfinite((sum[0] + sum[1]) + (sum[2] + sum[3]))) return bad;  // all of them are
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    if (!std::isfinite(sum[lane])) bad |= 1U << lane;
  return bad;
}

/// As TreeProgram::touch() does.
template <int Rd>
void TreeLanes<Rd>::ask_laws(Four* f) {
  std::array<double, kTouch> known{};
  TreeTouch::Answer found;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    for (const TreeTouch& c : places_[lane].program->list_) {
      Four* const at = frame_.data() + c.place;
      for (int k = kDepth; k < kNormal; ++k) known[static_cast<std::size_t>(k)] = at[k][lane];
      c.ask(known.data(), places_[lane].memory, found);
      at[kNormal][lane] = found.normal;
      f[moving_ + static_cast<std::size_t>(c.normal_work)][lane] = found.normal_power;
      if (c.friction_work < 0) continue;
      for (std::size_t k = 0; k < 3; ++k)
        at[static_cast<std::size_t>(kFriction) + k][lane] = found.friction[k];
      f[moving_ + static_cast<std::size_t>(c.friction_work)][lane] = found.friction_power;
    }
}

template <int Rd>
void TreeLanes<Rd>::tell(int lane, Variant& variant, double t, const double* y) const {
  auto& program = static_cast<TreeProgram<Rd>&>(variant);
  const auto l = static_cast<std::size_t>(lane);
  // Behind the frame come first the values that later stages need, in either code.
  const std::size_t known = frame_size_ + static_cast<std::size_t>(code_->kept_size());
  for (std::size_t k = 1; k < known; ++k) program.frame_[k] = frame_[k][l];
  program.remember(t, y);
}

template class TreeLanes<1>;
template class TreeLanes<3>;

}  // namespace freeplay::dynamics
