// SPDX-License-Identifier: Apache-2.0
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

// Whatever the bytes, the reader answers with a model or with messages: it never crashes, hangs or
// lets another exception out. FREEPLAY_FUZZ=N multiplies the number of mutations.
namespace freeplay {
namespace {

using testing::everything_planar;
using testing::everything_short;
using testing::everything_short_spatial;
using testing::everything_spatial;
using testing::mistakes;
using testing::small_model;

void survive(std::string_view text) {
  try {
    const Model model = testing::read(text);
    // What loads must also load in its resolved form, to the same numbers.
    ASSERT_EQ(testing::dump(model), testing::dump(testing::read(write_model(model)))) << text;
  } catch (const ModelError& error) {
    ASSERT_FALSE(error.issues().empty());
    for (const Issue& issue : error.issues()) ASSERT_FALSE(issue.message.empty());
  }
}

int effort() {
  const char* factor = std::getenv("FREEPLAY_FUZZ");
  return factor ? std::max(1, std::atoi(factor)) : 1;
}

TEST(LoadRobustnessTest, TruncatedAtEveryByte) {
  for (const std::string& text :
       {everything_spatial(), everything_planar(), everything_short(), everything_short_spatial()})
    for (std::size_t n = 0; n <= text.size(); ++n) survive(std::string_view(text).substr(0, n));
}

TEST(LoadRobustnessTest, OneByteFlipped) {
  std::mt19937 random(1);
  for (const std::string& text :
       {everything_spatial(), everything_planar(), everything_short(), everything_short_spatial()})
    for (int i = 0; i < 3000 * effort(); ++i) {
      std::string changed = text;
      changed[random() % changed.size()] = static_cast<char>(random());
      survive(changed);
    }
}

TEST(LoadRobustnessTest, PiecesMovedAbout) {
  std::mt19937 random(2);
  const std::string pieces = everything_spatial() + everything_planar();
  for (int i = 0; i < 2000 * effort(); ++i) {
    std::string text = i % 2 ? everything_spatial() : everything_planar();
    for (unsigned k = random() % 4 + 1; k > 0; --k) {
      const std::size_t from = random() % pieces.size(), length = random() % 60,
                        to = random() % text.size();
      text.replace(to, random() % 30, pieces.substr(from, length));
    }
    survive(text);
  }
}

TEST(LoadRobustnessTest, ShortFormsInPieces) {
  std::mt19937 random(5);
  const std::string pieces =
      everything_short() + everything_short_spatial() +
      " { } \"low_{i+1}\" \"{\" \"}\" repeat = 1e9 repeat = -1 repeat = \"O\" [0, 0, 0] A.x .z "
      "meet(O, 1 m, O, 1 m) use = \"pin\" use = \"use\" false nan 1e300 \"{1e300}\" \"{i/2}\" ";
  for (int i = 0; i < 4000 * effort(); ++i) {
    std::string text = i % 2 ? everything_short() : everything_short_spatial();
    for (unsigned k = random() % 4 + 1; k > 0; --k) {
      const std::size_t from = random() % pieces.size(), length = random() % 40,
                        to = random() % text.size();
      text.replace(to, random() % 30, pieces.substr(from, length));
    }
    survive(text);
  }
}

TEST(LoadRobustnessTest, TokensInAnyOrder) {
  const std::vector<std::string> tokens = {
      "[",          "]",        "[[",      "]]",     "{",   "}",   "=",      ",",      ".",
      "\n",         "\"",       "'",       "\"\"\"", "'''", "#",   "bodies", "joints", "a",
      "mass",       "1",        "-1",      "1e999",  "0x",  "nan", "inf",    "true",   "false",
      "\"1 mm\"",   "type",     "include", "\\",     "\r",  "\t",  " ",      "\xff",   "\xc3\xa4",
      "1979-05-27", "07:32:00", "_",       "+",      "-",   "e",   "\\u0000"};
  std::mt19937 random(3);
  for (int i = 0; i < 20000 * effort(); ++i) {
    std::string text;
    for (unsigned k = random() % 30; k > 0; --k) text += tokens[random() % tokens.size()];
    survive(text);
  }
}

TEST(LoadRobustnessTest, ExpressionsOfNonsense) {
  const std::vector<std::string> tokens = {
      "1", "2.5",    "mm",     "kg",  " ",   "+",     "-",   "*",   "/",     "^",
      "(", ")",      ",",      "sin", "min", "pi",    "t",   "e9",  "1/",    "N m",
      "%", "\u00b2", "\u00b5", "x",   ".",   "1e400", "rad", "deg", "sqrt(", "0"};
  std::mt19937 random(4);
  for (int i = 0; i < 20000 * effort(); ++i) {
    std::string text;
    for (unsigned k = random() % 15; k > 0; --k) text += tokens[random() % tokens.size()];
    survive(small_model(
        "position = [\"" + text +
        "\", 0, 0]\n[forces.f]\nbody = \"a\"\ndirection = [1, 0, 0]\nmagnitude = { formula = \"" +
        text + "\" }\n"));
  }
}

TEST(LoadRobustnessTest, DeepNesting) {
  const std::size_t deep = 1000000;
  const auto repeat = [&](const std::string& piece) {
    std::string out;
    for (std::size_t i = 0; i < deep; ++i) out += piece;
    return out;
  };
  for (const std::string& text :
       {"a = " + repeat("["), repeat("["), "a = " + repeat("{a="), "[" + repeat("a.") + "a]\n",
        repeat("a.") + "a = 1\n", "a = " + repeat("[") + repeat("]"), repeat("[a]\n"), repeat("\""),
        repeat("'"), repeat("#"), repeat("a=1\n"), repeat("\n"), repeat("a"), "a = " + repeat("9"),
        "a = 0." + repeat("0") + "1", "a = \"" + repeat("(") + "\"",
        "[bodies.a]\nmass = \"" + repeat("1+") + "1\"",
        "[bodies.a]\nmass = \"" + repeat("-") + "1\""}) {
    const auto start = std::chrono::steady_clock::now();
    survive(text);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10))
        << text.substr(0, 20);
  }
}

TEST(LoadRobustnessTest, LargeModelsLoadInReasonableTime) {
  std::string text = "[mechanism]\ngravity = [0, 0, -9.81]\n[simulation]\nduration = 1\n";
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i),
                      before = i == 0 ? "ground" : "b" + std::to_string(i - 1);
    text += "[bodies.b" + n + "]\nmass = \"1 kg\"\ninertia = [1, 1, 1]\nposition = [" + n +
            ", 0, 0]\n[joints.j" + n + "]\ntype = \"revolute\"\nbodies = [\"" + before + "\", \"b" +
            n + "\"]\nat = [" + n + ", 0, 0]\naxis = [0, 0, 1]\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(testing::read(text).joints.size(), 5000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace freeplay
