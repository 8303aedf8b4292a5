// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "support/recording.hpp"
#include <freeplay/contact_loss.hpp>
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// Contact loss foreseen from ideal reactions: theory/contact_loss.
namespace freeplay::testing {
namespace {

constexpr double kArm = 0.1, kSpeed = 20, kMass = 0.5, kPlay = 1e-4;

/// A driven arm carries a free body on a pin with play at its centre of mass: the reaction is
/// m (Omega^2 r towards the bearing, less gravity), and the mass behind the play m.
Model carousel(double gravity, const std::string& more = "") {
  return parse_model(
      fmt::format(R"(
[mechanism]
planar = true
gravity = [0, {}]
[bodies.arm]
mass = 1
inertia = 1e-3
position = [0.05, 0]
[bodies.rider]
mass = {}
inertia = 1e-4
position = [{}, 0]
[joints.bearing]
type = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
drive = {{ speed = {} }}
[joints.pin]
type = "revolute"
bodies = ["arm", "rider"]
at = [{}, 0]
[joints.pin.clearance]
bearing_radius = "10 mm"
journal_radius = "9.9 mm"
contact = {{ law = "lankarani-nikravesh", restitution = 0.5, stiffness = 1e9 }}
[simulation]
duration = {}
{}
)",
                  -gravity, kMass, kArm, kSpeed, kArm, 2 * std::numbers::pi / kSpeed, more),
      "carousel.toml");
}

TEST(ContactLoss, CarouselTurnsItsReactionSteadily) {
  const ContactLoss found = find_contact_loss(carousel(0), {.positions = 200, .compare = false});
  ASSERT_EQ(found.joints.size(), 1u);
  const JointContactLoss& pin = found.joints[0];
  EXPECT_NEAR(pin.play, kPlay, 1e-15);
  const double force = kMass * kSpeed * kSpeed * kArm;
  double following = 0, swerving = 0;
  for (const JointLoad& l : pin.at) {
    EXPECT_NEAR(l.force, force, 1e-9 * force);
    EXPECT_NEAR(l.mass, kMass, 1e-9);
    following = std::max(following, l.following);
    swerving = std::max(swerving, l.swerving);
    EXPECT_NEAR(l.earles_wu, kSpeed / force, 1e-3 * kSpeed / force);
  }
  Check check("contact loss: carousel", "closed form, theory/contact_loss (K.5)");
  check.near("following number", following, std::sqrt(kPlay / kArm),
             1e-3 * std::sqrt(kPlay / kArm));
  // At the two ends second derivatives are one-sided: off by |R'''| h / R, a turn in 200 pieces.
  EXPECT_LT(swerving, 1.1 * kPlay / kArm * 2 * std::numbers::pi / 200);
  EXPECT_TRUE(pin.lost.empty());
  EXPECT_TRUE(pin.earles_wu.empty());
}

TEST(ContactLoss, IndicesUnderGravityAreTheClosedForms) {
  const double g = 0.8 * kSpeed * kSpeed * kArm;
  const ContactLoss found = find_contact_loss(carousel(g), {.positions = 20000, .compare = false});
  const JointContactLoss& pin = found.joints[0];
  double worst = 0, swerve_worst = 0;
  for (std::size_t k = 1; k + 1 < pin.at.size(); ++k) {
    const JointLoad& l = pin.at[k];
    const double a = kSpeed * l.time, w = kSpeed, p = w * w * kArm;
    const Vec3 R = kMass * Vec3(-p * std::cos(a), -p * std::sin(a) + g, 0),
               R1 = kMass * Vec3(p * w * std::sin(a), -p * w * std::cos(a), 0),
               R2 = kMass * Vec3(p * w * w * std::cos(a), p * w * w * std::sin(a), 0);
    const double turn = R.cross(R1)[2] / R.squaredNorm();
    const double swerve = R.cross(R2)[2] / R.squaredNorm() - 2 * R.dot(R1) / R.squaredNorm() * turn;
    const double pace2 = R.norm() / (kMass * kPlay);
    worst = std::max(worst, std::abs(l.following - std::abs(turn) / std::sqrt(pace2)));
    swerve_worst = std::max(swerve_worst, std::abs(l.swerving - std::abs(swerve) / pace2));
  }
  Check check("contact loss: carousel under gravity", "closed form, theory/contact_loss (K.2)");
  check.near("error of the following number", worst, 0, 1e-6);
  check.near("error of the swerving number", swerve_worst, 0, 1e-6);
}

TEST(ContactLoss, VanishingReactionIsFlaggedWhereItVanishes) {
  const double g = kSpeed * kSpeed * kArm;  // nothing is left at the top, a quarter turn on
  const ContactLoss found = find_contact_loss(carousel(g), {.positions = 4000, .compare = false});
  const JointContactLoss& pin = found.joints[0];
  ASSERT_EQ(pin.lost.size(), 1u);
  const double top = std::numbers::pi / 2 / kSpeed;
  const double apart = 2 * std::numbers::pi / kSpeed / 4000;
  EXPECT_NEAR(pin.lost[0].from, top, 2 * apart);
  EXPECT_NEAR(pin.lost[0].to, top, 2 * apart);
  EXPECT_GT(pin.lost[0].to, pin.lost[0].from);
  ASSERT_EQ(pin.earles_wu.size(), 1u);
  EXPECT_NEAR(0.5 * (pin.earles_wu[0].from + pin.earles_wu[0].to), top, 0.01 * top);
}

TEST(ContactLoss, ComparesWithTheRunInFull) {
  const ContactLoss found = find_contact_loss(carousel(kSpeed * kSpeed * kArm));
  EXPECT_TRUE(found.compared);
  EXPECT_GT(found.joints[0].separations, 0);
  EXPECT_LE(found.joints[0].losses, found.joints[0].separations);
  EXPECT_LE(found.joints[0].foreseen, found.joints[0].losses);
}

TEST(ContactLoss, SliderCrankReversesTwiceATurn) {
  const Model model = load_model(source_dir() / "mechanisms/slider_crank.toml");
  const ContactLoss found = find_contact_loss(model, {.positions = 2000, .compare = false});
  ASSERT_EQ(found.joints.size(), 1u);
  // Two turns at 5000 rpm; in each the pin's force swings from one side of the slider to the other
  // and back.
  EXPECT_EQ(found.joints[0].lost.size(), 4u);
}

/// With one loose pin at a turn a second, when forces are small and parts follow them between
/// losses: the shipped four-bar, driven.
TEST(ContactLoss, FourBarAtLowSpeedLosesContactWhereForeseen) {
  LoadOptions options;
  options.overrides = {{"joints.crank_pin.clearance", "false"},
                       {"joints.crank_bearing.speed", "false"},
                       {"joints.crank_bearing.drive", "{ speed = \"60 rpm\" }"},
                       {"simulation.duration", "10"}};
  const ContactLoss found =
      find_contact_loss(load_model(source_dir() / "mechanisms/four_bar_two_joints.toml", options));
  ASSERT_EQ(found.joints.size(), 1u);
  const JointContactLoss& pin = found.joints[0];
  EXPECT_GE(pin.losses, 8);
  EXPECT_EQ(pin.lost.size(), 10u);  // once a turn
  Check check("contact loss: four-bar at 60 rpm", "the run in full");
  check.near("share foreseen", static_cast<double>(pin.foreseen) / pin.losses, 1, 0.1);
  // What the forecast cannot know is said: the bounces that follow each loss.
  EXPECT_TRUE(std::any_of(found.notes.begin(), found.notes.end(), [](const std::string& note) {
    return note.find("bounces") != std::string::npos;
  }));
}

TEST(ContactLoss, RefusesWhatItDoesNotKnow) {
  Model ideal = carousel(0);
  ideal.joints[1].clearance.reset();
  try {
    static_cast<void>(find_contact_loss(ideal));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("no round pin"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace freeplay::testing
