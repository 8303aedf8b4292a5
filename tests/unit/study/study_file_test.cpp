// SPDX-License-Identifier: Apache-2.0
#include "study/study_file.hpp"

#include "support/mistakes.hpp"
#include "support/paths.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>
#include <freeplay/study.hpp>

#include <gmock/gmock.h>

#include <fstream>

namespace freeplay::study {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class StudyFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::scratch_dir();
    std::ofstream(folder_ / "pendulum.toml") << testing::kPendulum;
  }

  Study read(const std::string& text) {
    std::ofstream(folder_ / "study.toml") << text;
    return read_study(folder_ / "study.toml");
  }

  std::string mistakes(const std::string& text) {
    return testing::mistakes_of([&] { return read(text); });
  }

  std::filesystem::path folder_;
};

TEST_F(StudyFileTest, ReadsASweep) {
  const Study s = read(R"(
model = "pendulum.toml"
kind = "sweep"
vary."bodies.rod.mass" = { from = "500 g", to = 2, count = 4 }
vary.bodies.rod.inertia = [0.01, "200 kg cm^2"]
set."simulation.duration" = "100 ms"
observe = ["bodies/rod/angle", "max joints/pivot/reaction_force.y", "contacts"]
seed = 3
)");
  ASSERT_EQ(s.vary.size(), 2u);
  EXPECT_EQ(s.vary[0].path, "bodies.rod.mass");
  EXPECT_THAT(s.vary[0].values, ::testing::ElementsAre(0.5, 1.0, 1.5, 2.0));
  EXPECT_THAT(s.vary[1].values, ::testing::ElementsAre(0.01, 0.02));
  EXPECT_EQ(s.seed, 3u);
  EXPECT_THAT(
      outputs_of(s),
      ::testing::ElementsAre("bodies/rod/angle", "joints/pivot/reaction_force.y/max", "contacts"));
  EXPECT_EQ(s.digest.size(), 64u);
}

TEST_F(StudyFileTest, AllMistakesAreToldAtOnceWithTheirLines) {
  EXPECT_THAT(mistakes(R"(
model = "pendulum.toml"
kind = "sweep"
vary."bodies.rod.mass" = { from = 1, too = 2 }
observe = ["bodies/rod/angle"]
turn = { record = 2 }
seed = 1.5
)"),
              AllOf(HasSubstr("study.toml:4:"), HasSubstr("'too'"), HasSubstr("did you mean 'to'"),
                    HasSubstr("study.toml:6:"), HasSubstr("did you mean 'turns'"),
                    HasSubstr("study.toml:7:"), HasSubstr("whole number")));
}

TEST_F(StudyFileTest, UnknownPathsAndSeriesNameTheNearest) {
  EXPECT_THAT(mistakes(R"(
model = "pendulum.toml"
kind = "sweep"
vary."bodies.rob.mass" = [1, 2]
observe = ["bodies/rod/angle"]
)"),
              AllOf(HasSubstr("study.toml:4:"), HasSubstr("did you mean 'rod'")));
  EXPECT_THAT(mistakes(R"(
model = "pendulum.toml"
kind = "sweep"
vary."bodies.rod.mass" = [1, 2]
observe = ["bodies/rod/angel", "greatest bodies/rod/angle"]
)"),
              HasSubstr("cannot be taken of a series"));
  EXPECT_THAT(mistakes(R"(
model = "pendulum.toml"
kind = "sweep"
vary."bodies.rod.mass" = [1, 2]
observe = ["bodies/rod/angel"]
)"),
              AllOf(HasSubstr("study.toml:5:"), HasSubstr("did you mean 'bodies/rod/angle'")));
}

TEST_F(StudyFileTest, EachKindSaysWhatItLacks) {
  const std::string head =
      "model = \"pendulum.toml\"\nobserve = [\"bodies/rod/angle\"]\n"
      "vary.\"bodies.rod.mass\" = { from = 1, to = 2 }\n";
  EXPECT_THAT(mistakes(head + "kind = \"sweep\"\n"), HasSubstr("needs 'count'"));
  EXPECT_THAT(mistakes(head + "kind = \"monte-carlo\"\n"), HasSubstr("'samples' is missing"));
  EXPECT_THAT(mistakes(head + "kind = \"optimise\"\n"), HasSubstr("'minimise' or 'maximise'"));
  EXPECT_THAT(mistakes(head + "kind = \"fit\"\n"), HasSubstr("'measured' is missing"));
  EXPECT_THAT(mistakes(head + "kind = \"bifurcation\"\nsampling = \"random\"\nsamples = 3\n"),
              HasSubstr("'section' is missing"));
  EXPECT_THAT(mistakes(head + "kind = \"bifurkation\"\n"), HasSubstr("did you mean 'bifurcation'"));
  EXPECT_THAT(mistakes("kind = \"sweep\"\n"), HasSubstr("'model' is missing"));
  EXPECT_THAT(mistakes(head + "kind = \"sweep\"\nnodes = 4\n"), HasSubstr("belongs to 'interval'"));
  EXPECT_EQ(mistakes(head + "kind = \"interval\"\n"), "none");
}

TEST_F(StudyFileTest, EmptyAndImpossibleGridsAreRefused) {
  const std::string head =
      "model = \"pendulum.toml\"\nkind = \"sweep\"\nobserve = [\"bodies/rod/angle\"]\n";
  EXPECT_THAT(mistakes(head + "vary.\"bodies.rod.mass\" = []\n"), HasSubstr("is empty"));
  EXPECT_THAT(mistakes(head + "vary.\"bodies.rod.mass\" = [1, nan]\n"), HasSubstr("finite"));
  EXPECT_THAT(mistakes(head), HasSubstr("'vary' is missing"));
  EXPECT_EQ(mistakes(head + "vary.\"bodies.rod.mass\" = [1]\n"), "none");     // one point is a grid
  EXPECT_EQ(mistakes(head + "vary.\"bodies.rod.mass\" = [1, 1]\n"), "none");  // so are twins
}

TEST_F(StudyFileTest, DigestFollowsStudyAndModel) {
  const std::string text =
      "model = \"pendulum.toml\"\nkind = \"sweep\"\nobserve = [\"bodies/rod/angle\"]\n"
      "vary.\"bodies.rod.mass\" = [1]\n";
  const std::string before = read(text).digest;
  EXPECT_EQ(read(text).digest, before);
  EXPECT_NE(read(text + "seed = 2\n").digest, before);
  std::ofstream(folder_ / "pendulum.toml", std::ios::app) << "tolerance = 1e-8\n";
  EXPECT_NE(read(text).digest, before);
}

TEST(StudyInMemoryTest, RowsAreThoseOfTheSameStudyInFiles) {
  const auto folder = testing::scratch_dir();
  const std::string text = R"(
kind = "sweep"
vary."bodies.rod.mass" = [1, 2, 3]
observe = ["max energy/kinetic"]
)";
  std::ofstream(folder / "pendulum.toml") << testing::kPendulum;
  std::ofstream(folder / "study.toml") << "model = \"pendulum.toml\"\n" << text;
  const Model model = load_model(folder / "pendulum.toml");
  StudyOptions options;
  options.workers = 1;
  options.output = folder / "files.h5";
  const StudySummary files = run_study(folder / "study.toml", options);
  options.output = folder / "memory.h5";
  const StudySummary memory = run_study(model, text, options);
  EXPECT_EQ(memory.rows, 3);
  EXPECT_EQ(memory.failed, 0);
  EXPECT_EQ(memory.table, files.table);
  ASSERT_EQ(memory.numbers.size(), files.numbers.size());
  for (std::size_t i = 0; i < files.numbers.size(); ++i)
    EXPECT_EQ(memory.numbers[i].values, files.numbers[i].values);
  options.output.clear();
  EXPECT_THROW(run_study(model, text, options), IoError);
}

}  // namespace
}  // namespace freeplay::study
