// SPDX-License-Identifier: Apache-2.0
#include "io/base64.hpp"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace freeplay::io {
namespace {

TEST(Base64Test, MatchesTheStandard) {
  const auto encode = [](std::string_view text) {
    return base64(std::as_bytes(std::span(text.data(), text.size())));
  };
  // The test vectors of RFC 4648, section 10.
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, ReadsBackWhatItWroteAndNothingElse) {
  std::mt19937 random(3);
  for (std::size_t size = 0; size < 100; ++size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
  }
  for (const char* text :
       {"Z", "Zg", "Zg=", "Z===", "Zh==", "Zm9=", "Zg==Zg==", "Zm 9", "====", "=g=="})
    EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace freeplay::io
