// SPDX-License-Identifier: Apache-2.0
#include "core/rotation.hpp"
#include "support/paths.hpp"
#include "unit/io/model_text.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

// What a correct file becomes.
namespace freeplay {
namespace {

using testing::everything_planar;
using testing::everything_spatial;
using testing::read;
using testing::small_model;

constexpr double kPi = std::numbers::pi;

Mat3 rotation(const Model& m, const Frame& f) {
  const Body& b = m.bodies[f.body];
  return (m.planar ? rotation_about_z(b.angle) : rotation_matrix(b.orientation)) * f.axes;
}
Vec3 place(const Model& m, const Frame& f) {
  const Body& b = m.bodies[f.body];
  return b.position +
         (m.planar ? rotation_about_z(b.angle) : rotation_matrix(b.orientation)) * f.point;
}
const Joint& joint(const Model& m, std::string_view name) {
  for (const Joint& j : m.joints)
    if (j.name == name) return j;
  throw std::out_of_range(std::string(name));
}
const Force& force(const Model& m, std::string_view name) {
  for (const Force& f : m.forces)
    if (f.name == name) return f;
  throw std::out_of_range(std::string(name));
}
template <class A, class B>
void expect_near(const A& a, const B& b, double tolerance = 2e-15) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance) << "found\n" << a << "\nexpected\n" << b;
}

TEST(LoadTest, PartsKeepTheOrderOfTheFile) {
  const Model m = read(everything_spatial());
  std::string names;
  for (const Body& b : m.bodies) names += b.name + " ";
  EXPECT_EQ(names, "ground crank rod slider nut plate ball a <b> c ");
  names.clear();
  for (const Joint& j : m.joints) names += j.name + " ";
  EXPECT_EQ(names, "crank_bearing crank_pin wrist guide thread table string rail ");
  names.clear();
  for (const Force& f : m.forces) names += f.name + " ";
  EXPECT_EQ(names, "link torsion stop push weight brake motor shock twist ");
  EXPECT_EQ(m.name, "everything \"spatial\", caf\u00e9");
  EXPECT_EQ(m.bodies[1].line, 12);
  EXPECT_EQ(m.source, everything_spatial());
}

TEST(LoadTest, BodiesAreInSi) {
  const Model m = read(everything_spatial());
  const Body& crank = m.bodies[1];
  EXPECT_EQ(crank.mass, 0.12);
  EXPECT_DOUBLE_EQ(crank.inertia(1, 1), 1e-4);
  EXPECT_DOUBLE_EQ(crank.position[2], 0.16);
  EXPECT_FALSE(crank.velocity);
  const Body& rod = m.bodies[2];
  Mat3 J;
  J << 4e-4, 1e-5, -2e-5, 1e-5, 4e-3, 3e-5, -2e-5, 3e-5, 4e-3;
  expect_near(rod.inertia, J);
  EXPECT_NEAR(rod.orientation.norm(), 1, 1e-15);
  expect_near(*rod.velocity, Vec3(0.12, -0.24, 0));
  expect_near(*rod.angular_velocity, Vec3(1.92, -0.96, 0.48));
}

TEST(LoadTest, OrientationsAgreeWithEigen) {
  const Model m = read(everything_spatial());
  const Mat3 about_z = Eigen::AngleAxisd(kPi / 6, Vec3::UnitZ()).toRotationMatrix();
  expect_near(rotation_matrix(m.bodies[3].orientation), about_z);
  const Vec3 v(0.1, 0.2, 0.3);
  expect_near(rotation_matrix(m.bodies[4].orientation),
              Eigen::AngleAxisd(v.norm(), v.normalized()).toRotationMatrix());
  // Intrinsic: R = Rx(a) Ry(b) Rz(c).
  const Mat3 xyz =
      (Eigen::AngleAxisd(kPi / 18, Vec3::UnitX()) * Eigen::AngleAxisd(kPi / 9, Vec3::UnitY()) *
       Eigen::AngleAxisd(kPi / 6, Vec3::UnitZ()))
          .toRotationMatrix();
  expect_near(rotation_matrix(m.bodies[5].orientation), xyz);
}

TEST(LoadTest, GlobalPointsAndAxesCoincideAsWritten) {
  const Model m = read(everything_spatial());
  for (const char* name : {"crank_bearing", "guide", "table"}) {
    const Joint& j = joint(m, name);
    expect_near(place(m, j.first), place(m, j.second));
    expect_near(rotation(m, j.first), rotation(m, j.second));
    EXPECT_NEAR(rotation(m, j.first).determinant(), 1, 1e-15);
  }
  expect_near(place(m, joint(m, "crank_bearing").second), Vec3(0, 0.1, 0.12));
  expect_near(rotation(m, joint(m, "crank_bearing").first).col(2), Vec3(1, 0, 0));
  // The smallest rotation from z to x takes x to -z.
  expect_near(rotation(m, joint(m, "crank_bearing").first).col(0), Vec3(0, 0, -1));
  expect_near(rotation(m, joint(m, "table").first), Mat3(Mat3::Identity()));
}

TEST(LoadTest, PointsInBodyFramesAreKeptExactly) {
  const Model m = read(everything_spatial());
  const Joint& pin = joint(m, "crank_pin");
  EXPECT_EQ(pin.first.point, Vec3(0, 0, 0.04));
  EXPECT_EQ(pin.second.point, Vec3(-(2 * 0.08 + 0.14) / 2, 0, 0));  // computed, not copied
  expect_near(rotation(m, pin.first), Mat3(Mat3::Identity()));
}

TEST(LoadTest, UniversalFramesCrossAtZeroAngles) {
  const Model m = read(everything_spatial());
  const Joint& wrist = joint(m, "wrist");
  const Mat3 first = rotation(m, wrist.first), second = rotation(m, wrist.second);
  const Vec3 h = Vec3(0, 2, -1).normalized();
  expect_near(first.col(2), h);
  EXPECT_NEAR(first.col(2).dot(second.col(2)), 0, 1e-15);
  expect_near(first.col(0), second.col(2), 1e-15);
  expect_near(second.col(0), first.col(2), 1e-15);
  expect_near(second.col(2), Vec3(1, 0, 0), 1e-4);  // made perpendicular
}

TEST(LoadTest, AxesInBodyFramesHaveTheirXAligned) {
  const Model m = read(everything_spatial());
  const Joint& rail = joint(m, "rail");
  const Mat3 first = rotation(m, rail.first), second = rotation(m, rail.second);
  expect_near(first.col(2), Vec3(0, 1, 0));
  expect_near(second.col(2), Vec3(0, 1, 0.01).normalized());
  const Vec3 x = first.col(0) - second.col(2) * second.col(2).dot(first.col(0));
  expect_near(second.col(0), x.normalized());
  EXPECT_NEAR(second.determinant(), 1, 1e-15);
}

TEST(LoadTest, MarkersCarryJoints) {
  const Model m = read(everything_spatial());
  const Joint& thread = joint(m, "thread");
  EXPECT_EQ(thread.type, JointType::screw);
  EXPECT_EQ(thread.pitch, 0.005);
  EXPECT_EQ(thread.first.body, kGround);
  EXPECT_EQ(thread.second.body, 4);
  EXPECT_EQ(thread.second.point, Vec3(0, 0, 0.01));
  expect_near(rotation(m, thread.second).col(2), Vec3(0, 0.1, 1).normalized());
  ASSERT_EQ(m.markers.size(), 3u);
  EXPECT_EQ(m.markers[2].frame.point, Vec3(0.15, 0, 0));
  ASSERT_EQ(thread.start_speeds.size(), 1u);
  EXPECT_DOUBLE_EQ(thread.start_speeds[0].speed, kPi / 3);
}

TEST(LoadTest, NearbyAxesHaveNearbyFrames) {
  // No jump where an axis passes a coordinate plane, which a choice by the smallest component would
  // make.
  const auto frame = [](const Vec3& z) {
    const Model m = read(small_model(
        "[joints.j]\ntype = \"revolute\"\nbodies = [\"ground\", \"a\"]\nat = [0, 0, 0]\naxis = [" +
        std::to_string(z[0]) + "," + std::to_string(z[1]) + "," + std::to_string(z[2]) + "]\n"));
    return m.joints[0].first.axes;
  };
  Mat3 last = frame({1, 0, 0});
  for (int i = 1; i <= 60; ++i) {
    const double a = 2 * kPi * i / 60;
    const Mat3 now = frame({std::cos(a), std::sin(a), 0.5 * std::sin(3 * a)});
    EXPECT_LT((now - last).norm(), 0.6) << i;
    last = now;
  }
  expect_near(frame({0, 0, -1}).col(0), Vec3(1, 0, 0));
  expect_near(frame({1e-6, 0, -1}).transpose() * frame({1e-6, 0, -1}), Mat3(Mat3::Identity()),
              1e-15);
}

TEST(LoadTest, DistanceAndItsDefault) {
  const Model m = read(everything_spatial());
  EXPECT_EQ(joint(m, "string").length, 1.1);
  const Model planar = read(everything_planar());
  EXPECT_DOUBLE_EQ(joint(planar, "rope").length, std::hypot(0.2, 1.0));
}

TEST(LoadTest, MotionsOfAllKinds) {
  const Model m = read(everything_spatial());
  const auto& speed = std::get<ConstantSpeed>(joint(m, "crank_bearing").drives[0].motion);
  EXPECT_DOUBLE_EQ(speed.speed, 10 * kPi);
  EXPECT_DOUBLE_EQ(speed.start, kPi / 12);
  EXPECT_FALSE(speed.from_pose);
  const auto& drives = joint(m, "table").drives;
  ASSERT_EQ(drives.size(), 2u);
  EXPECT_EQ(drives[0].coordinate, Coordinate::displacement_x);
  const auto& sine = std::get<Sine>(drives[0].motion);
  EXPECT_EQ(sine.amplitude, 0.01);
  EXPECT_EQ(sine.frequency, 2);
  EXPECT_DOUBLE_EQ(sine.phase, kPi / 2);
  EXPECT_EQ(sine.offset, 0.5);
  EXPECT_EQ(std::get<Polynomial>(drives[1].motion).coefficients,
            (std::vector<double>{0, 0.003, 0.1}));
  const auto& table = std::get<Table>(joint(m, "rail").drives[0].motion);
  EXPECT_EQ(table.time, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_DOUBLE_EQ(table.value[1], kPi / 18);
  EXPECT_EQ(table.slope.size(), 4u);
  const auto& step =
      std::get<SmoothStep>(std::get<BodyTorque>(force(m, "brake").element).magnitude);
  EXPECT_EQ(step.to, 2);
  EXPECT_EQ(step.t0, 0.1);
  const auto& formula = std::get<Formula>(std::get<PointForce>(force(m, "push").element).magnitude);
  EXPECT_EQ(formula.text, "2.5*sin(18.84955592153876*t)^2 - 0.08*t/-2 + exp(-t)*(1 - t)");
  const double t = 0.7, s = std::sin(6 * kPi * t);
  EXPECT_NEAR(evaluate(Motion(formula), t).x, 2.5 * s * s + 0.04 * t + std::exp(-t) * (1 - t),
              1e-14);
}

TEST(LoadTest, CouplingsSpringsForces) {
  const Model m = read(everything_spatial());
  ASSERT_EQ(m.couplings.size(), 2u);
  EXPECT_EQ(m.couplings[0].ratio, -0.02);
  EXPECT_EQ(m.couplings[0].second.coordinate, Coordinate::displacement);
  EXPECT_EQ(m.couplings[1].ratio, -2.5);
  const auto& link = std::get<PointSpring>(force(m, "link").element);
  EXPECT_DOUBLE_EQ(link.stiffness, 20000);
  EXPECT_EQ(link.damping, 3);
  EXPECT_EQ(link.free_length, 0.08);
  EXPECT_EQ(link.preload, 2);
  const auto& torsion = std::get<CoordinateSpring>(force(m, "torsion").element);
  EXPECT_EQ(torsion.on.joint, 0);
  EXPECT_EQ(torsion.stiffness, 2);
  EXPECT_DOUBLE_EQ(torsion.rest, kPi / 6);
  const auto& stop = std::get<PointSpring>(force(m, "stop").element);
  ASSERT_TRUE(stop.table);
  EXPECT_EQ(stop.table->x, (std::vector<double>{0, 0.001, 0.01}));
  EXPECT_DOUBLE_EQ(stop.free_length, (place(m, stop.second) - place(m, stop.first)).norm());
  const auto& weight = std::get<PointForce>(force(m, "weight").element);
  EXPECT_TRUE(weight.follows_body);
  EXPECT_EQ(weight.direction * evaluate(weight.magnitude, 0).x, Vec3(0, 0, -5));
  EXPECT_EQ(weight.at.point, Vec3(0.1, 0, 0));
  EXPECT_EQ(std::get<PointForce>(force(m, "push").element).direction, Vec3(1, 0, 0));
  EXPECT_EQ(std::get<Constant>(std::get<JointEffort>(force(m, "motor").element).magnitude).value,
            12);
}

TEST(LoadTest, SimulationSettings) {
  const Simulation s = read(everything_spatial()).simulation;
  EXPECT_EQ(s.start, 0.25);
  EXPECT_EQ(s.duration, 2);
  EXPECT_EQ(s.output, 0.001);
  EXPECT_EQ(s.tolerance, 1e-10);
  EXPECT_EQ(s.method, Method::cvode_bdf);
  EXPECT_EQ(s.max_step, 0.001);
  ASSERT_TRUE(s.baumgarte);
  EXPECT_EQ(s.baumgarte->alpha, 5);
  const Simulation defaults = read(small_model()).simulation;
  EXPECT_EQ(defaults.tolerance, 1e-9);
  EXPECT_FALSE(defaults.baumgarte);
}

TEST(LoadTest, PlanarMechanism) {
  const Model m = read(everything_planar());
  EXPECT_TRUE(m.planar);
  EXPECT_EQ(m.gravity, Vec3(0, -9.81, 0));
  EXPECT_DOUBLE_EQ(m.bodies[1].inertia(2, 2), 1e-4);
  EXPECT_DOUBLE_EQ(m.bodies[2].angle, -kPi / 18);
  EXPECT_NEAR(m.bodies[2].orientation[3], std::sin(-kPi / 36), 1e-15);
  EXPECT_EQ(*m.bodies[2].angular_velocity, Vec3(0, 0, -3));
  // Revolute: global axes. Slide: z along it, y = global z, x = y cross z.
  expect_near(rotation(m, joint(m, "crank_bearing").second), Mat3(Mat3::Identity()));
  const Mat3 guide = rotation(m, joint(m, "guide").first);
  const Vec3 d = Vec3(1, 1, 0).normalized();
  expect_near(guide.col(2), d);
  expect_near(guide.col(1), Vec3(0, 0, 1));
  expect_near(guide.col(0), Vec3(0, 0, 1).cross(d));
  EXPECT_EQ(joint(m, "guide").start_speeds[0].speed, 0.5);
  const Joint& pin = joint(m, "pin");
  expect_near(rotation(m, pin.first).col(2), Vec3(1, 0, 0));
  expect_near(rotation(m, pin.second).col(2), Vec3(1, 0.2, 0).normalized());
  const auto& motor = std::get<BodyTorque>(force(m, "motor").element);
  EXPECT_EQ(motor.direction, Vec3(0, 0, 1));
  EXPECT_EQ(std::get<Constant>(motor.magnitude).value, 2);
  EXPECT_EQ(m.simulation.method, Method::rk4);
  EXPECT_EQ(m.simulation.step, 1e-5);
}

TEST(LoadTest, ResolvedModelIsTheSameModelBitForBit) {
  for (const std::string& text : {everything_spatial(), everything_planar(), small_model()}) {
    const Model once = read(text);
    const Model twice = read(write_model(once));
    EXPECT_EQ(testing::dump(once), testing::dump(twice));
    EXPECT_EQ(write_model(once), write_model(twice));
    for (const char* gone : {"[parameters", "mm\"", "deg", "include"})
      EXPECT_EQ(write_model(once).find(gone), std::string::npos) << gone;
  }
}

TEST(LoadTest, ResolvedKeepsAwkwardNumbers) {
  const Model m =
      read(small_model("[bodies.b]\nmass = 1\nposition = [-0.0, 1e-320, 0.1]\nvelocity = [1e22, "
                       "123456789012345678, 5e-324]\n"));
  const Model again = read(write_model(m));
  EXPECT_EQ(testing::dump(m), testing::dump(again));
  EXPECT_TRUE(std::signbit(again.bodies[2].position[0]));
}

TEST(LoadTest, WarningsAreFewAndUseful) {
  EXPECT_EQ(testing::warnings(small_model()), "");
  EXPECT_EQ(testing::warnings("[bodies.a]\nmass = 1\n"),
            "model.toml: mechanism.gravity: no gravity is given, so none acts (write gravity = [0, "
            "0, -9.81], or [0, 0, 0])\n"
            "model.toml: simulation.duration: no duration is given, so 1 s is simulated");
  EXPECT_EQ(testing::warnings(small_model("position = [1500, 0, 0]\n")),
            "model.toml:8:13: bodies.a.position.0: 1500 m is unusually large (if millimetres were "
            "meant, write \"1500 mm\")");
  EXPECT_EQ(testing::warnings(small_model("orientation = { axis = [0, 0, 1], angle = 45 }\n")),
            "model.toml:8:43: bodies.a.orientation.angle: 45 rad is unusually large (if degrees "
            "were meant, write \"45 deg\")");
  EXPECT_EQ(testing::warnings(small_model("angular_velocity = [0, 0, 3000]\n")),
            "model.toml:8:27: bodies.a.angular_velocity.2: 3000 rad/s is unusually large (if "
            "revolutions per minute were meant, "
            "write \"3000 rpm\")");
  EXPECT_EQ(testing::warnings(small_model("[bodies.b]\nmass = 2e7\n")),
            "model.toml:9:8: bodies.b.mass: 2e+07 kg is unusually large (if grams were meant, "
            "write \"2e+07 g\")");
  EXPECT_EQ(testing::warnings(small_model("position = [\"2 km\", 0, 0]\n")),
            "");  // said on purpose
  EXPECT_EQ(
      testing::warnings(small_model("orientation = { euler_parameters = [0.9999, 0, 0, 0] }\n")),
      "model.toml:8:36: bodies.a.orientation.euler_parameters: normalised: the squares add up to 1 "
      "- 0.00019999");
}

TEST(LoadTest, FormsOfNumbers) {
  // TOML's own forms are all numbers; in strings they are decimal.
  for (const char* number : {"0x10", "1_6", "16", "16.0", "+16", "1.6e1", "\"16\"", "\"16 kg\"",
                             "\"2*8 kg\"", "\"16000 g\""})
    EXPECT_EQ(read("[bodies.a]\nmass = " + std::string(number) + "\n").bodies[1].mass, 16)
        << number;
}

TEST(LoadTest, LineEndsAndByteOrderMark) {
  const std::string expected = testing::dump(read(small_model()));
  std::string text = small_model();
  EXPECT_EQ(testing::dump(read("\xef\xbb\xbf" + text)), expected);
  std::string crlf, cr;
  for (const char c : text) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    cr += c == '\n' ? '\r' : c;
  }
  EXPECT_EQ(testing::dump(read(crlf)), expected);
  EXPECT_EQ(testing::dump(read(cr)), expected);
}

TEST(LoadTest, DrivesReadTablesFromFiles) {
  const auto folder = testing::scratch_dir();
  std::ofstream(folder / "cam.csv")
      << "# lift of the cam\ntime; value\n0; 0\n0.5 ; 1e-3\n1;-2e-3\n";
  std::ofstream(folder / "model.toml") << small_model(
      "[joints.j]\ntype = \"prismatic\"\nbodies = [\"ground\", \"a\"]\nat = [0, 0, 0]\naxis = [1, "
      "0, 0]\n"
      "drive = { table = { file = \"cam.csv\" } }\n");
  const Model m = load_model(folder / "model.toml");
  const auto& table = std::get<Table>(m.joints[0].drives[0].motion);
  EXPECT_EQ(table.time, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(table.value, (std::vector<double>{0, 1e-3, -2e-3}));
  EXPECT_EQ(testing::dump(m), testing::dump(read(write_model(m))));  // the file is no longer needed
}

/// Models among the TOML files of a folder: studies have neither bodies nor includes.
std::vector<std::filesystem::path> models_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  if (!std::filesystem::exists(folder)) return out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    std::ifstream in(entry.path());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (text.find("[bodies") != std::string::npos || text.find("include") != std::string::npos)
      out.push_back(entry.path());
  }
  return out;
}

TEST(LoadTest, ShippedModelsLoadAndRoundTrip) {
  EXPECT_GE(models_in(testing::source_dir() / "mechanisms").size(), 4u);
  for (const char* folder : {"mechanisms", "examples"})
    for (const auto& file : models_in(testing::source_dir() / folder)) {
      if (file.filename() == "mistakes.toml") continue;  // wrong on purpose, shown in its README
      if (file.parent_path().filename() == "19_compiled_laws") {  // whose code is not there yet
        EXPECT_THROW(static_cast<void>(load_model(file)), ModelError);
        continue;
      }
      const Model m = load_model(file);
      EXPECT_EQ(testing::dump(m), testing::dump(read(write_model(m)))) << file;
    }
}

}  // namespace
}  // namespace freeplay
