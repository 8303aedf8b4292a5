// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include <freeplay/assembly.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

// What somebody broke who had not written it: stops of small mechanisms, blows that end at rest,
// teeth without a spring beside them, what a file says of bodies that bend.
namespace freeplay::testing {
namespace {

using ::testing::HasSubstr;

/// A rod of this length falls from the horizontal onto the stop of an angle.
Simulated falls_on_a_stop(double length, double restitution) {
  const double time = std::sqrt(length);  // that of the one of 1 m is 1
  return simulate(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -10]
[bodies.rod]
mass = 1
inertia = {:.17g}
position = [{:.17g}, 0]
[joints.pin]
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0]
[joints.pin.stop]
lower = -1
contact = {{ law = "newton", restitution = {} }}
[simulation]
duration = {:.17g}
)",
                                         0.1 * length * length, length, restitution, 5 * time)));
}

// Its speed of rest was that of a length, and bounces of a small rod never ended.
TEST(Outside, StopsOfAnglesDoNotKnowTheSizeOfTheMechanism) {
  for (const double restitution : {0.3, 0.5, 0.7}) {
    const Simulated large = falls_on_a_stop(1, restitution);
    for (const double length : {20.0, 0.02, 2e-3, 2e-5}) {
      const Simulated run = falls_on_a_stop(length, restitution);
      ASSERT_EQ(run.result.status, RunStatus::done) << run.result.reason;
      EXPECT_LT(run.result.stats.steps, 3 * large.result.stats.steps);
      EXPECT_NEAR(static_cast<double>(run.result.contacts),
                  static_cast<double>(large.result.contacts), 3);
      ASSERT_FALSE(run.series.impacts.empty());
      EXPECT_NEAR(run.series.impacts[0].start / std::sqrt(length), large.series.impacts[0].start,
                  1e-8);
    }
  }
}

// The stop is pressed with 4e4 rad/s^2: a fall through the round-off of its angle is faster than
// bounces that count as rest elsewhere.
TEST(Outside, BouncesThatAreDrivenHardEndToo) {
  for (const double restitution : {0.38, 0.4, 0.42})
    for (const double frequency : {2.5, 3.0, 4.0, 6.0}) {
      const Simulated run = simulate(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.a]
mass = 1
inertia = 0.02
position = [0.2, 0]
[bodies.b]
mass = 0.7
inertia = 0.01
position = [0.55, 0.1]
[joints.p]
type = "revolute"
bodies = ["ground", "a"]
at = [0, 0]
drive = {{ sine = {{ amplitude = 0.5, frequency = {} }} }}
[joints.q]
type = "revolute"
bodies = ["a", "b"]
at = [0.4, 0]
[joints.q.stop]
lower = -0.5
upper = 0.5
contact = {{ law = "newton", restitution = {} }}
[simulation]
duration = 0.4
)",
                                                            frequency, restitution)));
      EXPECT_EQ(run.result.status, RunStatus::done) << run.result.reason;
      EXPECT_LT(run.result.stats.steps, 2000);
    }
}

/// A block of 2 kg falls 1 m down a rail onto a stop, under 10 m/s^2.
Simulated falls_down_a_rail(double restitution, const std::string& steps) {
  return simulate(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -10]
[bodies.block]
mass = 2
inertia = 0.1
[joints.rail]
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [0, 1]
[joints.rail.stop]
lower = "-1 m"
contact = {{ law = "newton", restitution = {} }}
[simulation]
duration = 2
{}
)",
                                         restitution, steps)));
}

TEST(Outside, ABlowThatEndsAtRestIsToldOnce) {
  const Simulated run = falls_down_a_rail(0.5, "");
  double lost = 0;
  for (const Impact& impact : run.series.impacts) lost += impact.energy_lost;
  EXPECT_NEAR(lost, 20, 1e-9);
  const Impact& last = run.series.impacts.back();
  EXPECT_TRUE(last.open);
  EXPECT_EQ(last.approach_speed, 0);
  EXPECT_NEAR(last.peak_force, 20, 1e-9);
}

TEST(Outside, TheImpulseOfAContactThatIsStillOpenAtTheEnd) {
  const Simulated run = falls_down_a_rail(0, "integrator = \"moreau\"\nstep = \"1 ms\"");
  ASSERT_EQ(run.series.impacts.size(), 1U);
  // Stops 2 kg at sqrt(20) m/s, then holds 20 N.
  EXPECT_NEAR(run.series.impacts[0].impulse, 2 * std::sqrt(20.0) + 20 * (2 - std::sqrt(0.2)), 0.05);
}

TEST(Outside, ABoxThatLiesStillGainsNoEnergy) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0.5, -9.81]
[bodies.box]
mass = 1
inertia = 0.01
[joints.floor]
type = "prismatic"
bodies = ["ground", "box"]
at = [0, 0]
axis = [1, 0]
[joints.floor.clearance]
guide_width = "20.2 mm"
slider_width = "20 mm"
slider_length = "60 mm"
offset = ["0 mm", "-0.1 mm"]
contact = { law = "newton", restitution = 0.3 }
friction = { law = "coulomb", kinetic = 0.3 }
[simulation]
duration = 0.5
integrator = "moreau"
step = "1 ms"
)"));
  EXPECT_EQ(run.result.status, RunStatus::done) << run.result.reason;
  EXPECT_TRUE(run.result.warnings.empty()) << run.result.warnings.front();
}

// Nothing else acts on the wheels: the compiled evaluation had no place for forces.
TEST(Outside, TeethAloneRunCompiled) {
  const std::string text = R"(
[mechanism]
planar = true
[bodies.pinion]
mass = 1
inertia = 0.001
[bodies.wheel]
mass = 1
inertia = 0.01
position = [0.15, 0]
[joints.a]
type = "revolute"
bodies = ["ground", "pinion"]
at = [0, 0]
speed = 10
[joints.b]
type = "revolute"
bodies = ["ground", "wheel"]
at = [0.15, 0]
[couplings.mesh]
type = "gear"
joints = ["a", "b"]
ratio = -0.5
pitch_radius = "100 mm"
backlash = "0.1 mm"
contact = { law = "kelvin-voigt", stiffness = "1e8 N/m", damping = 0 }
[simulation]
duration = 0.01
)";
  const Simulated tree = simulate(model_from(text + "formulation = \"tree\"\n"));
  const Simulated cartesian = simulate(model_from(text + "formulation = \"cartesian\"\n"));
  EXPECT_EQ(tree.result.status, RunStatus::done);
  EXPECT_GT(tree.result.contacts, 0);
  EXPECT_NEAR(tree.series.at("bodies/wheel/angle", 0.01),
              cartesian.series.at("bodies/wheel/angle", 0.01), 1e-8);
}

/// A clamped strip under its weight, with a marker at its end.
std::string strip(const std::string& method, bool planar, const std::string& duration,
                  const std::string& output) {
  return fmt::format(R"(
[mechanism]
planar = {}
gravity = {}
[bodies.strip.flexible]
from = {}
to = {}
section = {{ width = "4 mm", height = "4 mm" }}
material = "steel"
method = "{}"
[markers.tip]
body = "strip"
at = {}
[joints.clamp]
type = "fixed"
bodies = ["ground", "strip"]
at = {}
[simulation]
duration = "{}"
output = "{}"
)",
                     planar, planar ? "[0, -9.81]" : "[0, -9.81, 0]",
                     planar ? "[0, 0]" : "[0, 0, 0]", planar ? "[0.5, 0]" : "[0.5, 0, 0]", method,
                     planar ? "[0.5, 0]" : "[0.5, 0, 0]", planar ? "[0, 0]" : "[0, 0, 0]", duration,
                     output);
}

TEST(Outside, MarkersOnBodiesThatBendHaveAccelerations) {
  for (const char* method : {"modal", "beam"})
    for (const bool planar : {true, false}) {
      const Simulated run = simulate(model_from(strip(method, planar, "2 ms", "1 us")));
      const double h = 1e-6;
      double largest = 0, error = 0;
      for (const double t : {0.5e-3, 0.8e-3, 1.2e-3, 1.8e-3}) {
        const double rate = (run.series.vector("markers/tip/velocity", t + h)[1] -
                             run.series.vector("markers/tip/velocity", t - h)[1]) /
                            (2 * h);
        const double found = run.series.vector("markers/tip/acceleration", t)[1];
        largest = std::max(largest, std::abs(rate));
        error = std::max(error, std::abs(found - rate));
      }
      EXPECT_GT(largest, 1) << method;
      EXPECT_LT(error, 0.05 * largest) << method << (planar ? " in the plane" : " in space");
    }
}

TEST(Outside, ABeamInSpaceIsTurnedAsItsMiddleIs) {
  const Simulated beam = simulate(model_from(strip("beam", false, "20 ms", "1 ms"))),
                  plane = simulate(model_from(strip("beam", true, "20 ms", "1 ms")));
  const Vec4 turn = beam.series.quaternion("bodies/strip/quaternion", 0.02);
  const double angle = plane.series.at("bodies/strip/angle", 0.02);
  EXPECT_GT(std::abs(angle), 1e-3);
  EXPECT_NEAR(2 * std::asin(turn[3]), angle, 0.02 * std::abs(angle));
}

// Corners that stick and slip by turns for ever are named, not looped over.
TEST(Outside, EventsWithoutEndEndTheRun) {
  const Model model = model_from(R"(
[mechanism]
gravity = [0.9793658173053843, -9.760990861377433, 0]
[bodies.box]
mass = 2
inertia = [1e-3, 1e-3, 1e-3]
velocity = [0, 0, 0]
[joints.guide]
type = "prismatic"
bodies = ["ground", "box"]
at = [0, 0, 0]
axis = [1, 0, 0]
[joints.guide.clearance]
guide_width = "20 mm"
slider_width = "19.8 mm"
slider_length = "40 mm"
guide_height = "20 mm"
slider_height = "19.8 mm"
contact = { law = "plane-face" }
friction = { law = "coulomb", kinetic = 0.3 }
[simulation]
duration = 0.5
)");
  RunOptions options;
  options.time_limit = 300;
  const RunResult result = run(model, assemble(model).start, {}, options);
  if (result.status == RunStatus::done) return;  // better still
  EXPECT_EQ(result.status, RunStatus::failed);
  EXPECT_THAT(result.reason, HasSubstr("follow each other without end"));
  EXPECT_THAT(result.reason, HasSubstr("joint 'guide'"));
}

}  // namespace
}  // namespace freeplay::testing
