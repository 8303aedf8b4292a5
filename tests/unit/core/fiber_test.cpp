// SPDX-License-Identifier: Apache-2.0
#include "core/fiber.hpp"

#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace freeplay {
namespace {

using testing::ElementsAre;

#if defined(__x86_64__) && defined(__linux__)
// So that nothing below is skipped where it must run.
TEST(Fiber, IsAvailableWhereItRuns) { EXPECT_TRUE(Fiber::available()); }
#endif

TEST(Fiber, GoesOnWhereItWasLeft) {
  if (!Fiber::available()) GTEST_SKIP() << "this machine has no fibers";
  Fiber thread;
  std::vector<int> order;
  std::unique_ptr<Fiber> one, other;
  double kept = 0;
  one = std::make_unique<Fiber>([&] {
    const double own = 1.5;
    order.push_back(1);
    Fiber::change(*one, *other);
    order.push_back(3);
    kept += own;
    Fiber::change(*one, thread, true);
  });
  other = std::make_unique<Fiber>([&] {
    const double own = 2.25;
    order.push_back(2);
    Fiber::change(*other, *one);
    kept += own;
    order.push_back(5);
    Fiber::change(*other, thread, true);
  });
  Fiber::change(thread, *one);
  order.push_back(4);
  Fiber::change(thread, *other);
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(kept, 3.75);
}

// Exceptions that are being handled are a list for each thread: fibers that leave while they handle
// one, and come back in another order, would take each other's.
TEST(Fiber, HandlesItsOwnExceptions) {
  if (!Fiber::available()) GTEST_SKIP() << "this machine has no fibers";
  Fiber thread;
  std::array<std::unique_ptr<Fiber>, 3> fibers;
  std::array<std::string, 3> caught;
  for (std::size_t k = 0; k < fibers.size(); ++k)
    fibers[k] = std::make_unique<Fiber>([&, k] {
      try {
        throw std::runtime_error("of fiber " + std::to_string(k));
      } catch (const std::exception&) {
        Fiber::change(*fibers[k], thread);
        try {
          throw;
        } catch (const std::exception& error) {
          caught[k] = error.what();
        }
      }
      Fiber::change(*fibers[k], thread, true);
    });
  for (auto& fiber : fibers) Fiber::change(thread, *fiber);
  try {
    throw 7;
  } catch (int) {
    for (auto& fiber : fibers) Fiber::change(thread, *fiber);
  }
  EXPECT_THAT(caught, ElementsAre("of fiber 0", "of fiber 1", "of fiber 2"));
}

int depth_of(int n) {
  volatile char room[1000];
  room[0] = static_cast<char>(n);
  return n == 0 ? 0 : 1 + depth_of(n - 1) + (room[0] - static_cast<char>(n));
}

TEST(Fiber, HasRoomForAsMuchAsThreadsHave) {
  if (!Fiber::available()) GTEST_SKIP() << "this machine has no fibers";
  Fiber thread;
  std::unique_ptr<Fiber> fiber;
  int depth = 0;
  fiber = std::make_unique<Fiber>([&] {
    depth = depth_of(4000);
    Fiber::change(*fiber, thread, true);
  });
  Fiber::change(thread, *fiber);
  EXPECT_EQ(depth, 4000);
}

}  // namespace
}  // namespace freeplay
