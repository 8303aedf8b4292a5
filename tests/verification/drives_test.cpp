// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <cmath>
#include <functional>

// Prescribed motion: every kind of drive, on every coordinate a joint can have. The motion must be
// the one asked for and the effort the one inverse dynamics needs; both are closed forms.
namespace freeplay::testing {
namespace {

constexpr double g = 9.81;
constexpr double kPi = 3.14159265358979323846;

// ---------------------------------------------------------------- every kind of motion, on a
// revolute

struct Kind {
  const char* name;
  const char* drive;
  std::function<Jet(double)> expected;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

const Kind kKinds[] = {
    {"speed", "{ speed = 3 }",
     [](double t) {
       return Jet{3 * t, 3, 0};
     }},
    {"speed_from_start", "{ speed = 3, start = 0.4 }",
     [](double t) {
       return Jet{0.4 + 3 * t, 3, 0};
     }},
    {"rpm", "{ speed = \"120 rpm\" }",
     [](double t) {
       return Jet{4 * kPi * t, 4 * kPi, 0};
     }},
    {"polynomial", "{ polynomial = [0.1, 0.5, -0.3, 2] }",
     [](double t) {
       return Jet{0.1 + t * (0.5 + t * (-0.3 + 2 * t)), 0.5 + t * (-0.6 + 6 * t), -0.6 + 12 * t};
     }},
    {"sine", "{ sine = { amplitude = 0.7, frequency = 1.5, phase = 0.2, offset = -0.1 } }",
     [](double t) {
       const double w = 3 * kPi, a = w * t + 0.2;
       return Jet{-0.1 + 0.7 * std::sin(a), 0.7 * w * std::cos(a), -0.7 * w * w * std::sin(a)};
     }},
    {"step", "{ step = { from = 0.2, to = 1.7, start = 0.25, end = 0.75 } }",
     [](double t) {
       const double T = 0.5, u = std::min(1.0, std::max(0.0, (t - 0.25) / T)), rise = 1.5;
       return Jet{0.2 + rise * (6 * std::pow(u, 5) - 15 * std::pow(u, 4) + 10 * std::pow(u, 3)),
                  rise / T * (30 * std::pow(u, 4) - 60 * std::pow(u, 3) + 30 * u * u),
                  rise / (T * T) * (120 * std::pow(u, 3) - 180 * u * u + 60 * u)};
     }},
    // A not-a-knot spline reproduces a cubic: x = 1 - t + 2 t^2 - t^3/2 at five uneven times.
    {"table",
     "{ table = { time = [0, 0.2, 0.5, 0.9, 1.1], "
     "value = [1, 0.876, 0.9375, 1.3555, 1.6545] } }",
     [](double t) {
       return Jet{1 - t + 2 * t * t - t * t * t / 2, -1 + 4 * t - 1.5 * t * t, 4 - 3 * t};
     }},
    {"formula", "{ formula = \"0.3*sin(5*t)*exp(-t) + t^2/4\" }",
     [](double t) {
       const double s = std::sin(5 * t), c = std::cos(5 * t), e = 0.3 * std::exp(-t);
       return Jet{e * s + t * t / 4, e * (5 * c - s) + t / 2, e * (-24 * s - 10 * c) + 0.5};
     }},
};

class DriveKind : public ::testing::TestWithParam<Kind> {};
TEST_P(DriveKind, MovesAsAskedAndNeedsTheRightEffort) {
  const Simulated s = simulate(model_from(std::string(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.wheel]
    mass = 1
    inertia = 0.3
    position = [0.2, 0]
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "wheel"]
    at = [0, 0]
    drive = )toml") + GetParam().drive + R"toml(
    [simulation]
    duration = 1
    output = 0.05
  )toml"));
  Check check(std::string("drive ") + GetParam().name,
              "closed form: J alpha(t) of the prescribed motion");
  const double J = 0.3 + 0.2 * 0.2;
  for (double t : s.series.time) {
    const Jet x = GetParam().expected(t);
    check.near("x", s.series.at("joints/bearing/coordinate", t), x.x, 1e-10);
    check.near("x'", s.series.at("joints/bearing/rate", t), x.dx, 1e-9);
    check.near("x''", s.series.at("bodies/wheel/angular_acceleration", t), x.ddx, 1e-8);
    check.near("effort", s.series.at("joints/bearing/drive_effort", t), J * x.ddx, 1e-8);
    const double start = GetParam().expected(0).dx;
    check.near("work", s.series.at("energy/work/joints/bearing/drive", t),
               J / 2 * (x.dx * x.dx - start * start), 1e-7);
  }
  check.energy(s);
}
INSTANTIATE_TEST_SUITE_P(All, DriveKind, ::testing::ValuesIn(kKinds),
                         [](const auto& test) { return std::string(test.param.name); });

// The same motions on a body that stands turned by 200 degrees at the start: the coordinate is zero
// as written.
TEST(DriveTest, CoordinateIsZeroAsWrittenWhateverTheAngle) {
  for (const char* angle : {"0 deg", "100 deg", "200 deg", "-200 deg", "400 deg"}) {
    const Simulated s = simulate(model_from(std::string(R"toml(
      [mechanism]
      planar = true
      gravity = [0, 0]
      [bodies.wheel]
      mass = 1
      inertia = 0.3
      angle = ")toml") + angle + R"toml("
      [joints.bearing]
      type = "revolute"
      bodies = ["ground", "wheel"]
      at = [0, 0]
      drive = { polynomial = [0, 1] }
      [simulation]
      duration = 1
      output = 0.5
    )toml"));
    EXPECT_NEAR(s.series.at("joints/bearing/coordinate", 0), 0, 1e-12) << angle;
    EXPECT_NEAR(s.series.at("joints/bearing/coordinate", 1), 1, 1e-9) << angle;
    EXPECT_LT(s.assembly.largest_turn, 1e-9) << angle;
  }
}

// ---------------------------------------------------------------- every coordinate

/// A block of 2 kg, J = (0.1, 0.2, 0.3), at the origin, under gravity; `joint` goes below it.
Simulated block_on(const std::string& joint) {
  return simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.block]
    mass = 2
    inertia = [0.1, 0.2, 0.3]
    [simulation]
    duration = 1
    output = 0.05
    [joints.joint]
    bodies = ["ground", "block"]
    at = [0, 0, 0]
  )toml" + joint));
}
/// x = A sin(4 t)
Jet swing(double A, double t) {
  return {A * std::sin(4 * t), 4 * A * std::cos(4 * t), -16 * A * std::sin(4 * t)};
}

TEST(DriveTest, PrismaticForce) {
  const Simulated s = block_on(R"toml(
    type = "prismatic"
    axis = [0, 0, 1]
    drive = { formula = "0.2*sin(4*t)" }
  )toml");
  Check check("drive of a prismatic joint", "closed form: m a(t)");
  for (double t : s.series.time) {
    const Jet x = swing(0.2, t);
    check.near("z", s.series.at("bodies/block/position.z", t), x.x, 1e-10);
    check.near("force", s.series.at("joints/joint/drive_effort", t), 2 * (x.ddx + g), 1e-8);
    // The drive's force is not part of the reaction, which holds the block sideways only.
    check.near("reaction", s.series.vector("joints/joint/reaction_force", t), Vec3::Zero(), 1e-8);
  }
  check.energy(s);
}

TEST(DriveTest, CylindricalForceAndTorque) {
  const Simulated s = block_on(R"toml(
    type = "cylindrical"
    axis = [0, 0, 1]
    drive = [{ coordinate = "displacement", formula = "0.2*sin(4*t)" }, { coordinate = "angle", speed = 3 }]
  )toml");
  Check check("drives of a cylindrical joint", "closed form: m a(t), J alpha(t)");
  for (double t : s.series.time) {
    check.near("force", s.series.at("joints/joint/drive_effort_displacement", t),
               2 * (swing(0.2, t).ddx + g), 1e-8);
    check.near("torque", s.series.at("joints/joint/drive_effort_angle", t), 0, 1e-8);
    check.near("angle", s.series.at("joints/joint/coordinate_angle", t), 3 * t, 1e-9);
  }
  check.energy(s);
}

TEST(DriveTest, PlanarJointForcesAndTorque) {
  const Simulated s = block_on(R"toml(
    type = "planar"
    axis = [0, 1, 0]
    drive = [{ coordinate = "x", formula = "0.2*sin(4*t)" }, { coordinate = "y", formula = "0.1*sin(4*t)" },
             { coordinate = "angle", formula = "0.5*sin(4*t)" }]
  )toml");
  Check check("drives of a planar joint", "closed form: m a(t), J alpha(t)");
  const Mat3& axes = s.model.joints[0].first.axes;
  for (double t : s.series.time) {
    const Vec3 a =
        axes.col(0) * swing(0.2, t).ddx + axes.col(1) * swing(0.1, t).ddx + Vec3(0, 0, g);
    check.near("x", s.series.at("joints/joint/drive_effort_x", t), 2 * a.dot(axes.col(0)), 1e-8);
    check.near("y", s.series.at("joints/joint/drive_effort_y", t), 2 * a.dot(axes.col(1)), 1e-8);
    check.near("torque", s.series.at("joints/joint/drive_effort_angle", t), 0.2 * swing(0.5, t).ddx,
               1e-8);
  }
  check.energy(s);
}

TEST(DriveTest, PointOnLineAndPointInPlane) {
  Check check("drives of points on lines and planes", "closed form: m a(t)");
  const Simulated line = block_on(R"toml(
    type = "point-on-line"
    axis = [0, 0, 1]
    drive = { formula = "0.2*sin(4*t)" }
  )toml");
  for (double t : line.series.time)
    check.near("line", line.series.at("joints/joint/drive_effort", t), 2 * (swing(0.2, t).ddx + g),
               1e-8);
  const Simulated plane = block_on(R"toml(
    type = "point-in-plane"
    axis = [0, 0, 1]
    drive = [{ coordinate = "x", formula = "0.2*sin(4*t)" }, { coordinate = "y", formula = "0.1*sin(4*t)" }]
  )toml");
  for (double t : plane.series.time) {
    check.near("plane x", plane.series.at("joints/joint/drive_effort_x", t), 2 * swing(0.2, t).ddx,
               1e-8);
    check.near("plane y", plane.series.at("joints/joint/drive_effort_y", t), 2 * swing(0.1, t).ddx,
               1e-8);
    check.near("plane reaction", plane.series.vector("joints/joint/reaction_force", t),
               {0, 0, 2 * g}, 1e-8);
  }
  check.energy(line);
  check.energy(plane);
}

TEST(DriveTest, ScrewTorque) {
  const Simulated s = block_on(R"toml(
    type = "screw"
    axis = [0, 0, 1]
    pitch = 0.4
    drive = { formula = "0.2*sin(4*t)" }
  )toml");
  Check check("drive of a screw", "closed form: J alpha + m a l");
  const double l = 0.4 / (2 * kPi);
  for (double t : s.series.time)
    check.near("torque", s.series.at("joints/joint/drive_effort", t),
               (0.3 + 2 * l * l) * swing(0.2, t).ddx + 2 * g * l, 1e-8);
  check.energy(s);
}

// A winch shortens and lengthens the rope a weight hangs on: m l'' = m g + effort, the effort
// positive outwards.
TEST(DriveTest, DistanceLength) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.weight]
    mass = 2
    inertia = [0.1, 0.1, 0.1]
    position = [0, 0, -1]
    [joints.rope]
    type = "distance"
    bodies = ["ground", "weight"]
    at = [[0, 0, 0], [0, 0, -1]]
    drive = { sine = { amplitude = 0.2, frequency = "2/pi", offset = 1 } }
    [simulation]
    duration = 1
    output = 0.05
  )toml"));
  Check check("drive of a distance", "closed form: m l'' = m g + effort");
  for (double t : s.series.time) {
    check.near("length", s.series.at("joints/rope/coordinate", t), 1 + swing(0.2, t).x, 1e-10);
    check.near("effort", s.series.at("joints/rope/drive_effort", t), 2 * (swing(0.2, t).ddx - g),
               1e-8);
  }
  check.energy(s);
}

// Both turns of a universal joint driven: R = R_z(a) R_x(b), so w = a' e_z + b' (cos a, sin a, 0),
// and with a body of revolution about its own y and z (J_x = J_y below) the efforts are a_z and a_x
// of M = d/dt(J w).
TEST(DriveTest, UniversalAngles) {
  Model model = model_from(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.block]
    mass = 2
    inertia = [0.2, 0.2, 0.2]
    [joints.cross]
    type = "universal"
    bodies = ["ground", "block"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    second_axis = [1, 0, 0]
    drive = [{ coordinate = "angle", formula = "0.5*sin(4*t)" }, { coordinate = "second_angle", formula = "0.3*sin(4*t)" }]
    [simulation]
    duration = 1
    output = 0.05
  )toml");
  const Simulated s = simulate(model);
  Check check("drives of a universal joint", "closed form: M = d/dt (J w)");
  for (double t : s.series.time) {
    const Jet a = swing(0.5, t), b = swing(0.3, t);
    const Mat3 R = (Eigen::AngleAxisd(a.x, Vec3::UnitZ()) * Eigen::AngleAxisd(b.x, Vec3::UnitX()))
                       .toRotationMatrix();
    const Vec4 p = s.series.quaternion("bodies/block/quaternion", t);
    const Mat3 found = Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
    check.below("orientation", (R - found).cwiseAbs().maxCoeff(), 1e-9);
    check.near("angle", s.series.at("joints/cross/coordinate_angle", t), a.x, 1e-9);
    check.near("second angle", s.series.at("joints/cross/coordinate_second_angle", t), b.x, 1e-9);
    // A ball of inertia: M = J w', w' = a'' e_z + b'' k + a' b' e_z x k. About e_z: J a''; about k:
    // J b''.
    check.near("effort", s.series.at("joints/cross/drive_effort_angle", t), 0.2 * a.ddx, 1e-8);
    check.near("second effort", s.series.at("joints/cross/drive_effort_second_angle", t),
               0.2 * b.ddx, 1e-8);
  }
  check.energy(s);
}

// ---------------------------------------------------------------- kinematic analysis

// A mechanism without freedom moves as its drives say; with inertia or without, the same poses and
// reactions.
TEST(KinematicAnalysis, AgreesWithDynamicsOnDrivenMechanisms) {
  for (const char* name :
       {"slider_crank", "press", "scotch_yoke", "quick_return", "universal_shaft"}) {
    Model model = load_mechanism(name);
    model.simulation.output = model.simulation.duration / 50;
    const Simulated dynamic = simulate(model);
    model.simulation.analysis = Analysis::kinematic;
    const Simulated kinematic = simulate(model);
    ASSERT_EQ(dynamic.assembly.freedom, 0) << name;
    Check check(std::string("kinematic ") + name, "dynamic run of the same mechanism");
    ASSERT_EQ(dynamic.series.rows.size(), kinematic.series.rows.size()) << name;
    const auto scale = unit_scales(dynamic);
    for (const Channel& c : dynamic.series.channels) {
      if (c.path.starts_with("energy/")) continue;
      for (std::size_t r = 0; r < dynamic.series.rows.size(); ++r)
        for (int k = 0; k < c.width; ++k)
          check.near(c.path, kinematic.series.rows[r][c.offset + k],
                     dynamic.series.rows[r][c.offset + k], 1e-9 * scale.at(c.unit));
    }
    check.energy(kinematic);
  }
}

}  // namespace
}  // namespace freeplay::testing
