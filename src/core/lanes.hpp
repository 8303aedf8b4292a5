// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

// Variants of one problem side by side in the lanes of wide registers: the same operations, in the
// same order, on the numbers of several variants at once. Each gets the bits that it would have got
// alone.
namespace freeplay {

inline constexpr int kLanes = 4;  ///< numbers in a register of AVX

/// One number of each lane.
struct alignas(kLanes * sizeof(double)) Four : std::array<double, kLanes> {};
using Fours = std::vector<Four>;

class Lanes;

/// A problem that can share its evaluations with others of its kind: theirs are the same operations
/// on other numbers.
class Variant {
 public:
  Variant() : id_(next_id().fetch_add(1, std::memory_order_relaxed)) {}
  virtual ~Variant() = default;
  Variant(const Variant&) = delete;
  Variant& operator=(const Variant&) = delete;

  /// Lanes for it and its kind; they may outlive it.
  [[nodiscard]] virtual std::unique_ptr<Lanes> make_lanes() const = 0;
  /// No two variants of a process have the same.
  [[nodiscard]] std::uint64_t id() const { return id_; }

 private:
  static std::atomic<std::uint64_t>& next_id() {
    static std::atomic<std::uint64_t> next{1};
    return next;
  }
  std::uint64_t id_;
};

/// What may be evaluated in lanes, or has to be alone.
class Laned {
 public:
  virtual ~Laned() = default;
  /// Itself as a variant, as it is now; null: it has to be evaluated alone.
  [[nodiscard]] virtual Variant* variant() = 0;
};

/// Evaluates variants of one kind, f(t, y) with what they remember. Component k of all lanes is
/// number k of the vectors.
class Lanes {
 public:
  virtual ~Lanes() = default;
  /// Is the variant of this kind?
  [[nodiscard]] virtual bool takes(const Variant& variant) const = 0;
  /// True when there is code for it, which is made when it is first asked for; where the machine
  /// has no such code, never.
  [[nodiscard]] virtual bool ready() = 0;
  /// Puts a variant into a lane. `memory` stays as it is while the lane is used.
  virtual void enter(int lane, Variant& variant, const double* memory) = 0;
  /// In all lanes at once. Returns a bit for each lane whose result is not finite: it has to be
  /// evaluated alone, which also tells what is wrong. Lanes that nobody is in have to hold numbers
  /// of some variant, or they hold up the others.
  [[nodiscard]] virtual unsigned evaluate(const Four& t, const Four* y, Four* f) = 0;
  /// The variant knows what the last evaluation found in that lane, at t and `y`, as if it had made
  /// that itself.
  virtual void tell(int lane, Variant& variant, double t, const double* y) const = 0;
};

}  // namespace freeplay
