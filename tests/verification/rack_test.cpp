// SPDX-License-Identifier: Apache-2.0
#include "verification/joint_case.hpp"

// A pinion on its rack against closed forms.
namespace freeplay::testing {
namespace {

/// A disc of 2 kg and 0.1 m (k^2 = r^2/2) on a rack that falls by 30 degrees.
std::string on_incline(const std::string& formulation) {
  return R"toml(
    [mechanism]
    planar = true
    gravity = [0, -9.81]
    [bodies.pinion]
    mass = 2
    inertia = 0.01
    position = [0.05, "0.1*sqrt(0.75)"]
    [joints.rack]
    type = "rack"
    bodies = ["ground", "pinion"]
    at = [[0, 0], [0.05, "0.1*sqrt(0.75)"]]
    axis = ["sqrt(0.75)", -0.5]
    [joints.guide]
    type = "point-on-line"
    bodies = ["ground", "pinion"]
    at = [0.05, "0.1*sqrt(0.75)"]
    axis = ["sqrt(0.75)", -0.5]
    [simulation]
    duration = 3
    output = 0.1
    formulation = ")toml" +
         formulation + "\"\n";
}

// m a = m g sin - F and m k^2 a/r = F r: a = g sin / (1 + k^2/r^2) = g/3, F = m g/6. In 3 s that
// are 23 turns.
TEST(RackTest, PinionRollsDownAnInclinedRack) {
  for (const std::string formulation : {"cartesian", "tree"}) {
    const Simulated s = simulate(model_from(on_incline(formulation)));
    EXPECT_NEAR(s.model.joints[0].pitch_radius, 0.1, 1e-15);
    Check check("pinion on an incline, " + formulation, "closed form: rolling without slip");
    const Vec3 slope(std::sqrt(0.75), -0.5, 0), normal(0.5, std::sqrt(0.75), 0);
    for (double t : s.series.time) {
      const double a = g / 3, travel = 0.5 * a * t * t;
      check.near("travel", s.series.at("joints/rack/coordinate", t), travel, kTight * 10);
      check.near("angle", s.series.at("bodies/pinion/angle", t), -travel / 0.1, kTight * 1000);
      check.near("teeth", s.series.vector("joints/rack/reaction_force", t), -2 * g / 6 * slope,
                 kTight * 10);
      check.near("guide", s.series.vector("joints/guide/reaction_force", t),
                 2 * g * std::sqrt(0.75) * normal, kTight * 10);
    }
    check.energy(s);
    EXPECT_LT(s.series.at("bodies/pinion/angle", 3), -20 * 2 * kPi);
  }
}

/// A rack that slides over or under a pinion in fixed bearings.
std::string driven(bool planar, double side, const std::string& formulation) {
  const std::string z = planar ? "" : ", 0";
  const std::string height = std::to_string(side * 0.05);
  return "[mechanism]\nplanar = " + std::string(planar ? "true" : "false") +
         "\n[bodies.rack]\nmass = 1\ninertia = " + (planar ? "0.01" : "[0.01, 0.01, 0.01]") +
         "\n[bodies.pinion]\nmass = 0.5\ninertia = " +
         (planar ? "0.002" : "[0.001, 0.001, 0.002]") + "\nposition = [0.2, " + height + z + "]\n" +
         "[joints.slide]\ntype = \"prismatic\"\nbodies = [\"ground\", \"rack\"]\nat = [0, 0" + z +
         "]\naxis = [1, 0" + z + "]\ndrive = { speed = 0.8 }\n" +
         "[joints.bearing]\ntype = \"revolute\"\nbodies = [\"ground\", \"pinion\"]\nat = [0.2, " +
         height + z + "]\n" + (planar ? "" : "axis = [0, 0, 1]\n") +
         "[joints.mesh]\ntype = \"rack\"\nbodies = [\"rack\", \"pinion\"]\nat = [[0.7, 0" + z +
         "], [0.2, " + height + z + "]]\naxis = [1, 0" + z + "]\n[simulation]\nduration = 20\n" +
         "output = 1\nformulation = \"" + formulation + "\"\n";
}

// The rack passes the pinion with 0.8 m/s and turns it with 16 rad/s, forwards if it lies below: 51
// turns, and the last angle is as good as the first.
TEST(RackTest, RackTurnsAPinionWithoutDrift) {
  for (const bool planar : {true, false})
    for (const double side : {1.0, -1.0})
      for (const std::string formulation : {"cartesian", "tree"}) {
        const Simulated s = simulate(model_from(driven(planar, side, formulation)));
        Check check(std::string(planar ? "planar" : "spatial") +
                        (side > 0 ? ", rack below, " : ", rack above, ") + formulation,
                    "kinematics: travel over radius");
        for (double t : s.series.time) {
          check.near("angle", s.series.at("joints/bearing/coordinate", t), side * 16 * t, 1e-9);
          check.near("travel", s.series.at("joints/mesh/coordinate", t), -0.8 * t, 1e-9);
        }
        check.energy(s);
      }
}

// A motor on the pinion against the weight of the rack: M = (J + m r^2) alpha - m g r for a rack
// that hangs down, from rest.
TEST(RackTest, EffortOnThePinionLiftsTheRack) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, -9.81]
    [bodies.rack]
    mass = 3
    inertia = 0.01
    [bodies.pinion]
    mass = 0.5
    inertia = 0.002
    position = [0.05, 0.1]
    [joints.slide]
    type = "prismatic"
    bodies = ["ground", "rack"]
    at = [0, 0]
    axis = [0, 1]
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "pinion"]
    at = [0.05, 0.1]
    [joints.mesh]
    type = "rack"
    bodies = ["rack", "pinion"]
    at = [[0, 0], [0.05, 0.1]]
    axis = [0, 1]
    [efforts.motor]
    joint = "bearing"
    magnitude = -2
    [simulation]
    duration = 1
    output = 0.1
  )toml"));
  // The pinion is to the right of the rack; turning clockwise lifts what is on its left.
  const double a = (2 / 0.05 - 3 * g) / (3 + 0.002 / (0.05 * 0.05));
  Check check("motor on a rack", "closed form: inertia of both on the pitch line");
  for (double t : s.series.time)
    check.near("height", s.series.at("joints/slide/coordinate", t), 0.5 * a * t * t, kTight * 10);
  check.energy(s);
}

}  // namespace
}  // namespace freeplay::testing
