// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/encoder.hpp"

#include <array>
#include <span>

namespace freeplay::tape {

/// Machine code for sine and cosine of one angle, or of four in packed code: sin_cos() of
/// core/sin_cos.hpp operation by operation, so that it gives the same bits, without a call for all
/// angles that mechanisms have.
class TurnCode {
 public:
  static constexpr std::size_t kScratch = 9;  // registers
  using Scratch = std::array<Xmm, kScratch>;

  /// Leaves the angle as it is, and all registers besides it and `scratch`.
  TurnCode(Encoder& code, Xmm angle, const Scratch& scratch);
  [[nodiscard]] Xmm sine() const { return sine_; }
  [[nodiscard]] Xmm cosine() const { return cosine_; }
  /// The way round for angles that are too large or no number, behind the end of the function.
  /// `volatile_registers`: general ones in use that a call may change; with them, an odd number of
  /// eights lies on the stack, as at the beginning of a function.
  void write_way_round(Encoder& code, std::span<const Gp> volatile_registers) const;

 private:
  Xmm angle_, sine_, cosine_;
  Encoder::Label round_, back_;
};

}  // namespace freeplay::tape
