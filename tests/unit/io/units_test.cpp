// SPDX-License-Identifier: Apache-2.0
#include "io/units.hpp"

#include "io/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace freeplay::io {
namespace {

constexpr double kPi = std::numbers::pi;

double si(std::string_view unit) {
  const auto found = parse_unit(unit);
  EXPECT_TRUE(found) << unit;
  return found ? found->in_si() : NAN;
}

TEST(UnitsTest, EveryUnitHasItsValueInSi) {
  // SI brochure, 9th edition, tables 4 to 8; NIST SP 811 appendix B for the inch-pound units.
  const std::vector<std::pair<const char*, double>> expected = {
      {"m", 1},           {"mm", 1e-3},
      {"cm", 1e-2},       {"dm", 0.1},
      {"um", 1e-6},       {"\u00b5m", 1e-6},
      {"\u03bcm", 1e-6},  {"nm", 1e-9},
      {"km", 1e3},        {"in", 0.0254},
      {"ft", 0.3048},     {"kg", 1},
      {"g", 1e-3},        {"mg", 1e-6},
      {"ug", 1e-9},       {"tonne", 1e3},
      {"lb", 0.45359237}, {"s", 1},
      {"ms", 1e-3},       {"us", 1e-6},
      {"ns", 1e-9},       {"min", 60},
      {"h", 3600},        {"N", 1},
      {"mN", 1e-3},       {"kN", 1e3},
      {"MN", 1e6},        {"lbf", 4.4482216152605},
      {"Pa", 1},          {"hPa", 100},
      {"kPa", 1e3},       {"MPa", 1e6},
      {"GPa", 1e9},       {"bar", 1e5},
      {"mbar", 100},      {"psi", 6894.757293168361},
      {"J", 1},           {"mJ", 1e-3},
      {"kJ", 1e3},        {"W", 1},
      {"kW", 1e3},        {"P", 0.1},
      {"cP", 1e-3},       {"cSt", 1e-6},
      {"L", 1e-3},        {"K", 1},
      {"rad", 1},         {"mrad", 1e-3},
      {"deg", kPi / 180}, {"\u00b0", kPi / 180},
      {"rev", 2 * kPi},   {"rpm", kPi / 30},
      {"Hz", 1},          {"kHz", 1e3},
      {"%", 0.01}};
  for (const auto& [unit, value] : expected) EXPECT_NEAR(si(unit), value, 1e-14 * value) << unit;
}

TEST(UnitsTest, ProductsQuotientsAndPowers) {
  EXPECT_DOUBLE_EQ(si("N m/rad"), 1);
  EXPECT_DOUBLE_EQ(si("N*mm"), 1e-3);
  EXPECT_DOUBLE_EQ(si("N\u00b7mm"), 1e-3);
  EXPECT_DOUBLE_EQ(si("g cm^2"), 1e-7);
  EXPECT_DOUBLE_EQ(si("kg mm\u00b2"), 1e-6);
  EXPECT_DOUBLE_EQ(si("N/mm^2"), 1e6);
  EXPECT_DOUBLE_EQ(si("1/Pa"), 1);
  EXPECT_DOUBLE_EQ(si("1/MPa"), 1e-6);
  EXPECT_DOUBLE_EQ(si("J/(kg K)"), 1);
  EXPECT_DOUBLE_EQ(si("mm s^-1"), 1e-3);
  EXPECT_DOUBLE_EQ(si("m / s^2"), 1);
  EXPECT_NEAR(si("N/mm^1.5"), std::pow(1e3, 1.5), 1e-9);
  EXPECT_TRUE(parse_unit("N/m^1.5")->dimension.same_physics({.m = -0.5, .kg = 1, .s = -2}));
}

TEST(UnitsTest, WhatIsNoUnitIsRefused) {
  for (const char* text : {"", "x", "mmm", "kkg", "Mm2", "m^", "1", "2 m", "m/", "/m", "1/",
                           "N m/rad/", "deg C", "min(", "cin", "t"})
    EXPECT_FALSE(parse_unit(text) && std::string_view(text) != "1") << text;
}

TEST(UnitsTest, ScanStopsBeforeArithmetic) {
  const auto rest = [](std::string_view text) {
    std::size_t at = 0;
    EXPECT_TRUE(scan_unit(text, at)) << text;
    return std::string(text.substr(at));
  };
  EXPECT_EQ(rest("mm * x"), " * x");
  EXPECT_EQ(rest("mm/2"), "/2");
  EXPECT_EQ(rest("mm/(x + 1)"), "/(x + 1)");
  EXPECT_EQ(rest("N m - 3 N m"), " - 3 N m");
  EXPECT_EQ(rest("m*min(1, 2)"), "*min(1, 2)");
  EXPECT_EQ(rest("J/(kg K) + 1"), " + 1");
}

TEST(UnitsTest, AnglesAreDimensionlessButNotForgotten) {
  const Dimension length{.m = 1}, speed{.s = -1, .turn = Turn::angle},
      frequency{.s = -1, .turn = Turn::cycle};
  const auto dimension = [](const char* unit) { return parse_unit(unit)->dimension; };
  EXPECT_TRUE(fits(dimension("1"), length));  // a bare number is SI
  EXPECT_TRUE(fits(dimension("mm"), length));
  EXPECT_FALSE(fits(dimension("deg"), length));
  EXPECT_FALSE(fits(dimension("deg"), {}));
  EXPECT_TRUE(fits(dimension("rpm"), speed));
  EXPECT_TRUE(fits(dimension("1/s"), speed));
  EXPECT_FALSE(fits(dimension("Hz"), speed));
  EXPECT_FALSE(fits(dimension("rpm"), frequency));
  EXPECT_TRUE(fits(dimension("N m"), dimension("N m/rad")));
  EXPECT_FALSE(fits(dimension("N m/rad"), dimension("N m")));
  EXPECT_FALSE(fits(dimension("kg"), length));
}

TEST(UnitsTest, NamesOfDimensions) {
  const auto name = [](const char* unit) { return unit_name(parse_unit(unit)->dimension); };
  EXPECT_EQ(name("mm"), "m");
  EXPECT_EQ(name("kN"), "N");
  EXPECT_EQ(name("cP"), "kg/(m s)");
  EXPECT_EQ(name("kg mm^2"), "kg m^2");
  EXPECT_EQ(name("1/s^2"), "1/s^2");
  EXPECT_EQ(name("rpm"), "rad/s");
  EXPECT_EQ(name("kHz"), "Hz");
  EXPECT_EQ(name("deg"), "rad");
  EXPECT_EQ(name("1"), "a number without unit");
}

TEST(UnitsTest, EveryNameIsAUnit) {
  for (const std::string& name : unit_names()) EXPECT_TRUE(find_unit(name)) << name;
}

}  // namespace
}  // namespace freeplay::io
