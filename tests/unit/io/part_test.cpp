// SPDX-License-Identifier: Apache-2.0
#include "fem/free_modes.hpp"
#include "io/part_file.hpp"
#include "support/brick.hpp"
#include "support/paths.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>
#include <freeplay/modal_part.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numbers>
#include <random>

// Part files, whole and damaged, and the tables of model files that name them.
namespace freeplay {
namespace {

namespace fs = std::filesystem;
using testing::Brick;

/// 120 mm long; the interfaces LEFT and RIGHT at its ends.
fem::ReducedPart bar() {
  return testing::reduced(Brick(Vec3(0.12, 0.012, 0.01), {3, 1, 1}), "rigid", "averaged", 12);
}

/// A folder with bar.h5.
fs::path folder_with(const fem::ReducedPart& part) {
  const fs::path out = testing::scratch_dir();
  io::write_part(out / "bar.h5", part);
  return out;
}

std::string read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_same(const fem::ReducedPart& a, const fem::ReducedPart& b) {
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.centre, b.centre);
  EXPECT_EQ(a.inertia, b.inertia);
  EXPECT_EQ(a.fixed_frequency, b.fixed_frequency);
  EXPECT_EQ(a.stiffness, b.stiffness);
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.moments, b.moments);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(a.products[k], b.products[k]);
  EXPECT_EQ(a.skin, b.skin);
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(a.skin_shapes, b.skin_shapes);
  ASSERT_EQ(a.interfaces.size(), b.interfaces.size());
  for (std::size_t k = 0; k < a.interfaces.size(); ++k) {
    EXPECT_EQ(a.interfaces[k].name, b.interfaces[k].name);
    EXPECT_EQ(a.interfaces[k].averaged, b.interfaces[k].averaged);
    EXPECT_EQ(a.interfaces[k].point, b.interfaces[k].point);
  }
}

TEST(PartFileTest, ComesBackAsItWasWritten) {
  const fem::ReducedPart part = bar();
  EXPECT_GT(part.triangles.cols(), 10);
  const fs::path folder = folder_with(part);
  expect_same(io::read_part(folder / "bar.h5", true), part);
  EXPECT_EQ(io::read_part(folder / "bar.h5").skin.size(), 0);
}

// With its seal a file is what was written, or refused; without it, another program may have
// changed it: what is read is then at least in order.
TEST(PartFileTest, DamagedIsRefusedOrInOrder) {
  const fs::path folder = folder_with(bar()), file = folder / "bar.h5";
  const fem::ReducedPart whole = io::read_part(file, true);
  const std::string bytes = read_bytes(file);
  std::mt19937_64 random(7);
  int refused = 0;
  constexpr int kDamages = 120;
  for (int k = 0; k < kDamages; ++k) {
    const bool sealed = k % 2 == 0;
    std::string damaged = sealed ? bytes : bytes.substr(0, bytes.size() - 68);
    const auto at = random() % damaged.size();
    if (k % 5 == 4)
      damaged.resize(at);
    else
      for (int flips = 0; flips < 3; ++flips)
        damaged[(at + random() % 64) % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    fs::remove(file);
    std::ofstream(file, std::ios::binary)
        .write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
    try {
      const fem::ReducedPart found = io::read_part(file, true);
      EXPECT_TRUE(found.stiffness.allFinite() && found.skin_shapes.allFinite());
      (void)fem::free_modes(found, {});
    } catch (const IoError&) {
      ++refused;
    } catch (const ModelError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kDamages / 4);
}

TEST(PartFileTest, OtherFilesAreRefused) {
  const fs::path folder = folder_with(bar());
  std::ofstream(folder / "text.h5") << "not a part";
  EXPECT_THROW((void)io::read_part(folder / "text.h5"), IoError);
  EXPECT_THROW((void)io::read_part(folder / "missing.h5"), IoError);
  EXPECT_THROW((void)io::read_part(folder), IoError);
  fem::ReducedPart short_of = bar();
  short_of.moments.conservativeResize(8, Eigen::NoChange);
  io::write_part(folder / "short.h5", short_of);
  EXPECT_THROW((void)io::read_part(folder / "short.h5"), IoError);
}

// ---- model files

/// A bar between a crank and a slider.
std::string slider_crank(const std::string& flexible, const std::string& rod = "",
                         const std::string& more = "") {
  return fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.crank]
mass = 0.3
inertia = 1e-4
position = [0.025, 0]
[bodies.rod]
{}
[bodies.rod.flexible]
{}
[bodies.slider]
mass = 0.14
position = [0.17, 0]
[joints.crank_bearing]
type = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
drive = {{ speed = "300 rpm" }}
[joints.crank_pin]
type = "revolute"
bodies = ["crank", "rod"]
at = [0.05, 0]
[joints.pin]
type = "revolute"
bodies = ["slider", "rod"]
at = [0.17, 0]
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0.17, 0]
axis = [1, 0]
{}
[simulation]
duration = 1e-4
)",
                     rod, flexible, more);
}

constexpr const char* kInPlace = "file = \"bar.h5\"\nfrom = [0.05, 0]\nto = [0.17, 0]";

Model parsed(const std::string& text, const fs::path& folder) {
  return parse_model(text, "model.toml", {}, folder);
}
std::string mistake(const std::string& text, const fs::path& folder) {
  try {
    (void)parsed(text, folder);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PartTableTest, GivesMassInertiaAndPose) {
  const fem::ReducedPart part = bar();
  const Model model = parsed(slider_crank(kInPlace), folder_with(part));
  const Body& rod = model.bodies[2];
  EXPECT_EQ(rod.mass, part.mass);
  EXPECT_EQ(rod.inertia(2, 2), part.inertia(2, 2));
  EXPECT_LT((rod.position - Vec3(0.11, 0, 0)).norm(), 1e-9);
  EXPECT_NEAR(rod.angle, 0, 1e-12);
  ASSERT_TRUE(rod.flexible && rod.flexible->part);
  EXPECT_EQ(rod.flexible->part->file, "bar.h5");
  EXPECT_EQ(rod.flexible->part->digest.size(), 64u);
}

TEST(PartTableTest, PutsThePartWhereItsInterfacesAre) {
  const fs::path folder = folder_with(bar());
  const auto rod_of = [&](const std::string& head, const std::string& flexible) {
    return parsed(fmt::format("[mechanism]\n{}\n[bodies.rod]\n{}", head, flexible), folder)
        .bodies[1];
  };
  const std::string plane = "planar = true\ngravity = [0, 0]", space = "gravity = [0, 0, 0]";
  // Turned by a right angle and a half.
  const double s = 0.12 * std::sqrt(0.5);
  Body rod = rod_of(plane, fmt::format("flexible = {{ file = \"bar.h5\", from = [1, 2], to = "
                                       "[{}, {}] }}",
                                       1 - s, 2 + s));
  EXPECT_NEAR(rod.angle, 3 * std::numbers::pi / 4, 1e-9);
  EXPECT_LT((rod.position - Vec3(1 - s / 2, 2 + s / 2, 0)).norm(), 1e-9);
  // A link does the same.
  rod = rod_of(plane, "link = [[1, 2], [1, 2.12]]\nflexible = { file = \"bar.h5\" }");
  EXPECT_NEAR(rod.angle, std::numbers::pi / 2, 1e-9);
  EXPECT_LT((rod.position - Vec3(1, 2.06, 0)).norm(), 1e-9);
  // In space.
  rod = rod_of(space, "flexible = { file = \"bar.h5\", from = [0, 0, 1], to = [0, 0, 1.12] }");
  EXPECT_LT((rod.position - Vec3(0, 0, 1.06)).norm(), 1e-9);
  const Eigen::Quaterniond turn(rod.orientation[0], rod.orientation[1], rod.orientation[2],
                                rod.orientation[3]);
  EXPECT_LT((turn * Vec3::UnitX() - Vec3::UnitZ()).norm(), 1e-9);
  // Or the body says it itself.
  rod = rod_of(plane, "position = [3, 4]\nangle = 0.5\nflexible = { file = \"bar.h5\" }");
  EXPECT_EQ(rod.position, Vec3(3, 4, 0));
  EXPECT_EQ(rod.angle, 0.5);
}

TEST(PartTableTest, IsCompleteWithoutItsFile) {
  const fs::path folder = folder_with(bar());
  for (const bool planar : {true, false}) {
    std::string text = slider_crank(std::string(kInPlace) + "\ndamping = 0.01\nmodes = 5");
    if (!planar)
      text =
          "[mechanism]\ngravity = [0, 0, 0]\n[bodies.rod]\nflexible = { file = \"bar.h5\", from "
          "= [0, 0, 0], to = [0, 0.12, 0], damping_time = 1e-7 }\n[joints.ball]\ntype = "
          "\"spherical\"\nbodies = [\"ground\", \"rod\"]\nat = [0, 0, 0]\n"
          "[simulation]\nduration = 1\n";
    const Model model = parsed(text, folder);
    EXPECT_NO_THROW(validate(model));
    const std::string written = write_model(model);
    const Model again = parse_model(written, "again");
    EXPECT_EQ(write_model(again), written);
    const ModalPart &a = *model.bodies[planar ? 2 : 1].flexible->part,
                    &b = *again.bodies[planar ? 2 : 1].flexible->part;
    EXPECT_EQ(a.frequency, b.frequency);
    EXPECT_EQ(a.digest, b.digest);
    EXPECT_EQ(a.moments, b.moments);
    for (std::size_t k : {0, 1, 3, 4}) EXPECT_EQ(a.products[k], b.products[k]);
    for (std::size_t k = 0; k < a.interfaces.size(); ++k) {
      EXPECT_EQ(a.interfaces[k].name, b.interfaces[k].name);
      EXPECT_EQ(a.interfaces[k].place, b.interfaces[k].place);
      EXPECT_EQ(a.interfaces[k].turn, b.interfaces[k].turn);
    }
  }
}

TEST(PartTableTest, MistakesAreNamed) {
  const fs::path folder = folder_with(bar());
  const auto expect = [&](const std::string& text, const char* words) {
    const std::string found = mistake(text, folder);
    EXPECT_NE(found.find(words), std::string::npos) << found;
  };
  EXPECT_EQ(mistake(slider_crank(kInPlace), folder), "accepted");
  const std::string in_place = kInPlace;
  expect(slider_crank("file = \"no.h5\""), "there is no such file");
  expect(slider_crank("file = \"../bar.h5\""), "bodies.rod.flexible.file");
  expect(slider_crank("file = \"model.toml\""), "bodies.rod.flexible.file");
  expect(slider_crank("file = \"bar.h5\"\nfrom = [0.05, 0]\nto = [0.18, 0]"),
         "the points are 130 mm apart, the interfaces 'LEFT' and 'RIGHT' 120 mm");
  expect(slider_crank(in_place, "mass = 0.2"), "leave the mass out");
  expect(slider_crank(in_place, "inertia = 2e-4"), "leave the inertia out");
  expect(slider_crank(in_place, "position = [0.11, 0]"), "leave the position or from and to out");
  expect(slider_crank(in_place + "\nmodes = 13"), "the file has 12");
  expect(slider_crank(in_place + "\nmodes = 2.5"), "whole number");
  expect(slider_crank(in_place + "\ndigest = \"abc\""), "the file has changed");
  expect(slider_crank(in_place + "\nEA = 1e6"), "EA");
  expect(slider_crank(in_place + "\nelements = 8"), "elements");
  expect(slider_crank(in_place + "\nmethod = \"beam\""), "method");
  expect(slider_crank(in_place, "", "[markers.middle]\nbody = \"rod\"\nat = [0.11, 0]"),
         "is at none of its interfaces");
  expect(slider_crank("file = \"bar.h5\"\nfrom = [0.052, 0]\nto = [0.172, 0]"),
         "joints.crank_pin.at: (-0.062, 0, 0) m of 'rod' is at none of its interfaces");
  const std::string kinematic = slider_crank(in_place) + "analysis = \"kinematic\"\n";
  expect(kinematic, "a kinematic analysis has no forces");
}

TEST(PartTableTest, KeepsAFileToItsDigest) {
  const fs::path folder = folder_with(bar());
  const std::string digest =
      parsed(slider_crank(kInPlace), folder).bodies[2].flexible->part->digest;
  const std::string pinned = slider_crank(std::string(kInPlace) + "\ndigest = \"" + digest + "\"");
  EXPECT_EQ(mistake(pinned, folder), "accepted");
  fem::ReducedPart other = bar();
  other.stiffness *= 1.001;
  io::write_part(folder / "bar.h5", other);
  EXPECT_NE(mistake(pinned, folder).find("the file has changed"), std::string::npos);
}

}  // namespace
}  // namespace freeplay
