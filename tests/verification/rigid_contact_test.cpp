// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <fmt/format.h>

#include <cmath>

// Rigid contacts under Newton's impact law with Coulomb's friction, through the whole engine. The
// numbers are closed forms or independent computations.
namespace freeplay::testing {
namespace {

/// Impacts one by one; those of the same instant follow each other.
const Impact& impact(const Simulated& run, std::size_t k) {
  static const Impact none{};
  return k < run.series.impacts.size() ? run.series.impacts[k] : none;
}

TEST(RigidContact, BouncingBallComesToRest) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.ball]
mass = 1
inertia = 1
position = [0, 1]
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 1]
axis = [0, 1]
[joints.rail.stop]
lower = -1
contact = { law = "newton", restitution = 0.8 }
[simulation]
duration = 5
)"));
  Check check("S1 bouncing ball", "closed form: geometric series of flights");
  const double times[] = {0.451523641,  1.1739614666, 1.751911727,
                          2.2142719354, 2.5841601021, 2.8800706354};
  for (std::size_t k = 0; k < 6; ++k)
    check.near(fmt::format("bounce {}", k + 1), impact(run, k).start, times[k], 1e-9);
  check.near("rests at", run.series.at("bodies/ball/position.y", 5), 0, 1e-12);
  double rest = 0;
  for (const Event& e : run.series.events)
    if (e.kind == "rest") rest = e.time;
  check.near("since", rest, 4.063712769, 1e-5);
  check.energy(run);
}

TEST(RigidContact, AtRestItsPeakForceIsTheLargestLoad) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.ball]
mass = 1
inertia = 1
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [0, 1]
[joints.rail.stop]
lower = 0
contact = { law = "newton", restitution = 0.8 }
[forces.press]
body = "ball"
direction = [0, -1]
magnitude = { sine = { amplitude = 3, frequency = 2 } }
[simulation]
duration = 0.9
)"));
  ASSERT_EQ(run.series.impacts.size(), 1U);
  EXPECT_TRUE(impact(run, 0).open);
  EXPECT_NEAR(impact(run, 0).peak_force, 9.81 + 3, 1e-9);  // at an eighth of a second
}

// A slider of 60 mm lies in a guide that ends 100 mm from its middle, and moves out at 2 m/s. Its
// leading corner leaves the guide 35 ms later; beyond 50 ms, with its middle past the edge, it tips
// about it, and at last its trailing corner is out as well.
TEST(RigidContact, WhatHasLeftItsGuideIsNotAtRestInIt) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -10]
[bodies.slider]
mass = 1
inertia = 1e-3
velocity = [2, 0]
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0, 0]
axis = [1, 0]
[joints.guide.clearance]
guide_width = 0.022
slider_width = 0.02
slider_length = 0.06
guide_length = 0.2
offset = [0, -1e-3]
contact = { law = "newton", restitution = 0.3 }
[simulation]
duration = 0.3
output = 0.01
)"));
  EXPECT_EQ(run.series.at("joints/guide/mode", 0.02), 2);
  EXPECT_EQ(run.series.at("joints/guide/mode", 0.3), 0);
  int separations = 0;
  for (const Event& e : run.series.events) separations += e.kind == "separation" ? 1 : 0;
  EXPECT_EQ(separations, 2);
  for (const Impact& i : run.series.impacts) EXPECT_FALSE(i.open) << i.contact;
}

/// A disc of 1 kg and 0.05 m, without spin, lands at 2 m/s on a rough floor, e = 0.6, mu = 0.2. The
/// floor is a wide guide that the disc's lowest point touches: one corner of a narrow slider.
Simulated disc(double speed) {
  return simulate(model_from(fmt::format(R"(
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
duration = 0.006
)",
                                         speed)));
}

TEST(RigidContact, DiscThatSlipsThroughItsImpact) {
  const Simulated run = disc(3);
  Check check("S1b disc slips", "closed form: Newton's and Coulomb's laws for impulses");
  check.near("vx", run.series.at("bodies/disc/velocity.x", 0.006), 2.36, 1e-10);
  check.near("vy", run.series.at("bodies/disc/velocity.y", 0.006), 1.2, 1e-10);
  check.near("spin", run.series.at("bodies/disc/angular_velocity", 0.006), -25.6, 1e-9);
  check.energy(run);
}

TEST(RigidContact, DiscThatSticksDuringItsImpact) {
  const Simulated run = disc(0.6);
  Check check("S1b disc sticks", "closed form: Newton's and Coulomb's laws for impulses");
  check.near("vx", run.series.at("bodies/disc/velocity.x", 0.006), 0.4, 1e-10);
  check.near("vy", run.series.at("bodies/disc/velocity.y", 0.006), 1.2, 1e-10);
  check.near("spin", run.series.at("bodies/disc/angular_velocity", 0.006), -8, 1e-9);
  check.energy(run);
}

// A striker on an inclined slide of a carriage meets its stop: what goes down into the rail rubs
// there, whichever law the rail has. With s' the speed along the slide, its change is -(1 + e) s',
// the rail takes m_B |ds'| sin a, and the carriage gets what is left of both along the rail.
TEST(RigidContact, AnImpulseRubsInAnIdealJointUnderEveryLaw) {
  Check check("impulse in a rail", "closed form: momentum along and across the rail");
  for (const char* friction :
       {R"(law = "coulomb", kinetic = 0.2)", R"(law = "ambrosio", kinetic = 0.2)", ""}) {
    const bool rubs = friction[0] != 0;
    const Simulated run = simulate(model_from(fmt::format(
        R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.carriage]
mass = 1
inertia = 0.1
velocity = [3, 0]
[bodies.striker]
mass = 1
inertia = 0.1
velocity = [4, "3^0.5"]
[joints.rail]
type = "prismatic"
bodies = ["ground", "carriage"]
at = [0, 0]
axis = [1, 0]
{}
[joints.slide]
type = "prismatic"
bodies = ["carriage", "striker"]
at = [0, 0]
axis = [0.5, "sqrt(3)/2"]
stop = {{ upper = 0.5, contact = {{ law = "newton", restitution = 0.5 }} }}
[simulation]
duration = 0.3
)",
        rubs ? fmt::format("friction = {{ {} }}", friction) : "")));
    const double along = 3 * 0.5, across = 3 * std::sqrt(0.75), mu = rubs ? 0.2 : 0.0;
    check.near(friction, run.series.at("bodies/carriage/velocity.x", 0.3),
               3 + (along - mu * across) / 2, 1e-9);
    check.energy(run);
  }
}

// Flores, Leine & Glocker 2010: both corners of the slider's upper face strike together.
TEST(RigidContact, SliderInAGuideStrikesWithTwoCornersAtOnce) {
  const Simulated run = simulate(load_case("slider_in_guide"));
  Check check("S3 slider in a guide",
              "data of Flores, Leine & Glocker 2010; independent event-driven computation");
  const struct {
    double time, speed, crank, rod;
  } rows[] = {{2.692502752e-3, 0.841612322, 108.72458, -52.84229042},
              {5.612363190e-3, 0.247825646, 81.43823006, -34.78734726},
              {7.475056212e-3, 0.0842042824, 73.35722181, -28.14571103},
              {8.421767934e-3, 0.0311431339, 70.63513755, -25.42806919}};
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t corner : {2 * k, 2 * k + 1}) {
      check.near("time", impact(run, corner).start, rows[k].time, 2e-12);
      check.near("speed", impact(run, corner).approach_speed, rows[k].speed, 1e-9);
      EXPECT_EQ(impact(run, corner).contact, static_cast<int>(corner % 2));
    }
  // Time stepping at 2.5e-7 s, good to its step.
  check.near("crank at 20 ms", run.series.at("bodies/crank/angle", 0.02), 1.6133170, 2e-6);
  check.near("rod at 20 ms", run.series.at("bodies/rod/angle", 0.02), -0.5199051, 2e-6);
  check.near("crank at 50 ms", run.series.at("bodies/crank/angle", 0.05), 4.793557, 1e-5);
  // Until the bounces have died out against the upper wall, and on while it slides along it.
  for (double t : run.series.time)
    if (t < 0.018) check.near("straight", run.series.at("bodies/slider/angle", t), 0, 1e-12);
  check.energy(run);
}

TEST(RigidContact, SliderCrankWithPlayInItsPin) {
  Model model = load_imperfect("slider_crank");
  Joint* pin = nullptr;
  for (Joint& joint : model.joints)
    if (joint.name == "pin") pin = &joint;
  ASSERT_TRUE(pin && pin->clearance);
  for (const double restitution : {0.9, 0.5}) {
    pin->clearance->contact = {"newton", {{"restitution", restitution}}};
    Check check(fmt::format("S4 newton {}", restitution),
                "data of Flores et al.; independent event-driven computation");
    const Simulated run = simulate(model);
    check.energy(run);
    if (restitution != 0.9) continue;
    const double times[] = {2.2728603204e-4, 6.0095269456e-4, 7.0371236214e-4, 9.5167513894e-4,
                            1.1068647775e-3};
    const double speeds[] = {4.38578315, 3.03511718, 2.8856348, 1.36469396, 1.83396555};
    for (std::size_t k = 0; k < 5; ++k) {
      check.near("time", impact(run, k).start, times[k], 1e-9);
      check.near("speed", impact(run, k).approach_speed, speeds[k], 1e-5);
    }
  }
}

// Housner's block rocks from corner to corner and loses a known share of its speed at each impact.
// It starts flat, turning about its right corner at 0.867 rad/s.
TEST(RigidContact, RockingBlock) {
  const double half_width = 0.1;
  const Simulated run = simulate(load_case("rocking_block"));
  Check check("S2 rocking block", "Housner 1963; independent integration");
  const double times[] = {0.9599502251 - 0.3794327442, 1.440522242 - 0.3794327442};
  const double speeds[] = {0.8672478419, 0.7907259735};
  std::vector<Impact> hits;
  for (const Impact& i : run.series.impacts)
    if (!i.open && i.start > 0.01 && i.approach_speed > 0.01 && i.start == i.end) hits.push_back(i);
  ASSERT_EQ(hits.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    check.near("time", hits[k].start, times[k], 1e-7);
    check.near("speed", hits[k].approach_speed, speeds[k] * 2 * half_width, 1e-7);
  }
  check.energy(run);
}

}  // namespace
}  // namespace freeplay::testing
