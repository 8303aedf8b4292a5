// SPDX-License-Identifier: Apache-2.0
#include "io/model_to_look_at.hpp"
#include "laws/catalogue.hpp"
#include "support/own_laws.hpp"
#include "unit/io/model_text.hpp"
#include <freeplay/assembly.hpp>

#include <gmock/gmock.h>

// Laws that are compiled code, as models name them: they come through files unchanged, and what is
// not registered or not allowed is told. Files are opened by tests/cli/plugins_test.py.
namespace freeplay {
namespace {

using ::testing::HasSubstr;

std::string pin(const std::string& laws) {
  return R"model([mechanism]
planar = true
gravity = [0, -9.81]
[bodies.pin]
mass = 0.5
inertia = 1e-4
[joints.hole]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
[joints.hole.clearance]
bearing_radius = "10 mm"
bearing_length = "20 mm"
radial = "0.1 mm"
material = "steel"
)model" + laws +
         "[simulation]\nduration = 0.1\n";
}

const std::string kLaws = R"model(
[joints.hole.clearance.contact]
law = "plugin"
plugin = "@power"
K = "66 N/um^1.5"
tension = true
[joints.hole.clearance.friction]
law = "plugin"
plugin = "@steps"
mu = 0.1
v1 = "2 mm/s"
[joints.hole.clearance.wear]
law = "plugin"
plugin = "@rate"
outer = "1e-14 1/Pa"
inner = 0
)model";

std::string complaint(const std::string& text) {
  try {
    static_cast<void>(testing::read(text));
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(LawPluginTest, ComesBackAsItWent) {
  testing::register_own_laws();
  const Model model = testing::read(pin(kLaws));
  const Expression& contact = *model.joints[0].clearance->contact.expression;
  EXPECT_EQ(contact.text, "@power");
  ASSERT_EQ(contact.parameters.size(), 1U);
  EXPECT_NEAR(contact.parameters[0].value, 66e9, 1);
  const std::string text = write_model(model);
  EXPECT_THAT(text, HasSubstr("plugin = \"@power\""));
  EXPECT_EQ(testing::dump(testing::read(text)), testing::dump(model));
  EXPECT_EQ(write_model(testing::read(text)), text);
  EXPECT_NO_THROW(validate(model));
}

TEST(LawPluginTest, MayBeBuiltInCode) {
  testing::register_own_laws();
  Model model = testing::read(pin("contact = { law = \"hertz\" }\n"));
  LawChoice& law = model.joints[0].clearance->contact;
  law = {"plugin", {}, Expression{"@power", {{"K", 1e10, "N/m^1.5"}}}};
  EXPECT_NO_THROW(validate(model));
  const auto refused = [&] {
    try {
      validate(model);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  law.expression->parameters[0].unit = "N/m";
  EXPECT_THAT(refused(), HasSubstr("contact.K"));
  law.expression->parameters[0] = {"k", 1, ""};
  EXPECT_THAT(refused(), HasSubstr("has no parameter 'k'"));
  law.expression->text = "@pwoer";
  EXPECT_THAT(refused(), HasSubstr("this program has no law '@pwoer'"));
  EXPECT_THAT(refused(), HasSubstr("did you mean '@power'?"));
  law.expression->text = "law.so";
  EXPECT_THAT(refused(), HasSubstr("which is not allowed (allow it with --allow-plugins"));
  law.expression.reset();
  EXPECT_THAT(refused(), HasSubstr("'plugin' is missing"));
}

TEST(LawPluginTest, IsNamedByFileLawAndDigest) {
  for (const char* text : {"a.so", "a.so#b", "b/a.so sha256:0123", "a.so#b sha256:0123", "@a"})
    EXPECT_EQ(laws::PluginReference::read(text).text(), text);
  const auto all = laws::PluginReference::read("b/a.so#c sha256:0123");
  EXPECT_EQ(all.file, "b/a.so");
  EXPECT_EQ(all.name, "c");
  EXPECT_EQ(all.digest, "0123");
}

TEST(LawPluginTest, ADigestFindsWhatIsOpenAndNothingElse) {
  testing::register_own_laws();
  const std::string digest(64, 'a');
  laws::keep_plugin(digest, laws::find_plugin("@power"));
  const std::string named =
      "contact = { law = \"plugin\", plugin = \"gone.so\", K = 1, digest = \"";
  EXPECT_EQ(complaint(pin(named + digest + "\" }\n")), "");
  EXPECT_THAT(complaint(pin(named + std::string(64, 'b') + "\" }\n")), HasSubstr("not allowed"));
}

TEST(LawPluginTest, AModelToLookAtNeedsNoPermission) {
  const std::string text = pin(
      "contact = { law = \"plugin\", plugin = \"gone.so\", K = \"1 N/m^1.5\", digest = \"00\" }\n");
  EXPECT_THAT(complaint(text), HasSubstr("not allowed"));
  const Model model = io::model_to_look_at(text, "result");
  EXPECT_EQ(model.joints[0].clearance->contact.key, "plugin");
  EXPECT_THROW(static_cast<void>(assemble(model)), ModelError);
}

TEST(LawPluginTest, WhatIsNoLawIsNotRegistered) {
  const freeplay_parameter number[] = {{"x", "1", "", 1, 2, 3}};
  const auto fails = [](const freeplay_law& law) {
    try {
      register_law(law);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(fails({"contact", nullptr, "", 0, 0, nullptr, &testing::power_force, nullptr}),
              HasSubstr("needs a name"));
  EXPECT_THAT(fails({"film", "a", "", 0, 0, nullptr, &testing::power_force, nullptr}),
              HasSubstr("its kind is 'film'"));
  EXPECT_THAT(fails({"contact", "a", "", 0, 0, nullptr, nullptr, nullptr}),
              HasSubstr("it has no function"));
  EXPECT_THAT(fails({"contact", "a", "", 2, 0, nullptr, &testing::power_force, nullptr}),
              HasSubstr("its slopes are 2"));
  EXPECT_THAT(fails({"contact", "a", "", 0, 1, nullptr, &testing::power_force, nullptr}),
              HasSubstr("list of parameters"));
  EXPECT_THAT(fails({"contact", "a", "", 0, 1, number, &testing::power_force, nullptr}),
              HasSubstr("the default of 'x' is beyond its bounds"));
}

}  // namespace
}  // namespace freeplay
