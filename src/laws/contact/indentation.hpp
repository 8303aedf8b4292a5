// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace freeplay::laws {

/// What a contact that keeps a dent remembers, as it lies in State::memory.
struct Indentation {
  double stretch = 0;  ///< which of the four below
  double deepest = 0;  ///< depth from which it sprang back last; m
};

/// Contact that yields: pressed in, it follows one curve; let go, it springs back along a steeper
/// one that ends in a dent, and pressed again it comes back along that to where it had been
/// (theory/contact_laws (C.23)). A new touch finds a new place. L brings the curves:
///
///   yield_depth()               up to here nothing stays; 0: something always does; m
///   intact(d), yielding(d)      force before and after that; N
///   springing(d, deepest)       force on the way back; N
///   dent(deepest)               depth at which that has come to nothing; m
template <class L>
struct Indenting {
  static constexpr bool uses_impact_rate = false, impulsive = false;
  static constexpr std::array memory_fields{MemoryField{"stretch", "1", Perturbation::shared},
                                            MemoryField{"deepest", "m or rad"}};
  static_assert(count_numbers(memory_fields) * sizeof(double) == sizeof(Indentation));
  static constexpr double kIntact = 0, kYielding = 1, kSpringing = 2, kOpen = 3;

  static Indentation recall(const double* memory) {
    Indentation out;
    std::memcpy(static_cast<void*>(&out), memory, sizeof out);
    return out;
  }

  /// Pressed in for the first time.
  template <class T>
  T elastic(const T& depth) const {
    if (!(depth > T(0))) return T(0);
    return depth > T(law().yield_depth()) ? law().yielding(depth) : law().intact(depth);
  }
  /// Each stretch goes on smoothly beyond its ends, which steps only reach to find them.
  template <class T>
  T force(const Contact<T>& c) const {
    if (!(c.depth > T(0))) return T(0);
    if (!c.memory) return elastic(c.depth);
    const Indentation past = recall(c.memory);
    if (past.stretch == kIntact) return law().intact(c.depth);
    if (past.stretch == kYielding) return law().yielding(c.depth);
    return past.stretch == kSpringing ? law().springing(c.depth, past.deepest) : T(0);
  }

  void begin(double depth, double* memory) const {
    memory[0] = depth >= law().yield_depth() ? kYielding : kIntact;
    memory[1] = 0;
  }
  [[nodiscard]] StretchEnd stretch_end(const Contact<double>& c) const {
    const Indentation past = recall(c.memory);
    // Deepest where it turns round: how fast it comes to that, only the mechanism knows.
    if (past.stretch == kYielding) return {c.rate, std::numeric_limits<double>::quiet_NaN()};
    if (past.stretch == kIntact) return {law().yield_depth() - c.depth, -c.rate};
    const double open = law().dent(past.deepest), width = past.deepest - open;
    if (past.stretch == kOpen || !(width > 0)) return {open - c.depth, -c.rate};
    return {(c.depth - open) * (past.deepest - c.depth) / width,
            (open + past.deepest - 2 * c.depth) / width * c.rate};
  }
  /// Else of speeds.
  [[nodiscard]] static bool ends_at_depth(const double* memory) {
    return recall(memory).stretch != kYielding;
  }
  void turn(const Contact<double>& c, double* memory) const {
    const Indentation past = recall(memory);
    if (past.stretch == kYielding) {
      memory[1] = c.depth;
      memory[0] = c.depth > law().dent(c.depth) ? kSpringing : kOpen;
    } else if (past.stretch == kSpringing) {
      const double open = law().dent(past.deepest);
      memory[0] = past.deepest - c.depth < c.depth - open ? kYielding : kOpen;
    } else {
      memory[0] = past.stretch == kIntact ? kYielding : kSpringing;
    }
  }

 private:
  [[nodiscard]] const L& law() const { return static_cast<const L&>(*this); }
};

}  // namespace freeplay::laws
