// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace freeplay::testing {

std::filesystem::path source_dir() { return FREEPLAY_SOURCE_DIR; }

std::filesystem::path cli() {
  return std::filesystem::path(FREEPLAY_BINARY_DIR) / "bin" / "freeplay";
}

std::filesystem::path scratch_dir() {
  // Named after the test, so that tests running at the same time never share one.
  std::string name = "outside_a_test";
  if (const auto* info = ::testing::UnitTest::GetInstance()->current_test_info()) {
    name = std::string(info->test_suite_name()) + "." + info->name();
    std::replace(name.begin(), name.end(), '/', '_');
  }
  const auto dir = std::filesystem::path(FREEPLAY_BINARY_DIR) / "tests" / "scratch" / name;
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  return dir;
}

}  // namespace freeplay::testing
