// SPDX-License-Identifier: Apache-2.0
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

// --set PATH=VALUE
namespace freeplay {
namespace {

using testing::everything_spatial;
using testing::mistakes;
using testing::read;
using testing::small_model;

const Joint& joint(const Model& m, std::string_view name) {
  for (const Joint& j : m.joints)
    if (j.name == name) return j;
  throw std::out_of_range(std::string(name));
}

TEST(OverridesTest, ValuesAreTomlOrElseStrings) {
  const std::string text = everything_spatial();
  EXPECT_EQ(read(text, {{"bodies.crank.mass", "3"}}).bodies[1].mass, 3);
  EXPECT_EQ(read(text, {{"bodies.crank.mass", "\"3 g\""}}).bodies[1].mass, 0.003);
  EXPECT_EQ(read(text, {{"bodies.crank.mass", "3g"}}).bodies[1].mass, 0.003);
  EXPECT_EQ(read(text, {{"bodies.crank.mass", "2*ratio"}}).bodies[1].mass, 5);
  EXPECT_EQ(read(text, {{"bodies.crank.velocity", "[1, \"2 mm/s\", 3]"}}).bodies[1].velocity->y(),
            0.002);
  EXPECT_EQ(read(text, {{"mechanism.name", "new name"}}).name, "new name");
  EXPECT_EQ(read(text, {{"simulation.integrator", "ida"}}).simulation.method, Method::ida);
  const auto drive =
      read(text, {{"joints.crank_bearing.drive", "{ sine = { amplitude = 1, frequency = 2 } }"}});
  EXPECT_EQ(std::get<Sine>(joint(drive, "crank_bearing").drives[0].motion).frequency, 2);
}

TEST(OverridesTest, ReachEntriesOfArrays) {
  const std::string text = everything_spatial();
  EXPECT_EQ(read(text, {{"bodies.crank.position.0", "5"}}).bodies[1].position,
            Vec3(5, 0.1, 0.12 + 0.04));
  EXPECT_EQ(joint(read(text, {{"joints.crank_pin.at.rod.1", "1mm"}}), "crank_pin").second.point[1],
            0.001);
  EXPECT_EQ(
      std::get<Sine>(
          joint(read(text, {{"joints.table.drive.0.sine.offset", "7"}}), "table").drives[0].motion)
          .offset,
      7);
}

TEST(OverridesTest, ParametersChangeWhatIsComputedFromThem) {
  const Model m = read(everything_spatial(), {{"parameters.crank_length", "100 mm"}});
  EXPECT_DOUBLE_EQ(m.bodies[1].position[2], 0.17);
  EXPECT_DOUBLE_EQ(joint(m, "crank_pin").second.point[0], -0.17);
}

TEST(OverridesTest, PointsAndTheirEntries) {
  const std::string text =
      "[mechanism]\nplanar = true\ngravity = [0, 0]\n[simulation]\nduration = 1\n[points]\nA = [0, "
      "1]\nB = \"2*A\"\n[bodies.a]\nmass = 1\nposition = \"B\"\n";
  EXPECT_EQ(testing::read(text, {{"points.A.0", "3 m"}}).bodies[1].position, Vec3(6, 2, 0));
  EXPECT_EQ(
      testing::read(text, {{"points.B", "A - [0]"}, {"points.B", "[5, 6]"}}).bodies[1].position,
      Vec3(5, 6, 0));
  EXPECT_EQ(mistakes(text, {{"points.B.0", "3"}}),
            "--set: points.B.0: 'points.B' is one expression, '2*A', and has no entries of its own "
            "(set it as a whole)");
  EXPECT_EQ(mistakes(text, {{"points.C", "[1, 1]"}}),
            "--set: points.C: 'points' has no 'C' (known: 'A' or 'B')");
}

TEST(OverridesTest, FalseTakesOptionalThingsAway) {
  const std::string text = everything_spatial();
  EXPECT_TRUE(
      joint(read(text, {{"joints.crank_bearing.drive", "false"}}), "crank_bearing").drives.empty());
  EXPECT_FALSE(read(text, {{"simulation.stabilisation", "false"}}).simulation.baumgarte);
  EXPECT_FALSE(read(text, {{"bodies.rod.velocity", "false"}}).bodies[2].velocity);
  const Model without = read(text, {{"springs.link", "false"}});
  EXPECT_EQ(without.forces.size(), read(text).forces.size() - 1);
  EXPECT_EQ(write_model(without).find("springs.link"), std::string::npos);
  EXPECT_EQ(
      mistakes(text, {{"bodies.rod.mass", "false"}}),
      "model.toml:17:1: bodies.rod: one of 'mass', 'density', 'shape' or 'flexible' is missing");
  EXPECT_EQ(read(text, {{"mechanism.planar", "false"}}).planar, false);  // a truth value stays one
}

TEST(OverridesTest, TablesThatWereNotThereAreMade) {
  EXPECT_EQ(read(small_model(), {{"simulation.stabilisation.baumgarte", "[1, 2]"}})
                .simulation.baumgarte->beta,
            2);
  EXPECT_EQ(read("[bodies.a]\nmass = 1\n", {{"simulation.tolerance", "1e-6"}}).simulation.tolerance,
            1e-6);
  EXPECT_EQ(joint(read(everything_spatial(), {{"joints.table.speed.angle", "2"}}), "table")
                .start_speeds[0]
                .speed,
            2);
  // A drive given in one form is not silently replaced by another.
  EXPECT_THAT(mistakes(everything_spatial(), {{"joints.crank_bearing.drive.polynomial", "[0]"}}),
              ::testing::HasSubstr("'speed' and 'polynomial' are given together"));
}

TEST(OverridesTest, LaterOnesWin) {
  EXPECT_EQ(read(small_model(), {{"bodies.a.mass", "2"}, {"bodies.a.mass", "3"}}).bodies[1].mass,
            3);
}

TEST(OverridesTest, ResolvedHoldsThem) {
  const Model m =
      read(everything_spatial(), {{"bodies.crank.mass", "3"}, {"joints.guide.at", "[0, 1, 0]"}});
  EXPECT_EQ(testing::dump(m), testing::dump(read(write_model(m))));
  EXPECT_EQ(m.source, everything_spatial());
}

TEST(OverridesTest, UnknownPathsNameTheNearest) {
  const auto said = [](const char* path) { return mistakes(everything_spatial(), {{path, "1"}}); };
  EXPECT_EQ(said("bodies.crnk.mass"),
            "--set: bodies.crnk.mass: 'bodies' has no 'crnk' (did you mean 'crank'?)");
  EXPECT_EQ(said("bodys.crank.mass"),
            "--set: bodys.crank.mass: the model has no 'bodys' (did you mean 'bodies'?)");
  EXPECT_EQ(said("bodies.crank.mas"),
            "--set: bodies.crank.mas: 'bodies.crank' has no 'mas' (did you mean 'mass'?)");
  EXPECT_EQ(
      said("joints.guide.drive.sped"),
      "--set: joints.guide.drive.sped: 'joints.guide.drive' has no 'sped' (did you mean 'speed'?)");
  EXPECT_EQ(
      said("bodies.crank.position.3"),
      "--set: bodies.crank.position.3: 'bodies.crank.position' has 3 entries, counted from 0");
  EXPECT_EQ(
      said("bodies.crank.position.x"),
      "--set: bodies.crank.position.x: 'bodies.crank.position' has 3 entries, counted from 0");
  EXPECT_EQ(
      said("bodies.crank.mass.x"),
      "--set: bodies.crank.mass.x: 'bodies.crank.mass' is a value; there is nothing below it");
  EXPECT_EQ(said("parameters.crank_lenght"),
            "--set: parameters.crank_lenght: 'parameters' has no 'crank_lenght' (did you mean "
            "'crank_length'?)");
  EXPECT_EQ(said("include"), "--set: include: files can only be included by a file");
  EXPECT_EQ(said("joints.crank_pin.at.slider"),
            "--set: joints.crank_pin.at.slider: 'joints.crank_pin.at' has no 'slider' (known: "
            "'crank' or 'rod')");
  for (const char* path : {"", ".", "..", "bodies.", ".bodies", "bodies..mass"})
    EXPECT_NE(said(path), "") << path;
}

TEST(OverridesTest, WrongValuesAreReportedLikeThoseOfAFile) {
  const auto said = [](const char* path, const char* value) {
    return mistakes(small_model(), {{path, value}});
  };
  EXPECT_EQ(said("bodies.a.mass", "-1"),
            "--set: bodies.a.mass: found -1; expected a number >= 0 in kg");
  EXPECT_EQ(said("bodies.a.mass", "1 mm"),
            "--set: bodies.a.mass: found '1 mm', in m; expected a number >= 0 in kg");
  EXPECT_EQ(said("bodies.a.mass", "nan"),
            "--set: bodies.a.mass: found nan; expected a finite number");
  EXPECT_EQ(said("bodies.a.mass", ""),
            "--set: bodies.a.mass: in '': nothing is written here; a value was expected");
  EXPECT_EQ(said("simulation.duration", "0"),
            "--set: simulation.duration: found 0; expected a number > 0 in s");
  // A line end does not smuggle further keys in.
  EXPECT_THAT(said("bodies.a.mass", "1\nx = 2"),
              ::testing::HasSubstr("--set: bodies.a.mass: in '1\\nx = 2'"));
}

}  // namespace
}  // namespace freeplay
