// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include "support/trusses.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// integrator = "moreau": steps over impacts, rest and accumulation. Closed forms, independent
// computations, and the event-driven runs of the same mechanisms.
namespace freeplay::testing {
namespace {

std::string ball(const std::string& simulation, double height = 1) {
  return fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.ball]
mass = 1
inertia = 1
position = [0, {}]
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, {}]
axis = [0, 1]
[joints.rail.stop]
lower = {}
contact = {{ law = "newton", restitution = 0.8 }}
[simulation]
integrator = "moreau"
{}
)",
                     height, height, -height, simulation);
}

/// Height of the ball of S1 at t.
double height_of_ball(double t) {
  const double g = 9.81, e = 0.8;
  double begin = std::sqrt(2 / g), speed = e * g * begin;
  if (t < begin) return 1 - 0.5 * g * t * t;
  for (; speed > 1e-9; speed *= e) {
    const double flight = 2 * speed / g;
    if (t < begin + flight) return speed * (t - begin) - 0.5 * g * std::pow(t - begin, 2);
    begin += flight;
  }
  return 0;
}

double worst_error(double step, double theta) {
  const Simulated run = simulate(model_from(
      ball(fmt::format("step = {}\ntheta = {}\noutput = {}\nduration = 2", step, theta, step))));
  double worst = 0;
  const std::vector<double> height = run.series.series("bodies/ball/position.y");
  for (std::size_t k = 0; k < height.size(); ++k)
    worst = std::max(worst, std::abs(height[k] - height_of_ball(run.series.time[k])));
  return worst;
}

TEST(TimeStepping, BouncingBallComesToRest) {
  const double h = 1e-4;
  const Simulated run = simulate(model_from(ball(fmt::format("step = {}\nduration = 5", h))));
  Check check("S1 bouncing ball, in time steps", "closed form: geometric series of flights");
  const double times[] = {0.451523641,  1.1739614666, 1.751911727,
                          2.2142719354, 2.5841601021, 2.8800706354};
  ASSERT_GE(run.series.impacts.size(), 6U);
  double speed = std::sqrt(2 * 9.81);
  for (std::size_t k = 0; k < 6; ++k, speed *= 0.8) {
    const Impact& impact = run.series.impacts[k];
    // Bounces are h/2 early or late each, and the errors add up.
    check.near(fmt::format("bounce {}", k + 1), impact.start, times[k], 1e-3);
    check.near("impulse", impact.impulse, 1.8 * speed, 3e-3 * speed);
    check.near("energy", impact.energy_lost, 0.5 * 0.36 * speed * speed, 5e-3 * speed * speed);
  }
  check.near("rests at", run.series.at("bodies/ball/position.y", 5), 0, 1e-11);
  check.near("moves at", run.series.at("bodies/ball/velocity.y", 5), 0, 1e-12);
  check.near("weighs", run.series.vector("joints/rail/reaction_force", 5).norm(), 0, 1e-9);
  // About as many contact intervals as bounces can be told apart: no flood at the accumulation.
  check.below("contacts", static_cast<double>(run.result.contacts), 60);
  check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e-3);
}

TEST(TimeStepping, BouncingBallIsOfFirstOrder) {
  Check check("S5 order", "independent computation of the same scheme");
  const double steps[] = {1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5};
  const double implicit[] = {2.212e-3, 1.107e-3, 5.537e-4, 2.768e-4, 1.523e-4},
               midpoint[] = {7.775e-3, 4.153e-3, 2.191e-3, 4.111e-4, 3.644e-4};
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    check.near("theta 1", worst_error(steps[k], 1), implicit[k], 1e-3 * implicit[k]);
    const double error = worst_error(steps[k], 0.5);
    check.near("theta 0.5", error, midpoint[k], 1e-3 * midpoint[k]);
    const double x = std::log(steps[k]), y = std::log(error);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  check.near("slope", (5 * sxy - sx * sy) / (5 * sxx - sx * sx), 1.05, 0.25);
}

TEST(TimeStepping, BallChoosesItsSteps) {
  const Simulated run = simulate(model_from(ball("tolerance = 1e-6\nduration = 5")));
  Check check("S1 bouncing ball, steps by tolerance", "closed form");
  double worst = 0;
  const std::vector<double> height = run.series.series("bodies/ball/position.y");
  for (std::size_t k = 0; k < height.size(); ++k)
    worst = std::max(worst, std::abs(height[k] - height_of_ball(run.series.time[k])));
  // An error of a millionth at the first bounce is one of (1 + e) / v of it in time, which the
  // following flights carry on.
  check.below("height", worst, 2e-5);
  check.below("steps", static_cast<double>(run.result.stats.steps), 2e4);
}

TEST(TimeStepping, DiscSlipsOrSticksThroughItsImpact) {
  Check check("S1b disc, in time steps", "closed form: Newton's and Coulomb's laws for impulses");
  const struct { double speed, vx, spin; } rows[] = {{3, 2.36, -25.6}, {0.6, 0.4, -8}};
  for (const auto& row : rows) {
    const Simulated run = simulate(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.disc]
mass = 1
inertia = 1.25e-3
position = [0, 0.06]
velocity = [{}, -2]
angular_velocity = 0
[joints.floor]
type = "point-on-line"
bodies = ["ground", "disc"]
at = [0, 0.06]
axis = [1, 0]
[joints.floor.clearance]
slot_radius = "0.06"
pin_radius = "0.05"
contact = {{ law = "newton", restitution = 0.6 }}
friction = {{ law = "coulomb", kinetic = 0.2 }}
[simulation]
integrator = "moreau"
step = 1e-5
duration = 0.006
)",
                                                          row.speed)));
    // The disc is pushed where the middle of the step finds its surface, not where it touches.
    const double arm = 2 * 1e-5 / 0.05;
    check.near("vx", run.series.at("bodies/disc/velocity.x", 0.006), row.vx, 1e-10 + 0.2 * arm);
    check.near("vy", run.series.at("bodies/disc/velocity.y", 0.006), 1.2, 1e-10);
    check.near("spin", run.series.at("bodies/disc/angular_velocity", 0.006), row.spin, 26 * arm);
    ASSERT_EQ(run.series.impacts.size(), 1U);
    check.near("impulse", run.series.impacts[0].impulse, 3.2, 1e-10);
    check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e-9);
  }
}

/// A case or mechanism in time steps of h.
Model stepped(Model model, double h) {
  model.simulation.method = Method::moreau;
  model.simulation.step = h;
  return model;
}

TEST(TimeStepping, RockingBlock) {
  const double h = 2e-5;
  const Simulated run = simulate(stepped(load_case("rocking_block"), h));
  Check check("S2 rocking block, in time steps", "Housner 1963; independent integration");
  const double times[] = {0.9599502251 - 0.3794327442, 1.440522242 - 0.3794327442};
  const double speeds[] = {0.8672478419, 0.7907259735};
  std::vector<Impact> hits;
  for (const Impact& i : run.series.impacts)
    if (i.start > 0.01 && i.approach_speed > 0.01) hits.push_back(i);
  ASSERT_GE(hits.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    check.near("time", hits[k].start, times[k], 20 * h);
    check.near("speed", hits[k].approach_speed, speeds[k] * 0.2, 10 * h);
  }
  check.below("audit", run.result.energy_residual / run.result.energy_scale, 500 * h);
}

TEST(TimeStepping, SliderInAGuide) {
  Check check("S3 slider in a guide, in time steps",
              "data of Flores, Leine & Glocker 2010; independent time stepping and event-driven "
              "computation");
  const Simulated run = simulate(stepped(load_case("slider_in_guide"), 1e-6));
  const struct {
    double time, crank, rod, tolerance;
  } rows[] = {{5e-3, .5760505, -.2728798, 3e-6},   {10e-3, .9479616, -.4146243, 3e-6},
              {15e-3, 1.2752071, -.4950179, 3e-6}, {20e-3, 1.6133170, -.5199051, 3e-6},
              {30e-3, 2.550628, -.285720, 2e-5},   {40e-3, 3.935011, .367657, 2e-5},
              {50e-3, 4.793557, .525471, 2e-5}};
  for (const auto& row : rows) {
    const std::string at = fmt::format(" at {:g} ms", 1e3 * row.time);
    check.near("crank" + at, run.series.at("bodies/crank/angle", row.time), row.crank,
               row.tolerance);
    check.near("rod" + at, run.series.at("bodies/rod/angle", row.time), row.rod, row.tolerance);
  }
  // Two corners of one face strike together, and share an impulse that is determined.
  const double speeds[] = {0.841612322, 0.247825646, 0.0842042824};
  const double impulses[][2] = {
      {0.055740323, 0.055185693}, {0.016677217, 0.016511275}, {.005696792, .0056401075}};
  ASSERT_GE(run.series.impacts.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    const Impact& impact = run.series.impacts[k];
    check.near("approach", impact.approach_speed, speeds[k / 2], 1e-3);
    check.near("impulse", impact.impulse, impulses[k / 2][impact.contact % 2], 1e-4);
  }
  check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e-3);
}

Model with_play_in_its_pin(double h) {
  Model model = stepped(load_imperfect("slider_crank"), h);
  for (Joint& joint : model.joints)
    if (joint.clearance) joint.clearance->contact = {"newton", {{"restitution", 0.9}}};
  return model;
}

TEST(TimeStepping, SliderCrankWithPlayInItsPin) {
  Check check("S4 newton 0.9, in time steps",
              "data of Flores et al.; independent time stepping and event-driven computation");
  const struct {
    double step, x, tolerance;
  } runs[] = {{1e-6, .160993369, 4e-6}, {1e-7, .160993369, 4e-7}};
  const double times[] = {2.2728603204e-4, 6.0095269456e-4, 7.0371236214e-4, 9.5167513894e-4};
  const double speeds[] = {4.38578315, 3.03511718, 2.8856348, 1.36469396};
  const double impulses[] = {1.1677791, 0.56829709, 0.74537174, 0.19535874};
  for (const auto& is : runs) {
    Model model = with_play_in_its_pin(is.step);
    model.simulation.duration = 1e-3;
    const Simulated run = simulate(model);
    check.near(fmt::format("x at 1 ms, h = {:g}", is.step),
               run.series.at("bodies/slider/position.x", 1e-3), is.x, is.tolerance);
    ASSERT_GE(run.series.impacts.size(), 4U);
    for (std::size_t k = 0; k < 4; ++k) {
      const Impact& impact = run.series.impacts[k];
      const double share = is.step / 1e-6;
      check.near(fmt::format("time {}", k + 1), impact.start, times[k], 1e-5 * share);
      check.near("speed", impact.approach_speed, speeds[k], 0.1 * share);
      check.near("impulse", impact.impulse, impulses[k], 0.02 * share);
    }
    check.below("audit", run.result.energy_residual / run.result.energy_scale,
                1e-2 * is.step / 1e-6);
  }
}

// ---- at rest

/// A body whose journal lies in its bearing, gravity tilted by `tilt`, for an hour.
Simulated an_hour(double tilt, double friction) {
  return simulate(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [{:.17g}, {:.17g}]
[bodies.box]
mass = 2
inertia = 0.01
position = [0, 0]
[joints.guide]
type = "prismatic"
bodies = ["ground", "box"]
at = [0, 0]
axis = [1, 0]
[joints.guide.clearance]
guide_width = 0.102
slider_width = 0.1
slider_length = 0.2
offset = [0, -1e-3]
contact = {{ law = "newton", restitution = 0.4 }}
friction = {{ law = "coulomb", kinetic = {} }}
[simulation]
integrator = "moreau"
step = 0.05
duration = 3600
output = 60
)",
                                         9.81 * std::sin(tilt), -9.81 * std::cos(tilt), friction)));
}

TEST(TimeStepping, LiesStillForAnHour) {
  Check check("an hour at rest on two corners that share the load", "closed form");
  const Simulated run = an_hour(0.3, 0.4);
  const Vec3 place = run.series.vector("bodies/box/position", 3600);
  check.near("along", place[0], 0, 1e-12);
  check.near("across", place[1], -1e-3, 1e-13);
  check.near("angle", run.series.at("bodies/box/angle", 3600), 0, 1e-12);
  check.near("load", run.series.at("joints/guide/normal_force", 3600), 2 * 9.81 * std::cos(0.3),
             1e-9);
  check.near("friction", run.series.vector("joints/guide/friction_force", 3600)[0],
             -2 * 9.81 * std::sin(0.3), 1e-9);
  EXPECT_EQ(run.series.at("joints/guide/mode", 3600), 3);
  check.below("audit", run.result.energy_residual, 1e-10);
}

TEST(TimeStepping, SlidesWhereFrictionCannotHold) {
  Check check("sliding down an incline", "closed form");
  Simulated run = an_hour(0.3, 0.2);
  const double a = 9.81 * (std::sin(0.3) - 0.2 * std::cos(0.3)), t = 3600;
  check.near("way", run.series.vector("bodies/box/position", t)[0] / (0.5 * a * t * t), 1, 1e-9);
  check.near("across", run.series.vector("bodies/box/position", t)[1], -1e-3, 1e-13);
  check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e-9);
}

TEST(TimeStepping, GrazingIsNoImpact) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.pin]
mass = 1
inertia = 1e-3
position = [0, 0]
velocity = [1, 0]
angular_velocity = 3
[joints.slot]
type = "point-on-line"
bodies = ["ground", "pin"]
at = [0, 0]
axis = [1, 0]
[joints.slot.clearance]
slot_radius = 0.011
pin_radius = 0.01
offset = [0, 1e-3]
contact = { law = "newton", restitution = 0.9 }
friction = { law = "coulomb", kinetic = 0.5 }
[simulation]
integrator = "moreau"
step = 1e-3
duration = 1
)"));
  EXPECT_EQ(run.series.vector("bodies/pin/velocity", 1), Vec3(1, 0, 0));
  EXPECT_EQ(run.series.at("bodies/pin/angular_velocity", 1), 3);
  EXPECT_TRUE(run.series.impacts.empty());
}

// ---- energy

/// A box loose in a tube in space, no gravity: eight corners, four walls, friction, unequal spins.
TEST(TimeStepping, EnergyNeverRisesInManyFrictionalImpacts) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.box]
mass = 1
inertia = [2e-4, 1e-3, 1.1e-3]
position = [0, 0, 0]
velocity = [1.3, 0.7, 0.2]
angular_velocity = [5, 3, -8]
[joints.tube]
type = "prismatic"
bodies = ["ground", "box"]
at = [0, 0, 0]
axis = [0, 0, 1]
[joints.tube.clearance]
guide_width = 0.052
slider_width = 0.05
guide_height = 0.032
slider_height = 0.03
slider_length = 0.1
contact = { law = "newton", restitution = 0.9 }
friction = { law = "coulomb", kinetic = 0.3 }
[simulation]
integrator = "moreau"
step = 5e-6
duration = 0.6
output = 1e-4
)"));
  double last = run.series.at("energy/kinetic", 0);
  for (const double now : run.series.series("energy/kinetic")) {
    EXPECT_LE(now, last * (1 + 1e-9));
    last = now;
  }
  EXPECT_GT(run.series.impacts.size(), 50U);
  for (const Impact& impact : run.series.impacts) EXPECT_GE(impact.impulse, 0);
  Check check("box loose in a tube", "energy");
  check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e-3);
  check.below("friction use", run.result.friction_use, 1 + 1e-9);
}

// ---- many at once

// Forty pins with friction in one mechanism, most of them loaded: at 48 ms and at 98 ms Newton's
// method on the modes finds no impulses, and others have to.
TEST(TimeStepping, MastStandsItsFrictionOut) {
  Model model = stepped(scissor_mast(14), 1e-5);
  for (Joint& joint : model.joints)
    if (joint.clearance) {
      joint.clearance->contact = {"newton", {{"restitution", 0.5}}};
      joint.clearance->friction = {"coulomb", {{"kinetic", 0.1}}};
    }
  model.simulation.duration = 0.11;
  model.simulation.output = 0.01;
  const Simulated run = simulate(model);
  Check check("mast of 40 rigid pins with friction, in time steps", "energy");
  EXPECT_EQ(run.result.time, 0.11);
  EXPECT_LE(run.result.friction_use, 1 + 1e-9);
  check.below("audit", run.result.energy_residual / run.result.energy_scale, 1e-4);
}

// ---- what it does not take

std::string refusal(const std::string& contact, const std::string& simulation) {
  try {
    static_cast<void>(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.bob]
mass = 1
inertia = 1e-3
position = [0.1, 0]
[joints.pin]
type = "revolute"
bodies = ["ground", "bob"]
at = [0, 0]
{}
[simulation]
duration = 1
{}
)",
                                             contact, simulation)));
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(TimeStepping, RefusesWhatItWouldIgnore) {
  const std::string moreau = "integrator = \"moreau\"\nstep = 1e-4";
  const auto expect = [](const std::string& message, const char* word) {
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  expect(refusal("[joints.pin.clearance]\nbearing_radius = 0.01\nradial = 1e-4\nmaterial = "
                 "\"steel\"\ncontact = { law = \"flores\", restitution = 0.7 }",
                 moreau),
         "law = \"newton\", restitution = 0.7");
  expect(refusal("friction = { law = \"ambrosio\", kinetic = 0.1, radius = 0.01 }", moreau),
         "law = \"coulomb\"");
  expect(refusal("", moreau + "\nformulation = \"tree\""), "Cartesian");
  expect(refusal("", moreau + "\nmax_step = 1e-3"), "max_step");
  expect(refusal("", "theta = 0.7"), "theta");
  EXPECT_EQ(refusal("", moreau), "");
}

}  // namespace
}  // namespace freeplay::testing
