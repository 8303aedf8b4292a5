// SPDX-License-Identifier: Apache-2.0
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

// Points, vector parameters, and bodies given by the points they join.
namespace freeplay {
namespace {

using ::testing::HasSubstr;
using testing::mistakes;
using testing::read;
using testing::warnings;

std::string planar(const std::string& text) {
  return "[mechanism]\nplanar = true\ngravity = [0, 0]\n[simulation]\nduration = 1\n" + text;
}
std::string spatial(const std::string& text) {
  return "[mechanism]\ngravity = [0, 0, 0]\n[simulation]\nduration = 1\n" + text;
}
const Body& body(const Model& model, const std::string& name) {
  for (const Body& b : model.bodies)
    if (b.name == name) return b;
  throw std::runtime_error("no body " + name);
}
void expect_vec(const Vec3& found, const Vec3& expected, double tolerance = 1e-15) {
  EXPECT_LE((found - expected).norm(), tolerance) << found.transpose();
}

TEST(PointsTest, OfExpressionsAndOfEachOtherInAnyOrder) {
  const Model model = read(
      planar("[bodies.a]\nmass = 1\nposition = \"M\"\n[bodies.b]\nmass = 1\nposition = [\"M.x\", "
             "\"-M.y\"]\n[points]\nM = \"(A + B)/2\"\nB = \"A + step\"\nA = [\"50 mm\", "
             "\"L\"]\n[parameters]\nL = \"0.2 m\"\nstep = [\"1 m\", 0]\n"
             "[joints.j]\ntype = \"revolute\"\nbodies = [\"ground\", \"a\"]\nat = \"A\"\n"
             "[markers.m]\nbody = \"b\"\nat = \"-B\"\n"
             "[springs.s]\nbodies = [\"ground\", \"b\"]\nat = [\"A\", \"B\"]\nstiffness = 1\n"
             "[forces.f]\nbody = \"b\"\nat = \"B\"\ndirection = \"B - A\"\nmagnitude = 2\n"));
  expect_vec(body(model, "a").position, {0.55, 0.2, 0});
  expect_vec(body(model, "b").position, {0.55, -0.2, 0});
  expect_vec(model.joints[0].first.point, {0.05, 0.2, 0});
  expect_vec(model.markers[0].frame.point, {-1.05 - 0.55, 0, 0});
}

TEST(PointsTest, TwoBarsMeetOnTheLeft) {
  const Model model = read(planar(
      "[points]\nA = [0, 0]\nB = [5, 0]\nP = \"meet(A, 3 m, B, 4 m)\"\nQ = \"meet(B, 4 m, A, "
      "3 m)\"\n[bodies.p]\nmass = 1\nposition = \"P\"\n[bodies.q]\nmass = 1\nposition = "
      "\"Q\"\n[bodies.r]\nmass = \"distance(P, A)*1 kg/1 m\"\nangle = \"angle(A, P)\"\n"));
  expect_vec(body(model, "p").position, {1.8, 2.4, 0});  // 3-4-5
  expect_vec(body(model, "q").position, {1.8, -2.4, 0});
  EXPECT_DOUBLE_EQ(body(model, "r").mass, 3);
  EXPECT_DOUBLE_EQ(body(model, "r").angle, std::atan2(2.4, 1.8));
}

TEST(PointsTest, LetterUnitsMayBeNamesOfParameters) {
  const Model model = read(
      planar("[parameters]\nL = \"0.2 m\"\nm = \"3 kg\"\ng = 2\nh = \"L/2\"\nt = \"1 mm\"\n"
             "[bodies.a]\nmass = \"m*g\"\ninertia = \"m*L^2/12\"\nposition = [\"h + t\", \"2*L "
             "+ 0.5 m\"]\n"));
  EXPECT_DOUBLE_EQ(body(model, "a").mass, 6);
  EXPECT_DOUBLE_EQ(body(model, "a").inertia(2, 2), 0.01);
  expect_vec(body(model, "a").position, {0.101, 0.9, 0});
}

TEST(PointsTest, UnitOrParameterIsAsked) {
  const std::string with = "[parameters]\nL = \"0.2 m\"\nt = 3\n[bodies.a]\nmass = 1\n";
  EXPECT_EQ(mistakes(planar(with + "inertia = \"2 kg*L^2\"\n")),
            "model.toml:11:12: bodies.a.inertia: in '2 kg*L^2': 'L' is a unit here, but also the "
            "name of a parameter (write the number and its unit in parentheses before '*' or '/', "
            "as in '(2 kg)*L'; or rename the parameter)");
  EXPECT_EQ(mistakes(planar(with + "inertia = \"(2 kg)*L^2\"\n")), "");
  EXPECT_EQ(mistakes(planar(with + "position = [\"2 L\", 0]\n")),
            "model.toml:11:13: bodies.a.position.0: found '2 L', in m^3; expected a number in m "
            "('L' behind a number is the unit; the parameter is multiplied with '*')");
  EXPECT_THAT(mistakes(planar(with + "[joints.j]\ntype = \"revolute\"\nbodies = [\"ground\", "
                                     "\"a\"]\nat = [0, 0]\ndrive = { formula = \"2*t\" }\n")),
              HasSubstr("'t' is a parameter, and here also the time"));
  EXPECT_THAT(mistakes(planar("[bodies.a]\nmass = \"kg\"\n")),
              HasSubstr("the unit 'kg' has no number before it (write '1 kg')"));
}

TEST(PointsTest, RodBetweenTwoPoints) {
  const Model model = read(planar(
      "[points]\nA = [\"0.1 m\", 0]\nB = [\"0.4 m\", \"0.4 m\"]\n[bodies]\nthin = { link = [\"A\", "
      "\"B\"], mass = 3 }\nround = { link = [\"A\", \"B\"], section = { diameter = \"20 mm\", bore "
      "= "
      "\"10 mm\" }, density = \"8000 kg/m^3\" }\nown = { link = [\"B\", \"A\"], mass = 3, inertia "
      "= "
      "1 }\nflat = { link = [\"A\", \"B\"], section = { width = \"20 mm\", thickness = \"5 mm\" }, "
      "mass = 3 }\n"));
  const Body& thin = body(model, "thin");
  expect_vec(thin.position, {0.25, 0.2, 0});
  EXPECT_DOUBLE_EQ(thin.angle, std::atan2(0.4, 0.3));
  EXPECT_NEAR(thin.inertia(2, 2), 3 * 0.25 / 12, 1e-15);  // m l^2/12, l = 0.5 m
  EXPECT_EQ(thin.inertia(0, 0), 0);
  const Body& round = body(model, "round");
  const double mass = 8000 * std::numbers::pi / 4 * (4e-4 - 1e-4) * 0.5;
  EXPECT_NEAR(round.mass, mass, 1e-14);
  EXPECT_NEAR(round.inertia(2, 2), mass * (0.25 / 12 + 5e-4 / 16), 1e-15);
  EXPECT_EQ(body(model, "own").inertia(2, 2), 1);
  EXPECT_NEAR(body(model, "flat").inertia(2, 2), 3 * (0.25 + 4e-4) / 12, 1e-15);
}

TEST(PointsTest, RodInSpaceIsTurnedByTheSmallestRotation) {
  const Model model = read(
      spatial("[bodies]\na = { link = [[0, 0, 0], [1, 2, 2]], section = { width = 0.2, thickness = "
              "0.1 }, mass = 12 }\nb = { link = [[1, 0, 0], [-1, 0, 0]], mass = 12 }\n"));
  const Body& a = body(model, "a");
  expect_vec(a.position, {0.5, 1, 1});
  const Eigen::Quaterniond q(a.orientation[0], a.orientation[1], a.orientation[2],
                             a.orientation[3]);
  expect_vec(q * Vec3::UnitX(), Vec3(1, 2, 2) / 3);
  // The axis of the smallest rotation is normal to both directions.
  EXPECT_NEAR(a.orientation[1], 0, 1e-16);
  expect_vec(a.inertia.diagonal(), {0.04 + 0.01, 9 + 0.01, 9 + 0.04}, 1e-14);
  const Body& b = body(model, "b");
  expect_vec(b.inertia.diagonal(), {0, 4, 4}, 1e-14);
  EXPECT_NEAR(std::abs(b.orientation[3]), 1, 1e-15);
}

TEST(PointsTest, PlateBetweenThreeAndMore) {
  // Triangle: centre at the mean of its corners, m (a^2 + b^2 + c^2)/36. Rectangle: m (a^2 +
  // b^2)/12.
  for (const char* order : {"[[0, 0], [3, 0], [0, 4]]", "[[0, 0], [0, 4], [3, 0]]"}) {
    const Model model = read(planar("[bodies.t]\nmass = 36\nlink = " + std::string(order) + "\n"));
    expect_vec(body(model, "t").position, {1, 4.0 / 3, 0});
    EXPECT_NEAR(body(model, "t").inertia(2, 2), 50, 1e-13);
  }
  const Model model = read(
      spatial("[bodies]\nr = { link = [[0, 0, 1], [0, 2, 1], [0, 2, 4], [0, 0, 4]], section = { "
              "thickness = 0.1 }, density = 1000 }\n"));
  const Body& r = body(model, "r");
  EXPECT_NEAR(r.mass, 600, 1e-10);
  expect_vec(r.position, {0, 1, 2.5});
  expect_vec(r.inertia.diagonal(), Vec3(9 + 0.01, 4 + 0.01, 13) * 50, 1e-10);
  EXPECT_NEAR(r.inertia(0, 1), 0, 1e-11);
  // A corner twice as long as wide: products of inertia, from its two rectangles by hand.
  const Model corner = read(
      planar("[bodies.l]\nmass = 3\nlink = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]\n"));
  // Three unit squares with centres (0.5, 0.5), (1.5, 0.5), (0.5, 1.5).
  expect_vec(body(corner, "l").position, {2.5 / 3, 2.5 / 3, 0});
  EXPECT_NEAR(body(corner, "l").inertia(2, 2), 3.0 / 6 + 2 * 2.0 / 3, 1e-13);
}

TEST(PointsTest, WrittenOutTheyAreOrdinaryModels) {
  for (const std::string& text :
       {testing::everything_short(), testing::everything_short_spatial()}) {
    const Model model = read(text);
    const std::string plain = write_model(model);
    EXPECT_EQ(plain.find("link"), std::string::npos);
    EXPECT_EQ(plain.find('{', plain.find("[bodies")) == std::string::npos, false);
    EXPECT_EQ(testing::dump(model), testing::dump(read(plain)));
  }
}

TEST(PointsTest, MistakesHaveTheirPlaceAndRemedy) {
  const std::string bodies = "[bodies.a]\nmass = 1\n";
  const auto points = [&](const std::string& text) {
    return mistakes(planar("[points]\n" + text + bodies));
  };
  EXPECT_EQ(points("A = [0, 0, 0]\n"),
            "model.toml:7:5: points.A: found 3 entries; expected [x, y] in m (the mechanism is "
            "planar)");
  EXPECT_EQ(mistakes(spatial("[points]\nA = [0, 0]\n" + bodies)),
            "model.toml:6:5: points.A: found 2 entries; expected [x, y, z] in m (for a planar "
            "mechanism write 'planar = true' in [mechanism])");
  EXPECT_EQ(points("A = 3\n"),
            "model.toml:7:5: points.A: found the number 3; expected [x, y] in m");
  EXPECT_EQ(points("A = [true, 0]\n"),
            "model.toml:7:5: points.A: found an array of 2; expected [x, y] in m, or an expression "
            "of points");
  EXPECT_EQ(points("A = [\"1 kg\", 0]\n"),
            "model.toml:7:5: points.A: found a vector in kg; expected [x, y] in m");
  EXPECT_EQ(points("A = [\"1 kg\", \"1 m\"]\n"),
            "model.toml:7:5: points.A: the entries have different units");
  EXPECT_EQ(points("A = \"B\"\nB = \"A + C\"\nC = [0, 1]\n"),
            "model.toml:8:6: points.B: in 'A + C': points depend on each other in a circle: A -> B "
            "-> A");
  EXPECT_EQ(points("A = \"Q\"\n"),
            "model.toml:7:6: points.A: in 'Q': there is no parameter or point 'Q' (known: 'A')");
  EXPECT_EQ(points("A = [0, 0]\n[parameters]\nA = 1\n"),
            "model.toml:7:1: points.A: 'A' is already the name of parameters.A (parameters and "
            "points share their names; choose another one)");
  EXPECT_EQ(points("\"a b\" = [0, 0]\n"),
            "model.toml:7:1: points.a b: the name 'a b' cannot stand in an expression; letters, "
            "digits and _ can (choose another name)");
  EXPECT_THAT(points("A = [0, 0]\nB = [1, 0]\nC = \"A*B\"\n"), HasSubstr("multiply two vectors"));
  EXPECT_THAT(points("A = [0, 0]\nB = \"A + 1 m\"\n"), HasSubstr("add a vector and a number"));
  EXPECT_THAT(points("A = [0, 0]\nB = [\"A.z\", 0]\n"), HasSubstr("'A' has no z"));
  EXPECT_THAT(points("A = [0, 0]\nB = [\"A\", 0]\n"), HasSubstr("is a vector; a number"));
  EXPECT_THAT(points("A = [0, 0]\nB = \"meet(A, 1 m, A, 1 m)\"\n"), HasSubstr("no point is 1 m"));
  EXPECT_THAT(points("A = { at = [0, 0] }\n"), HasSubstr("'repeat' is missing"));
  EXPECT_THAT(mistakes(planar("points = 3\n" + bodies)), HasSubstr("unknown key"));
}

TEST(PointsTest, MistakesOfThoseWhoUseThem) {
  const auto with = [&](const std::string& text) {
    return mistakes(
        planar("[points]\nA = [0, 0]\nB = [1, 0]\n[parameters]\nv = [1, 2, 3]\n"
               "[bodies.a]\nmass = 1\n" +
               text));
  };
  const std::string joint = "[joints.j]\ntype = \"revolute\"\nbodies = [\"ground\", \"a\"]\n";
  EXPECT_EQ(
      with(joint + "at = \"a\"\n"),
      "model.toml:16:7: joints.j.at: in 'a': there is no parameter or point 'a' (did you mean "
      "'A'?)");
  EXPECT_EQ(with(joint + "at = \"v\"\n"),
            "model.toml:16:6: joints.j.at: found 'v', a vector of 3; expected [x, y] in m");
  EXPECT_EQ(with(joint + "at = \"2 m\"\n"),
            "model.toml:16:6: joints.j.at: found '2 m', a number; expected [x, y] in m");
  EXPECT_EQ(with(joint + "at = { a = \"A\", ground = [0, 0] }\n"),
            "model.toml:16:13: joints.j.at.a: in 'A': 'A' is a global point; here, a point in the "
            "frame of the body belongs (write at = \"A\")");
  EXPECT_THAT(with(joint + "at = [\"A\", \"B\"]\n"), HasSubstr("found two points; expected one"));
  EXPECT_THAT(with("position = \"B - A\"\nvelocity = \"A\"\n"), HasSubstr("'A', in m; expected"));
  EXPECT_EQ(with("[bodies.b]\nmass = 1\nlink = [\"A\"]\n"),
            "model.toml:15:8: bodies.b.link: found 1 points; expected 2 for a rod, 3 or more for a "
            "plate (link = [\"A\", \"B\"])");
  EXPECT_THAT(with("[bodies.b]\nmass = 1\nlink = [\"A\", \"A\"]\n"), HasSubstr("are the same"));
  EXPECT_THAT(with("[bodies.b]\nmass = 1\nlink = \"A\"\n"), HasSubstr("found the string 'A'"));
  EXPECT_THAT(with("[bodies.b]\nmass = 1\nlink = [\"A\", \"B\", \"2*B\"]\n"),
              HasSubstr("do not span a plane"));
  EXPECT_THAT(with("[bodies.b]\nmass = 1\nlink = [[0, 0], [2, 2], [2, 0], [0, 1]]\n"),
              HasSubstr("cross each other (name the corners in their order)"));
  EXPECT_THAT(with("[bodies.b]\nlink = [\"A\", \"B\"]\n"),
              HasSubstr("one of 'mass', 'density', 'shape' or 'flexible' is missing"));
  EXPECT_THAT(
      with("[bodies.b]\nlink = [\"A\", \"B\"]\ndensity = 1\n"),
      HasSubstr("'density' needs 'section' beside it (section = { diameter = \"20 mm\" })"));
  EXPECT_THAT(with("[bodies.b]\nmass = 1\nlink = [\"A\", \"B\"]\nangle = 1\n"),
              HasSubstr("'link' and 'angle' exclude each other"));
  EXPECT_THAT(with("[bodies.b]\nmass = 1\nlink = [\"A\", \"B\"]\nsection = { width = 1 }\n"),
              HasSubstr("'width' needs 'thickness'"));
  EXPECT_THAT(
      with("[bodies.b]\nmass = 1\nlink = [\"A\", \"B\"]\nsection = { diameter = 1, bore = 2 }\n"),
      HasSubstr("leaves nothing of the diameter"));
}

}  // namespace
}  // namespace freeplay
