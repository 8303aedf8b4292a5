// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/executable_memory.hpp"
#include "tape/tape.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace freeplay::tape {

/// A tape as machine code, one function for each stage: the arithmetic of the tape in its order,
/// scalar and without fused operations, so that results do not depend on who computed them.
class Program {
 public:
  /// Whether this machine can: an x86-64 with AVX.
  [[nodiscard]] static bool available();
  /// Values that a later stage needs, and those that registers have no room for, are kept in
  /// `shared` and in what follows that place.
  /// Null where this machine cannot, or has no memory that may be executed.
  static std::unique_ptr<const Program> compile(const Tape& tape, Place shared);

  void run(int stage, const std::array<double*, kBlocks>& blocks) const {
    functions_[static_cast<std::size_t>(stage)](blocks[0], blocks[1], blocks[2], blocks[3],
                                                blocks[4]);
  }
  /// Room it needs there.
  [[nodiscard]] int shared_size() const { return shared_size_; }

 private:
  Program() = default;
  using Function = void(double*, double*, double*, double*, double*);
  ExecutableMemory code_;
  std::vector<Function*> functions_;  // of the stages, in it
  int shared_size_ = 0;
};

}  // namespace freeplay::tape
