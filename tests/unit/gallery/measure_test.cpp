// SPDX-License-Identifier: Apache-2.0
#include "gallery/measure.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace freeplay::gallery {
namespace {

constexpr double kPi = std::numbers::pi;

// y = sin(2 pi t) over two turns of a second, with more rows in the first half as a run has them
// around an impact; z = y + 3; w falls from 5 to 1.
Track waves() {
  Track track;
  for (int i = 0; i <= 11000; ++i) {
    const double t = i <= 10000 ? i * 1e-4 : 1 + (i - 10000) * 1e-3;
    track.time.push_back(t);
    track.series["y"].push_back(std::sin(2 * kPi * t));
    track.series["z"].push_back(std::sin(2 * kPi * t) + 3);
    track.series["w"].push_back(5 - 2 * t);
  }
  track.touches = {0.1, 0.2, 0.3, 1.9};
  track.rebounds = {0.15, 0.25};
  track.result.stats.evaluations = 1234;
  track.result.energy_residual = 2e-9;
  track.result.energy_scale = 4;
  return track;
}

double taken(const char* text, const Window& window = {}) {
  return take(parse_measure(text), waves(), window);
}

TEST(MeasureTest, TakesWhatIsKnownOfASine) {
  EXPECT_NEAR(taken("max y"), 1, 1e-6);
  EXPECT_NEAR(taken("min y"), -1, 1e-6);
  EXPECT_NEAR(taken("peak z"), 4, 1e-6);
  EXPECT_NEAR(taken("range z"), 2, 1e-6);
  EXPECT_NEAR(taken("mean z"), 3, 1e-4);  // not 3 plus the crowd of rows in one half
  EXPECT_NEAR(taken("rms y"), std::sqrt(0.5), 1e-4);
  EXPECT_NEAR(taken("travel y"), 8, 1e-4);  // four amplitudes a turn
  EXPECT_NEAR(taken("share y"), 0.5, 1e-3);
  EXPECT_NEAR(taken("crossings z"), 1.5, 0.51);  // 3 inside, those at the ends may count
  EXPECT_NEAR(taken("final w"), 1, 1e-3);
  EXPECT_NEAR(taken("lost w"), 4, 1e-3);
}

TEST(MeasureTest, AddsAndSubtractsSeries) {
  EXPECT_NEAR(taken("range z - y"), 0, 1e-12);
  EXPECT_NEAR(taken("max z + w - y"), 8, 1e-12);
}

TEST(MeasureTest, LooksInsideTheWindowOnly) {
  EXPECT_NEAR(taken("max w", {.from = 1, .to = 1.5}), 3, 1e-3);
  EXPECT_EQ(taken("contacts", {.from = 0, .to = 1}), 3);
  EXPECT_TRUE(std::isnan(taken("max w", {.from = 3, .to = 4})));
}

TEST(MeasureTest, CountsWhatBelongsToTheRun) {
  EXPECT_EQ(taken("contacts"), 4);
  EXPECT_EQ(taken("rebounds"), 2);
  EXPECT_EQ(taken("half_contacts"), 0.2);  // the second of four
  EXPECT_EQ(taken("evaluations"), 1234);
  EXPECT_EQ(taken("residual"), 5e-10);
  EXPECT_TRUE(std::isnan(taken("half_contacts", {.from = 0.5, .to = 1})));
}

TEST(MeasureTest, ComparesTheLowestValuesOfTurns) {
  // y - w = sin(2 pi t) - 5 + 2 t: every turn is like the one before it, 2 higher.
  EXPECT_NEAR(taken("scatter y - w", {.turn = 1}), 2, 1e-6);
  EXPECT_NEAR(taken("lowest y", {.turn = 1}), -1, 1e-6);
  EXPECT_NEAR(taken("scatter y", {.turn = 1}), 0, 1e-6);
  EXPECT_TRUE(std::isnan(taken("lowest y")));  // nobody said how long a turn is
}

TEST(MeasureTest, SubtractsAnotherRunOnItsOwnTimes) {
  Track coarse;
  for (double t = 0; t < 2.01; t += 0.5) {
    coarse.time.push_back(t);
    coarse.series["w"].push_back(5 - t);
  }
  const Track fine = waves();
  EXPECT_NEAR(take(parse_measure("final w"), fine, {}, &coarse), -2, 1e-3);
  EXPECT_NEAR(take(parse_measure("max w"), fine, {}, &coarse), 0, 1e-12);
}

TEST(MeasureTest, SaysWhatIsWrong) {
  const auto wrong = [](const char* text) -> std::string {
    try {
      (void)parse_measure(text);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(wrong("maks y"), ::testing::HasSubstr("did you mean 'max'"));
  EXPECT_THAT(wrong("max"), ::testing::HasSubstr("wants a series"));
  EXPECT_THAT(wrong("max a +"), ::testing::HasSubstr("wants a series"));
  EXPECT_THAT(wrong("contacts joints/pin"), ::testing::HasSubstr("run as a whole"));
  EXPECT_EQ(wrong("lost energy/kinetic + energy/potential"), "nothing");
}

}  // namespace
}  // namespace freeplay::gallery
