// SPDX-License-Identifier: Apache-2.0
#include "io/step_thinning.hpp"

#include "io/anchors.hpp"
#include "io/record_choice.hpp"
#include "support/paths.hpp"
#include "unit/io/synthetic_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace freeplay::io {
namespace {

using ::testing::HasSubstr;
using testing::scratch_dir;
using testing::SyntheticRun;

// Records of time, two numbers, index and event.
constexpr std::size_t kRecord = 40;

struct Numbers {
  double time = 0, a = 0, b = 0;
  std::int64_t index = 0, event = 0;
};
static_assert(sizeof(Numbers) == kRecord);

StepThinning make(std::size_t most, bool watch = true) {
  std::vector<StepThinning::Watched> watched;
  if (watch) watched = {{1, 1}, {1, -1}, {2, 1}, {2, -1}};
  return {kRecord, {24, 32}, watched, most};
}

std::vector<Numbers> rows_of(const StepThinning& thinning) {
  std::vector<Numbers> out(thinning.rows());
  std::memcpy(out.data(), thinning.records().data(), thinning.records().size());
  return out;
}

Numbers numbers_at(std::int64_t i) {
  const auto t = static_cast<double>(i);
  // Both have their extremes at steps that no power of two divides.
  return {0.01 * t, std::sin(0.0137 * t) + (i == 7777 ? 5 : 0), -std::cos(0.0071 * t) * t, i,
          i % 997 == 0 && i > 0 ? i / 997 : 0};
}

void feed(StepThinning& thinning, std::int64_t from, std::int64_t to) {
  for (std::int64_t i = from; i < to; ++i) {
    const Numbers n = numbers_at(i);
    thinning.push(std::as_bytes(std::span(&n, 1)));
  }
}

TEST(StepThinningTest, AllStepsStayWhileThereIsRoom) {
  auto thinning = make(1000);
  feed(thinning, 0, 1000);
  EXPECT_EQ(thinning.rows(), 1000U);
  EXPECT_EQ(thinning.every(), 1);
}

TEST(StepThinningTest, ExtremesEventsAndBothEndsStay) {
  auto thinning = make(400);
  constexpr std::int64_t kSteps = 20011;
  feed(thinning, 0, kSteps);
  EXPECT_LE(thinning.rows(), 400U);
  EXPECT_GE(thinning.rows(), 100U);
  const auto rows = rows_of(thinning);
  EXPECT_EQ(rows.front().index, 0);
  EXPECT_EQ(rows.back().index, kSteps - 1);
  const auto extreme = [&](double Numbers::*what, auto better) {
    double all = numbers_at(0).*what, kept = rows[0].*what;
    for (std::int64_t i = 0; i < kSteps; ++i) all = better(all, numbers_at(i).*what);
    for (const Numbers& n : rows) kept = better(kept, n.*what);
    EXPECT_EQ(all, kept);
  };
  const auto largest = [](double x, double y) { return std::max(x, y); };
  const auto least = [](double x, double y) { return std::min(x, y); };
  extreme(&Numbers::a, largest);
  extreme(&Numbers::a, least);
  extreme(&Numbers::b, largest);
  extreme(&Numbers::b, least);
  std::set<std::int64_t> events;
  for (const Numbers& n : rows)
    if (n.event > 0) events.insert(n.event);
  EXPECT_EQ(events.size(), 20U);
  // Of the rest every n-th, without a gap.
  std::int64_t before = 0;
  for (const Numbers& n : rows) {
    EXPECT_LE(n.index - before, thinning.every());
    before = n.index;
  }
}

TEST(StepThinningTest, EventsAloneCannotFillIt) {
  auto thinning = make(64, false);
  for (std::int64_t i = 0; i < 10000; ++i) {
    const Numbers n{static_cast<double>(i), 0, 0, i, i + 1};
    thinning.push(std::as_bytes(std::span(&n, 1)));
  }
  EXPECT_LE(thinning.rows(), 64U);
  EXPECT_GT(thinning.every_event(), 1);
}

TEST(StepThinningTest, ExtremesAtEveryStepCannotFillIt) {
  auto thinning = make(64);
  for (std::int64_t i = 0; i < 10000; ++i) {
    const auto t = static_cast<double>(i);
    const Numbers n{t, i % 2 == 0 ? t : -t, t * t, i, 0};
    thinning.push(std::as_bytes(std::span(&n, 1)));
  }
  EXPECT_LE(thinning.rows(), 64U);
  EXPECT_EQ(rows_of(thinning).back().index, 9999);
}

TEST(StepThinningTest, GoesOnFromAnyRowAsIfNothingHadHappened) {
  auto whole = make(300);
  feed(whole, 0, 12000);
  for (const std::int64_t stop : {1, 299, 300, 301, 4567, 11999}) {
    auto first = make(300), second = make(300);
    feed(first, 0, stop);
    second.restore(first.records(), first.every(), first.every_event());
    feed(second, stop, 12000);
    EXPECT_EQ(second.every(), whole.every()) << stop;
    ASSERT_EQ(second.rows(), whole.rows()) << stop;
    EXPECT_TRUE(std::ranges::equal(second.records(), whole.records())) << stop;
  }
}

TEST(StepThinningTest, WideRowsAreWatchedForTheirLoads) {
  std::vector<Channel> channels(400);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channels[i].path = "joints/j" + std::to_string(i) + (i % 8 == 0 ? "/normal_force" : "/gap");
    channels[i].width = 1;
  }
  const auto watched = watched_numbers(channels, 512);
  EXPECT_EQ(watched.size(), 128U);
  for (std::size_t k = 0; k < 100; ++k) EXPECT_EQ((watched[k].number - 1) % 8, 0U) << k;
}

// ---- anchors

State state_of(const SyntheticRun& run, int i, std::size_t memory) {
  State out = run.state(i);
  out.stepping.assign(memory, i);
  return out;
}

TEST(AnchorsTest, AreSpreadEvenlyAndComeBackAsTheyWere) {
  const SyntheticRun run;
  Anchors anchors;
  for (int i = 0; i < 5000; ++i)
    if (anchors.wants(i)) anchors.add(i, state_of(run, i, 200));
  ASSERT_GE(anchors.steps().size(), 8U);
  EXPECT_LE(anchors.numbers().size(), 1U << 13U);
  for (std::size_t k = 0; k < anchors.steps().size(); ++k)
    EXPECT_EQ(anchors.steps()[k], static_cast<std::int64_t>(k) * anchors.every());
  Anchors again;
  again.restore(anchors.steps(), anchors.ends(), anchors.numbers(), anchors.every());
  EXPECT_EQ(again.numbers(), anchors.numbers());
  EXPECT_EQ(again.ends(), anchors.ends());

  const auto ends = anchors.ends();
  const auto all = anchors.numbers();
  State back;
  ASSERT_TRUE(unflatten({all.begin() + ends[2], all.begin() + ends[3]}, *run.header.layout, back));
  const State there = state_of(run, static_cast<int>(anchors.steps()[3]), 200);
  EXPECT_EQ(back.time, there.time);
  EXPECT_EQ(back.y, there.y);
  EXPECT_EQ(back.memory, there.memory);
  EXPECT_EQ(back.stepping, there.stepping);
  EXPECT_FALSE(unflatten({1.0, 2.0}, *run.header.layout, back));
}

// ---- which series

TEST(RecordChoiceTest, StarsStandForAnything) {
  EXPECT_TRUE(fits("bodies/ram/position", "bodies/ram/*"));
  EXPECT_TRUE(fits("bodies/ram/position", "*"));
  EXPECT_TRUE(fits("bodies/ram/position", "*/position"));
  EXPECT_TRUE(fits("bodies/ram/position", "b*m*n"));
  EXPECT_TRUE(fits("bodies/ram/position", "bodies/ram/position"));
  EXPECT_TRUE(fits("bodies/ram/position", "bodies/ram/position*"));
  EXPECT_FALSE(fits("bodies/ram/position", "bodies/ram"));
  EXPECT_FALSE(fits("bodies/ram/position", "bodies/ra/*"));
  EXPECT_FALSE(fits("bodies/ram/position", ""));
  EXPECT_FALSE(fits("bodies/ram/position", "*/velocity"));
}

std::string refusal(const std::vector<std::string>& series) {
  Record record;
  record.series = series;
  try {
    (void)chosen_channels(record, SyntheticRun().header.channels);
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(RecordChoiceTest, PatternsThatFitNothingAreRefusedWithWhatWasMeant) {
  EXPECT_EQ(refusal({"bodies/*", "energy/kinetic"}), "");
  EXPECT_THAT(refusal({"bodies/rod"}), HasSubstr("did you mean 'bodies/rod/*'?"));
  EXPECT_THAT(refusal({"bodies/rot/*"}), HasSubstr("did you mean 'bodies/rod/*'?"));
  EXPECT_THAT(refusal({"energy/kinetik"}), HasSubstr("did you mean 'energy/kinetic'?"));
  EXPECT_THAT(refusal({"/energy/kinetic"}), HasSubstr("did you mean 'energy/kinetic'?"));
  EXPECT_THAT(refusal({"bodies/rod/position.x"}), HasSubstr("did you mean 'bodies/rod/position'?"));
  EXPECT_THAT(refusal({""}), HasSubstr("no series fits ''"));
  EXPECT_THAT(refusal({"x", "y"}), HasSubstr("no series fits 'y'"));  // all of them at once
}

// ---- files

Recorder::Options keeping(Record record, bool resume = false) {
  return {.command = "", .seed = 0, .resume = resume, .record = std::move(record)};
}

void write(const SyntheticRun& run, const std::filesystem::path& file, const Record& record,
           int steps) {
  Recorder recorder(file, keeping(record));
  recorder.begin(run.header);
  run.feed(recorder, -1, steps);
  recorder.end(run.ending(RunStatus::done, steps));
}

TEST(RecordTest, LongRunIsThinnedAndSaysSo) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  write(run, file, {}, 60000);
  const Result result(file);
  EXPECT_LT(result.rows(false), 8200U);
  EXPECT_GT(result.rows(false), 3000U);
  EXPECT_EQ(result.rows(true), 60000U);
  EXPECT_THAT(result.kept(), HasSubstr("every "));
  EXPECT_EQ(result.total().stats.steps, 60000);
  EXPECT_EQ(result.events().size(), 6000U);
  const auto time = result.series("time").values;
  EXPECT_EQ(time.front(), 0);
  EXPECT_EQ(time.back(), run.time(60000));
  // Rows are those of their times, to the last bit.
  const auto position = result.series("bodies/rod/position").values;
  for (std::size_t i = 0; i < time.size(); i += 97)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(position[3 * i + k], SyntheticRun::row(time[i])[k]);
}

TEST(RecordTest, EveryStepWhenAskedForHoweverMany) {
  const auto file = scratch_dir() / "out.h5";
  write(SyntheticRun(), file, {.every = 1}, 60000);
  EXPECT_EQ(Result(file).rows(false), 60001U);
  EXPECT_EQ(Result(file).kept(), "all steps");
}

TEST(RecordTest, EveryNthStepAndThoseAtEvents) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  write(run, file, {.every = 7}, 100);  // events at 10, 20, ...
  const auto time = Result(file).series("time").values;
  std::vector<double> expected;
  for (int i = 0; i <= 100; ++i)
    if (i % 7 == 0 || (i % 10 == 0 && i > 0)) expected.push_back(run.time(i));
  EXPECT_EQ(time, expected);
}

TEST(RecordTest, GridAloneAndChosenSeries) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  write(run, file, {.steps = false, .series = {"energy/*"}}, 50);
  const Result result(file);
  EXPECT_FALSE(result.has_steps());
  EXPECT_EQ(result.rows(false), 0U);
  EXPECT_EQ(result.rows(true), 50U);
  ASSERT_EQ(result.channels().size(), 1U);
  EXPECT_EQ(result.channels()[0].path, "energy/kinetic");
  EXPECT_TRUE(result.series("energy/kinetic").time.empty());
  EXPECT_EQ(result.dense("energy/kinetic").time.size(), 50U);
  EXPECT_THROW((void)result.series("uniform/bodies/rod/position"), NotInResult);
  EXPECT_THAT(result.kept(), HasSubstr("the uniform grid alone; 1 of 3 series"));
  EXPECT_EQ(result.state_before(10).time, 0);  // the run was never asked for more
}

TEST(RecordTest, NumbersOnTheGridHaveAllDigits) {
  const auto file = scratch_dir() / "out.h5";
  write(SyntheticRun(), file, {}, 50);
  const Result result(file);
  const auto time = result.series("uniform/time").values;
  const auto position = result.series("uniform/bodies/rod/position").values;
  const auto energy = result.series("uniform/energy/kinetic").values;
  for (std::size_t i = 0; i < time.size(); ++i) {
    const auto row = SyntheticRun::row(time[i]);
    EXPECT_EQ(position[3 * i + 1], row[1]);
    EXPECT_EQ(energy[i], row[7]);
  }
}

class ThinnedResumeTest : public ::testing::TestWithParam<int> {};

TEST_P(ThinnedResumeTest, InterruptedAndResumedEqualsUninterrupted) {
  const int stop = GetParam();
  const SyntheticRun run;
  for (const Record& record :
       {Record{}, Record{.every = 7}, Record{.steps = false}, Record{.series = {"energy/*"}}}) {
    const auto dir = scratch_dir();
    write(run, dir / "whole.h5", record, 40000);
    const auto file = dir / "parts.h5";
    {
      Recorder recorder(file, keeping(record));
      recorder.begin(run.header);
      run.feed(recorder, -1, stop);
      const auto interrupted = run.ending(RunStatus::interrupted, stop);
      recorder.checkpoint(run.state(stop), interrupted);
      recorder.end(interrupted);
    }
    {
      Recorder recorder(file, keeping(record, true));
      recorder.begin(run.header);
      run.feed(recorder, stop, 40000);
      recorder.end(run.ending(RunStatus::done, 40000 - stop));
    }
    const Result whole(dir / "whole.h5"), parts(file);
    EXPECT_EQ(whole.kept(), parts.kept());
    for (const auto& c : whole.channels())
      for (const std::string prefix : {"", "uniform/"}) {
        EXPECT_EQ(whole.series(prefix + c.path).time, parts.series(prefix + c.path).time);
        EXPECT_EQ(whole.series(prefix + c.path).values, parts.series(prefix + c.path).values)
            << prefix + c.path;
      }
    std::filesystem::remove(dir / "whole.h5");
    std::filesystem::remove(file);
  }
}
INSTANTIATE_TEST_SUITE_P(Anywhere, ThinnedResumeTest,
                         ::testing::Values(0, 3, 10, 8191, 8192, 20001, 39999));

TEST(RecordTest, ResumedWithOtherWishesIsRefused) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  {
    Recorder recorder(file, keeping({}));
    recorder.begin(run.header);
    run.feed(recorder, -1, 10);
    recorder.checkpoint(run.state(10), run.ending(RunStatus::interrupted, 10));
    recorder.end(run.ending(RunStatus::interrupted, 10));
  }
  Recorder recorder(file, keeping({.every = 2}, true));
  EXPECT_THROW(recorder.begin(run.header), IoError);
}

}  // namespace
}  // namespace freeplay::io
