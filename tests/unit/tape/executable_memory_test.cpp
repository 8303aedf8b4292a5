// SPDX-License-Identifier: Apache-2.0
#include "tape/executable_memory.hpp"

#include "tape/program.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace freeplay::tape {
namespace {

using Number = int();

/// mov eax, n; ret
std::vector<std::uint8_t> code_of(std::uint8_t n) { return {0xB8, n, 0, 0, 0, 0xC3}; }

/// The rights of the pages that hold an address, as Linux tells them ("r-xp"); empty elsewhere.
std::string rights(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream parts(line);
    std::uintptr_t first = 0, last = 0;
    char dash = 0;
    std::string found;
    parts >> std::hex >> first >> dash >> last >> found;
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    if (first <= wanted && wanted < last) return found;
  }
  return {};
}

class Executable : public testing::Test {
 protected:
  void SetUp() override {
    if (!Program::available()) GTEST_SKIP() << "this machine does not run the code of this test";
  }
};

#ifdef __x86_64__
// So that nothing below is skipped where it must run.
TEST(ProgramTest, IsAvailableWhereItsCodeRuns) { EXPECT_TRUE(Program::available()); }
#endif

TEST_F(Executable, RunsWhatWasPutThereFromAnyOffset) {
  std::vector<std::uint8_t> code = code_of(41);
  code.resize(64, 0xCC);
  const std::vector<std::uint8_t> second = code_of(42);
  code.insert(code.end(), second.begin(), second.end());
  const ExecutableMemory memory(code);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory.function<Number>(0)(), 41);
  EXPECT_EQ(memory.function<Number>(64)(), 42);
}

TEST_F(Executable, IsNeverWritableAtTheSameTime) {
  const ExecutableMemory memory(code_of(1));
  ASSERT_TRUE(memory);
  const std::string found = rights(reinterpret_cast<const void*>(memory.function<Number>(0)));
  EXPECT_EQ(found, "r-xp");
}

TEST_F(Executable, MovesWithItsOwner) {
  ExecutableMemory first(code_of(1)), second(code_of(2));
  first = std::move(second);
  EXPECT_EQ(first.function<Number>(0)(), 2);
  const ExecutableMemory third(std::move(first));
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the point
  EXPECT_EQ(third.function<Number>(0)(), 2);
}

TEST(ExecutableMemory, NoCodeIsNoMemory) {
  EXPECT_FALSE(ExecutableMemory());
  EXPECT_FALSE(ExecutableMemory(std::vector<std::uint8_t>{}));
}

}  // namespace
}  // namespace freeplay::tape
