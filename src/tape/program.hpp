// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lanes.hpp"
#include "tape/executable_memory.hpp"
#include "tape/tape.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace freeplay::tape {

/// A tape as machine code, one function for each stage: the arithmetic of the tape in its order,
/// without fused operations, so that results do not depend on who computed them. For one set of
/// numbers; or packed, for kLanes of them, of which each gets the bits it would have got alone.
class Program {
 public:
  /// Whether this machine can: an x86-64 with AVX.
  [[nodiscard]] static bool available();
  /// Values that a later stage needs, and those that registers have no room for, are kept in
  /// `shared` and in what follows that place.
  /// Null where this machine cannot, or has no memory that may be executed.
  static std::unique_ptr<const Program> compile(const Tape& tape, Place shared);

  /// Whether this machine can do the same in packed code: with AVX2.
  [[nodiscard]] static bool packed_available();
  /// Packed code. The numbers of one place lie side by side, so places are kLanes numbers apart;
  /// they are the same places as in scalar code, but for those of `shared` that registers have no
  /// room for. Constants are not part of the code but in block `constants`, in the order of
  /// Tape::constants(), so that it serves all tapes of the same structure. Null also for tapes that
  /// call functions.
  static std::unique_ptr<const Program> compile_packed(const Tape& tape, Place shared,
                                                       int constants);

  void run(int stage, const std::array<double*, kBlocks>& blocks) const {
    functions_[static_cast<std::size_t>(stage)](blocks[0], blocks[1], blocks[2], blocks[3],
                                                blocks[4]);
  }
  /// Room it needs there, and how much of that is for values that later stages need.
  [[nodiscard]] int shared_size() const { return shared_size_; }
  [[nodiscard]] int kept_size() const { return kept_size_; }

 private:
  Program() = default;
  static std::unique_ptr<const Program> make(const Tape& tape, Place shared, int width,
                                             int constants);
  using Function = void(double*, double*, double*, double*, double*);
  ExecutableMemory code_;
  std::vector<Function*> functions_;  // of the stages, in it
  int shared_size_ = 0, kept_size_ = 0;
};

}  // namespace freeplay::tape
