// SPDX-License-Identifier: Apache-2.0
#include "verification/joint_case.hpp"

// Joints that hold a point, or a face, to a plane or a line.
namespace freeplay::testing {
namespace {

class PointJointCase : public JointCase {};
INSTANTIATE_TEST_SUITE_P(Stabilised, PointJointCase, ::testing::Values("projection", "baumgarte"),
                         [](const auto& test) { return std::string(test.param); });

// ---------------------------------------------------------------- planar, point-in-plane

/// A puck thrown across a table that leans by 30 degrees, held there by `joint`.
std::string on_table(const char* joint) {
  std::string model = R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.puck]
    mass = 0.5
    inertia = [0.01, 0.01, 0.02]
    position = [1, 2, 3]
    orientation = { axis = [0, 1, 0], angle = "30 deg" }
    velocity = ["0.8*sqrt(0.75)", 1.5, -0.4]
    angular_velocity = [0, 0, 7]
    [simulation]
    duration = 1
    output = 0.1
)toml";
  return model += joint;
}
void check_projectile(Check& check, const Simulated& s, const std::string& joint) {
  // Along the slope 0.8 t + g/4 t^2, across it 1.5 t; normal force m g cos(30).
  const Mat3& axes = s.model.joints[0].first.axes;
  for (double t : s.series.time) {
    const Vec3 d = (0.8 * t + g / 4 * t * t) * kSlope + Vec3(0, 1.5 * t, 0);
    check.near("position", s.series.vector("bodies/puck/position", t), Vec3(1, 2, 3) + d,
               kTight * 10);
    check.near("x", s.series.at("joints/" + joint + "/coordinate_x", t), axes.col(0).dot(d),
               kTight * 10);
    check.near("y", s.series.at("joints/" + joint + "/coordinate_y", t), axes.col(1).dot(d),
               kTight * 10);
    check.near("force", s.series.vector("joints/" + joint + "/reaction_force", t),
               0.5 * g * kNormal[2] * kNormal, kTight);
    check.near("moment", s.series.vector("joints/" + joint + "/reaction_moment", t), Vec3::Zero(),
               kTight);
    check.near("spin", s.series.vector("bodies/puck/angular_velocity", t), {0, 0, 7}, kTight * 10);
  }
  check.energy(s);
}

TEST_P(PointJointCase, PlanarJointThrowsAParabola) {
  const Simulated s = run(on_table(R"toml(
    [joints.table]
    type = "planar"
    bodies = ["ground", "puck"]
    at = [1, 2, 3]
    axis = [0.5, 0, "sqrt(0.75)"]
  )toml"));
  Check check(name("planar"), "closed form: parabola");
  check_projectile(check, s, "table");
  for (double t : s.series.time)
    check.near("angle", s.series.at("joints/table/coordinate_angle", t), 7 * t, 1e-7);
}

TEST_P(PointJointCase, PointInPlaneThrowsAParabola) {
  const Simulated s = run(on_table(R"toml(
    [joints.foot]
    type = "point-in-plane"
    bodies = ["ground", "puck"]
    at = [1, 2, 3]
    axis = [0.5, 0, "sqrt(0.75)"]
  )toml"));
  Check check(name("point-in-plane"), "closed form: parabola");
  check_projectile(check, s, "foot");
}

// A rod stands with its foot on a smooth floor and falls: only a vertical force acts, so its centre
// falls straight down, and energy gives its speed (m/2 (L/2 cos a)^2 + m L^2/24) a'^2 = m g L/2
// (cos a0 - cos a), a from upright.
TEST_P(PointJointCase, PointInPlaneCarriesAFallingRod) {
  const Simulated s = run(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [parameters]
    a0 = "10 deg"
    [bodies.rod]
    mass = 1
    inertia = ["1/12", "1/12", 1e-4]
    position = [0, 0, "0.5*cos(a0)"]
    orientation = { axis = [0, 1, 0], angle = "a0" }
    [joints.foot]
    type = "point-in-plane"
    bodies = ["ground", "rod"]
    at = ["-0.5*sin(a0)", 0, 0]
    axis = [0, 0, 1]
    [simulation]
    duration = 0.6
    output = 0.05
  )toml");
  Check check(name("point-in-plane, falling rod"),
              "closed form: energy of a rod on a smooth floor");
  for (double t : s.series.time) {
    const Vec3 r = s.series.vector("bodies/rod/position", t);
    const double cosine = r[2] / 0.5, sine2 = 1 - cosine * cosine;
    const double rate2 = g / 2 * (std::cos(kPi / 18) - cosine) / (sine2 / 8 + 1.0 / 24);
    const Vec3 w = s.series.vector("bodies/rod/angular_velocity", t);
    check.near("x", r[0], 0, kTight);
    check.near("rate^2", w[1] * w[1], rate2, 1e-6);
    const Vec3 F = s.series.vector("joints/foot/reaction_force", t);
    check.near("horizontal force", std::hypot(F[0], F[1]), 0, kTight);
    check.near("vertical force", F[2] - g, s.series.at("bodies/rod/acceleration.z", t), 1e-7);
  }
  check.energy(s);
}

// ---------------------------------------------------------------- point-on-line

TEST_P(PointJointCase, PointOnLineSlidesDownAWire) {
  const Simulated s = run(incline(R"toml(
    [joints.wire]
    type = "point-on-line"
    bodies = ["ground", "block"]
    at = [1, 0, 2]
    axis = ["along", 0, "-down"]
    speed = 0.7
  )toml"));
  Check check(name("point-on-line"), "closed form: slides down a wire");
  for (double t : s.series.time) {
    check.near("displacement", s.series.at("joints/wire/coordinate", t), 0.7 * t + g / 4 * t * t,
               kTight);
    check.near("rate", s.series.at("joints/wire/rate", t), 0.7 + g / 2 * t, kTight);
    check.near("force", s.series.vector("joints/wire/reaction_force", t),
               2 * g * kNormal[2] * kNormal, reaction(20 * kTight));
    check.near("moment", s.series.vector("joints/wire/reaction_moment", t), Vec3::Zero(),
               reaction(20 * kTight));
  }
  check.energy(s);
}

// A bead on a wire that turns at constant speed is thrown out: r = r0 cosh(w t); the wire pushes
// with 2 m w r'.
TEST_P(PointJointCase, PointOnLineThrowsTheBeadOut) {
  const Simulated s = run(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.wire]
    mass = 1
    inertia = [0.1, 0.1, 0.1]
    [bodies.bead]
    mass = 0.2
    inertia = [1e-4, 1e-4, 1e-4]
    position = [0.1, 0, 0]
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "wire"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    drive = { speed = 2 }
    [joints.slot]
    type = "point-on-line"
    bodies = ["wire", "bead"]
    at = { wire = [0, 0, 0], bead = [0, 0, 0] }
    axis = { wire = [1, 0, 0], bead = [1, 0, 0] }
    speed = 0
    [simulation]
    duration = 1.5
    output = 0.1
  )toml");
  Check check(name("point-on-line, turning"), "closed form: r0 cosh(w t), 2 m w r'");
  for (double t : s.series.time) {
    const double r = 0.1 * std::cosh(2 * t), rate = 0.2 * std::sinh(2 * t);
    check.near("r", s.series.at("joints/slot/coordinate", t), r, kTight);
    check.near("r'", s.series.at("joints/slot/rate", t), rate, kTight * 10);
    check.near("force", s.series.vector("joints/slot/reaction_force", t),
               turned(2 * t, {0, 2 * 0.2 * 2 * rate, 0}) + Vec3(0, 0, 0.2 * g), kTight * 10);
    check.near("drive effort", s.series.at("joints/bearing/drive_effort", t),
               2 * 0.2 * 2 * rate * r, kTight * 10);
  }
  check.energy(s);
}

TEST_P(PointJointCase, PlanarPointOnLineThrowsTheBeadOut) {
  const Simulated s = run(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.wire]
    mass = 1
    inertia = 0.1
    [bodies.bead]
    mass = 0.2
    inertia = 1e-4
    position = [0.1, 0]
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "wire"]
    at = [0, 0]
    drive = { speed = 2 }
    [joints.slot]
    type = "point-on-line"
    bodies = ["wire", "bead"]
    at = { wire = [0, 0], bead = [0, 0] }
    axis = { wire = [1, 0], bead = [1, 0] }
    speed = 0
    [simulation]
    duration = 1.5
    output = 0.1
  )toml");
  Check check(name("point-on-line, planar, turning"), "closed form: r0 cosh(w t), 2 m w r'");
  for (double t : s.series.time) {
    const double r = 0.1 * std::cosh(2 * t), rate = 0.2 * std::sinh(2 * t);
    check.near("r", s.series.at("joints/slot/coordinate", t), r, kTight);
    check.near("force", s.series.vector("joints/slot/reaction_force", t),
               turned(2 * t, {0, 0.8 * rate, 0}), kTight * 10);
    check.near("drive effort", s.series.at("joints/bearing/drive_effort", t), 0.8 * rate * r,
               kTight * 10);
  }
}

}  // namespace
}  // namespace freeplay::testing
