// SPDX-License-Identifier: Apache-2.0
#include "core/slot_queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace freeplay {
namespace {

TEST(SlotQueueTest, HandsOutInOrderAndThenNothing) {
  SlotQueue<std::string> queue;
  std::string out = "kept";
  EXPECT_FALSE(queue.take(out));
  EXPECT_EQ(out, "kept");
  for (const char* text : {"a", "b", "c"}) queue.push() = text;
  ASSERT_TRUE(queue.take(out));
  EXPECT_EQ(out, "a");
  queue.push() = "d";  // while others wait
  for (const char* text : {"b", "c", "d"}) {
    ASSERT_TRUE(queue.take(out));
    EXPECT_EQ(out, text);
  }
  EXPECT_FALSE(queue.take(out));
}

TEST(SlotQueueTest, KeepsTheMemoryOfWhatItHeld) {
  SlotQueue<std::string> queue;
  queue.push() = std::string(100, 'x');
  std::string out;
  ASSERT_TRUE(queue.take(out));
  queue.push() = "short";  // the slot now holds what `out` held
  ASSERT_TRUE(queue.take(out));
  EXPECT_EQ(out, "short");
  EXPECT_GE(queue.push().capacity(), 100U);
}

}  // namespace
}  // namespace freeplay
