// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

// What the user is told about a wrong file: place, path, found, expected, what may have been meant.
namespace freeplay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::mistakes;
using ::testing::Not;
using testing::small_model;

/// A joint of body `a` with the ground, in a model whose further text starts at line 8.
std::string joint(std::string_view type, std::string_view rest) {
  return small_model("[joints.j]\ntype = \"" + std::string(type) +
                     "\"\nbodies = [\"ground\", \"a\"]\n" + std::string(rest));
}

struct Wrong {
  std::string text, said;
};

void check(const std::vector<Wrong>& cases) {
  for (const Wrong& wrong : cases) EXPECT_EQ(mistakes(wrong.text), wrong.said) << wrong.text;
}

TEST(LoadErrorsTest, UnknownKeys) {
  check(
      {{small_model("mas = 2\n"),
        "model.toml:8:1: bodies.a.mas: unknown key 'mas' (did you mean 'mass'?)"},
       {small_model("[joint.x]\n"),
        "model.toml:8:2: joint: unknown key 'joint' (did you mean 'joints'?)"},
       {joint("spherical", "at = [0, 0, 0]\nclearence = {}\n"),
        "model.toml:12:1: joints.j.clearence: unknown key 'clearence' (did you mean 'clearance'?)"},
       {joint("spherical",
              "at = [0, 0, 0]\n[joints.j.clearance]\nsocket_radius = 0.01\nraidal = 1e-4\n"),
        "model.toml:12:1: joints.j.clearance.radial: 'ball_radius' or 'radial' is missing\n"
        "model.toml:14:1: joints.j.clearance.raidal: unknown key 'raidal' (did you mean "
        "'radial'?)"},
       {joint("revolute", "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { sped = 1 }\n"),
        "model.toml:13:9: joints.j.drive: one of 'speed', 'polynomial', 'sine', 'step', 'table', "
        "'formula' or 'input' is missing\n"
        "model.toml:13:11: joints.j.drive.sped: unknown key 'sped' (did you mean 'speed'?)"}});
}

TEST(LoadErrorsTest, KeysOfOtherTypes) {
  check(
      {{joint("revolute", "at = [0, 0, 0]\naxis = [0, 0, 1]\npitch = 1\n"),
        "model.toml:13:1: joints.j.pitch: type = 'revolute' has no key 'pitch' (it belongs to "
        "'screw')"},
       {small_model("angle = 1\n"),
        "model.toml:8:1: bodies.a.angle: 'angle' belongs to planar mechanisms ('planar = true')"},
       {"[mechanism]\nplanar = true\ngravity = [0, 0]\n[bodies.a]\nmass = 1\norientation = { xyz = "
        "[0, 0, 0] }\n",
        "model.toml:6:1: bodies.a.orientation: 'orientation' has no place in a planar mechanism"}});
}

TEST(LoadErrorsTest, WrongTypes) {
  check({{small_model("position = 3\n"),
          "model.toml:8:12: bodies.a.position: found the number 3; expected [x, y, z] in m"},
         {small_model("position = [1, 2]\n"),
          "model.toml:8:12: bodies.a.position: found 2 entries; expected [x, y, z] in m (for a "
          "planar mechanism write 'planar = "
          "true' in [mechanism])"},
         {small_model("position = [1, true, [2]]\n"),
          "model.toml:8:16: bodies.a.position.1: found true; expected a number in m\n"
          "model.toml:8:22: bodies.a.position.2: found an array of 1; expected a number in m"},
         {small_model("[bodies.b]\nmass = 2024-01-01\n"),
          "model.toml:9:8: bodies.b.mass: found a date; expected a number >= 0 in kg"},
         {small_model("[bodies]\nb = 5\n"),
          "model.toml:9:5: bodies.b: found the number 5; expected a table with one of 'mass', "
          "'density', 'shape' or 'flexible'"},
         {"markers = [1]\n" + small_model(),
          "model.toml:1:11: markers: found an array of 1; expected a table of NAME = a table with "
          "one of "
          "'at' or 'local'"},
         {small_model("orientation = { euler_parameters = [1, 0, 0] }\n"),
          "model.toml:8:36: bodies.a.orientation.euler_parameters: found 3 entries; expected a "
          "list of 4 times a number"}});
}

TEST(LoadErrorsTest, Units) {
  check({{small_model("[bodies.b]\nmass = \"3 mm\"\n"),
          "model.toml:9:8: bodies.b.mass: found '3 mm', in m; expected a number >= 0 in kg"},
         {small_model("[bodies.b]\nmass = \"3 klg\"\n"),
          "model.toml:9:11: bodies.b.mass: in '3 klg': 'klg' is not a unit (did you mean 'kg'?)"},
         {small_model("position = [\"30 deg\", 0, 0]\n"),
          "model.toml:8:13: bodies.a.position.0: found '30 deg', in rad; expected a number in m"},
         {joint("revolute", "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { speed = \"5 Hz\" }\n"),
          "model.toml:13:19: joints.j.drive.speed: found '5 Hz', in Hz; expected a number in rad/s "
          "(a cycle is a turn: write "
          "'rev/s')"},
         {joint("revolute",
                "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { sine = { amplitude = 1, frequency = "
                "\"60 rpm\" } }\n"),
          "model.toml:13:47: joints.j.drive.sine.frequency: found '60 rpm', in rad/s; expected a "
          "number >= 0 in Hz (that is 1 Hz)"},
         {joint("prismatic", "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { speed = \"300 rpm\" }\n"),
          "model.toml:13:19: joints.j.drive.speed: found '300 rpm', in rad/s; expected a number in "
          "m/s"},
         {joint("prismatic",
                "at = [0, 0, 0]\naxis = [0, 0, 1]\n[springs.s]\njoint = \"j\"\nstiffness = \"2 N "
                "m/rad\"\n"),
          "model.toml:15:13: springs.s.stiffness: found '2 N m/rad', in J; expected a number >= 0 "
          "in N/m"},
         {joint("revolute",
                "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { polynomial = [0, \"1 rad/s\", \"2 "
                "rad/s\"] }\n"),
          "model.toml:13:39: joints.j.drive.polynomial.2: found '2 rad/s', in rad/s; expected a "
          "number in rad/s^i"}});
}

TEST(LoadErrorsTest, NumbersThatAreNone) {
  check({{small_model("[bodies.b]\nmass = nan\n"),
          "model.toml:9:8: bodies.b.mass: found nan; expected a finite number"},
         {small_model("[bodies.b]\nmass = inf\n"),
          "model.toml:9:8: bodies.b.mass: found inf; expected a finite number"},
         {small_model("[bodies.b]\nmass = \"inf kg\"\n"),
          "model.toml:9:13: bodies.b.mass: in 'inf kg': unexpected 'k' in an expression"},
         {small_model("[bodies.b]\nmass = \"1e999 kg\"\n"),
          "model.toml:9:9: bodies.b.mass: in '1e999 kg': the number '1e999' is too large"},
         {small_model("[parameters]\nx = nan\n"),
          "model.toml:9:5: parameters.x: found the number nan; expected a finite number, a "
          "quantity or a vector of them"},
         {small_model("[bodies.b]\nmass = \"1,5 kg\"\n"),
          "model.toml:9:10: bodies.b.mass: in '1,5 kg': unexpected ',' in an expression (decimals "
          "are written with a point)"}});
  EXPECT_THAT(mistakes(small_model("[bodies.b]\nmass = 1e999\n")),
              AllOf(HasSubstr("model.toml:9:"), HasSubstr("too large?")));
  EXPECT_THAT(mistakes(small_model("[bodies.b]\nmass = 1,5\n")),
              AllOf(HasSubstr("model.toml:9:"), HasSubstr("with a point")));
}

TEST(LoadErrorsTest, Bounds) {
  check({{small_model("[bodies.b]\nmass = -1\n"),
          "model.toml:9:8: bodies.b.mass: found -1; expected a number >= 0 in kg"},
         {small_model("[bodies.b]\nmass = \"2 kg - 3 kg\"\n"),
          "model.toml:9:8: bodies.b.mass: found '2 kg - 3 kg'; expected a number >= 0 in kg"},
         {joint("screw", "at = [0, 0, 0]\naxis = [0, 0, 1]\npitch = 0\n"),
          "model.toml:13:9: joints.j.pitch: found 0; expected a number other than 0 in m"},
         {joint("screw", "at = [0, 0, 0]\naxis = [0, 0, 1]\n"),
          "model.toml:8:1: joints.j.pitch: 'pitch' is missing; expected a number other than 0 in "
          "m"}});
}

TEST(LoadErrorsTest, DuplicatesAndSyntax) {
  EXPECT_THAT(mistakes(small_model("mass = 2\n")),
              AllOf(HasSubstr("model.toml:8:"), HasSubstr("'mass'"), HasSubstr("only once")));
  EXPECT_THAT(mistakes(small_model("[bodies.a]\n")),
              AllOf(HasSubstr("model.toml:8:"), HasSubstr("'bodies.a'")));
  EXPECT_THAT(mistakes("[bodies.a\nmass = 1\n"), HasSubstr("model.toml:1:"));
  EXPECT_THAT(mistakes("[[["), HasSubstr("model.toml"));
  EXPECT_THAT(mistakes("x = \"abc\n"), HasSubstr("model.toml:1:"));
}

TEST(LoadErrorsTest, References) {
  check(
      {{small_model("[joints.j]\ntype = \"fixed\"\nbodies = [\"grund\", \"b\"]\nat = [0, 0, 0]\n"),
        "model.toml:10:11: joints.j.bodies.0: there is no body 'grund' (did you mean 'ground'?)\n"
        "model.toml:10:20: joints.j.bodies.1: there is no body 'b' (known: 'a' or 'ground')"},
       {small_model("[joints.j]\ntype = \"fixed\"\nbodies = [\"a\", \"a\"]\nat = [0, 0, 0]\n"),
        "model.toml:10:10: joints.j.bodies: joins 'a' with itself"},
       {small_model("[springs.s]\njoint = \"j\"\nstiffness = 1\n"),
        "model.toml:9:9: springs.s.joint: there is no joint 'j'"},
       {small_model("[joints.j]\ntype = \"fixed\"\nmarkers = [\"m\", \"n\"]\n[markers.mm]\nbody = "
                    "\"a\"\nlocal = [0, 0, 0]\n"),
        "model.toml:10:12: joints.j.markers.0: there is no marker 'm' (did you mean 'mm'?)\n"
        "model.toml:10:17: joints.j.markers.1: there is no marker 'n' (known: 'mm')"},
       {small_model("[markers.m]\nbody = \"b\"\nlocal = [0, 0, 0]\n"),
        "model.toml:9:8: markers.m.body: there is no body 'b' (known: 'a' or 'ground')"},
       {small_model("[forces.f]\nbody = \"ground\"\nvector = [1, 0, 0]\n"),
        "model.toml:9:8: forces.f.body: the ground does not feel it (name a moving body)"},
       {small_model("[couplings.c]\ntype = \"gear\"\njoints = [\"x\", \"y\"]\nratio = 2\n"),
        "model.toml:10:11: couplings.c.joints.0: there is no joint 'x'\nmodel.toml:10:16: "
        "couplings.c.joints.1: there is no joint 'y'"}});
}

TEST(LoadErrorsTest, PointsAndAxes) {
  check(
      {{joint("revolute", "at = [0, 0, 0]\n"),
        "model.toml:8:9: joints.j.axis: 'axis' is missing; a revolute joint needs one"},
       {joint("revolute", "axis = [0, 0, 1]\n"),
        "model.toml:8:9: joints.j.at: 'at' is missing; expected a point"},
       {joint("revolute", "at = [0, 0, 0]\naxis = [0, 0, 0]\n"),
        "model.toml:12:8: joints.j.axis: a direction of length zero"},
       {joint("revolute", "at = [[0, 0, 0], [0, 0, 0]]\naxis = [0, 0, 1]\n"),
        "model.toml:11:6: joints.j.at: found two points; expected one (points in body frames are "
        "written { BODY = point, OTHER = "
        "point })"},
       {joint("distance", "at = [0, 0, 0]\n"),
        "model.toml:11:6: joints.j.at: found one point; expected two, [first, second]"},
       {joint("spherical", "at = { a = [0, 0, 0], b = [0, 0, 0] }\n"),
        "model.toml:11:6: joints.j.at: the point on 'ground' is missing\n"
        "model.toml:11:23: joints.j.at.b: 'b' is not one of the two bodies (expected 'ground' or "
        "'a')"},
       {joint("universal", "at = [0, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [1, 0, 0.1]\n"),
        "model.toml:13:15: joints.j.second_axis: the second axis is 5.71059 degrees away from "
        "perpendicular to the axis; at most "
        "0.0572958 are corrected"},
       {joint("universal", "at = [0, 0, 0]\naxis = [0, 0, 1]\n"),
        "model.toml:8:9: joints.j.second_axis: 'second_axis' is missing; a universal joint needs "
        "it"},
       {joint("spherical", "at = [0, 0, 0]\nmarkers = [\"x\", \"y\"]\n")
            .replace(0, 0, "[markers]\n"),
        "model.toml:11:1: joints.j.bodies: 'bodies' and 'markers' exclude each other (keep one)\n"
        "model.toml:13:1: joints.j.markers: 'markers' and 'bodies' exclude each other (keep one)\n"
        "model.toml:13:1: joints.j.markers: 'markers' and 'at' exclude each other (keep one)\n"
        "model.toml:13:12: joints.j.markers.0: there is no marker 'x'\n"
        "model.toml:13:17: joints.j.markers.1: there is no marker 'y'"},
       {small_model("orientation = { euler_parameters = [1, 0.1, 0, 0] }\n"),
        "model.toml:8:36: bodies.a.orientation.euler_parameters: the squares add up to 1.01; "
        "expected 1 within 1e-3"},
       {small_model("orientation = { axis = [0, 0, 0], angle = 1 }\n"),
        "model.toml:8:24: bodies.a.orientation.axis: a direction of length zero"},
       {small_model("orientation = { axis = [0, 0, 1] }\n"),
        "model.toml:8:17: bodies.a.orientation.axis: 'axis' needs 'angle' beside it"}});
}

TEST(LoadErrorsTest, PlanarMechanisms) {
  const std::string planar =
      "[mechanism]\nplanar = true\ngravity = [0, -9.81]\n[simulation]\nduration = "
      "1\n[bodies.a]\nmass = 1\ninertia = 1\n"
      "[joints.j]\nbodies = [\"ground\", \"a\"]\nat = [0, 0]\n";
  check({{planar + "type = \"spherical\"\n",
          "model.toml:12:8: joints.j.type: a spherical joint needs three dimensions; the mechanism "
          "is planar (use 'revolute')"},
         {planar + "type = \"screw\"\npitch = 1\naxis = [1, 0]\n",
          "model.toml:12:8: joints.j.type: a screw joint needs three dimensions; the mechanism is "
          "planar (use 'prismatic', or a rack "
          "coupling)"},
         {planar + "type = \"revolute\"\naxis = [0, 1]\n",
          "model.toml:13:8: joints.j.axis: the axis of a planar revolute joint is always z (leave "
          "it out)"},
         {planar + "type = \"prismatic\"\naxis = [0, 0, 1]\n",
          "model.toml:13:8: joints.j.axis: found 3 entries; expected [x, y] (the mechanism is "
          "planar)"},
         {planar + "type = \"prismatic\"\n",
          "model.toml:9:9: joints.j.axis: 'axis' is missing; a prismatic joint needs one"}});
}

TEST(LoadErrorsTest, Coordinates) {
  check(
      {{joint("fixed", "at = [0, 0, 0]\ndrive = { speed = 1 }\n"),
        "model.toml:12:9: joints.j.drive.coordinate: a fixed joint has no coordinate (use a joint "
        "that leaves a motion free)"},
       {joint("cylindrical", "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { speed = 1 }\n"),
        "model.toml:13:9: joints.j.drive.coordinate: a cylindrical joint has several coordinates; "
        "which is meant? (write "
        "'displacement' or 'angle')"},
       {joint("revolute",
              "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { speed = 1, coordinate = \"length\" }\n"),
        "model.toml:13:35: joints.j.drive.coordinate: a revolute joint has no coordinate 'length' "
        "(it has 'angle')"},
       {joint("cylindrical",
              "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = [{ speed = 1, coordinate = \"angle\" }, { "
              "coordinate = "
              "\"angle\", polynomial = [1] }]\n"),
        "model.toml:13:47: joints.j.drive.1: the coordinate 'angle' is driven twice"},
       {joint("revolute", "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { speed = 1 }\nspeed = 1\n"),
        "model.toml:14:9: joints.j.speed: the coordinate 'angle' is driven, which sets its speed "
        "(leave 'speed' or 'drive' out)"},
       {joint("revolute", "at = [0, 0, 0]\naxis = [0, 0, 1]\nspeed = { displacement = 1 }\n"),
        "model.toml:13:11: joints.j.speed.displacement: a revolute joint has no coordinate "
        "'displacement' (it has 'angle')"},
       {joint("revolute",
              "at = [0, 0, 0]\naxis = [0, 0, 1]\n[couplings.c]\ntype = \"rack\"\njoints = [\"j\", "
              "\"j\"]\nradius = 1\n"),
        "model.toml:15:16: couplings.c.coordinates.1: a revolute joint has no displacement (it has "
        "'angle')"},
       {joint("cylindrical",
              "at = [0, 0, 0]\naxis = [0, 0, 1]\n[couplings.c]\ntype = \"gear\"\njoints = [\"j\", "
              "\"j\"]\nratio = 1\n"
              "coordinates = [\"angle\", \"displacement\"]\n"),
        "model.toml:17:15: couplings.c.coordinates: a gear joins two angles or two lengths (an "
        "angle and a displacement are joined by "
        "type = \"rack\")"}});
}

TEST(LoadErrorsTest, Motions) {
  const auto drive = [](const std::string& text) {
    return joint("revolute", "at = [0, 0, 0]\naxis = [0, 0, 1]\ndrive = { " + text + " }\n");
  };
  check({{drive("table = { time = [0], value = [0] }"),
          "model.toml:13:28: joints.j.drive.table: found one point; a table needs at least two"},
         {drive("table = { time = [0, 1], value = [0] }"),
          "model.toml:13:44: joints.j.drive.table: found 2 and 1 entries; expected equally many"},
         {drive("table = { time = [0, 2, 1], value = [0, 1, 2] }"),
          "model.toml:13:35: joints.j.drive.table.time.2: 1 comes after 2; expected strictly "
          "increasing numbers"},
         {drive("table = { time = [0, 1, 1], value = [0, 1, 2] }"),
          "model.toml:13:35: joints.j.drive.table.time.2: 1 comes twice; expected strictly "
          "increasing numbers"},
         {drive("table = { time = [0, 0.5], value = [0, 1] }"),
          "model.toml:13:28: joints.j.drive.table.time: the table runs from 0 s to 0.5 s, the "
          "simulation from 0 s to 1 s (let the "
          "table cover the run)"},
         {drive("step = { from = 0, to = 1, start = 1, end = 1 }"),
          "model.toml:13:55: joints.j.drive.step.end: the step ends at 1 s, not after its start at "
          "1 s"},
         {drive("formula = \"sin(3*t\""),
          "model.toml:13:29: joints.j.drive.formula: in 'sin(3*t': a closing ')' is missing"},
         {drive("formula = \"sqrt(t)\""),
          "model.toml:13:21: joints.j.drive.formula: 'sqrt(t)' is not finite at t = 0 s (a drive "
          "needs its speed and acceleration as "
          "well)"},
         {drive("formula = \"log(t)\""),
          "model.toml:13:21: joints.j.drive.formula: 'log(t)' is not finite at t = 0 s"},
         {drive("speed = 1, polynomial = [1]"),
          "model.toml:13:9: joints.j.drive: 'speed' and 'polynomial' are given together; only one "
          "may be"},
         {drive("polynomial = []"),
          "model.toml:13:24: joints.j.drive.polynomial: found 0 entries; expected a list of a "
          "number in rad/s^i"},
         {drive("polynomial = [1], start = 0"),
          "model.toml:13:29: joints.j.drive.start: 'start' needs 'speed' or 'input' beside it"}});
}

TEST(LoadErrorsTest, Springs) {
  check(
      {{small_model("[springs.s]\nbodies = [\"ground\", \"a\"]\nat = [[0, 0, 0], [0, 0, 1]]\n"),
        "model.toml:8:10: springs.s: the spring has neither stiffness, damping, preload, table "
        "nor formula (give at least one of them)"},
       {small_model("[springs.s]\nbodies = [\"ground\", \"a\"]\nat = [[0, 0, 0], [0, 0, "
                    "1]]\nstiffness = 1\ntable = { x = [0, 1], force = [0, "
                    "1] }\n"),
        "model.toml:12:1: springs.s.table: 'table' and 'stiffness' exclude each other (keep one)"},
       {small_model("[springs.s]\nbodies = [\"ground\", \"a\"]\nat = [[0, 0, 0], [0, 0, "
                    "1]]\nstiffness = -1\n"),
        "model.toml:11:13: springs.s.stiffness: found -1; expected a number >= 0 in N/m"},
       {small_model("[springs.s]\nstiffness = 1\n"),
        "model.toml:8:1: springs.s: one of 'bodies', 'markers' or 'joint' is missing"},
       {small_model("[springs.s]\nbodies = [\"ground\", \"a\"]\nat = [[0, 0, 0], [0, 0, "
                    "1]]\nstiffness = 1\nrest = 1\n"),
        "model.toml:12:1: springs.s.rest: 'rest' needs 'joint' beside it"},
       {small_model("[springs.x]\nbodies = [\"ground\", \"a\"]\nat = [[0, 0, 0], [0, 0, "
                    "1]]\nstiffness = 1\n[forces.x]\nbody = "
                    "\"a\"\nvector = [1, 0, 0]\n"),
        "model.toml:12:9: forces.x: the name is already used by 'springs.x' (springs, forces, "
        "torques, efforts and dampers share their names)"}});
}

TEST(LoadErrorsTest, Parameters) {
  const auto with = [](const std::string& text) { return small_model("[parameters]\n" + text); };
  check({{with("a = \"b\"\nb = \"c + 1\"\nc = \"2*a\"\n"),
          "model.toml:11:8: parameters.c: in '2*a': parameters depend on each other in a circle: a "
          "-> b -> c -> a"},
         {with("a = \"a\"\n"),
          "model.toml:9:6: parameters.a: in 'a': parameters depend on each other in a circle: a -> "
          "a"},
         {with("sin = 1\nt = 2\npi = 3\n"),
          "model.toml:9:1: parameters.sin: 'sin' is a function or constant (choose another name)\n"
          "model.toml:11:1: parameters.pi: 'pi' is a function or constant (choose another name)"},
         {with("\"a b\" = 1\n"),
          "model.toml:9:1: parameters.a b: the name 'a b' cannot stand in an expression; letters, "
          "digits and _ can (choose another "
          "name)"},
         {with("length = \"2 m\"\n[bodies.b]\nmass = \"lenght*2\"\n"),
          "model.toml:11:9: bodies.b.mass: in 'lenght*2': there is no parameter 'lenght' (did you "
          "mean 'length'?)"},
         {with("length = \"2 m\"\n[bodies.b]\nmass = \"length*2\"\n"),
          "model.toml:11:8: bodies.b.mass: found 'length*2', in m; expected a number >= 0 in kg"},
         {with("list = [1, [2]]\n"),
          "model.toml:9:8: parameters.list: found an array of 2; expected a finite number, a "
          "quantity or a vector of them"},
         // What depends on a broken parameter is not blamed for it.
         {with("wrong = \"1 +\"\n[bodies.b]\nmass = \"2*wrong\"\nposition = [\"wrong\", 0, 0]\n"),
          "model.toml:9:13: parameters.wrong: in '1 +': the expression ends where a value was "
          "expected"}});
}

TEST(LoadErrorsTest, Simulation) {
  const auto with = [](const std::string& text) {
    return "[mechanism]\ngravity = [0, 0, 0]\n[bodies.a]\nmass = 1\n[simulation]\n" + text;
  };
  check(
      {{with("duration = 0\n"),
        "model.toml:6:12: simulation.duration: found 0; expected a number > 0 in s"},
       {with("duration = -1\n"),
        "model.toml:6:12: simulation.duration: found -1; expected a number > 0 in s"},
       {with("duration = 1\ntolerance = 1\n"),
        "model.toml:7:13: simulation.tolerance: found 1; expected a number in [1e-14, 0.01]"},
       {with("duration = 1\ntolerance = 1e-20\n"),
        "model.toml:7:13: simulation.tolerance: found 1e-20; expected a number in [1e-14, 0.01]"},
       {with("duration = 1\noutput = 2\n"),
        "model.toml:7:10: simulation.output: the output step of 2 s is longer than the run of 1 s"},
       {with("duration = 1\noutput = 1e-9\n"),
        "model.toml:7:10: simulation.output: 1e+09 rows would follow, about 240 GB (at most 1e8 "
        "rows are written; make the step longer "
        "than 1e-08 s)"},
       {with("duration = 1\nintegrator = \"rk4\"\n"),
        "model.toml:5:1: simulation.step: 'step' is missing; a fixed-step integrator needs one "
        "(write step = \"10 us\", say)"},
       {with("duration = 1\nstep = 0.1\n"),
        "model.toml:7:8: simulation.step: 'step' belongs to 'moreau' and the fixed-step "
        "integrators 'rk4' and "
        "'heun' (the others choose their steps "
        "by 'tolerance'; 'max_step' limits them)"},
       {with("duration = 1\nintegrator = \"rk5\"\n"),
        "model.toml:7:14: simulation.integrator: found 'rk5'; expected 'auto', 'dop853', "
        "'radau', 'cvode-adams', 'cvode-bdf', 'arkode-erk', "
        "'arkode-dirk', 'ida', 'rk4', 'heun' or 'moreau' (did you mean 'rk4'?)"},
       {with("duration = 1\nstabilisation = \"none\"\n"),
        "model.toml:7:17: simulation.stabilisation: found 'none'; expected 'projection'"},
       {with("duration = 1\nstabilisation = { baumgarte = [5] }\n"),
        "model.toml:7:31: simulation.stabilisation.baumgarte: found 1 entries; expected a list of "
        "2 times a number >= 0 in 1/s"}});
}

TEST(LoadErrorsTest, Names) {
  EXPECT_THAT(mistakes("[bodies.\"a.b\"]\nmass = 1\n"),
              HasSubstr("bodies.a.b: the name 'a.b' contains"));
  EXPECT_THAT(mistakes("[bodies.\"a/b\"]\nmass = 1\n"), HasSubstr("'a/b' contains"));
  EXPECT_THAT(mistakes("[bodies.\"\"]\nmass = 1\n"), HasSubstr("the name is empty"));
  EXPECT_THAT(mistakes("[bodies.ground]\nmass = 1\n"),
              HasSubstr("model.toml:1:9: bodies.ground: the name 'ground' is taken"));
  EXPECT_THAT(mistakes("[bodies." + std::string(1000000, 'x') + "]\nmass = 1\n"),
              HasSubstr("has 1000000 bytes"));
  EXPECT_LT(mistakes("[bodies." + std::string(1000000, 'x') + "]\nmass = 1\n").size(), 1000u);
}

TEST(LoadErrorsTest, PhysicsIsJudgedWithItsPlace) {
  EXPECT_THAT(
      mistakes("[mechanism]\ngravity = [0, 0, 0]\n[bodies.a]\nmass = 1\n\ninertia = [1, 1, "
               "3]\n[simulation]\nduration = 1\n"),
      AllOf(HasSubstr("model.toml:6:11: bodies.a.inertia:"), HasSubstr("triangle inequality")));
}

TEST(LoadErrorsTest, NoBodies) {
  EXPECT_THAT(mistakes(""), HasSubstr("bodies: the model has no bodies"));
  EXPECT_THAT(mistakes(" \n\t\n"), HasSubstr("bodies: the model has no bodies"));
  EXPECT_THAT(mistakes("[bodies]\n"), HasSubstr("model.toml:1:1: bodies: the model has no bodies"));
}

TEST(LoadErrorsTest, AllMistakesAtOnce) {
  const std::string said = mistakes(R"toml([mechanism]
gravity = [0, 0]
[bodies.crank]
mas = 1
inertia = [1, "1 mm", 1]
[joints.pin]
type = "revolut"
bodies = ["ground", "crnk"]
at = [0, 0, 0]
axis = [0, 0, 0]
[simulation]
duration = "2 kg"
)toml");
  EXPECT_EQ(
      said,
      "model.toml:2:11: mechanism.gravity: found 2 entries; expected [x, y, z] in m/s^2 (for a "
      "planar mechanism write 'planar = true' "
      "in [mechanism])\n"
      "model.toml:3:1: bodies.crank: one of 'mass', 'density', 'shape' or 'flexible' is missing\n"
      "model.toml:4:1: bodies.crank.mas: unknown key 'mas' (did you mean 'mass'?)\n"
      "model.toml:5:15: bodies.crank.inertia.1: found '1 mm', in m; expected a number in kg m^2\n"
      "model.toml:7:8: joints.pin.type: found 'revolut'; expected 'fixed', 'revolute', "
      "'prismatic', 'cylindrical', 'spherical', "
      "'universal', 'planar', 'distance', 'point-on-line', 'point-in-plane', 'screw', "
      "'point-on-curve' or 'rack' (did you "
      "mean 'revolute'?)\n"
      "model.toml:8:21: joints.pin.bodies.1: there is no body 'crnk' (did you mean 'crank'?)\n"
      "model.toml:12:12: simulation.duration: found '2 kg', in kg; expected a number > 0 in s");
}

TEST(LoadErrorsTest, FloodsAreCut) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "[bodies.b" + std::to_string(i) + "]\nmass = 1\nx = 1\n";
  try {
    static_cast<void>(testing::read(text));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.issues().size(), 101u);
    EXPECT_EQ(error.issues().back().message, "and 400 further mistakes");
  }
}

TEST(LoadErrorsTest, IssuesCarryTheirParts) {
  try {
    static_cast<void>(testing::read(small_model("mas = 2\n")));
    FAIL();
  } catch (const ModelError& error) {
    ASSERT_EQ(error.issues().size(), 1u);
    const Issue& issue = error.issues()[0];
    EXPECT_EQ(issue.file, "model.toml");
    EXPECT_EQ(issue.line, 8);
    EXPECT_EQ(issue.column, 1);
    EXPECT_EQ(issue.path, "bodies.a.mas");
    EXPECT_EQ(issue.message, "unknown key 'mas'");
    EXPECT_EQ(issue.hint, "did you mean 'mass'?");
    EXPECT_TRUE(issue.fatal);
  }
}

TEST(LoadErrorsTest, TableFilesSayTheirLine) {
  const auto folder = testing::scratch_dir();
  const auto said = [&](const std::string& csv) {
    std::ofstream(folder / "cam.csv") << csv;
    std::ofstream(folder / "model.toml")
        << joint("prismatic",
                 "at = [0, 0, 0]\naxis = [1, 0, 0]\ndrive = { table = { file = \"cam.csv\" } }\n");
    try {
      static_cast<void>(load_model(folder / "model.toml"));
      return std::string();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(said("0,0\n1,2\n"), "");
  EXPECT_EQ(said("0,0\n1,x\n"), "cam.csv:2:3: found 'x'; expected a finite number in SI");
  EXPECT_EQ(said("0,0,0\n1,2\n"), "cam.csv:1:1: found 3 columns; expected 2");
  EXPECT_EQ(said("0,0\n1,nan\n"), "cam.csv:2:3: found 'nan'; expected a finite number in SI");
  EXPECT_THAT(said("0,0\n"),
              HasSubstr("joints.j.drive.table: found one point; a table needs at least two"));
  EXPECT_THAT(said(""), HasSubstr("found no point"));
}

TEST(LoadErrorsTest, FormulasOfMotion) {
  const std::string rail = "at = [0, 0, 0]\naxis = [1, 0, 0]\n";
  check(
      {{joint("prismatic", rail + "drive = { formula = \"0.1*x\" }\n"),
        "model.toml:13:26: joints.j.drive.formula: in '0.1*x': there is no parameter 'x' (the "
        "coordinate x and the speed v are known to springs, forces, torques and efforts, not to "
        "drives)"},
       {joint("prismatic", rail + "[springs.s]\njoint = \"j\"\nformula = \"3*x\"\nstiffness = 1\n"),
        "model.toml:15:1: springs.s.formula: 'formula' and 'stiffness' exclude each other (keep "
        "one)"},
       {joint("prismatic", rail + "[springs.s]\njoint = \"j\"\nformula = \"3*v + min(x, 2)\"\n"),
        "model.toml:15:18: springs.s.formula: in '3*v + min(x, 2)': min() of a variable has no "
        "smooth derivatives (use a 'table', a 'step' or smooth functions)"},
       {small_model("[parameters]\nx = 1\n[forces.f]\nbody = \"a\"\ndirection = [1, 0, 0]\n"
                    "magnitude = { formula = \"2*x\" }\n"),
        "model.toml:13:28: forces.f.magnitude.formula: in '2*x': 'x' is a parameter, and here also "
        "the coordinate of the element (give the parameter another name)"},
       {small_model("[forces.f]\nbody = \"a\"\ndirection = [1, 0, 0]\nframe = \"body\"\n"
                    "magnitude = { formula = \"2*x\" }\n"),
        "model.toml:12:13: forces.f.magnitude.formula: '2*x' uses x, but a force that follows its "
        "body has no coordinate (use v and t alone, or an effort on a joint coordinate)"},
       {small_model("[torques.q]\nbody = \"a\"\ndirection = [1, 0, 0]\n"
                    "magnitude = { formula = \"2*x - v\" }\n"),
        "model.toml:11:13: torques.q.magnitude.formula: '2*x - v' uses x, but a torque on a body "
        "in "
        "space has no angle (use v and t alone, or an effort on a joint coordinate)"}});
}

}  // namespace
}  // namespace freeplay
