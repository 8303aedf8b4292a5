// SPDX-License-Identifier: Apache-2.0
#include "unit/io/model_text.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// [signals.NAME] and [controllers.NAME]: what is read, written, and said of mistakes.
namespace freeplay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::mistakes;
using testing::small_model;

std::string slide(const std::string& rest) {
  return small_model(
      "[joints.j]\ntype = \"prismatic\"\nbodies = [\"ground\", \"a\"]\nat = [0, 0, 0]\n"
      "axis = [1, 0, 0]\n" +
      rest);
}

TEST(ControlFileTest, FormulasNameWhatIsRecorded) {
  const Model model = parse_model(slide(R"toml(
    [parameters]
    target = 3
    [signals.error]
    formula = "target - 2*joints/j/rate + bodies/a/position.x*t - 'joints/j/rate'/two"
    [signals.two]
    formula = "2"
  )toml"),
                                  "model.toml");
  ASSERT_EQ(model.signals.size(), 2u);
  EXPECT_THAT(model.signals[0].reads, ElementsAre("joints/j/rate", "bodies/a/position.x", "two"));
  EXPECT_EQ(model.signals[0].formula.text,
            "3 - 2*joints/j/rate + bodies/a/position.x*t - joints/j/rate/two");
}

TEST(ControlFileTest, WrittenAndReadBack) {
  const Model model = parse_model(slide(R"toml(
    [signals.s]
    formula = "'joints/j/rate' + 1"
    filter = "1 ms"
    delay = "2 ms"
    sample_time = "3 ms"
    noise = 0.1
    seed = 5
    limit = [-1, 2]
    unit = "m/s"
    [controllers.c]
    law = "transfer-function"
    input = "s"
    numerator = [1, 2]
    denominator = [1, "1 Hz", 3]
    upper = "5 N"
    [controllers.d]
    law = "edfc"
    input = ["c"]
    gain = 2
    R = 0.3
    tau = "1 s"
    [efforts.e]
    joint = "j"
    magnitude = { signal = "d" }
  )toml"),
                                  "model.toml");
  validate(model);
  const std::string text = write_model(model);
  const Model again = parse_model(text, "written.toml");
  EXPECT_EQ(write_model(again), text);
  EXPECT_EQ(again.signals[0].delay, 2e-3);
  EXPECT_EQ(again.signals[0].lower, -1.0);
  EXPECT_FALSE(again.controllers[0].lower);
  EXPECT_EQ(std::get<Follow>(std::get<JointEffort>(again.forces[0].element).magnitude).signal, "d");
}

TEST(ControlFileTest, Overrides) {
  LoadOptions options;
  options.overrides = {{"controllers.c.kp", "7"}, {"signals.s.filter", "5ms"}};
  const Model model = parse_model(slide(R"toml(
    [signals.s]
    formula = "joints/j/rate"
    [controllers.c]
    law = "pid"
    input = "s"
    kp = 1
  )toml"),
                                  "model.toml", options);
  EXPECT_EQ(model.controllers[0].parameters[0].second, 7);
  EXPECT_EQ(model.signals[0].filter, 5e-3);
}

TEST(ControlFileTest, MistakesAreNamed) {
  const auto said = [](const std::string& text) { return mistakes(slide(text)); };
  EXPECT_THAT(said("[signals.a]\nformula = \"b\"\n[signals.b]\nformula = \"2*c\"\n"
                   "[signals.c]\nformula = \"a + 1\"\n"),
              HasSubstr("these need each other at the same instant: "));
  EXPECT_THAT(said("[signals.a]\nformula = \"joints/j/reaction_force.x\"\n"),
              HasSubstr("are known to signals with a sample_time"));
  EXPECT_THAT(said("[signals.a]\nformula = \"joints/j/reaktion\"\nsample_time = 1\n"),
              HasSubstr("nothing of the name 'joints/j/reaktion' is recorded"));
  EXPECT_THAT(said("[signals.a]\nformula = \"unknown\"\n"), HasSubstr("'unknown' is neither"));
  EXPECT_THAT(said("[efforts.e]\njoint = \"j\"\nmagnitude = { signal = \"m\" }\n"),
              HasSubstr("there is no signal or controller 'm'"));
  EXPECT_THAT(said("[signals.m]\nformula = \"t\"\n[controllers.m]\nlaw = \"pid\"\ninput = \"m\"\n"),
              HasSubstr("already used by 'signals.m'"));
  EXPECT_THAT(said("[controllers.m]\nlaw = \"pid\"\ninput = \"joints/j/rate\"\nkd = 1\n"),
              HasSubstr("kd needs a derivative_filter"));
  EXPECT_THAT(said("[controllers.m]\nlaw = \"state-feedback\"\ninput = \"joints/j/rate\"\n"
                   "gains = [1, 2]\n"),
              HasSubstr("2 gains for 1 inputs"));
  EXPECT_THAT(said("[controllers.m]\nlaw = \"pyragas\"\ninput = \"joints/j/rate\"\ngain = 1\n"
                   "tau = 1\nsample_time = 0.1\n"),
              HasSubstr("this law acts at all times"));
  EXPECT_THAT(said("[controllers.m]\nlaw = \"pid\"\ninput = \"joints/j/rate\"\n"
                   "sample_time = 0.1\ncomputation_delay = 0.2\n"),
              HasSubstr("takes effect after the next sample"));
  EXPECT_THAT(said("[controllers.m]\nlaw = \"pid\"\ninput = \"joints/j/rate\"\nlimit = [1, -1]\n"),
              HasSubstr("is not below the largest"));
  EXPECT_THAT(said("[signals.a]\nformula = \"joints/j/rate\"\nnoise = 1\n"),
              HasSubstr("'noise' needs 'sample_time' beside it"));
}

}  // namespace
}  // namespace freeplay
