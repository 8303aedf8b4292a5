// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

// A function with a stack of its own, which can be left in the middle and gone on with later, by
// its own thread only. Fibers of a thread take turns where they say so, and nowhere else.
namespace freeplay {

class Fiber {
 public:
  /// The stack that the thread is on.
  Fiber();
  /// `work` begins when somebody first switches to the fiber. It may neither throw nor return: at
  /// its end it switches to another for good.
  explicit Fiber(std::function<void()> work);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Whether there are fibers on this machine.
  [[nodiscard]] static bool available();
  /// Leaves `from`, on which it is called, and goes on with `to`. Returns when somebody switches
  /// back. `for_good`: nobody will.
  static void change(Fiber& from, Fiber& to, bool for_good = false);

 private:
  static void begin(Fiber* self);
  void arrive();

  std::function<void()> work_;
  void* pages_ = nullptr;  // of its own; of them the lowest is one that nobody may touch
  void* top_ = nullptr;    // where the stack ends while it waits
  struct Kept;             // for the runtime of C++ and for sanitizers
  std::unique_ptr<Kept> kept_;
};

}  // namespace freeplay
