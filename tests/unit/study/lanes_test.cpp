// SPDX-License-Identifier: Apache-2.0
#include "integrate/lane_driver.hpp"
#include "study/study_rows.hpp"
#include "support/paths.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>
#include <freeplay/study.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <random>

// Rows in lanes against rows alone: nobody may be able to tell them apart.
namespace freeplay::study {
namespace {

using integrate::LaneDriver;

/// Lanes off for as long as it lives.
class Alone {
 public:
  Alone() { setenv("FREEPLAY_LANES", "0", 1); }
  ~Alone() { unsetenv("FREEPLAY_LANES"); }
};

bool have_lanes() {
  bool out = false;
  LaneDriver::run([&] { out = LaneDriver::here() != nullptr; });
  return out;
}

/// One mechanism, and what is different about it.
struct Job {
  std::string model;
  std::vector<Override> overrides;
};
/// All there is to know of the end of a run.
struct End {
  RunStatus status = RunStatus::failed;
  std::string reason;
  std::vector<std::uint64_t> bits;
  std::int64_t steps = 0, rejected = 0, evaluations = 0, contacts = 0;
  bool operator==(const End&) const = default;
};

End end_of(const Job& job) {
  End out;
  try {
    const Model model =
        load_model(testing::source_dir() / "mechanisms" / (job.model + ".toml"), {job.overrides});
    const State start = assemble(model).start;
    RunOptions options;
    options.record_steps = false;
    const RunResult result = run(model, start, {}, options);
    out = {result.status,      result.reason,         {},
           result.stats.steps, result.stats.rejected, result.stats.evaluations,
           result.contacts};
    for (const double x : result.final_state.y) out.bits.push_back(std::bit_cast<std::uint64_t>(x));
    for (const double x : result.final_state.memory)
      out.bits.push_back(std::bit_cast<std::uint64_t>(x));
    out.bits.push_back(std::bit_cast<std::uint64_t>(result.energy_residual));
  } catch (const std::exception& error) {
    out.reason = error.what();
  }
  return out;
}

Job random_job(std::mt19937& random) {
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto one_of = [&](const std::vector<std::string>& words) {
    return words[std::uniform_int_distribution<std::size_t>(0, words.size() - 1)(random)];
  };
  const std::string contact = one_of({"lankarani-nikravesh", "flores", "hunt-crossley"});
  const std::string friction =
      one_of({"false", "false", "{ law = \"tanh\", kinetic = 0.1, v1 = \"1 mm/s\" }",
              "{ law = \"ambrosio\", kinetic = 0.05, v0 = \"0.1 mm/s\", v1 = \"1 mm/s\" }"});
  Job job{one_of({"slider_crank", "slider_crank", "press", "spatial_four_bar"}), {}};
  const auto set = [&](const std::string& path, const std::string& value) {
    job.overrides.push_back({path, value});
  };
  const auto number = [&](double x) { return fmt::format("{:.6g}", x); };
  set("simulation.tolerance", one_of({"1e-6", "1e-7", "1e-8"}));
  if (job.model == "slider_crank") {
    set("parameters.speed", fmt::format("{} rpm", between(1000, 6000)));
    set("parameters.rod_length", fmt::format("{} mm", between(100, 200)));
    set("bodies.slider.mass", number(between(0.05, 0.5)));
    set("joints.pin.clearance.radial", number(between(2e-5, 5e-4)));
    set("joints.pin.clearance.contact.law", '"' + contact + '"');
    if (friction != "false") set("joints.pin.clearance.friction", friction);
    set("simulation.duration", number(between(2e-4, 1.2e-3)));
  } else if (job.model == "press") {
    set("parameters.speed", fmt::format("{} rpm", between(100, 600)));
    set("joints.pin.clearance.radial", number(between(5e-5, 5e-4)));
    if (friction != "false") set("joints.pin.clearance.friction", friction);
    set("simulation.duration", number(between(1e-3, 1e-2)));
  } else {
    set("bodies.rocker.mass", number(between(0.02, 0.05)));
    set("joints.ball.clearance.contact.law", '"' + contact + '"');
    if (friction != "false") set("joints.ball.clearance.friction", friction);
    set("simulation.duration", number(between(2e-3, 1e-2)));
  }
  return job;
}

/// Of all of them, by lanes where there are some.
std::vector<End> ends_of(const std::vector<Job>& jobs) {
  std::vector<End> out(jobs.size());
  std::size_t next = 0;
  LaneDriver::run([&] {
    while (next < jobs.size()) {
      const std::size_t own = next++;
      out[own] = end_of(jobs[own]);
    }
  });
  return out;
}

#if defined(__x86_64__) && defined(__linux__)
// So that nothing below is skipped where it must run.
TEST(Lanes, AreThereWhereTheProcessorHasThem) {
  EXPECT_EQ(have_lanes(), __builtin_cpu_supports("avx2") != 0);
}
#endif

TEST(Lanes, ThousandRandomMechanismsEndWithTheSameBits) {
  if (!have_lanes()) GTEST_SKIP() << "this machine has no lanes";
  std::mt19937 random(24);
  std::vector<Job> jobs;
  for (int k = 0; k < 1000; ++k) jobs.push_back(random_job(random));
  const std::vector<End> together = ends_of(jobs);
  const Alone alone;
  const std::vector<End> one_by_one = ends_of(jobs);
  std::size_t done = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    ASSERT_EQ(one_by_one[k], together[k]) << jobs[k].model << ", mechanism " << k << ": "
                                          << one_by_one[k].reason << " / " << together[k].reason;
    done += one_by_one[k].status == RunStatus::done ? 1 : 0;
  }
  EXPECT_GT(done, 900U);
}

// Nearly all trials of equal mechanisms are made together: what is counted here is what studies
// gain.
TEST(Lanes, TakeNearlyAllTrials) {
  if (!have_lanes()) GTEST_SKIP() << "this machine has no lanes";
  std::int64_t together = 0, steps = 0;
  int next = 0;
  LaneDriver::run([&] {
    while (next < 8) {
      const End end =
          end_of({"slider_crank",
                  {{"joints.pin.clearance.radial", fmt::format("{} mm", 0.1 + 0.05 * next++)},
                   {"simulation.tolerance", "1e-7"},
                   {"simulation.duration", "6 ms"}}});
      EXPECT_EQ(end.status, RunStatus::done) << end.reason;
      steps += end.steps + end.rejected;
    }
    together = LaneDriver::here()->made_together();
  });
  EXPECT_GT(static_cast<double>(together), 0.8 * static_cast<double>(steps));
}

class LanesOfStudies : public ::testing::TestWithParam<const char*> {};

/// All that the result of a study holds, bit by bit, and what went wrong in its rows.
using Result = std::pair<std::vector<std::uint64_t>, std::vector<std::string>>;
Result result_of(const std::filesystem::path& study, const std::filesystem::path& folder,
                 int workers) {
  StudyOptions options;
  options.output = folder / "study.h5";
  options.workers = workers;
  run_study(study, options);
  const StudyRows rows = read_rows(options.output);
  Result out{{}, rows.errors};
  for (const auto* columns : {&rows.columns, &rows.samples, &rows.results})
    for (const StudyColumn& column : *columns)
      for (const double x : column.values) out.first.push_back(std::bit_cast<std::uint64_t>(x));
  for (const int status : rows.status) out.first.push_back(static_cast<std::uint64_t>(status));
  return out;
}

TEST_P(LanesOfStudies, GiveTheSameNumbersWithAnyNumberOfWorkers) {
  const auto study = testing::source_dir() / "examples" / GetParam(),
             folder = testing::scratch_dir();
  const Result in_lanes = result_of(study, folder, 1), with_two = result_of(study, folder, 2);
  const Alone alone;
  const Result one_by_one = result_of(study, folder, 1);
  EXPECT_FALSE(one_by_one.first.empty());
  EXPECT_EQ(in_lanes, one_by_one);
  EXPECT_EQ(with_two, one_by_one);
}

INSTANTIATE_TEST_SUITE_P(Examples, LanesOfStudies,
                         ::testing::Values("08_study/sweep.toml", "08_study/clearance.toml",
                                           "08_study/monte_carlo.toml", "08_study/tolerances.toml",
                                           "08_study/interval.toml"));

// One row has a model that cannot be, and one does not assemble, while others go on beside them.
TEST(Lanes, FailuresBelongToOneRow) {
  const auto folder = testing::scratch_dir();
  std::ofstream(folder / "study.toml")
      << "model = \"" << (testing::source_dir() / "mechanisms/slider_crank.toml").string() << "\"\n"
      << R"(
kind = "sweep"
sampling = "list"
vary."joints.pin.clearance.radial" = ["0.5 mm", "-1 mm", "0.3 mm", "0.4 mm", "0.45 mm", "0.2 mm"]
vary."parameters.rod_length" = ["120 mm", "120 mm", "110 mm", "120 mm", "115 mm", "20 mm"]
set."simulation.duration" = "1 ms"
observe = ["peak_force"]
)";
  const Result in_lanes = result_of(folder / "study.toml", folder, 1);
  const Alone alone;
  const Result one_by_one = result_of(folder / "study.toml", folder, 1);
  EXPECT_EQ(in_lanes, one_by_one);
  const auto failed = [&](std::size_t row) { return !one_by_one.second[row].empty(); };
  EXPECT_FALSE(failed(0) || failed(2) || failed(3) || failed(4));
  EXPECT_TRUE(failed(1) && failed(5));
}

}  // namespace
}  // namespace freeplay::study
