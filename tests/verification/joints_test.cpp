// SPDX-License-Identifier: Apache-2.0
#include "verification/recording.hpp"

#include <cmath>

// Every joint type against a closed form: the motion it leaves free, and the reaction it carries.
// Reactions are of the first body on the second, global axes, moment about the second's joint point
// (design 3). Each case runs with projection and with Baumgarte stabilisation; the closed form is
// the source of every expected number.
namespace freeplay::testing {
namespace {

constexpr double g = 9.81;
constexpr double kPi = 3.14159265358979323846;
constexpr double kTight = 1e-8;  // ten times the run's tolerance, for quantities of order one

class JointCase : public ::testing::TestWithParam<const char*> {
 protected:
  Simulated run(const std::string& toml) const {
    Model model = model_from(toml);
    // 20/s is slow enough not to make the equations stiff and fast enough to act within the run.
    if (std::string(GetParam()) == "baumgarte") model.simulation.baumgarte = Baumgarte{20, 20};
    return simulate(std::move(model));
  }
  static std::string name(const char* joint) { return std::string(joint) + ", " + GetParam(); }
  /// Baumgarte's feedback turns a position error e into a force m beta^2 e, a speed error into 2
  /// alpha m e: reactions are that much less exact than the motion.
  static double reaction(double tolerance) {
    return std::string(GetParam()) == "baumgarte" ? (2 * 20 + 20 * 20) * tolerance : tolerance;
  }
};
INSTANTIATE_TEST_SUITE_P(Stabilised, JointCase, ::testing::Values("projection", "baumgarte"),
                         [](const auto& test) { return std::string(test.param); });

Vec3 turned(double angle, const Vec3& v) { return Eigen::AngleAxisd(angle, Vec3::UnitZ()) * v; }

// ---------------------------------------------------------------- fixed

// Two bodies welded together spin about their common centre: the weld carries the centripetal force
// of the second, and, its point lying off the line of centres, a moment.
TEST_P(JointCase, FixedBodiesMoveAsOne) {
  const Simulated s = run(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.a]
    mass = 2
    inertia = [0.1, 0.1, 0.1]
    position = [-1, 0, 0]
    velocity = [0, -3, 0]
    angular_velocity = [0, 0, 3]
    [bodies.b]
    mass = 1
    inertia = [0.1, 0.1, 0.1]
    position = [2, 0, 0]
    velocity = [0, 6, 0]
    angular_velocity = [0, 0, 3]
    [joints.weld]
    type = "fixed"
    bodies = ["a", "b"]
    at = [0, 0.5, 0]
    [simulation]
    duration = 1
    output = 0.1
  )toml");
  Check check(name("fixed"));
  for (double t : s.series.time) {
    check.near("a", s.series.vector("bodies/a/position", t), turned(3 * t, {-1, 0, 0}), kTight);
    check.near("b", s.series.vector("bodies/b/position", t), turned(3 * t, {2, 0, 0}), kTight);
    check.near("force", s.series.vector("joints/weld/reaction_force", t),
               turned(3 * t, {-18, 0, 0}), 18 * kTight);
    check.near("moment", s.series.vector("joints/weld/reaction_moment", t), {0, 0, -9},
               18 * kTight);
  }
  check.energy(s);
}

TEST_P(JointCase, PlanarFixedBodiesMoveAsOne) {
  const Simulated s = run(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.a]
    mass = 2
    inertia = 0.1
    position = [-1, 0]
    angle = "40 deg"
    velocity = [0, -3]
    angular_velocity = 3
    [bodies.b]
    mass = 1
    inertia = 0.1
    position = [2, 0]
    velocity = [0, 6]
    angular_velocity = 3
    [joints.weld]
    type = "fixed"
    bodies = ["a", "b"]
    at = [0, 0.5]
    [simulation]
    duration = 1
    output = 0.1
  )toml");
  Check check(name("fixed, planar"));
  for (double t : s.series.time) {
    check.near("b", s.series.vector("bodies/b/position", t), turned(3 * t, {2, 0, 0}), kTight);
    check.near("angle", s.series.at("bodies/b/angle", t), 3 * t, kTight);
    check.near("force", s.series.vector("joints/weld/reaction_force", t),
               turned(3 * t, {-18, 0, 0}), 18 * kTight);
    check.near("moment", s.series.at("joints/weld/reaction_moment", t), -9, 18 * kTight);
  }
}

// ---------------------------------------------------------------- revolute

// A body spins about z, its centre off the axis and off the joint's height, with a product of
// inertia: F = -m w^2 r, M = (c - p) x F + w^2 (-Jyz, Jxz, 0) in axes that turn with the body.
TEST_P(JointCase, RevoluteCarriesTheUnbalance) {
  const Simulated s = run(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.rotor]
    mass = 2
    inertia = [0.1, 0.2, 0.25, 0, 0.02, 0.01]
    position = [0.5, 0, 0.3]
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "rotor"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    speed = 4
    [simulation]
    duration = 2
    output = 0.1
  )toml");
  Check check(name("revolute"));
  const double w = 4, F = 2 * w * w * 0.5;
  for (double t : s.series.time) {
    check.near("angle", s.series.at("joints/bearing/coordinate", t), w * t, kTight * 10);
    check.near("rate", s.series.at("joints/bearing/rate", t), w, kTight);
    check.near("force", s.series.vector("joints/bearing/reaction_force", t),
               turned(w * t, {-F, 0, 0}), 100 * kTight);
    check.near("moment", s.series.vector("joints/bearing/reaction_moment", t),
               turned(w * t, {-w * w * 0.01, -0.3 * F + w * w * 0.02, 0}), 100 * kTight);
  }
  check.energy(s);
}

// A rod let go horizontally: w^2 = 3 g/L sin(phi) at phi below the horizontal, and the pin force
// follows.
TEST_P(JointCase, PlanarRevoluteCarriesTheSwingingRod) {
  const Simulated s = run(R"toml(
    [mechanism]
    planar = true
    gravity = [0, -9.81]
    [bodies.rod]
    mass = 1.2
    inertia = "1.2*0.5^2/12"
    position = [0.25, 0]
    [joints.pivot]
    type = "revolute"
    bodies = ["ground", "rod"]
    at = [0, 0]
    [simulation]
    duration = 2
    output = 0.05
  )toml");
  Check check(name("revolute, planar"));
  const double m = 1.2, L = 0.5;
  for (double t : s.series.time) {
    const double angle = s.series.at("joints/pivot/coordinate", t),
                 rate = s.series.at("joints/pivot/rate", t);
    const double w2 = -3 * g / L * std::sin(angle), alpha = -1.5 * g / L * std::cos(angle);
    check.near("w^2", rate * rate, w2, 1e-6);
    const Vec3 a = turned(angle, {-w2 * L / 2, alpha * L / 2, 0});
    check.near("force", s.series.vector("joints/pivot/reaction_force", t), m * (a + Vec3(0, g, 0)),
               1e-6);
    check.near("moment", s.series.at("joints/pivot/reaction_moment", t), 0, 1e-12);
  }
}

// ---------------------------------------------------------------- prismatic, cylindrical

constexpr const char* kIncline = R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [parameters]
    down = 0.5
    along = "sqrt(0.75)"
    [bodies.block]
    mass = 2
    inertia = [0.02, 0.05, 0.05]
    position = [1, 0, 2]
    orientation = { axis = [0, 1, 0], angle = "30 deg" }
    [simulation]
    duration = 1
    output = 0.1
)toml";
const Vec3 kSlope(std::sqrt(0.75), 0, -0.5), kNormal(0.5, 0, std::sqrt(0.75));

// Down a plane of 30 degrees: s = g sin(30) t^2/2. The guide holds the block 0.3 m ahead of its
// centre, so it carries the normal force and a moment.
TEST_P(JointCase, PrismaticSlidesDownAnIncline) {
  const Simulated s = run(std::string(kIncline) + R"toml(
    [joints.guide]
    type = "prismatic"
    bodies = ["ground", "block"]
    at = ["1 + 0.3*along", 0, "2 - 0.3*down"]
    axis = ["along", 0, "-down"]
  )toml");
  Check check(name("prismatic"));
  const double N = 2 * g * kNormal[2];
  for (double t : s.series.time) {
    check.near("displacement", s.series.at("joints/guide/coordinate", t), g / 4 * t * t, kTight);
    check.near("rate", s.series.at("joints/guide/rate", t), g / 2 * t, kTight);
    check.near("force", s.series.vector("joints/guide/reaction_force", t), N * kNormal,
               reaction(20 * kTight));
    check.near("moment", s.series.vector("joints/guide/reaction_moment", t), {0, 0.3 * N, 0},
               reaction(20 * kTight));
  }
  check.energy(s);
}

TEST_P(JointCase, PlanarPrismaticSlidesDownAnIncline) {
  const Simulated s = run(R"toml(
    [mechanism]
    planar = true
    gravity = [0, -9.81]
    [parameters]
    down = 0.5
    along = "sqrt(0.75)"
    [bodies.block]
    mass = 2
    inertia = 0.05
    position = [1, 2]
    angle = "-30 deg"
    [joints.guide]
    type = "prismatic"
    bodies = ["ground", "block"]
    at = ["1 + 0.3*along", "2 - 0.3*down"]
    axis = ["along", "-down"]
    [simulation]
    duration = 1
    output = 0.1
  )toml");
  Check check(name("prismatic, planar"));
  const double N = 2 * g * std::sqrt(0.75);
  for (double t : s.series.time) {
    check.near("displacement", s.series.at("joints/guide/coordinate", t), g / 4 * t * t, kTight);
    check.near("force", s.series.vector("joints/guide/reaction_force", t),
               {0.5 * N, std::sqrt(0.75) * N, 0}, reaction(20 * kTight));
    check.near("moment", s.series.at("joints/guide/reaction_moment", t), -0.3 * N,
               reaction(20 * kTight));
  }
}

// The same slope, free to spin: falls along the axis and turns evenly.
TEST_P(JointCase, CylindricalFallsAndSpins) {
  const Simulated s = run(std::string(kIncline) + R"toml(
    [joints.sleeve]
    type = "cylindrical"
    bodies = ["ground", "block"]
    at = [1, 0, 2]
    axis = ["along", 0, "-down"]
    speed = { displacement = 0.7, angle = 5 }
  )toml");
  Check check(name("cylindrical"));
  const double N = 2 * g * kNormal[2];
  for (double t : s.series.time) {
    check.near("displacement", s.series.at("joints/sleeve/coordinate_displacement", t),
               0.7 * t + g / 4 * t * t, kTight);
    check.near("angle", s.series.at("joints/sleeve/coordinate_angle", t), 5 * t, kTight);
    check.near("spin", s.series.vector("bodies/block/angular_velocity", t), {5, 0, 0}, kTight);
    check.near("force", s.series.vector("joints/sleeve/reaction_force", t), N * kNormal,
               reaction(20 * kTight));
    check.near("moment", s.series.vector("joints/sleeve/reaction_moment", t), Vec3::Zero(),
               reaction(20 * kTight));
  }
  check.energy(s);
}

// ---------------------------------------------------------------- spherical, distance

/// A bob of 1.5 kg on a string of 0.8 m, 40 degrees out, going round: w^2 = g/(L cos a).
constexpr const char* kConical = R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [parameters]
    a = "40 deg"
    w = "sqrt(9.81/(0.8*cos(a)))"
    [bodies.bob]
    mass = 1.5
    inertia = [0.01, 0.01, 0.01]
    position = ["0.8*sin(a)", 0, "-0.8*cos(a)"]
    velocity = [0, "w*0.8*sin(a)", 0]
    angular_velocity = [0, 0, "w"]
    [simulation]
    duration = 2
    output = 0.1
)toml";
void check_conical(Check& check, const Simulated& s, const std::string& joint) {
  const double a = 40 * kPi / 180, L = 0.8, w = std::sqrt(g / (L * std::cos(a))), m = 1.5;
  for (double t : s.series.time) {
    const Vec3 r = turned(w * t, {L * std::sin(a), 0, -L * std::cos(a)});
    check.near("position", s.series.vector("bodies/bob/position", t), r, kTight);
    check.near("force", s.series.vector("joints/" + joint + "/reaction_force", t),
               -r / L * m * g / std::cos(a), 1e-6);
    check.near("moment", s.series.vector("joints/" + joint + "/reaction_moment", t), Vec3::Zero(),
               1e-12);
  }
  check.energy(s);
}

TEST_P(JointCase, SphericalConicalPendulum) {
  const Simulated s = run(std::string(kConical) + R"toml(
    [joints.ball]
    type = "spherical"
    bodies = ["ground", "bob"]
    at = [0, 0, 0]
  )toml");
  Check check(name("spherical"));
  check_conical(check, s, "ball");
}

TEST_P(JointCase, DistanceConicalPendulum) {
  const Simulated s = run(std::string(kConical) + R"toml(
    [joints.string]
    type = "distance"
    bodies = ["ground", "bob"]
    at = { ground = [0, 0, 0], bob = [0, 0, 0] }
    length = 0.8
  )toml");
  Check check(name("distance"));
  check_conical(check, s, "string");
  for (double t : s.series.time)
    check.near("length", s.series.at("joints/string/coordinate", t), 0.8, kTight);
}

// Two masses on a massless rod, flying and turning: tension m1 m2/(m1 + m2) w^2 L, on the second
// towards the first.
TEST_P(JointCase, PlanarDistanceHoldsTheDumbbell) {
  const Simulated s = run(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.light]
    mass = 1
    inertia = 0.01
    position = [-1.5, 0]
    velocity = [0.2, -7.5]
    [bodies.heavy]
    mass = 3
    inertia = 0.02
    position = [0.5, 0]
    velocity = [0.2, 2.5]
    [joints.rod]
    type = "distance"
    bodies = ["light", "heavy"]
    at = [[-1.5, 0], [0.5, 0]]
    [simulation]
    duration = 1
    output = 0.1
  )toml");
  Check check(name("distance, planar"));
  for (double t : s.series.time) {
    check.near("heavy", s.series.vector("bodies/heavy/position", t),
               Vec3(0.2 * t, 0, 0) + turned(5 * t, {0.5, 0, 0}), kTight);
    check.near("force", s.series.vector("joints/rod/reaction_force", t),
               turned(5 * t, {-37.5, 0, 0}), 1e-6);
  }
  check.energy(s);
}

// ---------------------------------------------------------------- universal

// A shaft driven at constant speed turns another, bent by 35 degrees: w2/w1 = cos b/(1 - sin^2 b
// cos^2 theta), theta from the position in which the driving fork lies in the plane of the shafts
// (here at a right angle at the start).
TEST_P(JointCase, UniversalTurnsUnevenly) {
  const Simulated s = run(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [parameters]
    b = "35 deg"
    [bodies.input]
    mass = 1
    inertia = [0.01, 0.02, 0.02]
    position = [-0.5, 0, 0]
    [bodies.output]
    mass = 1
    inertia = [0.03, 0.04, 0.04]
    position = ["0.5*cos(b)", "0.5*sin(b)", 0]
    orientation = { axis = [0, 0, 1], angle = "b" }
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "input"]
    at = [-1, 0, 0]
    axis = [1, 0, 0]
    drive = { speed = 2 }
    [joints.cross]
    type = "universal"
    bodies = ["input", "output"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    second_axis = ["-sin(b)", "cos(b)", 0]
    [joints.support]
    type = "point-on-line"
    bodies = ["ground", "output"]
    at = ["cos(b)", "sin(b)", 0]
    axis = ["cos(b)", "sin(b)", 0]
    [simulation]
    duration = 4
    output = 0.1
  )toml");
  EXPECT_TRUE(s.assembly.redundant.empty());
  Check check(name("universal"));
  const double b = 35 * kPi / 180, w = 2, J = 0.03;
  const Vec3 u(std::cos(b), std::sin(b), 0), k0(-std::sin(b), std::cos(b), 0);
  double turn = 0;  // of the cross about its fork, followed over the half turns
  for (double t : s.series.time) {
    const double angle = w * t, s2 = std::pow(std::sin(b) * std::sin(angle), 2);
    const double speed = w * std::cos(b) / (1 - s2);
    const double rise =
        w * w * std::cos(b) * std::pow(std::sin(b), 2) * std::sin(2 * angle) / std::pow(1 - s2, 2);
    check.near("output speed", s.series.at("bodies/output/angular_velocity.x", t), speed,
               kTight * 10);
    check.near("output acceleration", s.series.at("bodies/output/angular_acceleration.x", t), rise,
               kTight * 10);
    // Power: what the drive gives is what accelerates the output.
    check.near("drive effort", s.series.at("joints/bearing/drive_effort", t), J * rise * speed / w,
               kTight);
    // The cross passes moment only along the normal of its plane.
    const Vec3 M = s.series.vector("joints/cross/reaction_moment", t);
    const Vec3 h = Eigen::AngleAxisd(angle, Vec3::UnitX()) * Vec3::UnitZ();
    const Vec3 k = h.cross(u).normalized() * (h.cross(u).dot(k0) * std::cos(angle) < 0 ? -1 : 1);
    check.near("moment about the fork", M.dot(h), 0, kTight);
    check.near("moment about the cross", M.dot(k), 0, kTight);
    check.near("moment along the shaft", M.dot(u), J * rise, kTight);
    // Joint angles: of the cross arm k about the fork h, from where k was in the input shaft; and
    // of the output shaft about k, which for this pair is the bend of the plane of the cross.
    const Vec3 k_start = Eigen::AngleAxisd(angle, Vec3::UnitX()) * k0;
    const Vec4 p = s.series.quaternion("bodies/output/quaternion", t);
    const Vec3 k_now = Eigen::Quaterniond(p[0], p[1], p[2], p[3]) * Vec3::UnitY();
    const double now = std::atan2(h.dot(k_start.cross(k_now)), k_start.dot(k_now));
    turn = now + 2 * kPi * std::round((turn - now) / (2 * kPi));
    check.near("angle about the fork", s.series.at("joints/cross/coordinate_angle", t), turn,
               kTight * 10);
    const Vec3 h_start = Eigen::Quaterniond(p[0], p[1], p[2], p[3]) * Vec3::UnitZ();
    check.near("angle about the cross", s.series.at("joints/cross/coordinate_second_angle", t),
               std::atan2(k_now.dot(h.cross(h_start)), h.dot(h_start)), kTight * 10);
  }
  check.energy(s);
}

// ---------------------------------------------------------------- planar, point-in-plane

constexpr const char* kOnTable = R"toml(
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

TEST_P(JointCase, PlanarJointThrowsAParabola) {
  const Simulated s = run(std::string(kOnTable) + R"toml(
    [joints.table]
    type = "planar"
    bodies = ["ground", "puck"]
    at = [1, 2, 3]
    axis = [0.5, 0, "sqrt(0.75)"]
  )toml");
  Check check(name("planar"));
  check_projectile(check, s, "table");
  for (double t : s.series.time)
    check.near("angle", s.series.at("joints/table/coordinate_angle", t), 7 * t, 1e-7);
}

TEST_P(JointCase, PointInPlaneThrowsAParabola) {
  const Simulated s = run(std::string(kOnTable) + R"toml(
    [joints.foot]
    type = "point-in-plane"
    bodies = ["ground", "puck"]
    at = [1, 2, 3]
    axis = [0.5, 0, "sqrt(0.75)"]
  )toml");
  Check check(name("point-in-plane"));
  check_projectile(check, s, "foot");
}

// A rod stands with its foot on a smooth floor and falls: only a vertical force acts, so its centre
// falls straight down, and energy gives its speed (m/2 (L/2 cos a)^2 + m L^2/24) a'^2 = m g L/2
// (cos a0 - cos a), a from upright.
TEST_P(JointCase, PointInPlaneCarriesAFallingRod) {
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
  Check check(name("point-in-plane, falling rod"));
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

TEST_P(JointCase, PointOnLineSlidesDownAWire) {
  const Simulated s = run(std::string(kIncline) + R"toml(
    [joints.wire]
    type = "point-on-line"
    bodies = ["ground", "block"]
    at = [1, 0, 2]
    axis = ["along", 0, "-down"]
    speed = 0.7
  )toml");
  Check check(name("point-on-line"));
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
TEST_P(JointCase, PointOnLineThrowsTheBeadOut) {
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
  Check check(name("point-on-line, turning"));
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

TEST_P(JointCase, PlanarPointOnLineThrowsTheBeadOut) {
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
  Check check(name("point-on-line, planar, turning"));
  for (double t : s.series.time) {
    const double r = 0.1 * std::cosh(2 * t), rate = 0.2 * std::sinh(2 * t);
    check.near("r", s.series.at("joints/slot/coordinate", t), r, kTight);
    check.near("force", s.series.vector("joints/slot/reaction_force", t),
               turned(2 * t, {0, 0.8 * rate, 0}), kTight * 10);
    check.near("drive effort", s.series.at("joints/bearing/drive_effort", t), 0.8 * rate * r,
               kTight * 10);
  }
}

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
    Check check("screw, pitch " + std::to_string(pitch) +
                (baumgarte ? ", baumgarte" : ", projection"));
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
  Check check(std::string("gear, ") + (GetParam() ? "planar" : "spatial"));
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
TEST_P(JointCase, RackLiftsItsWeight) {
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
  Check check(name("rack"));
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
TEST_P(JointCase, PlanetaryGearReduces) {
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
  Check check(name("planetary gear"));
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
