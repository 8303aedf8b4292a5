// SPDX-License-Identifier: Apache-2.0
#include "io/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace freeplay::io {
namespace {

TEST(TextTest, GuessesWhatWasMeant) {
  const std::vector<std::string> keys = {"mass", "inertia", "position", "orientation", "radial"};
  EXPECT_EQ(nearest("raidal", keys), "radial");  // neighbours swapped
  EXPECT_EQ(nearest("Mass", keys), "mass");
  EXPECT_EQ(nearest("postion", keys), "position");
  EXPECT_EQ(nearest("orientaton", keys), "orientation");
  EXPECT_EQ(nearest("colour", keys), "");
  EXPECT_EQ(nearest("", keys), "");
  EXPECT_EQ(nearest(std::string(1000000, 'x'), keys), "");
  EXPECT_EQ(did_you_mean("raidal", keys), "did you mean 'radial'?");
  EXPECT_EQ(did_you_mean("q", std::vector<std::string>{"a_very_long_one", "b"}),
            "known: 'a_very_long_one' or 'b'");
}

TEST(TextTest, QuotesAreShortAndPrintable) {
  EXPECT_EQ(quote("a\nb\x01"), "'a\\nb?'");
  EXPECT_EQ(quote(std::string(100, 'x')), "'" + std::string(60, 'x') + "...'");
  // A cut never leaves half of a UTF-8 sequence.
  const std::string cut = quote(std::string(59, 'x').append("\u00e9\u00e9"));
  EXPECT_EQ(cut, "'" + std::string(59, 'x') + "...'");
}

TEST(TextTest, NumbersReadAsTheyAreWritten) {
  const auto scan = [](std::string_view text, int tens = 0) {
    double value = NAN;
    const std::size_t length = scan_number(text, value, tens);
    return std::pair(length, value);
  };
  EXPECT_EQ(scan("12.5 mm"), std::pair(std::size_t{4}, 12.5));
  EXPECT_EQ(scan("1e-3x"), std::pair(std::size_t{4}, 1e-3));
  EXPECT_EQ(scan("2e"), std::pair(std::size_t{1}, 2.0));
  EXPECT_EQ(scan("2e+x"), std::pair(std::size_t{1}, 2.0));
  EXPECT_EQ(scan(".5"), std::pair(std::size_t{2}, 0.5));
  EXPECT_EQ(scan("5."), std::pair(std::size_t{2}, 5.0));
  EXPECT_EQ(scan("0.2", -3), std::pair(std::size_t{3}, 0.0002));
  EXPECT_EQ(scan("9.8", -3), std::pair(std::size_t{3}, 0.0098));
  EXPECT_EQ(scan("1e400").second, std::numeric_limits<double>::infinity());
  EXPECT_EQ(scan("1e-400").second, 0.0);
  EXPECT_EQ(scan("1e99999999999999999999").second, std::numeric_limits<double>::infinity());
  for (const char* text : {"", "x", ".", "-1", "+1", "nan", "inf", "1.2.3", "e5"})
    EXPECT_EQ(scan(text).first, 0u) << text;
}

TEST(TextTest, ShortestReadsBackExactly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value) || std::signbit(value)) continue;
    double back = NAN;
    const std::string text = shortest(value);
    ASSERT_EQ(scan_number(text, back), text.size());
    ASSERT_EQ(back, value) << text;
  }
}

}  // namespace
}  // namespace freeplay::io
