// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "model/joint_types.hpp"
#include "support/paths.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace freeplay::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A chain of planar pendulums, and its result.
Result chain(int links) {
  std::string text = "[mechanism]\nname = \"</script><b>\"\nplanar = true\ngravity = [0, -9.81]\n";
  for (int i = 0; i < links; ++i) {
    const auto name = "link" + std::to_string(i);
    const auto before = i == 0 ? "ground" : "link" + std::to_string(i - 1);
    text += "[bodies." + name + "]\nmass = 1\ninertia = 0.01\nposition = [" +
            std::to_string(i + 0.5) + ", 0]\n[joints.j" + std::to_string(i) +
            "]\ntype = \"revolute\"\nbodies = [\"" + before + "\", \"" + name + "\"]\nat = [" +
            std::to_string(i) + ", 0]\n";
  }
  text += "[simulation]\nduration = 0.5\noutput = 0.001\ntolerance = 1e-6\n";
  const auto model = parse_model(text, "chain");
  const auto file = testing::scratch_dir() / "chain.h5";
  Recorder recorder(file, {});
  std::array<Observer*, 1> observers{&recorder};
  (void)run(model, assemble(model).start, observers);
  return Result(file);
}

nlohmann::json description_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const auto begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

// The page is told how every joint is drawn, in words that it knows.
TEST(ReportTest, PageKnowsHowEveryJointIsDrawn) {
  std::ifstream in(testing::source_dir() / "web/src/data.ts");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto begin = text.find("export interface JointKind"), end = text.find("\n}", begin);
  const std::string words = text.substr(begin, end - begin);
  for (const JointKind& kind : JointTypes::kinds)
    for (const char* word : {kind.page.shape, kind.page.play})
      EXPECT_NE(words.find("\"" + std::string(word) + "\""), std::string::npos)
          << kind.word << ": web/src/data.ts does not know " << word;
}

TEST(ReportTest, PageHoldsEverySeriesOfASmallMechanism) {
  const std::vector<Result> results = [] {
    std::vector<Result> list;
    list.push_back(chain(3));
    return list;
  }();
  const auto page = render(results);
  const auto result = description_of(page)["results"][0];
  EXPECT_EQ(result["channels"].size(), results[0].channels().size());
  EXPECT_EQ(result["left_out"], 0);
  EXPECT_GE(result["frames"], 501);
  EXPECT_EQ(result["model"]["name"], "</script><b>");
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  EXPECT_THAT(page, HasSubstr("<title>&lt;/script&gt;&lt;b&gt;"));
}

TEST(ReportTest, LargeMechanismsKeepToTheBudget) {
  std::vector<Result> results;
  results.push_back(chain(5));
  ReportOptions options;
  options.budget = 20000;  // 75 columns: enough for 266 frames, half of them kept for events
  auto result = description_of(render(results, options))["results"][0];
  EXPECT_EQ(result["left_out"], 0);
  EXPECT_LE(result["frames"], 310);
  EXPECT_GE(result["frames"], 130);

  options.budget = 5000;  // not even 200 frames of everything
  result = description_of(render(results, options))["results"][0];
  EXPECT_GT(result["left_out"], 0);
  EXPECT_TRUE(result["spectra"].empty());
  for (const auto& channel : result["channels"]) {
    const auto path = channel["path"].get<std::string>();
    EXPECT_TRUE(path.starts_with("energy/") || path.ends_with("/position") ||
                path.ends_with("/angle"))
        << path;
  }
}

}  // namespace
}  // namespace freeplay::report
