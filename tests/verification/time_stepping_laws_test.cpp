// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <cmath>

// What rigid contacts have beside them in steps over impacts: friction of ideal joints, elements
// with states of their own. Closed forms, and event-driven runs of the same models.
namespace freeplay::testing {
namespace {

constexpr double kG = 9.81;

std::string moreau(double step, double duration, const std::string& more = "") {
  return fmt::format(
      "[simulation]\nintegrator = \"moreau\"\nstep = {:.17g}\nduration = {:.17g}\n{}\n", step,
      duration, more);
}

/// One model in time steps of h, and event by event.
Simulated stepped(Model model, double h) {
  model.simulation.method = Method::moreau;
  model.simulation.formulation = Formulation::cartesian;
  model.simulation.step = h;
  return simulate(std::move(model));
}

// ---- friction of ideal joints

std::string block(const std::string& friction, double speed, const std::string& pull,
                  const std::string& simulation) {
  return fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.block]
mass = 2
inertia = 0.01
position = [0, 0]
velocity = [{}, 0]
[joints.slide]
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
friction = {{ law = "coulomb", {} }}
{}
{}
)",
                     speed, friction, pull, simulation);
}

TEST(TimeSteppingFriction, BlockSlidesToItsEndAndStaysThere) {
  Check check("D4 block with friction in its ideal joint, in time steps", "closed form");
  const double h = 1e-3, way = 0.5 / (0.2 * kG);
  const Simulated run =
      simulate(model_from(block("kinetic = 0.2", 1, "", moreau(h, 60, "output = 60"))));
  check.near("way", run.series.at("bodies/block/position.x", 60), way, h * h);
  EXPECT_EQ(run.series.at("joints/slide/mode", 60), 3);
  check.near("load", run.series.at("joints/slide/normal_force", 60), 2 * kG, 1e-9);
  check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e-9);
  EXPECT_EQ(run.series.at("bodies/block/velocity.x", 60), 0);
}

TEST(TimeSteppingFriction, WhatHoldsAtRestSlidesWithTheSmallerCoefficient) {
  Check check("breakaway of an ideal joint, in time steps", "closed form");
  // The pull grows by 10 N/s: 0.3 of the load of 19.62 N is reached after 0.5886 s.
  const std::string pull =
      "[forces.pull]\nbody = \"block\"\ndirection = [1, 0]\nmagnitude = { formula = \"10*t\" }\n";
  const double h = 1e-5, begins = 0.3 * 2 * kG / 10, t = 0.8;
  const Simulated run = simulate(
      model_from(block("kinetic = 0.2, static = 0.3", 0, pull, moreau(h, t, "output = 0.1"))));
  EXPECT_NEAR(run.series.at("bodies/block/position.x", 0.5), 0, 1e-15);
  check.near("friction that holds", run.series.at("joints/slide/friction_force", 0.5), 10 * 0.5,
             20 * h);
  const double speed = (5 * (t * t - begins * begins) - 0.2 * 2 * kG * (t - begins)) / 2;
  check.near("speed", run.series.at("bodies/block/velocity.x", t), speed, 10 * h);
  EXPECT_LE(run.result.friction_use, 1 + 1e-9);
}

std::string pendulum(const std::string& simulation) {
  return R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.bob]
mass = 1
inertia = 0.02
position = [0.3, 0]
[joints.pin]
type = "revolute"
bodies = ["ground", "bob"]
at = [0, 0]
friction = { law = "coulomb", kinetic = 0.2, radius = 0.03, preload = 2 }
)" + simulation;
}

double angle_of(const Simulated& run, double t) { return run.series.at("bodies/bob/angle", t); }

TEST(TimeSteppingFriction, PendulumConvergesToTheEventDrivenRun) {
  Check check("pendulum with friction in its pin, in time steps", "event-driven run");
  const double end = 4;
  const Simulated exact =
      simulate(model_from(pendulum("[simulation]\nduration = 4\noutput = 1\ntolerance = 1e-11\n")));
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const Simulated run = simulate(model_from(pendulum(moreau(h, end, "output = 1"))));
    double error = 0;
    for (const double t : {1.0, 2.0, 3.0, 4.0})
      error = std::max(error, std::abs(angle_of(run, t) - angle_of(exact, t)));
    check.below(fmt::format("angle, h = {:g}", h), error, 2 * h);
    if (last > 0) {
      EXPECT_LT(error, 0.7 * last) << h;
    }
    last = error;
    check.below("audit", run.result.energy_residual / run.result.energy_scale, h);
    EXPECT_LE(run.result.friction_use, 1 + 1e-9);
  }
}

/// A ball that three directions of slip rub in, in space, with a spring that pulls it back.
TEST(TimeSteppingFriction, BallInSpaceConvergesToTheEventDrivenRun) {
  const auto model = [](const std::string& simulation) {
    return model_from(R"(
[mechanism]
gravity = [0, 0, -9.81]
[bodies.top]
mass = 1
inertia = [0.01, 0.02, 0.015]
position = [0, 0, 0.2]
angular_velocity = [1, 2, 12]
[joints.ball]
type = "spherical"
bodies = ["ground", "top"]
at = [0, 0, 0]
friction = { law = "coulomb", kinetic = 0.3, radius = 0.02 }
)" + simulation);
  };
  Check check("ball with friction in space, in time steps", "event-driven run");
  const Simulated exact =
      simulate(model("[simulation]\nduration = 0.5\noutput = 0.1\ntolerance = 1e-10\n"));
  double last = 0;
  for (const double h : {2e-4, 1e-4, 5e-5}) {
    const Simulated run = simulate(model(moreau(h, 0.5, "output = 0.1")));
    const double error = (run.series.vector("bodies/top/position", 0.5) -
                          exact.series.vector("bodies/top/position", 0.5))
                             .norm();
    check.below(fmt::format("position, h = {:g}", h), error, 2 * h);
    if (last > 0) {
      EXPECT_LT(error, 0.7 * last) << h;
    }
    last = error;
    EXPECT_LE(run.result.friction_use, 1 + 1e-9);
  }
}

/// A whole mechanism: every joint of the slider-crank rubs, with and without play in its pin.
TEST(TimeSteppingFriction, SliderCrankWithFrictionEverywhere) {
  Check check("slider-crank with friction in all joints, in time steps", "event-driven run");
  for (const bool play : {false, true}) {
    Model model = play ? load_imperfect("slider_crank") : load_mechanism("slider_crank");
    for (Joint& joint : model.joints) {
      if (joint.clearance) {
        joint.clearance->contact = {"newton", {{"restitution", 0.9}}};
        joint.clearance->friction = LawChoice{"coulomb", {{"kinetic", 0.05}}};
      } else {
        joint.friction = JointFriction{{"coulomb", {{"kinetic", 0.1}}}, 5, 0.01};
      }
    }
    model.simulation.duration = 1e-3;
    model.simulation.output = 5e-4;
    model.simulation.formulation = Formulation::cartesian;
    const Simulated exact = simulate(model);
    for (const double h : {1e-6, 2.5e-7}) {
      const Simulated run = stepped(model, h);
      const double x = run.series.at("bodies/slider/position.x", 1e-3),
                   known = exact.series.at("bodies/slider/position.x", 1e-3);
      check.near(fmt::format("x at 1 ms, {}, h = {:g}", play ? "play" : "ideal pin", h), x, known,
                 4 * h);
      check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e4 * h);
    }
  }
}

// The mast of frictional pins stands where a smooth law would creep: a brake, for an hour.
TEST(TimeSteppingFriction, BrakeHoldsForAnHour) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.upper]
mass = 1
inertia = 0.01
position = [0.2, 0]
[bodies.lower]
mass = 1
inertia = 0.01
position = [0.6, 0]
[joints.shoulder]
type = "revolute"
bodies = ["ground", "upper"]
at = [0, 0]
friction = { law = "coulomb", kinetic = 0.5, radius = 0.1, preload = 400 }
[joints.elbow]
type = "revolute"
bodies = ["upper", "lower"]
at = [0.4, 0]
friction = { law = "coulomb", kinetic = 0.5, radius = 0.1, preload = 200 }
)" + moreau(0.05, 3600, "output = 600")));
  Check check("two brakes for an hour, in time steps", "closed form");
  // 72 000 steps of half a meter a second that is held, to its round-off.
  check.near("shoulder", run.series.at("bodies/upper/angle", 3600), 0, 1e-10);
  check.near("elbow", run.series.at("bodies/lower/angle", 3600), 0, 1e-10);
  check.near("elbow holds", 0.1 * run.series.at("joints/elbow/friction_force", 3600), kG * 0.2,
             1e-9);
  check.near("shoulder holds", 0.1 * run.series.at("joints/shoulder/friction_force", 3600),
             kG * 0.8, 1e-9);
}

// Friction in a rail under a blow: the impulse across the rail loads it.
TEST(TimeSteppingFriction, ABlowRubsInAnIdealJoint) {
  // A block on a rail, struck along a line at 45 degrees by a ball that then moves on with it.
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.block]
mass = 1
inertia = 0.1
position = [0, 0]
[bodies.striker]
mass = 1
inertia = 0.1
position = [0, 0]
velocity = [0.70710678118654752, -0.70710678118654752]
[joints.rail]
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
friction = { law = "coulomb", kinetic = 0.2 }
[joints.chute]
type = "prismatic"
bodies = ["block", "striker"]
at = [0, 0]
axis = [1, -1]
[joints.chute.stop]
upper = 0.01
contact = { law = "newton", restitution = 0 }
)" + moreau(1e-5, 0.02)));
  // Along the rail: 2 v' = (v - mu P) with the vertical momentum P of the striker stopped by the
  // rail, v = P = sqrt(1/2).
  Check check("a blow in an ideal joint, in time steps", "closed form: momentum along the rail");
  const double v = std::sqrt(0.5);
  check.near("vx", run.series.at("bodies/block/velocity.x", 0.02), 0.5 * (v - 0.2 * v), 1e-9);
  check.near("vx of the striker", run.series.at("bodies/striker/velocity.x", 0.02),
             0.5 * (v - 0.2 * v), 1e-9);
  check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e-9);
}

// At 25 degrees the rod presses the slider into its guide harder than it pushes it along: with
// friction of 3 there is no force that moves it on.
TEST(TimeSteppingFriction, SelfLockingEndsTheRunAndNamesTheJoint) {
  Model model = load_mechanism("slider_crank");
  for (Joint& joint : model.joints)
    if (joint.name == "guide") joint.friction = JointFriction{{"coulomb", {{"kinetic", 3}}}, 0, 0};
  model.simulation.method = Method::moreau;
  model.simulation.formulation = Formulation::cartesian;
  model.simulation.step = 1e-6;
  const RunResult result = run(model, assemble(model).start, {});
  EXPECT_LT(result.time, model.simulation.duration);
  EXPECT_NE(result.reason.find("guide"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("friction"), std::string::npos) << result.reason;
}

// A flat box that turns as it falls rattles from corner to corner, infinitely often in a finite
// time.
TEST(TimeSteppingCorners, ImpactsThatAlternateWithoutEndComeToRest) {
  for (const bool steps : {true, false}) {
    const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.box]
mass = 1
inertia = 3e-3
position = [0, 0]
angular_velocity = 0.3
[joints.guide]
type = "prismatic"
bodies = ["ground", "box"]
at = [0, 0]
axis = [1, 0]
[joints.guide.clearance]
guide_width = 0.102
slider_width = 0.1
slider_length = 0.2
contact = { law = "newton", restitution = 0.5 }
)" + (steps ? moreau(1e-5, 1) : "[simulation]\nduration = 1\n")));
    Check check(steps ? "corners that alternate, in time steps" : "corners that alternate",
                "closed form: it lies flat");
    check.near("angle", run.series.at("bodies/box/angle", 1), 0, 1e-9);
    check.near("spin", run.series.at("bodies/box/angular_velocity", 1), 0, 1e-6);
    check.near("speed", run.series.at("bodies/box/velocity.y", 1), 0, 1e-6);
    EXPECT_GT(run.result.contacts, 6);
    check.below("contacts", static_cast<double>(run.result.contacts), 500);
  }
}

// ---- states of elements

/// A mass on a spring with a damper in series beside it.
std::string relaxing(double stiffness, double damping, const std::string& simulation) {
  return fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.mass]
mass = 1
inertia = 1
position = [1.1, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "mass"]
at = [1, 0]
axis = [1, 0]
[springs.main]
joint = "rail"
stiffness = 100
rest = -0.1
[dampers.mount]
joint = "rail"
damping = {}
stiffness = {}
{}
)",
                     damping, stiffness, simulation);
}

TEST(TimeSteppingStates, DamperInSeriesIsOfSecondOrder) {
  Check check("damper in series, in time steps", "event-driven run");
  const Simulated exact = simulate(
      model_from(relaxing(50, 5, "[simulation]\nduration = 2\noutput = 1\ntolerance = 1e-12\n")));
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    const Simulated run = simulate(model_from(relaxing(50, 5, moreau(h, 2, "output = 1"))));
    const double error = std::abs(run.series.at("bodies/mass/position.x", 2) -
                                  exact.series.at("bodies/mass/position.x", 2));
    check.below(fmt::format("position, h = {:g}", h), error, 5 * h * h);
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / error), 2, 0.2) << h;
    }
    last = error;
    check.below("audit", run.result.energy_residual / run.result.energy_scale, 100 * h * h);
  }
}

TEST(TimeSteppingStates, RelaxationFasterThanTheStepDoesNotLimitIt) {
  Check check("stiff damper in series, in time steps", "closed form: a damper alone");
  // Its force decays in 5 ns: a plain damper of 5 N s/m. Oscillation of 10 rad/s, damped by 2.5/s.
  const double c = 5, w = std::sqrt(100 - 0.25 * c * c);
  const Simulated run = simulate(model_from(relaxing(1e9, c, moreau(1e-4, 1, "theta = 1"))));
  const double x = 0.1 * std::exp(-0.5 * c) * (std::cos(w) + 0.5 * c / w * std::sin(w));
  check.near("position", run.series.at("bodies/mass/position.x", 1) - 1, x, 1e-4);
}

TEST(TimeSteppingStates, RubberThatRelaxesAgreesWithTheEventDrivenRun) {
  const auto model = [](const std::string& simulation) {
    return model_from(R"(
[mechanism]
gravity = [0, 0, -9.81]
[bodies.arm]
mass = 1
inertia = [0.01, 0.02, 0.02]
position = [0.2, 0, 0]
[joints.mount]
type = "revolute"
bodies = ["ground", "arm"]
at = [0, 0, 0]
axis = [0, 1, 0]
[joints.mount.bushing]
radial = 2e5
axial = 1e5
tilt = 200
damping = [100, 100, 100, 0.5, 0.5, 0]
branches = [{ stiffness = [5e4, 5e4, 5e4, 10, 10, 10], time = 0.02 }]
)" + simulation);
  };
  Check check("rubber that relaxes, in time steps", "event-driven run");
  const Simulated exact =
      simulate(model("[simulation]\nduration = 0.2\noutput = 0.1\ntolerance = 1e-11\n"));
  double last = 0;
  for (const double h : {2e-4, 1e-4}) {
    const Simulated run = simulate(model(moreau(h, 0.2, "output = 0.1")));
    const double error = (run.series.vector("bodies/arm/position", 0.2) -
                          exact.series.vector("bodies/arm/position", 0.2))
                             .norm();
    check.below(fmt::format("position, h = {:g}", h), error, 1e3 * h * h);
    if (last > 0) {
      EXPECT_LT(error, 0.35 * last);
    }
    last = error;
  }
}

}  // namespace
}  // namespace freeplay::testing
