// SPDX-License-Identifier: Apache-2.0
#include <freeplay/version.hpp>

#include <gmock/gmock.h>

TEST(VersionTest, IsThreeNumbers) {
  EXPECT_THAT(freeplay::version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}
