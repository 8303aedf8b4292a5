// SPDX-License-Identifier: Apache-2.0
#include "laws/catalogue.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <string>

namespace freeplay::laws {
namespace {

using ::testing::HasSubstr;

std::vector<Entry> everything() {
  std::vector<Entry> all = contact_catalogue();
  for (Entry& e : friction_catalogue()) all.push_back(std::move(e));
  return all;
}

TEST(CatalogueTest, TellsAllAboutEachLaw) {
  std::set<std::pair<std::string_view, std::string_view>> keys;
  for (const Entry& law : everything()) {
    EXPECT_TRUE(keys.insert({law.kind, law.key}).second) << law.key << " twice";
    EXPECT_EQ(law.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string_view::npos)
        << law.key;
    for (const std::string_view text : {law.title, law.cite, law.formula, law.limits})
      EXPECT_FALSE(text.empty()) << law.key;
    EXPECT_FALSE(law.parameters.empty()) << law.key;
    EXPECT_FALSE(law.traits.empty()) << law.key;
    EXPECT_FALSE(law.samples.empty()) << law.key;
    std::set<std::string_view> names;
    for (const Parameter& p : law.parameters) {
      EXPECT_TRUE(names.insert(p.key).second) << law.key << "." << p.key << " twice";
      EXPECT_FALSE(p.doc.empty()) << law.key << "." << p.key;
      EXPECT_TRUE(std::isnan(p.fallback) || (p.fallback >= p.min && p.fallback <= p.max))
          << law.key << "." << p.key;
    }
    for (const Parameter& p : law.parameters)
      EXPECT_TRUE(p.unit_at_reference_load.empty() || names.contains("reference_load"))
          << law.key << "." << p.key;
  }
}

TEST(CatalogueTest, UsesUnitsFromAShortList) {
  // Free-text units drift. "N/m^n" takes its n from the exponent of the law.
  const std::set<std::string_view> known{"1",   "m",   "kg",  "s",   "N",     "Pa",
                                         "m/s", "s/m", "1/m", "N/m", "N s/m", "N/m^n"};
  for (const Entry& law : everything())
    for (const Parameter& p : law.parameters)
      EXPECT_TRUE(p.is_flag || p.unit == kTextUnit || known.contains(p.unit))
          << law.key << "." << p.key << ": " << p.unit;
}

TEST(CatalogueTest, FindsLawsAndTheirParametersByName) {
  ContactLaw law = make_law<ContactLaw>("bai-zhao").value();
  EXPECT_EQ(key_of(law), "bai-zhao");
  *find_parameter(law, "restitution") = 1.4;
  EXPECT_EQ(faults(law).at(0).key, "restitution");
  EXPECT_EQ(faults(law).at(0).message, "1.4 is outside [0, 1]");
  *find_flag(law, "as_printed") = true;
  EXPECT_TRUE(std::get<BaiZhao>(law).as_printed);
  EXPECT_EQ(find_parameter(law, "exponent"), nullptr);
  EXPECT_EQ(find_flag(law, "tension"), nullptr);
  EXPECT_FALSE(make_law<ContactLaw>("winkler").has_value());

  FrictionLaw friction = make_law<FrictionLaw>("coulomb").value();
  *find_parameter(friction, "kinetic") = 0.3;
  EXPECT_EQ(std::get<Coulomb>(friction).breakaway(), 0.3);
  *find_parameter(friction, "static") = 0.4;
  EXPECT_EQ(std::get<Coulomb>(friction).breakaway(), 0.4);
  *find_parameter(friction, "static") = 0.2;
  EXPECT_THAT(faults(friction).at(0).message, HasSubstr("below kinetic"));
}

TEST(CatalogueTest, TakesExactRestitutionUnlessTold) { EXPECT_EQ(key_of(ContactLaw{}), "exact"); }

TEST(CatalogueTest, PrintsALawForTheTerminal) {
  for (const Entry& law : everything()) {
    const std::string text = to_text(law);
    for (const Parameter& p : law.parameters) EXPECT_THAT(text, HasSubstr(std::string(p.key)));
    EXPECT_THAT(text, HasSubstr(std::string(law.cite)));
  }
}

TEST(CatalogueTest, WritesAReferencePage) {
  const std::string page = to_markdown(friction_catalogue());
  EXPECT_THAT(
      page, HasSubstr("| Brown-McPhee | [`brown-mcphee`](#brown-mcphee) | creeps under a load |"));
  EXPECT_THAT(page, HasSubstr("| LuGre | [`lugre`](#lugre) | holds a load at rest, 3 states |"));
  EXPECT_THAT(page, HasSubstr("\n## gonthier\n"));
  EXPECT_THAT(to_markdown(contact_catalogue()),
              HasSubstr("| `stiffness` | N/m^n | - | 0.001 ... 1e+20 |"));
}

TEST(CatalogueTest, SaysWhichFrictionLawsHoldALoadAtRest) {
  const std::string page = reference_page("friction");
  EXPECT_THAT(page, HasSubstr("## Which laws hold a load at rest\n"));
  for (const Entry& law : friction_catalogue())
    EXPECT_THAT(page, HasSubstr("| [`" + std::string(law.key) + "`](#" + std::string(law.key) +
                                ") | " + (law.holds_load ? "yes" : "no") + " | "));
  for_each_type<FrictionLaw>([&]<class L>(std::type_identity<L>) {
    // A law without states or events is a function of the speed that starts at zero,
    // theory/friction (R.1).
    EXPECT_EQ(L::can_hold_load, L::states > 0 || L::sticks_by_events) << L::key;
  });
  EXPECT_THAT(reference_page("contact"), HasSubstr("# Contact laws\n"));
}

}  // namespace
}  // namespace freeplay::laws
