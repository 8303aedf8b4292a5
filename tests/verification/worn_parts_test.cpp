// SPDX-License-Identifier: Apache-2.0
#include "joints/worn_surface.hpp"
#include "support/recording.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

// Wear of balls, of cylinders in space, of guides and slots within a run: theory/wear (W.15) to
// (W.21), verification case W4.
namespace freeplay::testing {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Formulation kBoth[] = {Formulation::cartesian, Formulation::tree};

std::vector<double> depths(const Simulated& run, const std::string& joint, const std::string& part,
                           double time) {
  const std::string path = "joints/" + joint + "/wear_depth_" + part;
  for (const Channel& channel : run.series.channels)
    if (channel.path == path)
      for (std::size_t k = 0; k < run.series.time.size(); ++k)
        if (std::abs(run.series.time[k] - time) < 1e-9 * (1 + time)) {
          const auto first = run.series.rows[k].begin() + channel.offset;
          return {first, first + channel.width};
        }
  throw std::out_of_range(path);
}

const Joint& joint_named(const Model& model, const std::string& name) {
  return *std::ranges::find(model.joints, name, &Joint::name);
}

/// Sum of the depths times their areas against the time integral of rate x area: to 1e-10.
void audit_volume(Check& check, const Simulated& run, const std::string& joint, double time) {
  const auto surfaces = joints::worn_surfaces(joint_named(run.model, joint), run.model.planar);
  for (const std::size_t k : {0UL, 1UL}) {
    const std::string part = k == 0 ? "outer" : "inner";
    const auto depth = depths(run, joint, part, time);
    ASSERT_EQ(depth.size(), static_cast<std::size_t>(surfaces[k].cells()));
    const double sum = std::accumulate(depth.begin(), depth.end(), 0.0) * surfaces[k].cell_area();
    const double volume = run.series.at("joints/" + joint + "/worn_volume_" + part, time);
    if (volume > 0) check.near("volume audit, " + part, sum / volume, 1, 1e-10);
  }
}

// ---- W4: a ball in its socket, 200 N, 5 rad/s, 1e4 s

constexpr double kSocket = 0.01, kBall = 0.0098, kLoad = 200, kSpeed = 5;
constexpr double kHertz = 1.0615385e11, kCircle = 8.645620e-4;
/// A turn, with coefficients so much larger.
constexpr double kTurn = 2 * kPi / kSpeed, kFaster = 1e4 / kTurn;

Model ball(const std::string& load, const std::string& contact, double offset, int cells) {
  return model_from(fmt::format(
      R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.ball]
mass = 1000
inertia = [1, 1, 1]
angular_velocity = [0, 0, 5]
[joints.ball]
type = "spherical"
bodies = ["ground", "ball"]
at = [0, 0, 0]
[joints.ball.clearance]
socket_radius = "10 mm"
ball_radius = "9.8 mm"
material = {{ young = 207e9, poisson = 0.3 }}
offset = {0}
force_point = "ball"
contact = {{ {1} }}
wear = {{ law = "archard", outer = {2:.17g}, inner = {2:.17g}, cells = {3} }}
[forces.load]
body = "ball"
at = [0, 0, 0]
vector = {4}
[simulation]
duration = {5:.17g}
output = {5:.17g}
)",
      load == "x" ? fmt::format("[{:.17g}, 0, 0]", offset) : fmt::format("[0, 0, {:.17g}]", offset),
      contact, 1e-14 * kFaster, cells, load == "x" ? "[200, 0, 0]" : "[0, 0, 200]", kTurn));
}
const std::string kPoint = fmt::format("law = \"hertz\", stiffness = {}", kHertz);
const double kAtRest = 2e-4 + std::pow(kLoad / kHertz, 2.0 / 3);

/// The cell of the socket at that share of the pressed circle from the x axis towards z, and the
/// mean over it of a function of the distance from that axis, in radii of the circle.
template <class F>
std::pair<std::size_t, double> mean_at(const joints::WornSurface& surface, double share, F&& f) {
  const auto& row = surface.row_at(std::sin(share * kCircle / kSocket));
  constexpr int kParts = 200;
  double sum = 0;
  for (int i = 0; i < kParts; ++i)
    for (int j = 0; j < kParts; ++j) {
      const double z = row.low + (row.high - row.low) * (i + 0.5) / kParts,
                   longitude = ((j + 0.5) / kParts - 0.5) * row.width;
      const double cosine = std::sqrt(1 - z * z) * std::cos(longitude);
      sum += f(std::acos(std::min(1.0, cosine)) * kSocket / kCircle);
    }
  return {static_cast<std::size_t>(joints::WornSurface::cell_of(row, row.shift)),
          sum / (kParts * kParts)};
}

TEST(WornParts, ABallThatTurnsUnderItsLoad) {
  Check check("W4 (a) ball in socket", "closed form");
  for (const Formulation formulation : kBoth) {
    Model model = ball("x", kPoint, kAtRest, 20000);
    model.simulation.formulation = formulation;
    const Simulated run = simulate(model);
    audit_volume(check, run, "ball", kTurn);
    // Slip is 5 rad/s times the distance from the axis: (1 - a^2/(10 R^2)) on the mean.
    const double mean = 1 - 0.1 * (kCircle / kBall) * (kCircle / kBall);
    check.near("V over k F s, socket",
               run.series.at("joints/ball/worn_volume_outer", kTurn) / 9.8e-10 / mean, 1, 2e-4);
    check.near("V over k F s, ball",
               run.series.at("joints/ball/worn_volume_inner", kTurn) / 9.8e-10 / mean, 1, 2e-4);
    const auto socket = depths(run, "ball", "outer", kTurn);
    // Means over cells from the load outward, whose closed form is that of the spot at each place.
    const auto surface = joints::worn_surfaces(model.joints[0], false)[0];
    for (const double share : {0.0, 0.3, 0.6, 0.8}) {
      const auto [cell, mean_depth] =
          mean_at(surface, share, [](double x) { return x < 1 ? std::sqrt(1 - x * x) : 0; });
      check.near("means over cells, over the greatest depth", socket[cell] / 6.260013e-4,
                 mean_depth, 1e-2);
    }
    check.near("load ratio", run.series.at("joints/ball/load_ratio", kTurn), 1, 1e-12);
    check.energy(run);
  }
}

TEST(WornParts, ABallThatSpinsAboutItsLoad) {
  Check check("W4 (b) ball that spins", "closed form");
  const Simulated run = simulate(ball("z", kPoint, kAtRest, 20000));
  audit_volume(check, run, "ball", kTurn);
  for (const std::string part : {"outer", "inner"})
    check.near("V over k F w t 3 pi a/16, " + part,
               run.series.at("joints/ball/worn_volume_" + part, kTurn) / 5.092690e-11, 1, 1e-2);
  // About the pole cells are rings: from it outward.
  const auto surface = joints::worn_surfaces(run.model.joints[0], false)[0];
  const auto socket = depths(run, "ball", "outer", kTurn);
  for (const double share : {0.3, 0.5, 0.7, 0.85}) {
    const auto& row = surface.row_at(std::cos(share * kCircle / kSocket));
    double mean = 0;
    constexpr int kParts = 1000;
    for (int i = 0; i < kParts; ++i) {
      const double z = row.low + (row.high - row.low) * (i + 0.5) / kParts;
      const double x = std::acos(z) * kSocket / kCircle;
      mean += x < 1 ? 2 * x * std::sqrt(1 - x * x) / kParts : 0;
    }
    check.near("means over cells, over the greatest depth",
               socket[static_cast<std::size_t>(row.first)] / 2.761311e-5, mean, 2e-2);
  }
}

TEST(WornParts, ABallOnAnElasticBed) {
  Check check("ball on an elastic bed", "closed form");
  // k d = K (e cos t - c); resultant pi/3 K R^2 d^2 (3 c + 2 d)/(c + d)^2.
  const double K = 1e13, c = 2e-4;
  double low = 0, high = 1e-4;
  for (int i = 0; i < 100; ++i) {
    const double d = 0.5 * (low + high), e = c + d;
    (kPi / 3 * K * kSocket * kSocket * d * d * (3 * c + 2 * d) / (e * e) < kLoad ? low : high) = d;
  }
  const double e = c + low, arc = std::acos(c / e);
  const Simulated run = simulate(ball(
      "x",
      "law = \"elastic-foundation\", layer_modulus = 1e10, layer_poisson = 0, layer_thickness = "
      "1e-3, restitution = 0.5",
      e, 5000));
  audit_volume(check, run, "ball", kTurn);
  // Sum of pressures 2 pi K R^2 int (e cos t - c) sin t dt over the load.
  const double sum = 2 * kPi * K * kSocket * kSocket *
                     (0.5 * e * std::sin(arc) * std::sin(arc) - c * (1 - std::cos(arc)));
  check.near("sum of pressures over load", run.series.at("joints/ball/load_ratio", kTurn),
             sum / kLoad, 1e-3);
  check.near("rests at", run.series.vector("joints/ball/eccentricity", kTurn).norm() / e, 1, 1e-4);
  const auto [cell, mean_depth] =
      mean_at(joints::worn_surfaces(run.model.joints[0], false)[0], 0,
              [&](double x) { return (e * std::cos(x * kCircle / kSocket) - c) / low; });
  check.near("depth at the load over k K d v t, mean over its cell",
             depths(run, "ball", "outer", kTurn)[cell] / (1e-14 * K * low * kSpeed * kBall * 1e4),
             mean_depth, 1e-2);
  // Slip falls towards the axis of the turn, by the mean of z^2/2 under the pressure.
  check.near("V over k s sum(p dA)",
             run.series.at("joints/ball/worn_volume_outer", kTurn) /
                 (1e-14 * sum * 490 * (1 - arc * arc / 12)),
             1, 2e-3);
}

TEST(WornParts, CellsOfABallAreEqualAndCoverIt) {
  for (const int cells : {100, 101, 997, 2000, 20000}) {
    const auto surface = joints::WornSurface::sphere(0.01, cells);
    EXPECT_EQ(surface.cells(), cells);
    double height = -1;
    int count = 0;
    for (const auto& row : surface.rows()) {
      EXPECT_EQ(row.first, count);
      EXPECT_NEAR(row.low, height, 1e-15);
      EXPECT_NEAR((row.high - row.low) * row.width, 4 * kPi / cells, 1e-12);
      height = row.high;
      count += row.cells;
    }
    EXPECT_EQ(count, cells);
    EXPECT_NEAR(height, 1, 1e-15);
  }
}

TEST(WornParts, ABallDoesNotMindItsCells) {
  Check check("cells of a ball", "1000 against 8000, volume and the pole's neighbourhood");
  const Simulated coarse = simulate(ball("z", kPoint, kAtRest, 1000)),
                  fine = simulate(ball("z", kPoint, kAtRest, 8000));
  for (const std::string part : {"outer", "inner"})
    check.near("volume, " + part,
               coarse.series.at("joints/ball/worn_volume_" + part, kTurn) /
                   fine.series.at("joints/ball/worn_volume_" + part, kTurn),
               1, 5e-3);
}

// ---- a journal in space

Model journal(const std::string& contact, double offset, const std::string& load,
              const std::string& more = "", double duration = 0.5) {
  return model_from(fmt::format(R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.pin]
mass = 1000
inertia = [1000, 1000, 1000]
angular_velocity = [0, 0, 10]
[joints.bore]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0, 0]
axis = [0, 0, 1]
[joints.bore.clearance]
bearing_radius = "10 mm"
journal_radius = "9.9 mm"
bearing_length = "15 mm"
journal_length = "15 mm"
material = {{ young = 207e9, poisson = 0.3 }}
offset = [{0:.17g}, 0, 0]
force_point = "ball"
contact = {{ {1} }}
wear = {{ law = "archard", outer = 1e-11, inner = 1e-11, stations = 5{2} }}
[forces.load]
body = "pin"
at = [0, 0, 0]
{3}
[simulation]
duration = {4:.17g}
output = {4:.17g}
)",
                                offset, contact, more, load, duration));
}

TEST(WornParts, AJournalInSpaceIsThatOfThePlane) {
  Check check("W1 (a) in space", "closed form, as in the plane");
  const double K = 1e11, F = 1000, time = 0.5, path = 10 * 0.0099 * time;
  const double offset = 1e-4 + std::pow(F / K, 2.0 / 3);
  for (const Formulation formulation : kBoth) {
    Model model = journal("law = \"hertz\", stiffness = 1e11", offset, "vector = [1000, 0, 0]");
    model.simulation.formulation = formulation;
    const Simulated run = simulate(model);
    audit_volume(check, run, "bore", time);
    for (const std::string part : {"outer", "inner"})
      check.near("V over k F s, " + part,
                 run.series.at("joints/bore/worn_volume_" + part, time) / (1e-11 * F * path), 1,
                 1e-6);
    const auto outer = depths(run, "bore", "outer", time);
    // Hertz's line, mean over the sector at the load.
    const double a = 8.595626742e-4, u = 0.5 * kPi / 180 * 0.01 / a;
    const double share = 2 / kPi * (u * std::sqrt(1 - u * u) + std::asin(u));
    for (int station = 0; station < 5; ++station)
      check.near("depth at the load, every station", outer[static_cast<std::size_t>(360 * station)],
                 1e-11 * F * path * share / (0.01 * 0.015 * kPi / 180), 1e-6 * 1e-4);
    check.energy(run);
  }
  // On a bed: (W.16) is the arc of the bed in the plane.
  const std::string bed =
      "law = \"elastic-foundation\", layer_modulus = 1e10, layer_poisson = 0, layer_thickness = "
      "1e-3, restitution = 0.5";
  const Simulated run = simulate(journal(bed, 1.023441724e-4, "vector = [1000, 0, 0]"));
  audit_volume(check, run, "bore", time);
  check.near("sum of pressures over load", run.series.at("joints/bore/load_ratio", time), 1.004608,
             1e-6);
  check.near("V over k s sum(p dA)",
             run.series.at("joints/bore/worn_volume_outer", time) / (1e-11 * path * 1.004608 * F),
             1, 1e-5);
}

TEST(WornParts, ATiltedJournalDoesNotMindItsStations) {
  Check check("tilted journal", "5 against 40 stations");
  // Pushed 6 mm from the middle the pin leans into one end of its bore.
  const double time = 0.02;
  const auto leaning = [&](int stations) {
    Model model = journal("law = \"hertz\", stiffness = 1e11", 1e-4 + 4.64e-6,
                          "vector = [1000, 0, 0]", "", time);
    std::get<PointForce>(model.forces[0].element).at.point = Vec3(0, 0, 6e-3);
    model.bodies[1].mass = 1;
    model.bodies[1].inertia = Vec3(1e-4, 1e-4, 1e-2).asDiagonal();
    model.joints[0].clearance->wear->stations = stations;
    return simulate(model);
  };
  const Simulated coarse = leaning(5), fine = leaning(40);
  audit_volume(check, coarse, "bore", time);
  audit_volume(check, fine, "bore", time);
  for (const std::string part : {"outer", "inner"}) {
    const auto of = [&](const Simulated& run, int stations) {
      const auto all = depths(run, "bore", part, time);
      std::vector<double> sums;
      for (int k = 0; k < 5; ++k) {
        const auto first = all.begin() + k * static_cast<std::ptrdiff_t>(all.size() / 5);
        sums.push_back(
            std::accumulate(first, first + static_cast<std::ptrdiff_t>(all.size() / 5), 0.0) * 5 /
            stations);
      }
      return sums;
    };
    const auto few = of(coarse, 5), many = of(fine, 40);
    const double most = std::ranges::max(few);
    EXPECT_GT(few[4], 1.3 * few[0]);  // where it leans
    for (std::size_t k = 0; k < 5; ++k)
      check.near("worn off round each station, " + part, few[k] / most, many[k] / most, 5e-3);
  }
}

// ---- a slider in its guide, a pin in its slot

TEST(WornParts, ASliderInItsGuide) {
  Check check("slider in its guide", "V = k F s, pressure F/(L h)");
  const double F = 300, time = 0.5, speed = 0.08, path = speed * time;
  for (const Formulation formulation : kBoth) {
    Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.slider]
mass = 1000
inertia = 1000
velocity = [0.08, 0]
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0, 0]
axis = [1, 0]
[joints.guide.clearance]
guide_width = "20.2 mm"
slider_width = "20 mm"
slider_length = "30 mm"
slider_height = "10 mm"
guide_length = "200 mm"
offset = [0, "0.103 mm"]
contact = { law = "plane-face", stiffness = 1e8, restitution = 1 }
wear = { law = "archard", outer = 1e-11, inner = 1e-11, stations = 60 }
[forces.load]
body = "slider"
at = [0, 0]
vector = [0, 300]
[simulation]
duration = 0.5
output = 0.5
)");
    model.simulation.formulation = formulation;
    const Simulated run = simulate(model);
    audit_volume(check, run, "guide", time);
    for (const std::string part : {"outer", "inner"})
      check.near("V over k F s, " + part,
                 run.series.at("joints/guide/worn_volume_" + part, time) / (1e-11 * F * path), 1,
                 1e-6);
    const auto slider = depths(run, "guide", "inner", time);
    for (const std::size_t k : {0UL, 30UL, 59UL})
      check.near("slider, every station", slider[k] / (1e-11 * F / (0.03 * 0.01) * path), 1, 1e-6);
    check.near("slider, lower face", slider[60], 0, 1e-30);
    // The guide under the middle of the slider's way is passed by all of it.
    const auto guide = depths(run, "guide", "outer", time);
    const double station = 0.2 / 60;
    const auto covered = [&](int k) {
      // Path that this station is under the slider, mean over it: how long it is from -L/2 + x to
      // L/2 + x, x from 0 to the path.
      double sum = 0;
      for (int i = 0; i < 1000; ++i) {
        const double z = -0.1 + station * (k + (i + 0.5) / 1000);
        const double from = std::max(0.0, z - 0.015), to = std::min(path, z + 0.015);
        sum += std::max(0.0, to - from) / 1000;
      }
      return sum;
    };
    for (const int k : {24, 26, 29, 31, 35, 41, 45})
      check.near("guide, by the path under the slider",
                 guide[static_cast<std::size_t>(k)] / (1e-11 * F / (0.03 * 0.01) * 0.03),
                 covered(k) / 0.03, 2e-3);
    check.energy(run);
  }
}

TEST(WornParts, APinInItsSlot) {
  Check check("pin in its slot", "V = k F s, a line of Hertz on a plane wall");
  const double F = 500, time = 0.25, spin = 20, path = spin * 0.0099 * time;
  for (const Formulation formulation : kBoth) {
    Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.pin]
mass = 1000
inertia = 1000
angular_velocity = 20
[joints.slot]
type = "point-on-line"
bodies = ["ground", "pin"]
at = [0, 0]
axis = [1, 0]
[joints.slot.clearance]
slot_radius = "10 mm"
pin_radius = "9.9 mm"
pin_length = "12 mm"
slot = { from = "-30 mm", to = "50 mm" }
material = "steel"
offset = [0, 1.0292401773821287e-4]
force_point = "ball"
contact = { law = "hertz", stiffness = 1e11 }
wear = { law = "archard", outer = 1e-11, inner = 1e-11, sectors = 720 }
[forces.load]
body = "pin"
at = [0, 0]
vector = [0, 500]
[simulation]
duration = 0.25
output = 0.25
)");
    model.simulation.formulation = formulation;
    const Simulated run = simulate(model);
    audit_volume(check, run, "slot", time);
    for (const std::string part : {"outer", "inner"})
      check.near("V over k F s, " + part,
                 run.series.at("joints/slot/worn_volume_" + part, time) / (1e-11 * F * path), 1,
                 1e-5);
    // The wall is touched 30 mm from its beginning, or as far from its end on the way back: y is to
    // the left of the axis.
    const auto wall = depths(run, "slot", "outer", time);
    const double perimeter = 2 * 0.08 + 2 * kPi * 0.01, cell = perimeter / 720;
    const auto deepest = std::ranges::max_element(wall) - wall.begin();
    check.near("place of the greatest depth", (static_cast<double>(deepest) + 0.5) * cell, 0.03,
               cell);
  }
}

TEST(WornParts, WhatCannotWearIsRefused) {
  using ::testing::HasSubstr;
  const auto message = [](const std::string& text) {
    try {
      static_cast<void>(model_from(text));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string head =
      "[bodies.part]\nmass = 1\ninertia = [1, 1, 1]\n[joints.j]\nbodies = "
      "[\"ground\", \"part\"]\nat = [0, 0, 0]\n";
  const std::string wear = "wear = { law = \"archard\", outer = 1e-14, inner = 0";
  EXPECT_THAT(message(head +
                      "type = \"revolute\"\naxis = [0, 0, 1]\n[joints.j.clearance]\n"
                      "bearing_radius = 0.01\nradial = 1e-4\nbearing_length = 0.01\n"
                      "journal_length = 0.01\nmaterial = \"steel\"\nform = \"rim\"\n" +
                      wear + " }\n"),
              HasSubstr("without an area"));
  EXPECT_THAT(message(head +
                      "type = \"spherical\"\n[joints.j.clearance]\nsocket_radius = 0.01\n"
                      "radial = 1e-4\nmaterial = \"steel\"\ncontact = { law = \"newton\" }\n" +
                      wear + " }\n"),
              HasSubstr("no pressure"));
  EXPECT_THAT(message(head +
                      "type = \"spherical\"\n[joints.j.clearance]\nsocket_radius = 0.01\n"
                      "radial = 1e-4\ncontact = { law = \"hertz\", stiffness = 1e10 }\n" +
                      wear + " }\n"),
              HasSubstr("material"));
  EXPECT_THAT(message(head +
                      "type = \"prismatic\"\naxis = [1, 0, 0]\n[joints.j.clearance]\n"
                      "guide_width = 0.02\nguide_height = 0.02\nradial = 1e-4\n"
                      "slider_length = 0.02\nmaterial = \"steel\"\ncontact = { law = "
                      "\"plane-face\" }\n" +
                      wear + " }\n"),
              HasSubstr("not followed"));
  const std::string plane =
      "[mechanism]\nplanar = true\n[bodies.part]\nmass = 1\ninertia = 1\n"
      "[joints.j]\nbodies = [\"ground\", \"part\"]\nat = [0, 0]\n";
  EXPECT_THAT(message(plane +
                      "type = \"prismatic\"\naxis = [1, 0]\n[joints.j.clearance]\n"
                      "guide_width = 0.02\nradial = 1e-4\nslider_length = 0.02\nmaterial = "
                      "\"steel\"\ncontact = { law = \"plane-face\" }\n" +
                      wear + " }\n"),
              HasSubstr("guide_length"));
  const std::string slot =
      "type = \"point-on-line\"\naxis = [1, 0]\n[joints.j.clearance]\n"
      "slot_radius = 0.01\npin_radius = 0.0099\nmaterial = \"steel\"\n";
  EXPECT_THAT(message(plane + slot + wear + " }\n"), HasSubstr("pin_length"));
  EXPECT_THAT(message(plane + slot + "pin_length = 0.01\n" + wear + " }\n"),
              HasSubstr("without ends"));
}

}  // namespace
}  // namespace freeplay::testing
