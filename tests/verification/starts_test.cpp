// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// How mechanisms with play start: velocities inside the play, drives against it and through it,
// and what is said about it.
namespace freeplay::testing {
namespace {

/// Runs in either formulation.
Simulated simulate_in(Model model, Formulation formulation) {
  model.simulation.formulation = formulation;
  return simulate(std::move(model));
}

double first_touch(const Simulated& run) {
  for (const Event& e : run.series.events)
    if (e.kind == "touch") return e.time;
  return -1;
}

// ---------------------------------------------------------------- velocities inside the play

struct Flight {
  std::string name;
  bool planar;
  std::string joint;      ///< type, axis
  std::string clearance;  ///< keys of its geometry; the play is 1 mm
  std::string motion;     ///< of the body
  double touch;           ///< s
  std::string contact = R"({ law = "hertz", stiffness = 1e9 })";
};

/// A body in mid-play of one joint with the ground, without weight.
Model flying(const Flight& f) {
  return model_from(fmt::format(
      R"(
[mechanism]
planar = {}
gravity = {}
[bodies.part]
mass = 2
inertia = {}
position = {}
{}
[joints.play]
{}
bodies = ["ground", "part"]
at = {}
[joints.play.clearance]
{}
contact = {}
[simulation]
duration = 0.02
)",
      f.planar, f.planar ? "[0, 0]" : "[0, 0, 0]", f.planar ? "1e-3" : "[1e-3, 1e-3, 1e-3]",
      f.planar ? "[0.3, 0.2]" : "[0.3, 0.2, 0.1]", f.motion, f.joint,
      f.planar ? "[0.3, 0.2]" : "[0.3, 0.2, 0.1]", f.clearance, f.contact));
}

/// 1 mm of play is crossed at 0.5 m/s in 2 ms; corners come nearer by turning.
std::vector<Flight> flights() {
  // A slider 60 mm long and 20 mm high between walls 22 mm apart, turned at 4 rad/s about its
  // middle: its corners touch where 30 sin(a) + 10 cos(a) = 11 (mm).
  const double turn = std::asin(11 / std::hypot(30, 10)) - std::atan2(10, 30);
  const std::string journal = "bearing_radius = 0.01\njournal_radius = 0.009\n",
                    bore = journal + "material = \"steel\"\nface_modulus = 1e13\n",
                    guide = "guide_width = 0.022\nslider_width = 0.02\nslider_length = 0.06\n";
  return {
      {"ball", false, "type = \"spherical\"", "socket_radius = 0.01\nball_radius = 0.009",
       "velocity = [0.3, 0, -0.4]", 2e-3},
      {"journal", true, "type = \"revolute\"", journal, "velocity = [0.3, -0.4]", 2e-3},
      {"captive journal", false, "type = \"revolute\"\naxis = [0, 1, 0]",
       bore + "bearing_length = 0.05\njournal_length = 0.04", "velocity = [0.3, 0, 0.4]", 2e-3},
      {"captive journal, along its axis", false, "type = \"revolute\"\naxis = [0, 1, 0]",
       bore + "bearing_length = 0.05\njournal_length = 0.04", "velocity = [0, 0.5, 0]", 1e-2},
      {"free journal", false, "type = \"cylindrical\"\naxis = [0, 1, 0]",
       bore.substr(0, bore.find("face")) + "journal_length = 0.04", "velocity = [0.3, 1, -0.4]",
       2e-3},
      {"slider", true, "type = \"prismatic\"\naxis = [1, 0]", guide, "velocity = [3, 0.5]", 2e-3,
       R"({ law = "plane-face", stiffness = 1e9 })"},
      {"turning slider", true, "type = \"prismatic\"\naxis = [1, 0]", guide,
       "velocity = [3, 0]\nangular_velocity = 4", turn / 4,
       R"({ law = "plane-face", stiffness = 1e9 })"},
      {"box", false, "type = \"prismatic\"\naxis = [1, 0, 0]",
       guide + "guide_height = 0.032\nslider_height = 0.03", "velocity = [3, 0, 0.5]", 2e-3,
       R"({ law = "plane-face", stiffness = 1e9 })"},
      {"pin in a slot", true, "type = \"point-on-line\"\naxis = [1, 0]",
       "slot_radius = 0.006\npin_radius = 0.005", "velocity = [3, -0.5]", 2e-3},
      {"ball in a tube", false, "type = \"point-on-line\"\naxis = [1, 0, 0]",
       "slot_radius = 0.006\npin_radius = 0.005", "velocity = [3, -0.3, 0.4]", 2e-3},
  };
}

TEST(StartVelocity, InsideThePlayIsKeptUntilTheTouch) {
  Check check("flights", "closed form: time of flight across the play");
  for (const Flight& f : flights())
    for (const Formulation formulation : {Formulation::cartesian, Formulation::tree}) {
      SCOPED_TRACE(f.name);
      const Simulated run = simulate_in(flying(f), formulation);
      EXPECT_TRUE(run.assembly.notes.empty()) << run.assembly.notes.front();
      check.near(f.name + ", touch", first_touch(run), f.touch, 1e-12);
      check.energy(run);
    }
}

TEST(StartVelocity, UnderGravityTheTouchIsThatOfTheParabola) {
  // Up from 0.2 mm below the middle at 0.3 m/s against g: 1.2 mm to the wall.
  Flight f = flights()[1];
  f.motion = "velocity = [0, 0.3]";
  Model model = flying(f);
  model.gravity = {0, -9.81, 0};
  model.joints[0].clearance->offset = {0, -0.2e-3, 0};
  const double touch = (0.3 - std::sqrt(0.09 - 2 * 9.81 * 1.2e-3)) / 9.81;
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree})
    EXPECT_NEAR(first_touch(simulate_in(model, formulation)), touch, 1e-12);
}

TEST(StartVelocity, OthersFollowAsFarAsRealJointsLetThem) {
  // A pendulum carries a ring on its end with play; only the ring's velocity is written. The
  // pendulum turns along with it as the ideal joint would, across its length; what remains along it
  // is motion in the play.
  const Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.arm]
mass = 1
inertia = 1e-2
position = [0.25, 0]
[bodies.ring]
mass = 0.5
inertia = 1e-4
position = [0.5, 0]
velocity = [0.2, 1.5]
[joints.pivot]
type = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
[joints.eye]
type = "revolute"
bodies = ["ring", "arm"]
at = [0.5, 0]
[joints.eye.clearance]
bearing_radius = 0.01
journal_radius = 0.009
contact = { law = "hertz", stiffness = 1e9 }
[simulation]
duration = 0.02
)");
  const Simulated run = simulate(model);
  Check check("ring on an arm", "closed form: velocity split along and across the arm");
  check.near("ring", run.series.vector("bodies/ring/velocity", 0), {0.2, 1.5, 0}, 1e-14);
  check.near("arm", run.series.at("bodies/arm/angular_velocity", 0), 3, 1e-12);
  EXPECT_TRUE(run.assembly.notes.empty());
  EXPECT_GT(first_touch(run), 0);
  check.energy(run);
}

TEST(StartVelocity, OfARealJointIsStillProjectedAndSaid) {
  const Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.slider]
mass = 1
velocity = [1, 0.5]
[bodies.ball]
mass = 1
position = [0, 0.1]
inertia = 1e-3
velocity = [0.25, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0, 0]
axis = [1, 0]
[joints.play]
type = "revolute"
bodies = ["ground", "ball"]
at = [0, 0.1]
[joints.play.clearance]
bearing_radius = 0.01
journal_radius = 0.009
contact = { law = "hertz", stiffness = 1e9 }
)");
  const Assembly start = assemble(model);
  ASSERT_EQ(start.notes.size(), 1U);
  EXPECT_EQ(start.notes[0], "start velocity of slider changed by 0.5 m/s to satisfy the joints");
  Model run = model;
  run.simulation.duration = 1e-3;
  const Simulated done = simulate(run);
  EXPECT_NEAR(done.series.at("bodies/slider/velocity.x", 0), 1, 1e-14);
  EXPECT_NEAR(done.series.at("bodies/ball/velocity.x", 0), 0.25, 1e-14);
}

TEST(StartSpeed, OfAJointWithPlayIsThatOfItsCoordinate) {
  Flight f = flights()[1];
  f.joint += "\nspeed = 20";
  const Simulated spin = simulate(flying({f.name, f.planar, f.joint, f.clearance, "", 0}));
  EXPECT_NEAR(spin.series.at("bodies/part/angular_velocity", 0), 20, 1e-12);
  EXPECT_LT(spin.series.vector("bodies/part/velocity", 0).norm(), 1e-14);
  // Beside a velocity in the play both hold.
  const Simulated both = simulate(flying(f));
  EXPECT_NEAR(both.series.at("bodies/part/angular_velocity", 0), 20, 1e-12);
  EXPECT_NEAR(first_touch(both), 2e-3, 1e-12);

  Flight slide = flights()[5];
  slide.joint += "\nspeed = 3";
  slide.motion = "angular_velocity = 4";
  const Simulated along = simulate(flying(slide));
  EXPECT_NEAR(along.series.at("bodies/part/velocity.x", 0), 3, 1e-12);
  EXPECT_NEAR(first_touch(along), flights()[6].touch, 1e-12);
}

TEST(StartSpeed, OfAUniversalJointWithPlayGoesToItsTwoHalves) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.shaft]
mass = 1
inertia = [1e-3, 2e-3, 3e-3]
position = [0.1, 0, 0]
[joints.cross]
type = "universal"
bodies = ["ground", "shaft"]
at = [0, 0, 0]
axis = [0, 0, 1]
second_axis = [0, 1, 0]
speed = { angle = 3, second_angle = -5 }
[joints.cross.clearance]
bearing_radius = 0.01
journal_radius = 0.009
bearing_length = 0.05
journal_length = 0.04
material = "steel"
cross = { mass = 0.1, inertia = [1e-5, 1e-5, 1e-5] }
[simulation]
duration = 1e-4
)"));
  const Vec3 w = run.series.vector("bodies/shaft/angular_velocity", 0);
  EXPECT_NEAR(w[2], 3, 1e-9);
  EXPECT_NEAR(w[1], -5, 1e-9);
}

// ---------------------------------------------------------------- drives against the play

/// A block drawn along a rail by its drive, with a pin on it in a bearing with 1 mm of play.
Model drawn(const std::string& drive) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.block]
mass = 1
inertia = 1e-3
position = [0.3, 0]
[bodies.carrier]
mass = 3
inertia = 1e-3
position = [0.3, 0.1]
[joints.rail]
type = "prismatic"
bodies = ["ground", "block"]
at = [0.3, 0]
axis = [1, 0]
drive = {{ {} }}
[joints.carrier_rail]
type = "prismatic"
bodies = ["ground", "carrier"]
at = [0.3, 0.1]
axis = [1, 0]
[joints.pin]
type = "revolute"
bodies = ["carrier", "block"]
at = [0.3, 0]
[joints.pin.clearance]
bearing_radius = 0.01
journal_radius = 0.009
contact = {{ law = "hertz", stiffness = 1e9 }}
[simulation]
duration = 0.02
)",
                                drive));
}

TEST(DriveAgainstPlay, GoesThroughTheGapAndThenPushes) {
  // The bearing stands still by its own will: at rest as written.
  Model model = drawn("speed = 0.1");
  model.bodies[2].velocity = Vec3::Zero();
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree}) {
    const Simulated run = simulate_in(model, formulation);
    EXPECT_TRUE(run.assembly.notes.empty());
    EXPECT_NEAR(first_touch(run), 0.01, 1e-12);
    // An elastic blow at 0.1 m/s by a block that the drive keeps going: the carrier leaves at twice
    // that speed, and the drive has worked for it.
    Check check("drawn", "closed form: elastic blow by a driven block");
    check.near("carrier", run.series.at("bodies/carrier/velocity.x", 0.02), 0.2, 1e-9);
    check.near("work", run.series.at("energy/work/joints/rail/drive", 0.02), 0.5 * 3 * 0.04, 1e-9);
    check.energy(run);
  }
}

TEST(DriveAgainstPlay, MayBeginOffTheCentreAndSaysSo) {
  Model model = drawn("polynomial = [0.5e-3, 0.1]");
  for (Joint& joint : model.joints)
    if (joint.name == "carrier_rail")
      joint.drives.push_back({Coordinate::displacement, Constant{}});
  model.simulation.duration = 0.006;  // both are driven: soon after the touch they would jam
  const Simulated run = simulate(model);
  EXPECT_NEAR(first_touch(run), 0.005, 1e-12);
  const auto& notes = run.assembly.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.starts_with("joint pin starts 0.5 mm and 0 deg off its centre");
  }));
}

TEST(DriveAgainstPlay, BeyondThePlayIsRefused) {
  Model model = drawn("polynomial = [1.5e-3, 0.1]");
  for (Joint& joint : model.joints)
    if (joint.name == "carrier_rail")
      joint.drives.push_back({Coordinate::displacement, Constant{}});
  try {
    static_cast<void>(assemble(model));
    FAIL() << "assembled";
  } catch (const AssemblyError& error) {
    EXPECT_NE(std::string(error.what()).find("joint pin 0.5 mm into each other, beyond its play"),
              std::string::npos)
        << error.what();
  }
}

TEST(DriveAgainstPlay, AMisfitGoesWhereThereIsMostPlay) {
  // A body held by two journals whose bearings stand 0.1 mm too far apart: with 1 mm and 0.05 mm of
  // play it hangs in the first.
  Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.link]
mass = 1
inertia = 1e-3
position = [0.1, 0]
[joints.wide]
type = "revolute"
bodies = ["ground", "link"]
at = { ground = [0, 0], link = [-0.1, 0] }
[joints.wide.clearance]
bearing_radius = 0.01
journal_radius = 0.009
contact = { law = "hertz", stiffness = 1e9 }
[joints.narrow]
type = "revolute"
bodies = ["ground", "link"]
at = { ground = [0.2001, 0], link = [0.1, 0] }
[joints.narrow.clearance]
bearing_radius = 0.01
radial = 0.05e-3
contact = { law = "hertz", stiffness = 1e9 }
[simulation]
duration = 1e-4
)");
  const Simulated run = simulate(model);
  const double wide = run.series.at("joints/wide/ratio", 0) * 1e-3,
               narrow = run.series.at("joints/narrow/ratio", 0) * 0.05e-3;
  EXPECT_NEAR(wide + narrow, 0.1e-3, 1e-12);
  EXPECT_NEAR(narrow / wide, 0.05 * 0.05, 1e-6);  // shares of least squares over the plays
}

// ---------------------------------------------------------------- drives through the play

/// MBDyn's hydrodynamic test bearing (hydro_test00), its journal spun through its own oil.
Model driven_journal(double duration) {
  Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.rotor]
mass = 5.5
inertia = 2e-3
position = [0, 0]
[joints.bearing]
type = "revolute"
bodies = ["ground", "rotor"]
at = [0, 0]
drive = { speed = "6000 rpm" }
[joints.bearing.clearance]
bearing_radius = 15.09e-3
radial = 90e-6
bearing_length = 0.02
film = { law = "short-bearing", viscosity = 0.01985, radius = 0.015 }
offset = [20e-6, -5e-6]
)");
  model.simulation.duration = duration;
  model.simulation.output = duration / 4;
  return model;
}

TEST(DriveThroughOil, SettlesAtTheShortBearingEquilibrium) {
  // Ocvirk's half film carries the weight of 53.955 N at eps = 0.29974006, 68.196906 deg from the
  // load line (closed form).
  const double end = 3.2;  // the whirl has died away by then
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree}) {
    const Simulated run = simulate_in(driven_journal(end), formulation);
    Check check("driven journal", "MBDyn hydro_test00 data; Ocvirk's closed form");
    const Vec3 e = run.series.vector("joints/bearing/eccentricity", end);
    // A single joint has no extent: lengths are kept to tolerance x 1 m, here of 27 um.
    const double length = run.model.simulation.tolerance;
    check.near("eccentricity ratio", e.norm() / 90e-6, 0.29974006, length / 90e-6);
    check.near("attitude, deg", std::atan2(e[0], -e[1]) * 180 / M_PI, 68.196906,
               length / 27e-6 * 180 / M_PI);
    check.near("angle", run.series.at("joints/bearing/coordinate", end), 200 * M_PI * end, 1e-9);
    // The drive pays for what the oil takes away.
    const double effort = run.series.at("joints/bearing/drive_effort", end),
                 power = run.series.at("joints/bearing/film_power", end);
    EXPECT_GT(effort, 0);
    check.near("power", effort * 200 * M_PI, -power, 1e-6 * std::abs(power));
    check.energy(run);
  }
}

TEST(DriveThroughPlay, KeepsTheAngleOfAJournalThatTilts) {
  // A heavy rotor in a loose bearing in space, rattling and tilting between its walls: the angle is
  // prescribed, everything else is free, and the drive's work is booked.
  const Model model = model_from(R"(
[mechanism]
gravity = [0, 0, -9.81]
[bodies.rotor]
mass = 2
inertia = [4e-3, 3e-3, 3e-3]
position = [0.01, 0.004, 0.003]
angular_velocity = [0, 0.8, 0.5]
[joints.bearing]
type = "revolute"
bodies = ["ground", "rotor"]
at = [0, 0, 0]
axis = [1, 0, 0]
drive = { sine = { amplitude = 2, frequency = 3 } }
[joints.bearing.clearance]
bearing_radius = 0.01
radial = 0.5e-3
bearing_length = 0.03
axial = 1e-3
face_modulus = 1e12
contact = { law = "hertz", stiffness = 1e8 }
friction = { law = "tanh", kinetic = 0.1, v1 = 0.01 }
[simulation]
duration = 0.12
output = 0.02
tolerance = 1e-9
)");
  std::array<Simulated, 2> runs{simulate_in(model, Formulation::cartesian),
                                simulate_in(model, Formulation::tree)};
  for (const Simulated& run : runs) {
    Check check("tilting", "the prescribed angle; energy balance");
    for (const double t : run.series.time)
      check.near("angle", run.series.at("joints/bearing/coordinate", t), 2 * std::sin(6 * M_PI * t),
                 1e-9);
    EXPECT_GT(run.result.contacts, 3);
    check.energy(run);
  }
  EXPECT_LT((runs[0].series.vector("bodies/rotor/position", 0.04) -
             runs[1].series.vector("bodies/rotor/position", 0.04))
                .norm(),
            1e-7);
}

TEST(DriveThroughPlay, SlidesASliderAndAPinAlong) {
  for (const std::size_t which : {std::size_t{5}, std::size_t{7}, std::size_t{8}, std::size_t{4}}) {
    Flight f = flights()[which];
    SCOPED_TRACE(f.name);
    const bool planar = f.planar;
    f.joint += which == 4 ? "\ndrive = { coordinate = \"displacement\", sine = { amplitude = 0.01, "
                            "frequency = 10 } }"
                          : "\ndrive = { sine = { amplitude = 0.01, frequency = 10 } }";
    f.motion = planar ? "velocity = [0.6283185307179586, 0.5]\nangular_velocity = 0"
               : which == 4
                   ? "velocity = [0, 0.6283185307179586, 0.5]\nangular_velocity = [0, 0, 0]"
                   : "velocity = [0.6283185307179586, 0, 0.5]\nangular_velocity = [0, 0, 0]";
    for (const Formulation formulation : {Formulation::cartesian, Formulation::tree}) {
      const Simulated run = simulate_in(flying(f), formulation);
      EXPECT_TRUE(run.assembly.notes.empty()) << run.assembly.notes.front();
      Check check(f.name, "the prescribed displacement; energy balance");
      check.near("touch", first_touch(run), 2e-3, 1e-12);
      for (const double t : {0.005, 0.02})
        check.near(
            "slide",
            run.series.at(
                which == 4 ? "joints/play/coordinate_displacement" : "joints/play/coordinate", t),
            0.01 * std::sin(20 * M_PI * t), 1e-11);
      check.energy(run);
    }
  }
}

TEST(DriveThroughRubber, PrescribesTheSlideAndLeavesTheRest) {
  // A mass on rubber pushed along its axis by a drive: across it swings at sqrt(k/m).
  const Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.mount]
mass = 2
inertia = 1e-2
velocity = [0.6283185307179586, 0.1]
angular_velocity = 0
[joints.rubber]
type = "prismatic"
bodies = ["ground", "mount"]
at = [0, 0]
axis = [1, 0]
drive = { sine = { amplitude = 0.01, frequency = 10 } }
[joints.rubber.bushing]
radial = 5e4
axial = 5e4
tilt = 100
twist = 100
[simulation]
duration = 0.1
output = 0.01
)");
  const double w = std::sqrt(5e4 / 2);
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree}) {
    const Simulated run = simulate_in(model, formulation);
    Check check("rubber", "closed form: swings at sqrt(k/m)");
    check.near("across", run.series.at("bodies/mount/position.y", 0.1), 0.1 / w * std::sin(w * 0.1),
               1e-9);
    check.near("along", run.series.at("bodies/mount/position.x", 0.03),
               0.01 * std::sin(20 * M_PI * 0.03), 1e-11);
    check.energy(run);
  }
}

TEST(DriveThroughPlay, IsRefusedWhereItWouldBeARigidLink) {
  EXPECT_THROW(static_cast<void>(model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.pin]
mass = 1
inertia = 1e-3
position = [0.1, 0]
[joints.arc]
type = "distance"
bodies = ["ground", "pin"]
at = [[0, 0], [0.1, 0]]
drive = { speed = 0.1 }
[joints.arc.clearance]
slot_radius = 0.006
pin_radius = 0.005
material = "steel"
)")),
               ModelError);
}

// ---------------------------------------------------------------- where the surfaces act

/// A ring and a journal, both free, pressed into each other by 20 um and turning.
Model rubbing(ForcePoint point) {
  Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.ring]
mass = 3
inertia = 2e-3
position = [0, 0]
velocity = [0, 0]
angular_velocity = -12
[bodies.journal]
mass = 1
inertia = 5e-5
position = [0, 0]
velocity = [0.1, 0]
angular_velocity = 40
[joints.bearing]
type = "revolute"
bodies = ["ring", "journal"]
at = [0, 0]
[joints.bearing.clearance]
bearing_radius = 0.01
radial = 0.1e-3
contact = { law = "hertz", stiffness = 1e9 }
friction = { law = "tanh", kinetic = 0.2, v1 = 1 }
offset = [0.12e-3, 0]
[simulation]
duration = 0.05
tolerance = 1e-10
)");
  model.joints[0].clearance->force_point = point;
  return model;
}

TEST(ForcePointTest, LeverAndSlipAreThoseOfThePoint) {
  const double depth = 0.02e-3, N = 1e9 * std::pow(depth, 1.5);
  for (const auto& [point, share] :
       {std::pair{ForcePoint::socket, 0.0}, std::pair{ForcePoint::midway, 0.5},
        std::pair{ForcePoint::ball, 1.0}}) {
    const Simulated run = simulate(rubbing(point));
    const double outer = 0.01 + share * depth, inner = 0.0099 - (1 - share) * depth;
    // Slip of the journal's material along y at the point: both turn about their own centres.
    const double slip = 40 * inner + 12 * outer, friction = 0.2 * N * std::tanh(slip);
    Check check("levers", "theory/gaps (G.5), (G.6)");
    check.near("journal", run.series.at("bodies/journal/angular_acceleration", 0),
               -friction * inner / 5e-5, 1e-9 * friction * inner / 5e-5);
    check.near("ring", run.series.at("bodies/ring/angular_acceleration", 0),
               friction * outer / 2e-3, 1e-9 * friction * outer / 2e-3);
  }
}

TEST(ForcePointTest, KeepsMomentumAndEnergyInBothFormulations) {
  std::array<double, 3> spin{};
  for (const ForcePoint point : {ForcePoint::midway, ForcePoint::socket, ForcePoint::ball}) {
    std::array<Simulated, 2> runs{simulate_in(rubbing(point), Formulation::cartesian),
                                  simulate_in(rubbing(point), Formulation::tree)};
    for (const Simulated& run : runs) {
      Check check("momentum", "conservation of momentum and energy");
      const auto momentum = [&](double t) {
        double sum = 0;
        for (const auto& [name, mass, inertia] :
             {std::tuple{"ring", 3.0, 2e-3}, std::tuple{"journal", 1.0, 5e-5}}) {
          const std::string at = std::string("bodies/") + name;
          const Vec3 r = run.series.vector(at + "/position", t),
                     v = run.series.vector(at + "/velocity", t);
          sum += inertia * run.series.at(at + "/angular_velocity", t) +
                 mass * (r[0] * v[1] - r[1] * v[0]);
        }
        return sum;
      };
      check.near("angular momentum", momentum(0.05), momentum(0), 1e-11);
      check.energy(run);
      EXPECT_GT(run.result.contacts, 2);
    }
    const auto w = [](const Simulated& run) {
      return run.series.at("bodies/journal/angular_velocity", 0.05);
    };
    EXPECT_NEAR(w(runs[0]), w(runs[1]), 1e-6 * std::abs(w(runs[0])));
    spin[static_cast<std::size_t>(point)] = w(runs[0]);
  }
  // The points differ by a depth of some micrometres in a lever of 10 mm.
  EXPECT_NE(spin[0], spin[1]);
  EXPECT_NEAR(spin[0], 0.5 * (spin[1] + spin[2]), 0.1 * std::abs(spin[1] - spin[2]));
}

}  // namespace
}  // namespace freeplay::testing
