// SPDX-License-Identifier: Apache-2.0
#include "report/decimate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace freeplay::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<double> evenly(std::size_t count, double step) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<double>(i) * step);
  return out;
}

TEST(TimelineTest, MergesStepsAndGridInOrderOfTime) {
  const std::vector<double> steps{0, 0.15, 0.3}, grid{0, 0.1, 0.2, 0.3};
  const Timeline timeline(steps, grid);
  EXPECT_THAT(timeline.time(), ElementsAre(0, 0.1, 0.15, 0.2, 0.3));
  EXPECT_FALSE(timeline.is_grid(0));  // both are there: the step is taken
  EXPECT_TRUE(timeline.is_grid(1));
  const std::vector<double> at_steps{0, 1, 15, 16, 30, 31}, on_grid{0, 1, 10, 11, 20, 21, 30, 31};
  EXPECT_THAT(timeline.merge(at_steps, on_grid, 2, 1), ElementsAre(1, 11, 16, 21, 31));
}

TEST(TimelineTest, TakesGridPointsForStepsWhenTheyDifferByRounding) {
  const std::vector<double> steps{0.1 + 0.2}, grid{0.3};
  EXPECT_EQ(Timeline(steps, grid).size(), 1U);
}

TEST(TimelineTest, FindsTheNearestRow) {
  const auto time = evenly(11, 0.1);
  const Timeline timeline(time, {});
  EXPECT_EQ(timeline.nearest(-5), 0U);
  EXPECT_EQ(timeline.nearest(0.34), 3U);
  EXPECT_EQ(timeline.nearest(0.36), 4U);
  EXPECT_EQ(timeline.nearest(9), 10U);
}

TEST(ChooseFramesTest, KeepsEverythingThatFits) {
  const auto time = evenly(100, 1);
  EXPECT_EQ(choose_frames(Timeline(time, {}), {}, 100).size(), 100U);
}

TEST(ChooseFramesTest, KeepsEndsAndWantedRowsOfALongRun) {
  const auto time = evenly(100001, 1e-5);
  const auto frames = choose_frames(Timeline(time, {}), {77, 12345, 12346}, 1000);
  EXPECT_LE(frames.size(), 1002U);
  EXPECT_GE(frames.size(), 500U);
  EXPECT_TRUE(std::is_sorted(frames.begin(), frames.end()));
  EXPECT_EQ(frames.front(), 0U);
  EXPECT_EQ(frames.back(), 100000U);
  for (const std::size_t row : {77U, 12345U, 12346U})
    EXPECT_TRUE(std::binary_search(frames.begin(), frames.end(), row)) << row;
}

TEST(ChooseFramesTest, PrefersTheRoundTimesOfTheGrid) {
  std::vector<double> steps;
  for (double t = 0; t < 1; t += 3.7e-5) steps.push_back(t);
  const auto grid = evenly(1001, 1e-3);
  const Timeline timeline(steps, grid);
  const auto frames = choose_frames(timeline, {}, 1000);
  const auto round = std::count_if(frames.begin(), frames.end(),
                                   [&](std::size_t row) { return timeline.is_grid(row); });
  EXPECT_GE(round, 498);
}

TEST(MissedPeaksTest, FindsTheOneSampleThatMatters) {
  const auto time = evenly(100001, 1e-5);
  const Timeline timeline(time, {});
  std::vector<double> values;
  for (const double t : time) values.push_back(std::sin(t));
  values[54321] = 50;
  values[54323] = -70;
  const auto frames = choose_frames(timeline, {}, 1000);
  const auto peaks = missed_peaks(timeline, values, frames, 500);
  EXPECT_TRUE(std::binary_search(peaks.begin(), peaks.end(), 54321U));
  EXPECT_TRUE(std::binary_search(peaks.begin(), peaks.end(), 54323U));
  EXPECT_LE(peaks.size(), 12U) << "a smooth curve needs no more than its frames";
  for (const auto row : peaks) EXPECT_FALSE(std::binary_search(frames.begin(), frames.end(), row));
}

TEST(MissedPeaksTest, DrawnRangeIsThatOfTheData) {
  // A noisy series: whatever is drawn must span what was computed, in every piece of time.
  const auto time = evenly(50000, 1e-4);
  const Timeline timeline(time, {});
  std::vector<double> values;
  unsigned seed = 1;
  for (std::size_t i = 0; i < time.size(); ++i) {
    seed = seed * 1664525U + 1013904223U;
    values.push_back(static_cast<double>(seed >> 8U) / 16777216.0);
  }
  const auto frames = choose_frames(timeline, {}, 1000);
  auto rows = missed_peaks(timeline, values, frames, 200);
  rows.insert(rows.end(), frames.begin(), frames.end());
  const auto extremes = [&](auto&& keep) {
    double low = 1e9, high = -1e9;
    for (const auto i : keep) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    return std::pair(low, high);
  };
  for (int piece = 0; piece < 10; ++piece) {
    std::vector<std::size_t> all, kept;
    const std::size_t begin = static_cast<std::size_t>(piece) * 5000, end = begin + 5000;
    for (auto i = begin; i < end; ++i) all.push_back(i);
    for (const auto row : rows)
      if (row >= begin && row < end) kept.push_back(row);
    EXPECT_NEAR(extremes(kept).first, extremes(all).first, 0.0021);
    EXPECT_NEAR(extremes(kept).second, extremes(all).second, 0.0021);
  }
}

TEST(MissedPeaksTest, ConstantEmptyAndHugeSeries) {
  const auto time = evenly(1000, 1);
  const Timeline timeline(time, {});
  const auto frames = choose_frames(timeline, {}, 10);
  EXPECT_THAT(missed_peaks(timeline, std::vector<double>(1000, 3.0), frames, 100), IsEmpty());
  EXPECT_THAT(missed_peaks(Timeline({}, {}), {}, {}, 100), IsEmpty());
  std::vector<double> huge(1000, -1.7e308);
  huge[501] = 1.7e308;
  const auto peaks = missed_peaks(timeline, huge, frames, 100);
  EXPECT_TRUE(std::binary_search(peaks.begin(), peaks.end(), 501U));
}

}  // namespace
}  // namespace freeplay::report
