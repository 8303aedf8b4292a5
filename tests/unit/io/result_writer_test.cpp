// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "unit/io/synthetic_run.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <thread>

#ifndef _WIN32
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

namespace freeplay {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::scratch_dir;
using testing::SyntheticRun;
namespace fs = std::filesystem;

// What an action throws, as text; empty when it does not.
template <class F>
std::string complaint(F&& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

// All that a resumed run must reproduce.
void expect_same_datasets(const fs::path& a, const fs::path& b) {
  const Result first(a), second(b);
  std::vector<std::string> paths{
      "time",         "state/y",         "state/memory",       "solver/step",
      "solver/order", "solver/rejected", "solver/evaluations", "solver/jacobians"};
  for (const auto& c : first.channels()) {
    paths.push_back(c.path);
    paths.push_back("uniform/" + c.path);
  }
  for (const auto& path : paths) {
    const auto x = first.series(path), y = second.series(path);
    EXPECT_EQ(x.time, y.time) << path;
    EXPECT_EQ(x.values, y.values) << path;
  }
  const auto x = first.events(), y = second.events();
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(x[i].time, y[i].time);
    EXPECT_EQ(x[i].kind, y[i].kind);
  }
  const auto p = first.impacts(), q = second.impacts();
  ASSERT_EQ(p.size(), q.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_EQ(p[i].start, q[i].start);
    EXPECT_EQ(p[i].end, q[i].end);
    EXPECT_EQ(p[i].peak_force, q[i].peak_force);
  }
}

TEST(ResultWriterTest, NothingHasTheFinalNameUntilTheRunIsComplete) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  {
    Recorder recorder(file, {});
    recorder.begin(run.header);
    run.feed(recorder, -1, 50);
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(recorder.path(), partial_path(file));
    recorder.end(run.ending(RunStatus::done, 50));
    EXPECT_EQ(recorder.path(), file);
  }
  EXPECT_TRUE(fs::exists(file));
  EXPECT_FALSE(fs::exists(partial_path(file)));
  EXPECT_TRUE(Result(file).complete());
}

TEST(ResultWriterTest, FailedRunLeavesAReadablePartialFile) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  Recorder recorder(file, {});
  recorder.begin(run.header);
  run.feed(recorder, -1, 1500);
  auto failure = run.ending(RunStatus::failed, 1500);
  failure.reason = "step below 1e-12 s in joint pin";
  recorder.end(failure);
  EXPECT_FALSE(fs::exists(file));
  const Result partial(partial_path(file));
  EXPECT_FALSE(partial.complete());
  EXPECT_EQ(partial.rows(false), 1501U);
  EXPECT_EQ(partial.rows(true), 1500U);
  EXPECT_EQ(partial.attribute("solver/status"), "failed");
  EXPECT_EQ(partial.attribute("solver/reason"), failure.reason);
}

TEST(ResultWriterTest, RecorderWithoutARunLeavesNothing) {
  const auto dir = scratch_dir();
  { Recorder recorder(dir / "out.h5", {}); }
  EXPECT_TRUE(fs::is_empty(dir));
}

TEST(ResultWriterTest, RunEndedByAnExceptionIsMarkedFailed) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  {
    Recorder recorder(file, {});
    recorder.begin(run.header);
    run.feed(recorder, -1, 5);
  }
  EXPECT_EQ(Result(partial_path(file)).attribute("solver/status"), "failed");
}

TEST(ResultWriterTest, NotANumberIsRefusedByNameAndTime) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  Recorder recorder(file, {});
  recorder.begin(run.header);
  run.feed(recorder, -1, 3);
  auto row = SyntheticRun::row(0.04);
  row[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(complaint([&] { recorder.step(run.state(4), row, {}); }),
              ::testing::AllOf(HasSubstr("bodies/rod/position.y"), HasSubstr("t = 0.04 s")));
  row[1] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(complaint([&] { recorder.uniform(0.035, row); }), HasSubstr("bodies/rod/position.y"));
  auto state = run.state(4);
  state.y[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(complaint([&] { recorder.step(state, SyntheticRun::row(0.04), {}); }),
              HasSubstr("state"));
  EXPECT_TRUE(recorder.write_error().empty());  // the file is sound: the run failed, not the disk
  recorder.end(run.ending(RunStatus::failed, 3));
  EXPECT_EQ(Result(partial_path(file)).rows(false), 4U);
}

// Two runs of one input have identical datasets; only `created`, `command` and
// timings differ. With those equal too, so are the bytes.
TEST(ResultWriterTest, SameInputGivesTheSameBytes) {
  const auto dir = scratch_dir();
  const SyntheticRun run;
  run.write(dir / "a.h5", 3000);
  run.write(dir / "b.h5", 3000);
  expect_same_datasets(dir / "a.h5", dir / "b.h5");
}

// ---------------------------------------------------------------------------------------- resuming

class ResumeTest : public ::testing::TestWithParam<int> {};

TEST_P(ResumeTest, InterruptedAndResumedEqualsUninterrupted) {
  const int stop = GetParam();
  const auto dir = scratch_dir();
  const SyntheticRun run;
  run.write(dir / "whole.h5", 2500);

  const auto file = dir / "parts.h5";
  {
    Recorder recorder(file, {});
    recorder.begin(run.header);
    run.feed(recorder, -1, stop);
    const auto interrupted = run.ending(RunStatus::interrupted, stop);
    recorder.checkpoint(run.state(stop), interrupted);
    recorder.end(interrupted);
  }
  const State last = Result(partial_path(file)).checkpoint();
  EXPECT_EQ(last.time, run.time(stop));
  {
    Recorder recorder(file, {.command = "", .seed = 0, .resume = true});
    recorder.begin(run.header);
    // A run loop may or may not show the start again: the file has it.
    recorder.step(last, SyntheticRun::row(last.time), {});
    SyntheticRun rest = run;
    rest.feed(recorder, stop, 2500);
    recorder.end(run.ending(RunStatus::done, 2500 - stop));
    EXPECT_EQ(recorder.total().stats.steps, 2500);
    EXPECT_DOUBLE_EQ(recorder.total().stats.cpu_seconds, 1.0);
  }
  // `rejected` of the synthetic rows is not additive; everything else is.
  const Result whole(dir / "whole.h5"), parts(file);
  EXPECT_TRUE(parts.complete());
  for (const auto& c : whole.channels())
    for (const std::string prefix : {"", "uniform/"})
      EXPECT_EQ(whole.series(prefix + c.path).values, parts.series(prefix + c.path).values)
          << prefix + c.path;
  for (const char* path : {"time", "state/y", "state/memory", "solver/step", "solver/evaluations"})
    EXPECT_EQ(whole.series(path).values, parts.series(path).values) << path;
  EXPECT_EQ(whole.events().size(), parts.events().size());
  EXPECT_EQ(whole.impacts().size(), parts.impacts().size());
}
INSTANTIATE_TEST_SUITE_P(AroundChunks, ResumeTest,
                         ::testing::Values(0, 1, 7, 1022, 1023, 1024, 2047, 2499));

TEST(ResumeTest, AnotherModelIsRefused) {
  const auto file = scratch_dir() / "out.h5";
  SyntheticRun run;
  {
    Recorder recorder(file, {});
    recorder.begin(run.header);
    run.feed(recorder, -1, 10);
    recorder.end(run.ending(RunStatus::interrupted, 10));
  }
  run.model.simulation.tolerance = 1e-6;
  {
    Recorder recorder(file, {.command = "", .seed = 0, .resume = true});
    EXPECT_THAT(complaint([&] { recorder.begin(run.header); }), HasSubstr("another model"));
  }
  EXPECT_EQ(Result(partial_path(file)).rows(false), 11U);  // untouched
}

// -------------------------------------------------------------------------------------------
// faults

TEST(ResultWriterTest, PlacesThatCannotBeWrittenAreNamed) {
  const auto dir = scratch_dir();
  const auto complain = [](const fs::path& file) {
    return complaint([&] { Recorder recorder(file, {}); });
  };
  EXPECT_THAT(complain(dir / "missing" / "out.h5"), HasSubstr("no directory"));
  EXPECT_THAT(complain(dir), HasSubstr("not a file"));
  EXPECT_THAT(complain(dir / (std::string(260, 'x') + ".h5")), HasSubstr("cannot write"));
  std::ofstream(dir / "plain") << "x";
  EXPECT_THAT(complain(dir / "plain" / "out.h5"), HasSubstr("cannot write"));
#ifdef __linux__
  EXPECT_THAT(complain("/proc/out.h5"), HasSubstr("cannot write /proc/out.partial.h5"));
  EXPECT_THAT(complain("/dev/null"), HasSubstr("not a file"));
#endif
}

TEST(ResultWriterTest, NamesWithBlanksQuotesAndUmlautsAreFine) {
  const auto dir = scratch_dir();
  const SyntheticRun run;
  for (const char* name :
       {"a b.h5", "it's \"so\".h5", "two\nlines.h5", "Gelenkspiel-\xC3\xBC.h5", "noext"}) {
    run.write(dir / name, 3);
    EXPECT_TRUE(Result(dir / name).complete()) << name;
  }
}

TEST(ResultWriterTest, SecondRunIntoTheSameFileIsRefused) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  Recorder first(file, {});
  first.begin(run.header);
  run.feed(first, -1, 10);
  EXPECT_THAT(complaint([&] { Recorder second(file, {}); }), HasSubstr("another run"));
  EXPECT_THAT(complaint([&] { Recorder second(file, {.command = "", .seed = 0, .resume = true}); }),
              HasSubstr("another run"));
  EXPECT_THAT(complaint([&] { const Result busy(partial_path(file)); }),
              HasSubstr("still writing"));
  run.feed(first, 10, 20);
  first.end(run.ending(RunStatus::done, 20));
  EXPECT_EQ(Result(file).rows(false), 21U);
}

TEST(ResultWriterTest, DirectoryGoneBeforeTheEndIsAnError) {
  const auto dir = scratch_dir() / "sub";
  fs::create_directory(dir);
  const SyntheticRun run;
  Recorder recorder(dir / "out.h5", {});
  recorder.begin(run.header);
  run.feed(recorder, -1, 10);
  fs::remove_all(dir);
  EXPECT_NE(complaint([&] { recorder.end(run.ending(RunStatus::done, 10)); }), "");
  EXPECT_NE(recorder.write_error(), "");
}

#ifndef _WIN32
// The disk is full at every possible place: a limit on the size of files stands for it. Whatever
// happens is an error, never a crash, and what is left on disk is as it was at a flush.
TEST(ResultWriterTest, FullDiskIsAnErrorAtEveryByte) {
  const auto dir = scratch_dir();
  const SyntheticRun run;
  run.write(dir / "whole.h5", 2100);
  const auto whole = static_cast<long>(fs::file_size(dir / "whole.h5"));
  const auto file = dir / "out.h5";
  for (long limit = 0; limit < whole; limit += std::max(1L, whole / 100)) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit size{static_cast<rlim_t>(limit), static_cast<rlim_t>(limit)};
      setrlimit(RLIMIT_FSIZE, &size);
      const auto said = complaint([&] { run.write(file, 2100); });
      std::exit(said.find("File too large") != said.npos ? 5 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "at " << limit << " of " << whole;
    ASSERT_EQ(WEXITSTATUS(status), 5) << "at " << limit << " of " << whole;
    ASSERT_FALSE(fs::exists(file));
    if (fs::exists(partial_path(file)) && fs::file_size(partial_path(file)) > 0) {
      const auto left = complaint([&] { EXPECT_FALSE(Result(partial_path(file)).complete()); });
      // Only a disk that cannot even take the empty result leaves less than one.
      if (limit > whole / 2) {
        EXPECT_EQ(left, "") << "at " << limit;
      }
    }
  }
}

// Killed at any moment, the file is as it was at the last flush, and can be resumed.
TEST(ResultWriterTest, KilledRunLeavesAReadableFile) {
  const auto file = scratch_dir() / "out.h5";
  const SyntheticRun run;
  const pid_t child = fork();
  if (child == 0) {
    Recorder recorder(file, {});
    recorder.begin(run.header);
    run.feed(recorder, -1, 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(5100));
    EXPECT_TRUE(recorder.wants_checkpoint());
    recorder.checkpoint(run.state(1000), run.ending(RunStatus::done, 1000));
    run.feed(recorder, 1000, 60000);  // many chunks that no metadata tell of
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  {
    const Result partial(partial_path(file));
    const auto rows = partial.rows(false);
    EXPECT_GE(rows, 1001U);  // a slow machine flushes once more
    EXPECT_THAT(partial.rows(true),
                AnyOf(rows - 1, rows));  // flushed on either side of a grid point
    EXPECT_EQ(partial.series("bodies/rod/position").values.size(), 3 * rows);
  }
  Recorder recorder(file, {.command = "", .seed = 0, .resume = true});
  recorder.begin(run.header);
  run.feed(recorder, 1000, 1500);
  recorder.end(run.ending(RunStatus::done, 500));
  EXPECT_EQ(Result(file).rows(false), 1501U);
  EXPECT_EQ(Result(file).rows(true), 1500U);
}
#endif

}  // namespace
}  // namespace freeplay
