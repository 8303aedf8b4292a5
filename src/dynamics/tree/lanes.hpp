// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lanes.hpp"
#include "dynamics/tree/program.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

// Evaluations of several variants of a mechanism at once: of trees whose programs (program.hpp) are
// the same but for their numbers. Those become inputs of every lane.
namespace freeplay::dynamics {

template <int Rd>
class TreeLanes final : public Lanes {
 public:
  explicit TreeLanes(const TreeProgram<Rd>& first);

  [[nodiscard]] bool takes(const Variant& variant) const override;
  [[nodiscard]] bool ready() override;
  void enter(int lane, Variant& variant, const double* memory) override;
  [[nodiscard]] unsigned evaluate(const Four& t, const Four* y, Four* f) override;
  void tell(int lane, Variant& variant, double t, const double* y) const override;

 private:
  void ask_laws(Four* f);

  // Of all variants alike.
  tape::Tape tape_;
  bool whole_ = false, asked_for_ = false;
  std::size_t frame_size_ = 0, sum_ = 0, moving_ = 0;
  std::vector<std::size_t> remembered_;  // places of memory that the code reads
  std::unique_ptr<const tape::Program> code_;

  // Of each lane: who is in it, what laws are asked between the stages, with which memory.
  struct Place {
    std::uint64_t id = 0;
    const TreeProgram<Rd>* program = nullptr;
    const double* memory = nullptr;
  };
  std::array<Place, kLanes> places_;
  Fours frame_, constants_, memory_;
};

}  // namespace freeplay::dynamics
