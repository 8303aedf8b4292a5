// SPDX-License-Identifier: Apache-2.0
#include "io/mesh.hpp"
#include "support/paths.hpp"
#include "unit/io/model_text.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>
#include <optional>
#include <random>
#include <string_view>

// Bodies given by what they are made of: closed forms, and closed surfaces from files.
namespace freeplay {
namespace {

using ::testing::HasSubstr;
using testing::mistakes;
using testing::read;
constexpr double kPi = std::numbers::pi;

std::string spatial(const std::string& body) {
  return "[mechanism]\ngravity = [0, 0, 0]\n[simulation]\nduration = 1\n[bodies.a]\n" + body;
}
std::string planar(const std::string& body) {
  return "[mechanism]\nplanar = true\ngravity = [0, 0]\n[simulation]\nduration = 1\n[bodies.a]\n" +
         body;
}
Body body(const std::string& text) { return read(text).bodies.at(1); }
void expect_vec(const Vec3& found, const Vec3& expected, double tolerance = 1e-14) {
  EXPECT_LE((found - expected).norm(), tolerance * (1 + expected.norm())) << found.transpose();
}

TEST(ShapesTest, ClosedForms) {
  const Body box = body(spatial("shape = { box = [1, 2, 3], at = [4, 5, 6], density = 2 }\n"));
  EXPECT_DOUBLE_EQ(box.mass, 12);
  expect_vec(box.position, {4, 5, 6});
  expect_vec(box.inertia.diagonal(), {13, 10, 5});
  const Body cylinder =
      body(spatial("shape = { cylinder = { diameter = 4, bore = 2, length = 6 }, density = 1 }\n"));
  const double m = kPi * (4 - 1) * 6;  // R = 2, r = 1: m (R^2 + r^2)/2, m (3 (R^2 + r^2) + l^2)/12
  EXPECT_NEAR(cylinder.mass, m, 1e-13 * m);
  expect_vec(cylinder.inertia.diagonal(), m * Vec3(51.0 / 12, 51.0 / 12, 2.5));
  const Body sphere = body(spatial("mass = 5\nshape = { sphere = 2 }\n"));
  expect_vec(sphere.inertia.diagonal(), {2, 2, 2});  // 2/5 m r^2
  // A capsule without a middle is a ball.
  const Body ball =
      body(spatial("mass = 5\nshape = { capsule = { diameter = 2, length = 1e-12 } }\n"));
  expect_vec(ball.inertia.diagonal(), {2, 2, 2}, 1e-11);
  const Body flat =
      body(planar("density = 10\nshape = { cylinder = { diameter = 2, length = 0.1 }, "
                  "at = [3, 4] }\n"));
  EXPECT_NEAR(flat.inertia(2, 2), kPi / 2, 1e-14);  // a disc of pi kg: m r^2/2
  expect_vec(flat.position, {3, 4, 0});
}

TEST(ShapesTest, CapsuleByIntegration) {
  // Slices across the axis: discs of radius rho(x), m r^2/4 and x^2 across, r^2/2 along.
  const double r = 0.5, length = 2;
  double volume = 0, along = 0, across = 0;
  const int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double x = (i + 0.5) / n * (length / 2 + r), over = std::max(0.0, x - length / 2),
                 square = r * r - over * over, slice = 2 * kPi * square * (length / 2 + r) / n;
    volume += slice;
    along += slice * square / 2;
    across += slice * (square / 4 + x * x);
  }
  const Body capsule = body(spatial(
      "shape = { capsule = { diameter = 1, length = 2 }, axis = [0, 0, 2], density = 1 }\n"));
  EXPECT_NEAR(capsule.mass, volume, 1e-9);
  expect_vec(capsule.inertia.diagonal(), {across, across, along}, 1e-9);
}

TEST(ShapesTest, SeveralPartsAndTheirAxes) {
  // Two cubes of 1 kg, 2 m apart on the diagonal of x and y: products of inertia by Steiner.
  const Body two = body(spatial(
      "shape = [{ box = [1, 1, 1], at = [1, 1, 0], density = 1 }, { box = [1, 1, 1], axis = [0, 1, "
      "0], at = [-1, -1, 0], density = 1 }]\n"));
  EXPECT_DOUBLE_EQ(two.mass, 2);
  expect_vec(two.position, {0, 0, 0});
  expect_vec(two.inertia.diagonal(), {2 + 1.0 / 3, 2 + 1.0 / 3, 4 + 1.0 / 3});
  EXPECT_NEAR(two.inertia(0, 1), -2, 1e-14);
  const Body turned = body(spatial("shape = { box = [3, 2, 1], axis = [0, 1, 0], density = 2 }\n"));
  expect_vec(turned.inertia.diagonal(), {10, 5, 13});
  EXPECT_EQ(turned.inertia(0, 1), 0);
  // A mass is spread over the volume; a body's density is that of parts that have none.
  EXPECT_DOUBLE_EQ(body(spatial("mass = 3\nshape = [{ sphere = 1 }, { sphere = 1, at = [2, 0, 0] "
                                "}]\n"))
                       .position[0],
                   1);
  EXPECT_DOUBLE_EQ(
      body(
          spatial("density = 1\nshape = [{ box = [1, 1, 1] }, { box = [1, 1, 1], density = 3, at = "
                  "[2, 0, 0] }]\n"))
          .position[0],
      1.5);
  const Body plate =
      body(planar("shape = { plate = { corners = [[0, 0], [3, 0], [0, 4]], thickness = 0.5 }, "
                  "density = 12 }\n"));
  EXPECT_NEAR(plate.mass, 36, 1e-13);
  EXPECT_NEAR(plate.inertia(2, 2), 50, 1e-12);
}

TEST(ShapesTest, MistakesHaveTheirPlaceAndRemedy) {
  EXPECT_THAT(mistakes(spatial("shape = { box = [1, 1], density = 1 }\n")), HasSubstr("2 entries"));
  EXPECT_THAT(mistakes(spatial("shape = { box = [1, 1, 0], density = 1 }\n")), HasSubstr("> 0"));
  EXPECT_THAT(mistakes(spatial("shape = { ball = 1 }\n")), HasSubstr("unknown key 'ball'"));
  EXPECT_THAT(mistakes(spatial("shape = { sphere = 1 }\n")),
              HasSubstr("'density' is missing: nothing says what this shape weighs"));
  EXPECT_THAT(mistakes(spatial("mass = 1\nshape = { sphere = 1, density = 1 }\n")),
              HasSubstr("its shapes have no densities then"));
  EXPECT_THAT(mistakes(spatial("shape = { sphere = 1, box = [1, 1, 1], density = 1 }\n")),
              HasSubstr("given together; only one may be"));
  EXPECT_THAT(mistakes(spatial("position = [0, 0, 0]\nshape = { sphere = 1, density = 1 }\n")),
              HasSubstr("only drawn, and nothing else says what it weighs"));
  EXPECT_THAT(mistakes(spatial("mass = 1\nposition = [0, 0, 0]\nshape = { sphere = 1, density = 1 "
                               "}\n")),
              HasSubstr("its shapes have no densities then"));
  EXPECT_THAT(mistakes(spatial("mass = 1\nshape = { sphere = 1, colour = \"reddish\" }\n")),
              HasSubstr("no colour is called 'reddish'"));
  EXPECT_THAT(mistakes(spatial("mass = 1\nshape = { sphere = 1, colour = \"#12345g\" }\n")),
              HasSubstr("expected \"#rrggbb\" or one of 'black', 'white'"));
  EXPECT_THAT(mistakes(spatial("mass = 1\nshape = { sphere = 1, local = [0, 0, 0] }\n")),
              HasSubstr("the body has no frame before its shapes are placed"));
  EXPECT_THAT(mistakes(spatial("mass = 1\nposition = [0, 0, 0]\nshape = { sphere = 1, local = [0, "
                               "0, 0], axes = [1, 0, 0, 0, 1, 0, 0, 0, -1] }\n")),
              HasSubstr("right-handed"));
  EXPECT_THAT(mistakes(spatial("mass = 1\nposition = [0, 0, 0]\nshape = { mesh = { vertices = "
                               "\"AAAA\", triangles = \"AAAA\" } }\n")),
              HasSubstr("not what programs write"));
  EXPECT_THAT(
      mistakes(spatial("flexible = { from = [0, 0, 0], to = [1, 0, 0], section = { diameter "
                       "= 0.1 }, material = \"steel\" }\nshape = { sphere = 1 }\n")),
      HasSubstr("exclude each other"));
  EXPECT_THAT(
      mistakes(spatial("shape = { cylinder = { diameter = 1, length = 1, bore = 2 }, density = 1 "
                       "}\n")),
      HasSubstr("leaves nothing"));
  EXPECT_THAT(mistakes(spatial("shape = { sphere = 1, axis = [0, 0, 0], density = 1 }\n")),
              HasSubstr("direction of length zero"));
  EXPECT_THAT(mistakes(spatial("shape = { sphere = 1e200, density = 1e200 }\n")),
              HasSubstr("no finite numbers"));
  EXPECT_THAT(mistakes(spatial("shape = { file = \"x.stl\", density = 1 }\n")),
              HasSubstr("'file' needs 'unit' beside it"));
  EXPECT_THAT(mistakes(spatial("mass = 1\ndensity = 1\nshape = { sphere = 1 }\n")),
              HasSubstr("'density' and 'mass' exclude each other"));
  EXPECT_THAT(mistakes(spatial("shape = 3\n")), HasSubstr("found the number 3"));
  EXPECT_THAT(mistakes(spatial("shape = []\n")), HasSubstr("0 entries"));
}

// ---------------------------------------------------------------- surfaces

using Triangles = std::vector<std::array<Vec3, 3>>;

/// Triangles of a box with a corner at the origin, seen from outside anticlockwise.
Triangles box(const Vec3& size) {
  const auto corner = [&](int k) {
    return Vec3((k & 1) * size[0], (k >> 1 & 1) * size[1], (k >> 2) * size[2]);
  };
  Triangles out;
  for (const auto& q : {std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4},
                        std::array{2, 6, 7, 3}, std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}}) {
    out.push_back({corner(q[0]), corner(q[1]), corner(q[2])});
    out.push_back({corner(q[0]), corner(q[2]), corner(q[3])});
  }
  return out;
}

std::string binary(const Triangles& triangles) {
  std::string out(80, ' ');
  const auto count = static_cast<std::uint32_t>(triangles.size());
  out.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& t : triangles) {
    out.append(12, '\0');
    for (const Vec3& c : t)
      for (const double x : c) {
        const auto f = static_cast<float>(x);
        out.append(reinterpret_cast<const char*>(&f), 4);
      }
    out.append(2, '\0');
  }
  return out;
}

std::string ascii(const Triangles& triangles) {
  std::string out = "solid part\n";
  for (const auto& t : triangles) {
    out += "facet normal 0 0 0\n outer loop\n";
    for (const Vec3& c : t) out += fmt::format("  vertex {} {:e} {}\n", c[0], c[1], c[2]);
    out += " endloop\nendfacet\n";
  }
  return out + "endsolid part\n";
}

std::string obj(const Vec3& s) {
  std::string out = "# box\n";
  for (int k = 0; k < 8; ++k)
    out += fmt::format("v {} {} {}\n", (k & 1) * s[0], (k >> 1 & 1) * s[1], (k >> 2) * s[2]);
  return out +
         "vn 0 0 1\nf 1 3 4 2\nf 5//1 6//1 8//1 7//1\nf 1 2 6 5\nf 3 7 8 4\nf -8 -4 -2 -6\n"
         "f 2 4 8 6\n";
}

std::optional<io::Solid> solid_in(std::string_view bytes, std::string_view name, io::Refusal& why) {
  const auto mesh = io::read_mesh(bytes, name, why);
  return mesh ? io::enclosed(*mesh, why) : std::nullopt;
}

TEST(MeshTest, BoxFromEveryFormat) {
  const Vec3 size(1, 2, 4);
  io::Refusal why;
  for (const auto& [text, name] :
       {std::pair(binary(box(size)), "a.stl"), std::pair(ascii(box(size)), "a.stl"),
        std::pair(obj(size), "a.obj")}) {
    const auto solid = solid_in(text, name, why);
    ASSERT_TRUE(solid) << name << why.message;
    EXPECT_NEAR(solid->volume, 8, 1e-14);
    expect_vec(solid->centre, size / 2);
    expect_vec(solid->gyration.diagonal(), Vec3(20, 17, 5) / 12);
    EXPECT_NEAR(solid->gyration(0, 1), 0, 1e-14);
  }
}

TEST(MeshTest, RoundBodiesConvergeToTheClosedForm) {
  // A ball of n x 2n patches: the mass comes in with the square of their size, and the chords'
  // polyhedron itself is met to rounding: its tetrahedra add up to the same by another order.
  double last = 1;
  double before = 0;
  for (const int n : {16, 32, 64, 128, 512}) {
    Triangles out;
    const auto at = [&](int i, int j) {
      const double u = kPi * i / n, v = kPi * (j % (2 * n)) / n;
      if (i == 0 || i == n) return Vec3(0, 0, i == 0 ? 1 : -1);
      return Vec3(std::sin(u) * std::cos(v), std::sin(u) * std::sin(v), std::cos(u));
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < 2 * n; ++j) {
        out.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
        out.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    io::Refusal why;
    const auto solid = solid_in(binary(out), "ball.stl", why);
    ASSERT_TRUE(solid) << why.message;
    const double error = std::abs(solid->volume / (4 * kPi / 3) - 1);
    EXPECT_LT(error, 5.0 / (n * n));
    EXPECT_LT(error, 0.3 * last);
    EXPECT_NEAR(solid->gyration(0, 0), 0.4, 10.0 / (n * n));
    // What is left goes with the square of the patches: without it the closed form itself.
    if (n == 128) {
      EXPECT_NEAR((4 * solid->volume - before) / (4 * kPi), 1, 1e-6);
    }
    before = solid->volume;
    last = error;
  }
}

TEST(MeshTest, FacesOfABodyFarAwayKeepTheirDigits) {
  Triangles far = box({1, 1, 1});
  for (auto& t : far)
    for (Vec3& c : t) c += Vec3(1000, -2000, 500);
  io::Refusal why;
  const auto solid = solid_in(binary(far), "a.stl", why);
  ASSERT_TRUE(solid);
  EXPECT_NEAR(solid->volume, 1, 1e-12);
  expect_vec(solid->gyration.diagonal(), Vec3::Constant(1.0 / 6), 1e-9);
}

TEST(MeshTest, WhatEnclosesNothingIsRefused) {
  io::Refusal why;
  Triangles open = box({1, 1, 1});
  open.pop_back();
  EXPECT_FALSE(solid_in(binary(open), "a.stl", why));
  EXPECT_EQ(why.message, "the surface is open: 3 sides have no neighbour");
  Triangles inside_out = box({1, 1, 1});
  for (auto& t : inside_out) std::swap(t[1], t[2]);
  EXPECT_FALSE(solid_in(binary(inside_out), "a.stl", why));
  EXPECT_THAT(why.message, HasSubstr("inside out"));
  Triangles mixed = box({1, 1, 1});
  std::swap(mixed[3][1], mixed[3][2]);
  EXPECT_FALSE(solid_in(binary(mixed), "a.stl", why));
  EXPECT_THAT(why.message, HasSubstr("different ways"));
  EXPECT_FALSE(solid_in(binary(box({1, 1, 0})), "a.stl", why));
  for (const char* text : {"", "solid", "facet", "vertex 1 2", "facet vertex 1 2 endfacet"})
    EXPECT_FALSE(solid_in(text, "a.stl", why)) << text;
  for (const char* text : {"", "v 1 2", "f 1 2 3", "v 1 2 3\nf 1 1 2", "v a b c"})
    EXPECT_FALSE(solid_in(text, "a.obj", why)) << text;
  Triangles wild = box({1, 1, 1});
  wild[0][0][0] = NAN;
  EXPECT_FALSE(solid_in(binary(wild), "a.stl", why));
}

TEST(MeshTest, TenThousandDamagedFiles) {
  std::mt19937 random(7);
  const std::vector<std::pair<std::string, const char*>> whole = {{binary(box({1, 2, 3})), "a.stl"},
                                                                  {ascii(box({1, 2, 3})), "a.stl"},
                                                                  {obj({1, 2, 3}), "a.obj"}};
  int closed = 0;
  for (int i = 0; i < 10000; ++i) {
    auto [bytes, name] = whole[static_cast<std::size_t>(i) % whole.size()];
    for (unsigned k = random() % 4 + 1; k > 0; --k) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.resize(at + 1);
          break;
        case 2:
          bytes.erase(at, random() % 20);
          break;
        default:
          bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 30));
      }
      if (bytes.empty()) bytes = " ";
    }
    io::Refusal why;
    const auto solid = solid_in(bytes, name, why);
    if (solid) {
      EXPECT_TRUE(solid->volume > 0 && std::isfinite(solid->volume));
      ++closed;
    } else {
      EXPECT_FALSE(why.message.empty());
    }
  }
  fmt::print("{} of 10000 damaged files still enclose something\n", closed);
}

TEST(MeshTest, AsABody) {
  const auto folder = testing::scratch_dir();
  std::ofstream(folder / "part.stl", std::ios::binary) << binary(box({100, 20, 10}));
  std::ofstream(folder / "model.toml") << spatial(
      "shape = { file = \"part.stl\", unit = \"mm\", at = [1, 0, 0], density = \"7850 kg/m^3\" "
      "}\n");
  LoadOptions options;
  std::vector<std::filesystem::path> files;
  options.files = &files;
  const Body a = load_model(folder / "model.toml", options).bodies.at(1);
  EXPECT_NEAR(a.mass, 7850 * 2e-5, 1e-6 * a.mass);
  expect_vec(a.position, {1.05, 0.01, 0.005});
  expect_vec(a.inertia.diagonal(), a.mass / 12 * Vec3(5e-4, 1.01e-2, 1.04e-2), 1e-12);
  EXPECT_EQ(files.size(), 2u);
  std::ofstream(folder / "part.stl") << "nonsense";
  try {
    static_cast<void>(load_model(folder / "model.toml"));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bodies.a.shape.file: cannot use 'part.stl': it is no STL "
                                        "file, or damaged"));
  }
}

// ---------------------------------------------------------------- drawn

TEST(DrawnShapeTest, StandsWhereItWasPutInTheAxesOfItsBody) {
  const Body a =
      body(spatial("shape = [{ box = [1, 2, 3], at = [4, 5, 6], density = 2 }, { sphere = "
                   "1, at = [4, 5, 10], density = 2, colour = \"#AbCdEf\" }]\n"));
  ASSERT_EQ(a.shapes.size(), 2u);
  EXPECT_EQ(a.shapes[0].kind, Shape::Kind::box);
  EXPECT_EQ(a.shapes[0].size, Vec3(1, 2, 3));
  expect_vec(a.position + a.shapes[0].centre, {4, 5, 6});
  expect_vec(a.position + a.shapes[1].centre, {4, 5, 10});
  EXPECT_EQ(a.shapes[1].colour, "#abcdef");
  EXPECT_EQ(a.shapes[0].colour, "");
}

TEST(DrawnShapeTest, OfABodyWithAMassAndAPlaceOfItsOwnIsOnlyDrawn) {
  // Turned by 90 degrees about z: global x is -y of the body.
  const Body a =
      body(spatial("mass = 3\nposition = [1, 0, 0]\ninertia = [1, 2, 2.5]\norientation = "
                   "{ axis = [0, 0, 1], angle = \"90 deg\" }\nshape = { cylinder = { "
                   "diameter = 2, bore = 1, length = 5 }, at = [3, 0, 0], axis = [1, 0, "
                   "0], colour = \"brass\" }\n"));
  EXPECT_EQ(a.mass, 3);
  expect_vec(a.inertia.diagonal(), {1, 2, 2.5});
  ASSERT_EQ(a.shapes.size(), 1u);
  expect_vec(a.shapes[0].centre, {0, -2, 0});
  expect_vec(a.shapes[0].axes.col(0), {0, -1, 0});
  EXPECT_EQ(a.shapes[0].size, Vec3(2, 1, 5));
  // An open surface encloses nothing, and is good enough to look at.
  Triangles open = box({1, 1, 1});
  open.pop_back();
  const auto folder = testing::scratch_dir();
  std::ofstream(folder / "hull.stl", std::ios::binary) << binary(open);
  std::ofstream(folder / "model.toml") << spatial(
      "mass = 1\nposition = [0, 0, 0]\nshape = { file = \"hull.stl\", unit = \"cm\" }\n");
  const Body hull = load_model(folder / "model.toml").bodies.at(1);
  EXPECT_EQ(hull.shapes.at(0).triangles.size(), 11u);
  EXPECT_EQ(hull.shapes.at(0).vertices.size(), 8u);
}

TEST(DrawnShapeTest, PlatesAndLinksAreClosedSurfacesOfTheirVolume) {
  for (const char* corners :
       {"[[0, 0], [3, 0], [3, 3], [1, 1]]", "[[1, 1], [3, 3], [3, 0], [0, 0]]"}) {
    for (const std::string& text : {planar("density = 10\nshape = { plate = { corners = " +
                                           std::string(corners) + ", thickness = 0.5 } }\n"),
                                    planar("density = 10\nlink = " + std::string(corners) +
                                           "\nsection = { thickness = 0.5 }\n")}) {
      const Body a = body(text);
      ASSERT_EQ(a.shapes.size(), 1u);
      const Shape& drawn = a.shapes[0];
      io::Refusal why;
      const auto solid = io::enclosed({drawn.vertices, drawn.triangles}, why);
      ASSERT_TRUE(solid) << why.message;
      EXPECT_NEAR(solid->volume * 10, a.mass, 1e-12 * a.mass);
      expect_vec(drawn.axes * solid->centre + drawn.centre, {0, 0, 0}, 1e-12);
    }
  }
  const Body rod = body(spatial(
      "density = 10\nlink = [[0, 0, 0], [0, 4, 0]]\nsection = { diameter = 2, bore = 1 }\n"));
  ASSERT_EQ(rod.shapes.size(), 1u);
  EXPECT_EQ(rod.shapes[0].size, Vec3(2, 1, 4));
  EXPECT_TRUE(body(spatial("mass = 1\nlink = [[0, 0, 0], [0, 4, 0]]\n")).shapes.empty());
}

TEST(DrawnShapeTest, SurvivesWritingToTheLastBit) {
  const auto folder = testing::scratch_dir();
  std::ofstream(folder / "part.stl", std::ios::binary) << binary(box({0.1F, 0.2F, 0.3F}));
  std::ofstream(folder / "model.toml") << spatial(
      "density = 7850\nshape = [{ file = \"part.stl\", unit = \"mm\", at = [1, 0.1, 0], axis = [1, "
      "2, "
      "3] }, { plate = { corners = [[0, 0, 0], [0.1, 0.3, 0.1], [0.2, 0, 0.3]], thickness = 0.01 } "
      "}, { capsule = { diameter = 0.1, length = 0.3 }, axis = [0, 1, 1], colour = \"copper\" }, { "
      "cylinder = { diameter = 0.1, length = 0.3 } }, { sphere = 0.1, at = [0.1, 0.2, 0.3] }]\n");
  const Model first = load_model(folder / "model.toml");
  ASSERT_EQ(first.bodies.at(1).shapes.size(), 5u);
  const std::string text = write_model(first);
  const Model second = parse_model(text, "written");
  EXPECT_EQ(write_model(second), text);
  for (std::size_t i = 0; i < 5; ++i) {
    const Shape &a = first.bodies[1].shapes[i], &b = second.bodies[1].shapes[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_TRUE(a.size == b.size && a.centre == b.centre && a.axes == b.axes) << i;
    EXPECT_TRUE(a.vertices == b.vertices && a.triangles == b.triangles) << i;
    EXPECT_EQ(a.colour, b.colour);
  }
  validate(first);
  // Models that look different have different texts.
  Model other = first;
  other.bodies[1].shapes[0].vertices[0][0] =
      std::nextafter(other.bodies[1].shapes[0].vertices[0][0], 1);
  EXPECT_NE(write_model(other), text);
}

TEST(DrawnShapeTest, OfAModelInCodeIsChecked) {
  Model model = read(spatial("mass = 1\nposition = [0, 0, 0]\n"));
  const auto refused = [&](const Shape& shape, const char* why) {
    model.bodies[1].shapes = {shape};
    try {
      validate(model);
      FAIL() << why;
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  Shape mesh;
  mesh.kind = Shape::Kind::mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 3}};
  refused(mesh, "a triangle has the corner 3 of 3 vertices");
  mesh.triangles = {{0, 1, 2}};
  mesh.vertices[1][0] = NAN;
  refused(mesh, "a vertex is not finite");
  Shape ball;
  ball.kind = Shape::Kind::sphere;
  ball.size = {1, 2, 0};
  refused(ball, "sizes or triangles that its kind does not have");
  ball.size = {1, 0, 0};
  ball.axes *= -1;
  refused(ball, "right-handed");
  ball.axes = Mat3::Identity();
  ball.colour = "RED";
  refused(ball, "no colour is called 'RED'");
  ball.colour = "#ff0000";
  model.bodies[1].shapes = {ball};
  validate(model);
}

}  // namespace
}  // namespace freeplay
