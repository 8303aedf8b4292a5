// SPDX-License-Identifier: Apache-2.0
#include "report/picture.hpp"

#include <freeplay/load.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace freeplay::report {
namespace {

/// A ball of radius 1 as patches round its axis.
Surface ball(int n) {
  Surface out;
  const double pi = std::acos(-1.0);
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j < 2 * n; ++j)
      out.vertices.emplace_back(std::sin(pi * i / n) * std::cos(pi * j / n),
                                std::sin(pi * i / n) * std::sin(pi * j / n), std::cos(pi * i / n));
  const auto at = [&](int i, int j) { return i * 2 * n + j % (2 * n); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      out.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      out.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return out;
}

TEST(PictureTest, LargeSurfacesAreCoarserAndStayWhereTheyWere) {
  const Surface whole = ball(100);
  EXPECT_EQ(coarsened(whole, whole.triangles.size()).vertices.size(), whole.vertices.size());
  for (const std::size_t limit : {200U, 2000U, 20000U}) {
    const Surface drawn = coarsened(whole, limit);
    EXPECT_LE(drawn.triangles.size(), limit);
    EXPECT_GT(drawn.triangles.size(), limit / 4);  // the finest grid that will do
    double deepest = 0;
    for (const Vec3& v : drawn.vertices) deepest = std::max(deepest, std::abs(v.norm() - 1));
    // A vertex is the middle of a cell of the grid: off the ball by the square of its size.
    EXPECT_LT(deepest, 60.0 / static_cast<double>(limit));
    for (const auto& t : drawn.triangles) {
      EXPECT_EQ(std::set<int>(t.begin(), t.end()).size(), 3u);
      for (const int k : t)
        EXPECT_TRUE(k >= 0 && static_cast<std::size_t>(k) < drawn.vertices.size());
    }
  }
  // What has no size cannot be made coarser.
  const Surface point{{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{0, 1, 2}, {0, 1, 2}}};
  EXPECT_EQ(coarsened(point, 1).triangles.size(), 2u);
}

TEST(PictureTest, TellsOfEveryElementWhatItIsMadeOf) {
  const Model model = parse_model(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies]
arm = { link = [[0, 0], [1, 0]], section = { width = 0.1, thickness = 0.02 }, density = 7850 }
car = { mass = 1, position = [2, 0] }
[joints]
pin = { type = "revolute", bodies = ["ground", "arm"], at = [0, 0], stop = { lower = -1, upper = 1 } }
way = { type = "prismatic", bodies = ["ground", "car"], at = [2, 0], axis = [1, 0] }
[springs]
strut = { bodies = ["arm", "car"], at = [[1, 0], [2, 0]], stiffness = 100, damping = 3 }
turn = { joint = "pin", stiffness = 5 }
[forces.push]
body = "car"
direction = [2, 0]
magnitude = 3
[simulation]
duration = 1
)",
                                  "model");
  DataBlock block;
  const auto told = picture_of(model, block, 1000);
  ASSERT_EQ(told["forces"].size(), 3u);
  const auto named = [&](const char* name) {
    for (const auto& force : told["forces"])
      if (force["name"] == name) return force;
    ADD_FAILURE() << name;
    return told["forces"][0];
  };
  EXPECT_TRUE(named("strut")["spring"] && named("strut")["damper"]);
  EXPECT_EQ(named("strut")["second"]["body"], 2);
  EXPECT_TRUE(named("turn")["spring"] && named("turn")["angle"]);
  EXPECT_FALSE(named("turn")["damper"]);
  EXPECT_EQ(named("turn")["joint"], 0);
  EXPECT_EQ(named("push")["direction"][0], 1.0);
  EXPECT_FALSE(named("push")["spring"]);
  EXPECT_EQ(told["joints"][0]["stops"][0]["upper"], 1.0);
  EXPECT_EQ(told["bodies"][1]["shapes"][0]["kind"], "box");
  EXPECT_TRUE(told["bodies"][2]["shapes"].empty());
}

}  // namespace
}  // namespace freeplay::report
