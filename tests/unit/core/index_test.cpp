// SPDX-License-Identifier: Apache-2.0
#include <freeplay/index.hpp>

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace freeplay {
namespace {

// What is wrong does not compile.
static_assert(!std::is_convertible_v<JointIndex, BodyIndex>);
static_assert(!std::is_convertible_v<int, BodyIndex>);
static_assert(!std::is_assignable_v<BodyIndex&, JointIndex>);
static_assert(!std::is_assignable_v<BodyIndex&, int>);
static_assert(std::is_convertible_v<BodyIndex, int>);
static_assert(std::is_trivially_copyable_v<BodyIndex>);
static_assert(kGround == 0);

TEST(IndexTest, ReadsAsAPlainNumber) {
  const std::vector<int> masses{7, 8, 9};
  int sum = 0;
  for (BodyIndex b(1); b < 3; ++b) sum += masses[b];
  EXPECT_EQ(sum, 17);
  EXPECT_EQ(--BodyIndex(2), BodyIndex(1));
  EXPECT_EQ(BodyIndex{}, kGround);
}

}  // namespace
}  // namespace freeplay
