// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>
#include <freeplay/tolerance.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

// Errors by play, without dynamics: theory/tolerance, verification/cases P.
namespace freeplay::testing {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Crank 0.05 m, rod 0.12 m, driven at 1 rad/s from 0; `pins` are the clearances of the rod's ends,
/// `rod` its length.
std::string slider_crank(const std::string& crank_pin, const std::string& pin, double rod = 0.12) {
  return fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[parameters]
r = 0.05
l = {}
[bodies.crank]
mass = 0.1
inertia = 1e-4
position = ["r/2", 0]
[bodies.rod]
mass = 0.1
inertia = 1e-4
position = ["r + l/2", 0]
[bodies.slider]
mass = 0.1
inertia = 1e-4
position = ["r + l", 0]
[joints.bearing]
type = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
drive = {{ speed = 1 }}
[joints.crank_pin]
type = "revolute"
bodies = ["crank", "rod"]
at = ["r", 0]
{}
[joints.pin]
type = "revolute"
bodies = ["slider", "rod"]
at = ["r + l", 0]
{}
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = ["r + l", 0]
axis = [1, 0]
[simulation]
duration = 6.3
)",
                     rod, crank_pin, pin);
}
std::string play(const std::string& joint, const char* radial) {
  return fmt::format(
             "clearance = {{ bearing_radius = \"10 mm\", radial = \"{}\", material = \"steel\" }}",
             radial) +
         (joint.empty() ? "" : " # " + joint);
}

/// The output at one angle of the crank.
OutputTolerance at_angle(const Model& model, double degrees, ToleranceOptions options = {}) {
  options.outputs = {"bodies/slider/position.x"};
  options.positions = 1;
  options.from = degrees * kDegree;
  options.to = options.from + 1;
  return find_tolerances(model, options).outputs.front();
}

double slider_at(double degrees, double rod) {
  const double a = degrees * kDegree, s = 0.05 * std::sin(a);
  return 0.05 * std::cos(a) + std::sqrt(rod * rod - s * s);
}

TEST(Tolerance, P1SliderCrankWithPlayInBothEndsOfItsRod) {
  const Model model = model_from(slider_crank(play("", "0.5 mm"), play("", "0.5 mm")));
  Check check("P1 slider-crank", "closed form: the rod is longer or shorter by both plays");
  for (const double degrees : {0.0, 60.0, 90.0, 200.0, 359.0}) {
    const OutputTolerance out = at_angle(model, degrees);
    const OutputError& e = out.at.front();
    const double x = slider_at(degrees, 0.12);
    const double cosine = std::sqrt(1 - std::pow(0.05 * std::sin(degrees * kDegree) / 0.12, 2));
    const std::string at = fmt::format(" at {:g} deg", degrees);
    check.near("nominal" + at, e.nominal, x, 1e-14);
    check.near("high" + at, e.high, slider_at(degrees, 0.121) - x, 1e-3 * 1e-6);
    check.near("low" + at, e.low, slider_at(degrees, 0.119) - x, 1e-3 * 1e-6);
    check.near("linear" + at, e.linear, 1e-3 / cosine, 1e-3 * 1e-6);
    check.near("deviation" + at, e.deviation, 5e-4 / cosine, 1e-3 * 1e-6);
    check.near("share of the pin" + at, e.shares[1], 5e-4 / cosine, 1e-3 * 1e-6);
  }
  ToleranceOptions anywhere;
  anywhere.played = PlayedAt::anywhere;
  check.near("deviation anywhere", at_angle(model, 60, anywhere).at.front().deviation, 3.790944e-4,
             1e-6 * 4e-4);
}

TEST(Tolerance, P1RandomMechanismsFollowTheirDistribution) {
  const Model model = model_from(slider_crank(play("", "0.5 mm"), play("", "0.5 mm")));
  ToleranceOptions options;
  options.samples = 40000;
  options.seed = 7;
  const SampledError wall = at_angle(model, 60, options).sampled;
  options.played = PlayedAt::anywhere;
  const SampledError anywhere = at_angle(model, 60, options).sampled;
  // Two million samples elsewhere: 5.3627e-4, mean -1.39e-6; 3.7915e-4. Errors of deviations:
  // 1/sqrt(2 n).
  Check check("P1 random", "two million samples of an independent program");
  check.near("deviation on the wall", wall.deviation, 5.3627e-4, 5.3627e-4 * 0.015);
  check.near("mean on the wall", wall.mean, -1.39e-6, 3 * 5.3627e-4 / 200);
  check.near("deviation anywhere", anywhere.deviation, 3.7915e-4, 3.7915e-4 * 0.015);
  EXPECT_GT(wall.low, -1.0730e-3);
  EXPECT_LT(wall.high, 1.0716e-3);
}

TEST(Tolerance, P2FourBar) {
  // a1 = 0.2 (ground), a2 = 0.05 (crank), a3 = 0.18, a4 = 0.12; the rocker's angle at crank angle
  // 60 degrees. The rocker's pivot is at (0.2, 0).
  const auto rocker = [](double theta, double coupler) {
    const double bx = 0.05 * std::cos(theta) - 0.2, by = 0.05 * std::sin(theta);
    const double d = std::hypot(bx, by);
    return std::atan2(by, bx) -
           std::acos((d * d + 0.12 * 0.12 - coupler * coupler) / (2 * d * 0.12));
  };
  const double start = rocker(0, 0.18);
  const double cx = 0.2 + 0.12 * std::cos(start), cy = 0.12 * std::sin(start);
  const std::string text = fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.crank]
mass = 0.1
inertia = 1e-4
position = [0.025, 0]
[bodies.coupler]
mass = 0.1
inertia = 1e-4
position = [{}, {}]
[bodies.rocker]
mass = 0.1
inertia = 1e-4
position = [{}, {}]
[joints.a]
type = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
drive = {{ speed = 1 }}
[joints.b]
type = "revolute"
bodies = ["crank", "coupler"]
at = [0.05, 0]
clearance = {{ bearing_radius = "10 mm", radial = "0.2 mm", material = "steel" }}
[joints.c]
type = "revolute"
bodies = ["coupler", "rocker"]
at = [{}, {}]
clearance = {{ bearing_radius = "10 mm", radial = "0.2 mm", material = "steel" }}
[joints.d]
type = "revolute"
bodies = ["ground", "rocker"]
at = [0.2, 0]
[simulation]
duration = 6
)",
                                       (0.05 + cx) / 2, cy / 2, (0.2 + cx) / 2, cy / 2, cx, cy);
  const Model model = model_from(text);
  ToleranceOptions options;
  options.outputs = {"joints/d/coordinate", "bodies/rocker/angle"};
  options.positions = 1;
  Check check("P2 four-bar", "closed form: the coupler is longer or shorter by both plays");
  for (const double degrees : {0.0, 60.0, 150.0, 250.0}) {
    options.from = degrees * kDegree;
    options.to = options.from + 1;
    const Tolerances found = find_tolerances(model, options);
    const double theta = degrees * kDegree, psi = rocker(theta, 0.18);
    for (const OutputTolerance& out : found.outputs) {
      const OutputError& e = out.at.front();
      const std::string at = fmt::format(" of {} at {:g} deg", out.path, degrees);
      // A longer coupler turns the rocker back.
      check.near("high" + at, e.high, rocker(theta, 0.1796) - psi, 1e-6 * 4e-3);
      check.near("low" + at, e.low, rocker(theta, 0.1804) - psi, 1e-6 * 4e-3);
      check.near("deviation" + at, e.deviation, e.linear / 2, 1e-12);
    }
  }
  options.from = 60 * kDegree;
  options.to = options.from + 1;
  const OutputError e = find_tolerances(model, options).outputs.front().at.front();
  check.near("linear at 60 deg", e.linear, 3.532479e-3, 1e-6 * 3.5e-3);
  check.near("deviation at 60 deg", e.deviation, 1.766240e-3, 1e-6 * 3.5e-3);
}

// At a dead centre the play across the line of motion has no gradient, and the worst case comes
// from its second order.
TEST(Tolerance, PlayWithoutAGradientCountsByItsSecondOrder) {
  const Model model = model_from(slider_crank("", play("", "1 mm")));
  const OutputError e = at_angle(model, 0).at.front();
  Check check("dead centre", "closed form: rod and crank in one line");
  check.near("high", e.high, 1e-3, 1e-9);
  check.near("low", e.low, -1e-3, 1e-9);
  // The rod's angle there: only play across turns it.
  ToleranceOptions options;
  options.outputs = {"bodies/rod/angle"};
  options.positions = 1;
  options.from = 0;
  options.to = 1;
  const OutputError turn = find_tolerances(model, options).outputs.front().at.front();
  check.near("angle", turn.high, std::asin(1e-3 / 0.12), 1e-9);
  check.near("other way", turn.low, -std::asin(1e-3 / 0.12), 1e-9);
}

TEST(Tolerance, DimensionsCountLikePlay) {
  const std::string text = slider_crank("", "");
  const Model model = model_from(text);
  ToleranceOptions options;
  options.dimensions = {{"parameters.l", 1e-4}, {"parameters.r", 2e-5}};
  options.moved = [&](std::span<const double> by) {
    LoadOptions changed;
    changed.overrides = {{"parameters.l", fmt::format("{:.17g}", 0.12 + by[0])},
                         {"parameters.r", fmt::format("{:.17g}", 0.05 + by[1])}};
    return parse_model(text, "model.toml", changed);
  };
  const auto x = [](double degrees, double r, double l) {
    const double a = degrees * kDegree;
    return r * std::cos(a) + std::sqrt(l * l - r * r * std::sin(a) * std::sin(a));
  };
  const OutputError e = at_angle(model, 40, options).at.front();
  Check check("dimensions", "closed form of the slider-crank");
  const double ideal = x(40, 0.05, 0.12);
  check.near("high", e.high, x(40, 0.05002, 0.1201) - ideal, 1e-11);
  check.near("low", e.low, x(40, 0.04998, 0.1199) - ideal, 1e-11);
  const double by_l = e.shares[0], by_r = e.shares[1];
  check.near("deviation", e.deviation, std::hypot(by_l, by_r) / 3, 1e-13);
}

// The size of a play is no dimension: it counted for nothing.
TEST(Tolerance, RefusesATolerancedPlay) {
  const std::string text = slider_crank("", play("", "0.1 mm"));
  ToleranceOptions options;
  options.outputs = {"bodies/rod/angle"};
  options.dimensions = {{"joints.pin.clearance.radial", 1e-5}};
  options.moved = [&](std::span<const double> by) {
    Model out = model_from(text);
    for (Joint& joint : out.joints)
      if (joint.clearance) joint.clearance->inner_radius -= by[0];
    return out;
  };
  try {
    static_cast<void>(find_tolerances(model_from(text), options));
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("this dimension changes a play"));
  }
}

// What is stated is what is looked at, also where it is not the value of the file.
TEST(Tolerance, TakesTheStatedValueOfADimension) {
  const std::string text = slider_crank("", "");
  ToleranceOptions options;
  options.dimensions = {{"parameters.l", 1e-4}};
  options.moved = [&](std::span<const double> by) {
    LoadOptions changed;
    changed.overrides = {{"parameters.l", fmt::format("{:.17g}", 0.13 + by[0])}};
    return parse_model(text, "model.toml", changed);
  };
  const OutputError e = at_angle(model_from(text), 40, options).at.front();
  const double a = 40 * kDegree, across = 0.05 * std::sin(a);
  EXPECT_NEAR(e.nominal, 0.05 * std::cos(a) + std::sqrt(0.13 * 0.13 - across * across), 1e-12);
  EXPECT_NEAR(e.high, -e.low, 1e-6);
}

// A shaft between two bearings of the ground: its far end moves as a lever does.
TEST(Tolerance, AShaftTiltsBetweenTheEndsOfItsBearing) {
  const Model model = model_from(R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.shaft]
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0, 0, 0.5]
[markers.end]
body = "shaft"
at = [0, 0, 1]
[joints.bearing]
type = "revolute"
bodies = ["ground", "shaft"]
at = [0, 0, 0]
axis = [0, 0, 1]
drive = { speed = 1 }
clearance = { bearing_radius = "10 mm", radial = "0.1 mm", bearing_length = "50 mm", axial = "0.3 mm", material = "steel" }
[simulation]
duration = 1
)");
  ToleranceOptions options;
  options.outputs = {"markers/end/position.x", "markers/end/position.z"};
  options.positions = 3;
  const Tolerances found = find_tolerances(model, options);
  const double reach = 0.5 * model.joints[0].clearance->inner_length;
  // Ends at -+reach on opposite walls: the angle is c/reach, the end at 1 m from the middle.
  const double tilt = 1e-4 / reach;
  Check check("shaft", "closed form: a lever about its bearing");
  check.near("across", found.outputs[0].at[1].high, std::sin(tilt), 1e-3 * tilt * tilt);
  check.near("across, to first order", found.outputs[0].at[1].linear, tilt, 1e-6 * tilt);
  check.near("along", found.outputs[1].at[1].high, 3e-4, 1e-9);
}

TEST(Tolerance, SaysWhatItCannotDo) {
  const std::string with_play = slider_crank(play("", "0.5 mm"), "");
  const auto message = [](const std::string& text, const std::string& output) {
    ToleranceOptions options;
    options.outputs = {output};
    try {
      static_cast<void>(find_tolerances(model_from(text), options));
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("nothing was said");
  };
  const auto contains = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  contains(message(slider_crank("", ""), "bodies/slider/position.x"), "nothing is loose");
  contains(message(with_play, "bodies/slider/velocity.x"), "is no position");
  contains(message(with_play, "bodies/slider/position"), "which component");
  contains(message(with_play, "bodies/piston/position.x"), "there is no 'piston'");
  contains(message(with_play, "joints/pin/coordinate_x"), "no such coordinate");
  std::string free = with_play;
  free.replace(free.find("drive = { speed = 1 }"), 21, "");
  contains(message(free, "bodies/slider/position.x"), "1 degree of freedom that no drive moves");
}

}  // namespace
}  // namespace freeplay::testing
