// SPDX-License-Identifier: Apache-2.0
#include "model/joint_types.hpp"

#include "model/words.hpp"
#include "support/paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace freeplay {
namespace {

TEST(JointTypesTest, EveryTypeHasAWordAndItsOwnCoordinates) {
  std::set<std::string_view> words;
  for (const JointKind& kind : JointTypes::kinds) {
    EXPECT_TRUE(words.insert(kind.word).second) << kind.word;
    const std::set<Coordinate> free(kind.coordinates.begin(), kind.coordinates.end());
    EXPECT_EQ(free.size(), kind.coordinates.size()) << kind.word;
    // One with rows of its own cannot be compared with the axis of its frame.
    EXPECT_TRUE(!kind.displacement || free.contains(Coordinate::displacement)) << kind.word;
    EXPECT_TRUE(!kind.round || kind.displacement) << kind.word;
  }
  EXPECT_EQ(words.size(), joint_types().size());
}

// A type of joint, force element or integrator is decided upon by tables and complete switches:
// `default:` would make something of a new one that nobody thought of.
TEST(JointTypesTest, NoDefaultDecidesOnAType) {
  const std::regex labels(R"(case (JointType|PlayParts|TreeKind|Surfaces|FrameRule|Method|)"
                          R"(Formulation|Coordinate|RowSpec::Kind)::)");
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(testing::source_dir() / "src")) {
    if (file.path().extension() != ".cpp" && file.path().extension() != ".hpp") continue;
    std::ifstream in(file.path());
    std::string line;
    std::vector<std::pair<std::size_t, bool>> open;  // switches: their indentation, on a type
    for (int number = 1; std::getline(in, line); ++number) {
      const std::size_t indent = line.find_first_not_of(' ');
      if (indent == std::string::npos) continue;
      while (!open.empty() && indent <= open.back().first && line[indent] == '}') open.pop_back();
      if (line.compare(indent, 8, "switch (") == 0) open.emplace_back(indent, false);
      if (open.empty()) continue;
      if (std::regex_search(line, labels)) open.back().second = true;
      const bool catches_all = line.compare(indent, 8, "default:") == 0;
      EXPECT_FALSE(catches_all && open.back().second) << file.path() << ":" << number;
    }
  }
}

// Joint types are named in their own files; elsewhere their table is asked.
TEST(JointTypesTest, NothingElseComparesTypes) {
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(testing::source_dir() / "src")) {
    if (file.path().extension() != ".cpp" && file.path().extension() != ".hpp") continue;
    std::ifstream in(file.path());
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      EXPECT_EQ(line.find("== JointType::"), std::string::npos) << file.path() << ":" << number;
      EXPECT_EQ(line.find("!= JointType::"), std::string::npos) << file.path() << ":" << number;
      EXPECT_EQ(line.find("case JointType::"), std::string::npos) << file.path() << ":" << number;
    }
  }
}

// Force elements likewise: what depends on a type is in its own file, or follows from its members.
TEST(ForceTypesTest, NobodyDecidesOnATypeByName) {
  const std::regex asks(
      R"((get_if|get|holds_alternative)<(PointSpring|CoordinateSpring|PointForce|)"
      R"(BodyTorque|JointEffort|SeriesDamper)>)");
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(testing::source_dir() / "src")) {
    if (file.path().extension() != ".cpp" && file.path().extension() != ".hpp") continue;
    std::ifstream in(file.path());
    std::string line;
    for (int number = 1; std::getline(in, line); ++number)
      EXPECT_FALSE(std::regex_search(line, asks)) << file.path() << ":" << number;
  }
}

}  // namespace
}  // namespace freeplay
