// SPDX-License-Identifier: Apache-2.0
#include "gallery/figure_file.hpp"

#include "gallery/find.hpp"
#include "support/mistakes.hpp"
#include "support/paths.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <stdexcept>

namespace freeplay::gallery {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kHead = R"(
paper  = "Someone 1673"
figure = "figure 1"
shows  = "A pendulum, short and long."
model  = "pendulum.toml"
[[variants]]
label = "light"
[[variants]]
label = "heavy"
set   = ["bodies.rod.mass=3"]
[[diagrams]]
label  = "angle"
series = "bodies/rod/angle"
)";
constexpr const char* kClaim = R"(
[[claims]]
id = "fast"
says = "It is fast"
paper = "1 m/s"
measure = "peak bodies/rod/velocity.x"
of = "heavy"
over = "light"
below = 1.1
)";

class FigureFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::scratch_dir();
    std::ofstream(folder_ / "pendulum.toml") << testing::kPendulum;
  }

  Figure read(const std::string& text) {
    std::ofstream(folder_ / "f9-fig1.toml") << text;
    return read_figure(folder_ / "f9-fig1.toml");
  }

  std::string mistakes(const std::string& text) {
    return testing::mistakes_of([&] { return read(text); });
  }

  /// The claim above with one line replaced, or one more.
  static std::string claim_with(const std::string& line) {
    std::string out = kHead, claim = kClaim;
    const auto key = line.substr(0, line.find(' '));
    const auto at = claim.find("\n" + key + " ");
    if (at != claim.npos) claim.erase(at, claim.find('\n', at + 1) - at);
    return out + claim + line + "\n";
  }

  std::filesystem::path folder_;
};

TEST_F(FigureFileTest, ReadsWhatIsComparedDrawnAndClaimed) {
  const Figure f = read(std::string(kHead) + kClaim);
  EXPECT_EQ(f.name, "f9-fig1");
  ASSERT_EQ(f.variants.size(), 2U);
  ASSERT_EQ(f.editions.size(), 1U);
  EXPECT_EQ(f.editions[0].models[1].bodies[1].mass, 3);
  EXPECT_EQ(f.diagrams[0].unit, "rad");
  EXPECT_THAT(f.claims[0].of, ElementsAre(1U));
  EXPECT_EQ(f.claims[0].over, 0U);
  EXPECT_EQ(f.claims[0].unit, "1");
  EXPECT_EQ(f.claims[0].condition(), "below 1.1");
  EXPECT_EQ(f.claims[0].measured, "peak bodies/rod/velocity.x of heavy relative to light");
  EXPECT_THAT(f.series, ElementsAre("bodies/rod/angle", "bodies/rod/velocity.x"));
}

TEST_F(FigureFileTest, EveryVariantRunsAsPrintedAndCorrected) {
  const Figure f = read(std::string(kHead).replace(0, 1, R"(
set = ["simulation.duration=0.25"]
)") + kClaim + R"(
[printed]
note = "a misprint"
set  = ["bodies.rod.inertia=0.2"]
[corrected]
note = "put right"
)");
  ASSERT_EQ(f.editions.size(), 2U);
  EXPECT_EQ(f.editions[0].models[0].bodies[1].inertia(2, 2), 0.2);
  EXPECT_EQ(f.editions[1].models[0].bodies[1].inertia(2, 2), 0.02);
  EXPECT_EQ(f.editions[1].models[1].simulation.duration, 0.25);
}

TEST_F(FigureFileTest, MistakesHaveTheirLineAndTheNearestWord) {
  EXPECT_THAT(mistakes(claim_with("overr = \"light\"")),
              AllOf(HasSubstr("f9-fig1.toml:"), HasSubstr("unknown key 'overr'"),
                    HasSubstr("did you mean 'over'")));
  EXPECT_THAT(mistakes(claim_with("of = \"hevy\"")),
              AllOf(HasSubstr("there is no variant 'hevy'"), HasSubstr("did you mean 'heavy'")));
  EXPECT_THAT(mistakes(claim_with("measure = \"peak bodies/rod/velocty.x\"")),
              AllOf(HasSubstr("no series 'bodies/rod/velocty.x'"),
                    HasSubstr("did you mean 'bodies/rod/velocity.x'")));
  EXPECT_THAT(mistakes(claim_with("measure = \"meen bodies/rod/angle\"")),
              HasSubstr("did you mean 'mean'"));
  EXPECT_THAT(mistakes(claim_with("measure = \"scatter bodies/rod/angle\"")),
              HasSubstr("does not say how long one is"));
  EXPECT_THAT(mistakes(claim_with("below = \"3 mm\"")), HasSubstr("the number is in no unit"));
  EXPECT_THAT(mistakes(claim_with("rising = [\"light\", \"heavy\"]")),
              HasSubstr("'of' and 'rising' are given together"));
  EXPECT_THAT(mistakes(std::string(kHead) + kClaim + kClaim),
              HasSubstr("two claims are called 'fast'"));
}

TEST_F(FigureFileTest, ClaimsNeedSomethingThatDecides) {
  std::string text = std::string(kHead) + kClaim;
  text.erase(text.find("below = 1.1"));
  EXPECT_THAT(mistakes(text), HasSubstr("nothing decides whether the claim holds"));
}

TEST_F(FigureFileTest, MistakesOfTheModelAreToldWhereItIsChanged) {
  std::string text = std::string(kHead) + kClaim;
  text.replace(text.find("bodies.rod.mass=3"), 17, "bodies.rod.mas=3");
  EXPECT_THAT(mistakes(text), AllOf(HasSubstr("f9-fig1.toml:10"), HasSubstr("'mas'"),
                                    HasSubstr("variant 'heavy'")));
  EXPECT_THAT(mistakes(std::string(kHead).replace(std::string(kHead).find("pendulum.toml"), 13,
                                                  "pendulm.toml") +
                       kClaim),
              HasSubstr("pendulm.toml"));
}

TEST(ShippedFiguresTest, AreThoseOfThePapersAndReadable) {
  const auto files = figure_files(testing::source_dir() / "reproduce");
  std::vector<std::string> names;
  for (const auto& file : files) {
    names.push_back(file.stem().string());
    EXPECT_FALSE(read_figure(file).claims.empty()) << file;
  }
  EXPECT_THAT(names, ElementsAre("f1-fig5", "f1-fig6", "f1-fig7", "f1-fig8", "f1-fig9", "f1-fig10",
                                 "f1-fig11", "f2-fig2", "f3-fig4", "f4-fig6", "f4-fig7", "f4-fig8",
                                 "f4-fig9", "f4-fig10", "f4-fig11", "f5-wear"));
}

}  // namespace
}  // namespace freeplay::gallery
