// SPDX-License-Identifier: Apache-2.0
#include "verification/joint_case.hpp"

// Joints and couplings that tie one coordinate to another.
namespace freeplay::testing {
namespace {

class CouplingCase : public JointCase {};
INSTANTIATE_TEST_SUITE_P(Stabilised, CouplingCase, ::testing::Values("projection", "baumgarte"),
                         [](const auto& test) { return std::string(test.param); });

// ---------------------------------------------------------------- screw

// A weight drives a screw: theta'' = -m g l/(J + m l^2), l = pitch/2 pi; a left-handed one turns
// the other way.
class ScrewCase : public ::testing::TestWithParam<double> {};
TEST_P(ScrewCase, WeightTurnsTheScrew) {
  const double pitch = GetParam();
  Model model = model_from(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.screw]
    mass = 3
    inertia = [0.02, 0.02, 0.004]
    position = [0, 0, 0.2]
    [joints.thread]
    type = "screw"
    bodies = ["ground", "screw"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    pitch = 0.3
    [simulation]
    duration = 1
    output = 0.05
  )toml");
  for (const bool baumgarte : {false, true}) {
    model.joints[0].pitch = pitch;
    if (baumgarte) model.simulation.baumgarte = Baumgarte{20, 20};
    const Simulated s = simulate(model);
    Check check(
        "screw, pitch " + std::to_string(pitch) + (baumgarte ? ", baumgarte" : ", projection"),
        "closed form: -m g l/(J + m l^2), l = pitch/2 pi");
    const double l = pitch / (2 * kPi), alpha = -3 * g * l / (0.004 + 3 * l * l);
    for (double t : s.series.time) {
      check.near("angle", s.series.at("joints/thread/coordinate", t), alpha / 2 * t * t, 1e-6);
      check.near("z", s.series.at("bodies/screw/position.z", t), 0.2 + l * alpha / 2 * t * t,
                 kTight);
      check.near("force", s.series.vector("joints/thread/reaction_force", t),
                 {0, 0, 3 * (g + l * alpha)}, 1e-6);
      check.near("moment", s.series.vector("joints/thread/reaction_moment", t),
                 {0, 0, 0.004 * alpha}, 1e-6);
    }
    check.energy(s);
  }
}
INSTANTIATE_TEST_SUITE_P(BothHands, ScrewCase, ::testing::Values(0.3, -0.05));

// ---------------------------------------------------------------- gears and racks

// A torque on the first of two geared wheels moves J1 + ratio^2 J2; the mesh passes J2 alpha2.
class GearCase : public ::testing::TestWithParam<bool> {
 protected:
  static std::string wheels(const std::string& rest) {
    const bool planar = GetParam();
    const std::string zero = planar ? "[0, 0]" : "[0, 0, 0]",
                      aside = planar ? "[1, 0]" : "[1, 0, 0]";
    const auto wheel = [&](const std::string& name, const std::string& at, const std::string& J) {
      return "[bodies." + name +
             "]\nmass = 1\ninertia = " + (planar ? J : "[" + J + "," + J + "," + J + "]") +
             "\nposition = " + at + "\n[joints." + name +
             "]\ntype = \"revolute\"\nbodies = [\"ground\", \"" + name + "\"]\nat = " + at +
             (planar ? "\n" : "\naxis = [0, 0, 1]\n");
    };
    return std::string("[mechanism]\nplanar = ") + (planar ? "true" : "false") +
           "\ngravity = " + zero + "\n" + wheel("small", zero, "0.02") +
           wheel("large", aside, "0.5") + rest + "\n[simulation]\nduration = 2\noutput = 0.1\n";
  }
};

TEST_P(GearCase, GearedWheelsMoveTheirEquivalentInertia) {
  const Simulated s = simulate(model_from(wheels(R"toml(
    [couplings.mesh]
    type = "gear"
    joints = ["small", "large"]
    ratio = -0.25
    [efforts.motor]
    joint = "small"
    magnitude = 0.3
  )toml")));
  Check check(std::string("gear, ") + (GetParam() ? "planar" : "spatial"),
              "closed form: equivalent inertia");
  const double alpha = 0.3 / (0.02 + 0.25 * 0.25 * 0.5);
  for (double t : s.series.time) {
    check.near("small", s.series.at("joints/small/coordinate", t), alpha / 2 * t * t, 1e-7);
    check.near("large", s.series.at("joints/large/coordinate", t), -0.25 * alpha / 2 * t * t, 1e-7);
    check.near("mesh", s.series.at("couplings/mesh/effort", t), 0.5 * -0.25 * alpha, kTight);
    check.near("work", s.series.at("energy/work/forces/motor", t), 0.3 * alpha / 2 * t * t, 1e-7);
  }
  check.energy(s);
}
INSTANTIATE_TEST_SUITE_P(Dimensions, GearCase, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "planar" : "spatial"; });

// A pinion lifts a rack: (J + m r^2) alpha = tau - m g r; the rack feels m (a + g).
TEST_P(CouplingCase, RackLiftsItsWeight) {
  const Simulated s = run(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.pinion]
    mass = 1
    inertia = [0.01, 0.01, 0.01]
    [bodies.rack]
    mass = 2
    inertia = [0.01, 0.01, 0.01]
    position = [0.1, 0, 0]
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "pinion"]
    at = [0, 0, 0]
    axis = [0, -1, 0]
    [joints.guide]
    type = "prismatic"
    bodies = ["ground", "rack"]
    at = [0.1, 0, 0]
    axis = [0, 0, 1]
    [couplings.teeth]
    type = "rack"
    joints = ["bearing", "guide"]
    radius = 0.1
    [efforts.motor]
    joint = "bearing"
    magnitude = 2.5
    [simulation]
    duration = 1
    output = 0.1
  )toml");
  Check check(name("rack"), "closed form: (J + m r^2) alpha = tau - m g r");
  const double alpha = (2.5 - 2 * g * 0.1) / (0.01 + 2 * 0.01);
  for (double t : s.series.time) {
    check.near("pinion", s.series.at("joints/bearing/coordinate", t), alpha / 2 * t * t, 1e-7);
    check.near("rack", s.series.at("bodies/rack/position.z", t), 0.1 * alpha / 2 * t * t, kTight);
    check.near("teeth", s.series.at("couplings/teeth/effort", t), 2 * (g + 0.1 * alpha), 1e-7);
  }
  check.energy(s);
}

// Planetary gear: the joints of both meshes share the moving carrier. Ring fixed, sun driven:
// w_sun/w_carrier = 1 + Z_ring/Z_sun, and everything seen from the carrier is one equivalent
// inertia.
TEST_P(CouplingCase, PlanetaryGearReduces) {
  const Simulated s = run(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.carrier]
    mass = 1
    inertia = 0.05
    [bodies.sun]
    mass = 0.5
    inertia = 0.002
    [bodies.planet]
    mass = 0.4
    inertia = 0.001
    position = [0.2, 0]
    [joints.carrier]
    type = "revolute"
    bodies = ["ground", "carrier"]
    at = [0, 0]
    [joints.sun]
    type = "revolute"
    bodies = ["carrier", "sun"]
    at = [0, 0]
    [joints.planet]
    type = "revolute"
    bodies = ["carrier", "planet"]
    at = [0.2, 0]
    [couplings.ring]
    type = "gear"
    joints = ["carrier", "planet"]
    ratio = "-60/15"
    [couplings.inner]
    type = "gear"
    joints = ["planet", "sun"]
    ratio = "-15/30"
    [torques.motor]
    body = "sun"
    value = 0.2
    [simulation]
    duration = 2
    output = 0.1
  )toml");
  Check check(name("planetary gear"), "closed form: Willis' relation, equivalent inertia");
  const double sun = 1 + 60.0 / 30, planet = 1 - 60.0 / 15;
  const double J = 0.05 + 0.4 * 0.04 + 0.001 * planet * planet + 0.002 * sun * sun;
  const double alpha = 0.2 * sun / J;
  for (double t : s.series.time) {
    check.near("carrier", s.series.at("bodies/carrier/angle", t), alpha / 2 * t * t, 1e-7);
    check.near("sun", s.series.at("bodies/sun/angle", t), sun * alpha / 2 * t * t, 1e-7);
    check.near("planet", s.series.at("bodies/planet/angle", t), planet * alpha / 2 * t * t, 1e-7);
  }
  check.energy(s);
}

}  // namespace
}  // namespace freeplay::testing
