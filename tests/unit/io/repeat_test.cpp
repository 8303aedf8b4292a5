// SPDX-License-Identifier: Apache-2.0
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Tables that stand for many: names, the index in expressions and names, neighbours, and --set.
namespace freeplay {
namespace {

using ::testing::HasSubstr;
using testing::mistakes;
using testing::read;

std::string planar(const std::string& text) {
  return "[mechanism]\nplanar = true\ngravity = [0, 0]\n[simulation]\nduration = 1\n" + text;
}

std::string names(const Model& model) {
  std::string out;
  for (const Body& body : model.bodies) out += (out.empty() ? "" : " ") + body.name;
  for (const Joint& joint : model.joints) out += " " + joint.name;
  return out;
}

const std::string kChain =
    "[parameters]\nlinks = 3\n[bodies.bar]\nrepeat = \"links\"\nmass = \"i*0.5 kg\"\nposition = "
    "[\"(i - 0.5)*1 m\", 0]\n[joints.pin]\nrepeat = \"links - 1\"\ntype = \"revolute\"\nbodies = "
    "[\"bar_{i}\", \"bar_{i + 1}\"]\nat = [\"i*1 m\", 0]\n[joints.end]\ntype = \"fixed\"\nbodies = "
    "[\"ground\", \"bar_{links}\"]\nat = [0, 0]\n";

TEST(RepeatTest, CopiesHaveNumbersAndNeighbours) {
  const Model model = read(planar(kChain));
  EXPECT_EQ(names(model), "ground bar_1 bar_2 bar_3 pin_1 pin_2 end");
  EXPECT_EQ(model.bodies[3].mass, 1.5);
  EXPECT_EQ(model.bodies[3].position[0], 2.5);
  EXPECT_EQ(model.joints[1].first.body, 2);
  EXPECT_EQ(model.joints[1].second.body, 3);
  EXPECT_EQ(model.joints[2].second.body, 3);
  EXPECT_EQ(testing::dump(model), testing::dump(read(write_model(model))));
}

TEST(RepeatTest, AnyNumberByTheCommandLine) {
  EXPECT_EQ(read(planar(kChain), {{"parameters.links", "20"}}).bodies.size(), 21u);
  // A chain of one has no pins.
  EXPECT_EQ(names(read(planar(kChain), {{"parameters.links", "1"}})), "ground bar_1 end");
}

TEST(RepeatTest, AllCopiesOrOneOfThemByTheCommandLine) {
  const Model all = read(planar(kChain), {{"bodies.bar.mass", "i*2 kg"}});
  EXPECT_EQ(all.bodies[3].mass, 6);
  const Model one =
      read(planar(kChain), {{"bodies.bar_2.mass", "7"}, {"bodies.bar.angle", "0.1*i"}});
  EXPECT_EQ(one.bodies[1].mass, 0.5);
  EXPECT_EQ(one.bodies[2].mass, 7);
  EXPECT_DOUBLE_EQ(one.bodies[3].angle, 0.3);
  EXPECT_EQ(mistakes(planar(kChain), {{"bodies.bar_4.mass", "7"}}),
            "--set: bodies.bar_4.mass: 'bodies' has no 'bar_4' (did you mean 'bar_1'?)");
  EXPECT_EQ(names(read(planar(kChain), {{"joints.pin", "false"}})), "ground bar_1 bar_2 bar_3 end");
}

TEST(RepeatTest, IndexOfAnyNameFromAnyNumber) {
  const Model model = read(planar(
      "[bodies.\"u{k}_left\"]\nrepeat = { count = 2, first = 0, index = \"k\" }\nmass = \"(k + "
      "1)*1 kg\"\n"));
  EXPECT_EQ(names(model), "ground u0_left u1_left");
  EXPECT_EQ(model.bodies[2].mass, 2);
}

TEST(RepeatTest, FormulasKnowTheIndex) {
  const Model model =
      read(planar("[bodies.a]\nmass = 1\n[forces.f]\nrepeat = 2\nbody = \"a\"\ndirection = [1, "
                  "0]\nmagnitude = { "
                  "formula = \"sin(i*t)\" }\n"));
  EXPECT_EQ(testing::dump(model), testing::dump(read(write_model(model))));
  EXPECT_THAT(write_model(model), HasSubstr("sin(2*t)"));
}

TEST(RepeatTest, MistakesHaveTheirPlaceAndRemedy) {
  const auto repeat = [](const std::string& value, const std::string& more = {}) {
    return mistakes(
        planar("[parameters]\nn = 3\nlength = \"2 m\"\n[bodies.bar]\nmass = 1\nrepeat = " + value +
               "\n" + more));
  };
  EXPECT_EQ(repeat("0"),
            "model.toml:11:10: bodies.bar.repeat: found 0 copies; expected 1 or more (take the "
            "table away to have none)");
  EXPECT_EQ(repeat("\"n - 5\""),
            "model.toml:11:10: bodies.bar.repeat: found -2 copies; expected 1 or more (take the "
            "table away to have none)");
  EXPECT_EQ(repeat("1e9"),
            "model.toml:11:10: bodies.bar.repeat: 1000000000 copies from 1; a model has at most "
            "50000 copies of all repeated tables");
  EXPECT_EQ(repeat("2.5"),
            "model.toml:11:10: bodies.bar.repeat: found 2.5; expected a whole number");
  EXPECT_EQ(repeat("nan"),
            "model.toml:11:10: bodies.bar.repeat: found nan; expected a whole number");
  EXPECT_EQ(repeat("1e300"),
            "model.toml:11:10: bodies.bar.repeat: found 1e+300; expected a whole number");
  EXPECT_EQ(repeat("\"length\""),
            "model.toml:11:10: bodies.bar.repeat: found 'length', in m; expected a whole number");
  EXPECT_EQ(repeat("[3]"),
            "model.toml:11:10: bodies.bar.repeat: found an array of 1; expected a whole number");
  EXPECT_EQ(repeat("\"m\""),
            "model.toml:11:11: bodies.bar.repeat: in 'm': the unit 'm' has no number before it "
            "(write '1 m')");
  EXPECT_EQ(repeat("{ count = 2, step = 2 }"),
            "model.toml:11:23: bodies.bar.repeat.step: unknown key 'step' (expected { count = 14, "
            "first = 1, index = \"i\" })");
  EXPECT_EQ(repeat("{ first = 2 }"), "model.toml:11:10: bodies.bar.repeat: 'count' is missing");
  EXPECT_EQ(repeat("{ count = 2, index = \"n\" }"),
            "model.toml:11:10: bodies.bar.repeat: the index 'n' is also the name of parameters.n "
            "(rename that, or write repeat = { count = ..., index = \"k\" })");
  EXPECT_THAT(repeat("{ count = 2, index = \"a b\" }"), HasSubstr("expected a name of letters"));
  EXPECT_EQ(
      repeat("2", "[bodies.bar_2]\nmass = 1\n"),
      "model.toml:12:9: bodies.bar_2: there is a second 'bar_2', which line 9 makes (copies of "
      "a repeated table are called NAME_1, NAME_2, ...; rename one of the tables)");
  // What is wrong with a table is said once, not of every copy.
  EXPECT_EQ(
      repeat("3", "position = [\"i*1 kg\", 0]\n"),
      "model.toml:12:13: bodies.bar_1.position.0: found 'i*1 kg', in kg; expected a number in "
      "m");
  EXPECT_EQ(repeat("3", "[markers.m]\nbody = \"bar_{i}\"\nat = [0, 0]\n"),
            "model.toml:13:14: markers.m.body: in 'bar_{i}': there is no parameter 'i' (known: "
            "'length' or "
            "'n')");
  EXPECT_EQ(
      repeat("3", "[markers.m]\nrepeat = 2\nbody = \"bar_{i\"\nat = [0, 0]\n"),
      "model.toml:14:13: markers.m_1.body: in 'bar_{i': a closing '}' is missing (braces in a "
      "name hold the number of a copy: \"bar_{i+1}\")");
  EXPECT_EQ(repeat("3", "[markers.m]\nrepeat = 2\nbody = \"bar_{i/2}\"\nat = [0, 0]\n"),
            "model.toml:14:14: markers.m_1.body: in 'bar_{i/2}': found 0.5 in braces; expected a "
            "whole number");
  EXPECT_EQ(repeat("3", "[markers.m]\nrepeat = 3\nbody = \"bar_{i + 1}\"\nat = [0, 0]\n"),
            "model.toml:14:8: markers.m_3.body: there is no body 'bar_4' (did you mean 'bar_1'?)");
  EXPECT_THAT(repeat("2", "[bodies.\"x{1}\"]\nrepeat = 2\nmass = 1\n"),
              HasSubstr("there is a second 'x1', which the same repetition makes"));
  EXPECT_THAT(mistakes(planar("[bodies.\"x{1}\"]\nmass = 1\n")), HasSubstr("brace"));
  EXPECT_THAT(mistakes(planar("[bodies.a]\nrepeat = 30000\nmass = 1\n[markers.m]\nrepeat = "
                              "30000\nbody = \"a_1\"\nat = [0, 0]\n")),
              HasSubstr("at most 50000"));
}

}  // namespace
}  // namespace freeplay
