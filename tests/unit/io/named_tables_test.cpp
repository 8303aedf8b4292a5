// SPDX-License-Identifier: Apache-2.0
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// [clearances.NAME] and [defaults.clearance]: what stands nearer to the joint wins, key by key.
namespace freeplay {
namespace {

using ::testing::HasSubstr;
using testing::mistakes;
using testing::read;
using testing::warnings;

std::string joint(const std::string& clearance, const std::string& more = {}) {
  return "[mechanism]\nplanar = true\ngravity = [0, 0]\n[simulation]\nduration = "
         "1\n[bodies.a]\nmass "
         "= 1\ninertia = 1\n[joints.j]\ntype = \"revolute\"\nbodies = [\"ground\", \"a\"]\nat = "
         "[0, "
         "0]\nclearance = " +
         clearance + "\n" + more;
}
const std::string kPin =
    "[clearances.pin]\nbearing_radius = \"10 mm\"\nradial = \"0.1 mm\"\nmaterial = "
    "\"bronze\"\ncontact = { law = \"flores\", restitution = 0.5 }\nfriction = { law = "
    "\"coulomb\", "
    "kinetic = 0.1 }\n";
const Clearance& clearance(const Model& model) { return *model.joints.at(0).clearance; }
std::string same_as(const std::string& a, const std::string& b) {
  return testing::dump(read(a)) == testing::dump(read(b)) ? "" : "differs";
}

TEST(NamedTablesTest, ANameIsItsTable) {
  const std::string inline_pin =
      "{ bearing_radius = \"10 mm\", radial = \"0.1 mm\", material = \"bronze\", contact = { law = "
      "\"flores\", restitution = 0.5 }, friction = { law = \"coulomb\", kinetic = 0.1 } }";
  EXPECT_EQ(same_as(joint("\"pin\"", kPin), joint(inline_pin)), "");
  EXPECT_EQ(same_as(joint("{ use = \"pin\" }", kPin), joint(inline_pin)), "");
  EXPECT_EQ(same_as(joint("{ use = \"tight\" }", kPin + "[clearances.tight]\nuse = \"pin\"\n"),
                    joint(inline_pin)),
            "");
}

TEST(NamedTablesTest, OverriddenKeyByKey) {
  const Model model = read(joint(
      "{ use = \"pin\", radial = \"0.2 mm\", contact = { restitution = 0.7 }, friction = false "
      "}",
      kPin));
  EXPECT_NEAR(clearance(model).outer_radius - clearance(model).inner_radius, 2e-4, 1e-17);
  EXPECT_EQ(clearance(model).contact.key, "flores");
  EXPECT_EQ(clearance(model).contact.parameters[0].second, 0.7);
  EXPECT_FALSE(clearance(model).friction);
  // Another law does not take over parameters of the first.
  const Model other = read(joint("{ use = \"pin\", contact = { law = \"hertz\" } }", kPin));
  EXPECT_EQ(clearance(other).contact.key, "hertz");
  EXPECT_TRUE(clearance(other).contact.parameters.empty());
}

TEST(NamedTablesTest, DefaultsLieUnderAll) {
  const std::string defaults =
      "[defaults.clearance]\nmaterial = \"steel\"\nfriction = { law = \"ambrosio\", kinetic = 0.2 "
      "}\n";
  const Model bare = read(joint("{ bearing_radius = 0.01, radial = 1e-4 }", defaults));
  EXPECT_EQ(clearance(bare).friction->key, "ambrosio");
  EXPECT_EQ(clearance(bare).outer.young, 207e9);
  const Model named = read(joint("\"pin\"", kPin + defaults));
  EXPECT_EQ(clearance(named).friction->key, "coulomb");
  EXPECT_EQ(clearance(named).outer.young, 110e9);
}

TEST(NamedTablesTest, TwoOfThreeSizes) {
  const auto radii = [](const std::string& table, const std::string& more = {}) {
    const Model model = read(joint(table, more));
    return std::pair(clearance(model).outer_radius, clearance(model).inner_radius);
  };
  EXPECT_EQ(radii("{ journal_radius = \"10 mm\", radial = \"1 mm\", material = \"steel\" }"),
            std::pair(0.01 + 0.001, 0.01));
  EXPECT_EQ(radii("{ use = \"pin\", journal_radius = \"9.5 mm\" }", kPin), std::pair(0.01, 0.0095));
  EXPECT_EQ(radii("{ use = \"both\", radial = \"0.5 mm\" }",
                  "[clearances.both]\nbearing_radius = 0.01\njournal_radius = 0.0099\nmaterial = "
                  "\"steel\"\n"),
            std::pair(0.01, 0.0095));
  EXPECT_THAT(
      mistakes(joint("{ bearing_radius = 0.01, journal_radius = 0.009, radial = 1e-3 }")),
      HasSubstr("'bearing_radius', 'journal_radius' and 'radial' are given together; two of "
                "them say the third (leave one of them out)"));
}

TEST(NamedTablesTest, BareClearanceIsSteelAndSaysSo) {
  const std::string bare = joint("{ bearing_radius = \"10 mm\", radial = \"0.1 mm\" }");
  EXPECT_EQ(clearance(read(bare)).outer.young, 207e9);
  EXPECT_EQ(
      warnings(bare),
      "model.toml:13:13: joints.j.clearance.material: no material and no contact stiffness are "
      "given: both parts are steel (write material = \"steel\" to say so)");
  EXPECT_EQ(
      warnings(joint("{ bearing_radius = 0.01, radial = 1e-4, contact = { law = \"newton\" } }")),
      "");
  EXPECT_EQ(
      warnings(joint("{ bearing_radius = 0.01, radial = 1e-4, contact = { stiffness = 1e9 } }")),
      "");
}

TEST(NamedTablesTest, TheCommandLineReachesThem) {
  const auto play = [](const std::vector<Override>& set) {
    const Model model = read(joint("\"pin\"", kPin), set);
    return clearance(model).outer_radius - clearance(model).inner_radius;
  };
  EXPECT_NEAR(play({{"joints.j.clearance.radial", "0.3 mm"}}), 3e-4, 1e-16);
  EXPECT_NEAR(play({{"clearances.pin.radial", "0.4 mm"}}), 4e-4, 1e-16);
  EXPECT_NEAR(play({{"joints.j.clearance", "{ use = \"pin\", radial = \"0.5 mm\" }"}}), 5e-4,
              1e-16);
  EXPECT_FALSE(read(joint("\"pin\"", kPin), {{"joints.j.clearance", "false"}}).joints[0].clearance);
}

TEST(NamedTablesTest, MistakesHaveTheirPlaceAndRemedy) {
  EXPECT_EQ(mistakes(joint("\"pn\"", kPin)),
            "model.toml:13:13: joints.j.clearance.use: there is no table 'clearances.pn' (did you "
            "mean 'pin'?)");
  EXPECT_EQ(
      mistakes(joint("\"pin\"")),
      "model.toml:13:13: joints.j.clearance.use: there is no table 'clearances.pin' (write it "
      "as [clearances.pin])");
  EXPECT_THAT(mistakes(joint("{ use = 3 }")), HasSubstr("expected the name of a table"));
  EXPECT_THAT(mistakes(joint("3")), HasSubstr("found the number 3; expected a table"));
  EXPECT_THAT(
      mistakes(joint("\"a\"", "[clearances.a]\nuse = \"b\"\n[clearances.b]\nuse = \"a\"\n")),
      HasSubstr("tables use each other in a circle"));
  // A mistake of a table is said once, however many use it.
  EXPECT_EQ(
      mistakes(joint("\"pin\"",
                     "[joints.k]\ntype = \"revolute\"\nbodies = [\"ground\", "
                     "\"a\"]\nat = [0, 0]\nclearance = \"pin\"\n[clearances.pin]\n"
                     "bearing_radius = \"1 kg\"\nradius = 2\n")),
      "model.toml:20:18: clearances.pin.bearing_radius: found '1 kg', in kg; expected a number "
      "> 0 in m\nmodel.toml:21:1: clearances.pin.radius: unknown key 'radius' (did you mean "
      "'radial'?)");
  EXPECT_THAT(mistakes(joint("false", "[defaults.joint]\ntype = 1\n")),
              HasSubstr("there are no defaults for 'joint' (expected [defaults.clearance])"));
  EXPECT_THAT(mistakes(joint("false", "[defaults.clearance]\nuse = \"x\"\n")),
              HasSubstr("defaults cannot use another table"));
  EXPECT_THAT(mistakes(joint("false", "[clearances]\na = 3\n")),
              HasSubstr("clearances.a: found the number 3"));
}

}  // namespace
}  // namespace freeplay
