// SPDX-License-Identifier: Apache-2.0
#include "verification/joint_case.hpp"

// Joints that hold an axis, a ball or a length.
namespace freeplay::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Stabilised, JointCase, ::testing::Values("projection", "baumgarte"),
                         [](const auto& test) { return std::string(test.param); });

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
  Check check(name("fixed"), "closed form: centripetal force and moment of the weld");
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
  Check check(name("fixed, planar"), "closed form: centripetal force and moment of the weld");
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
  Check check(name("revolute"), "closed form: unbalance of a spinning body");
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
  Check check(name("revolute, planar"), "closed form: w^2 = 3 g/L sin(phi) of a falling rod");
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

// Down a plane of 30 degrees: s = g sin(30) t^2/2. The guide holds the block 0.3 m ahead of its
// centre, so it carries the normal force and a moment.
TEST_P(JointCase, PrismaticSlidesDownAnIncline) {
  const Simulated s = run(incline(R"toml(
    [joints.guide]
    type = "prismatic"
    bodies = ["ground", "block"]
    at = ["1 + 0.3*along", 0, "2 - 0.3*down"]
    axis = ["along", 0, "-down"]
  )toml"));
  Check check(name("prismatic"), "closed form: g sin(30 deg) t^2/2");
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
  Check check(name("prismatic, planar"), "closed form: g sin(30 deg) t^2/2");
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
  const Simulated s = run(incline(R"toml(
    [joints.sleeve]
    type = "cylindrical"
    bodies = ["ground", "block"]
    at = [1, 0, 2]
    axis = ["along", 0, "-down"]
    speed = { displacement = 0.7, angle = 5 }
  )toml"));
  Check check(name("cylindrical"), "closed form: slides and spins evenly");
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

/// A bob of 1.5 kg, 0.8 m from its support and 40 degrees out, going round: w^2 = g/(L cos a); held
/// by `joint`.
std::string conical(const char* joint) {
  std::string model = R"toml(
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
  return model += joint;
}
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
  const Simulated s = run(conical(R"toml(
    [joints.ball]
    type = "spherical"
    bodies = ["ground", "bob"]
    at = [0, 0, 0]
  )toml"));
  Check check(name("spherical"), "closed form: conical pendulum");
  check_conical(check, s, "ball");
}

TEST_P(JointCase, DistanceConicalPendulum) {
  const Simulated s = run(conical(R"toml(
    [joints.string]
    type = "distance"
    bodies = ["ground", "bob"]
    at = { ground = [0, 0, 0], bob = [0, 0, 0] }
    length = 0.8
  )toml"));
  Check check(name("distance"), "closed form: conical pendulum");
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
  Check check(name("distance, planar"), "closed form: tension m1 m2/(m1 + m2) w^2 L");
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
  Check check(name("universal"), "closed form: w2/w1 = cos b/(1 - sin^2 b cos^2 theta)");
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

}  // namespace
}  // namespace freeplay::testing
