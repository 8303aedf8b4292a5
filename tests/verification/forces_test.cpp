// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <cmath>
#include <functional>

// Springs, dampers, forces, torques and efforts, each against the closed form of a small motion.
namespace freeplay::testing {
namespace {

constexpr double g = 9.81;
constexpr double kPi = 3.14159265358979323846;

Mat3 rotation(const Recording& series, const std::string& body, double t) {
  const Vec4 p = series.quaternion("bodies/" + body + "/quaternion", t);
  return Eigen::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
}

/// Simpson's rule with 2000 intervals: an independent quadrature for tests.
double integral(const std::function<double(double)>& f, double a, double b) {
  const int n = 2000;
  const double h = (b - a) / n;
  double sum = f(a) + f(b);
  for (int k = 1; k < n; ++k) sum += (k % 2 ? 4 : 2) * f(a + k * h);
  return sum * h / 3;
}

/// A free body of 2 kg with a ball's inertia 0.5, and whatever acts on it.
Simulated free_ball(const std::string& rest) {
  return simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.ball]
    mass = 2
    inertia = [0.5, 0.5, 0.5]
    angular_velocity = [0, 0, 3]
    [simulation]
    duration = 1
    output = 0.05
  )toml" + rest));
}

// ---------------------------------------------------------------- forces and torques

TEST(ForceTest, ConstantForceThroughTheCentre) {
  const Simulated s = free_ball("[forces.push]\nbody = \"ball\"\nvector = [1, -2, 3]\n");
  Check check("constant force", "closed form: F t^2/(2 m)");
  for (double t : s.series.time) {
    check.near("position", s.series.vector("bodies/ball/position", t), Vec3(1, -2, 3) * t * t / 4,
               1e-8);
    check.near("work", s.series.at("energy/work/forces/push", t), 14 * t * t / 4, 1e-7);
  }
  check.energy(s);
}

// A constant force off the centre of a spinning ball: the centre does not notice; the moment r x F
// is checked by the change of angular momentum, J (w - w0) = integral of R(t) r x F, with the
// orientation as found.
TEST(ForceTest, ForceAtAPointTurnsTheBody) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.disc]
    mass = 2
    inertia = 0.5
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "disc"]
    at = [0, 0]
    [forces.pull]
    body = "disc"
    at = [0.3, 0]
    vector = [0, -2]
    [simulation]
    duration = 3
    output = 0.05
  )toml"));
  // A disc pulled down at its rim is a pendulum: J w^2/2 = F r (-sin(angle)), from rest at angle 0.
  Check check("force at a point", "closed form: energy of a pendulum");
  for (double t : s.series.time) {
    const double angle = s.series.at("bodies/disc/angle", t),
                 rate = s.series.at("bodies/disc/angular_velocity", t);
    check.near("w^2", rate * rate, -2 * 0.6 / 0.5 * std::sin(angle), 1e-7);
    check.near("alpha", s.series.at("bodies/disc/angular_acceleration", t),
               -0.6 / 0.5 * std::cos(angle), 1e-9);
    check.near("work", s.series.at("energy/work/forces/pull", t), -0.6 * std::sin(angle), 1e-7);
  }
  check.energy(s);
}

// A jet fixed on a free planar body, off its centre: w' = (r x F)/J constant, and the direction of
// the thrust turns.
TEST(ForceTest, FollowingForceTurnsWithTheBody) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.disc]
    mass = 2
    inertia = 0.5
    [forces.jet]
    body = "disc"
    at = [0, -0.25]
    vector = [4, 0]
    frame = "body"
    [simulation]
    duration = 2
    output = 0.1
  )toml"));
  Check check("following force", "closed form: constant angular acceleration, turning thrust");
  const double alpha = 0.25 * 4 / 0.5;
  for (double t : s.series.time) {
    check.near("angle", s.series.at("bodies/disc/angle", t), alpha / 2 * t * t, 1e-8);
    const auto thrust = [&](double u) { return 4 / 2.0 * std::cos(alpha / 2 * u * u); };
    const auto lift = [&](double u) { return 4 / 2.0 * std::sin(alpha / 2 * u * u); };
    check.near("vx", s.series.at("bodies/disc/velocity.x", t), integral(thrust, 0, t), 1e-8);
    check.near("vy", s.series.at("bodies/disc/velocity.y", t), integral(lift, 0, t), 1e-8);
  }
  check.energy(s);
}

TEST(ForceTest, FollowingForceTurnsWithTheBodyInSpace) {
  const Simulated s =
      free_ball("[forces.jet]\nbody = \"ball\"\nvector = [4, 0, 1]\nframe = \"body\"\n");
  Check check("following force in space", "change of angular momentum");
  for (double t : s.series.time)  // spinning about z at 3 rad/s
    check.near("v", s.series.vector("bodies/ball/velocity", t),
               {2.0 / 3 * std::sin(3 * t), 2.0 / 3 * (1 - std::cos(3 * t)), t / 2}, 1e-8);
  check.energy(s);
}

TEST(ForceTest, MagnitudesMayFollowTime) {
  const Simulated s = free_ball(R"toml(
    [forces.shake]
    body = "ball"
    direction = [0, 2, 0]
    magnitude = { sine = { amplitude = 6, frequency = 2, phase = 0.5 } }
    [torques.ramp]
    body = "ball"
    direction = [0, 0, -1]
    magnitude = { polynomial = [0, 1.5] }
  )toml");
  Check check("force and torque of time", "closed form: integrals of the given functions");
  const double w = 4 * kPi;
  for (double t : s.series.time) {  // the direction is made a unit vector
    check.near("v", s.series.at("bodies/ball/velocity.y", t),
               3 / w * (std::cos(0.5) - std::cos(w * t + 0.5)), 1e-8);
    check.near("w", s.series.at("bodies/ball/angular_velocity.z", t), 3 - 1.5 * t * t, 1e-8);
    check.near("effort", s.series.at("forces/shake/effort", t), 6 * std::sin(w * t + 0.5), 1e-8);
  }
  check.energy(s);
}

// A blow of 2 ms in a second of free flight: two opposite steps, 8 kN over 1 ms between their
// middles, are 8 N s. No step may pass over it.
TEST(ForceTest, ABriefBlowIsNotSteppedOver) {
  const Simulated s = free_ball(R"toml(
    [forces.on]
    body = "ball"
    direction = [1, 0, 0]
    magnitude = { step = { from = 0, to = 8000, start = 0.5004, end = 0.5014 } }
    [forces.off]
    body = "ball"
    direction = [-1, 0, 0]
    magnitude = { step = { from = 0, to = 8000, start = 0.5014, end = 0.5024 } }
  )toml");
  Check check("blow", "closed form: impulse");
  check.near("before", s.series.at("bodies/ball/velocity.x", 0.5), 0, 1e-12);
  check.near("after", s.series.at("bodies/ball/velocity.x", 1), 4, 1e-8);
  check.energy(s);
}

// On a ball of inertia a torque fixed in space adds to w in space, one fixed in the body adds to w
// in the body.
TEST(ForceTest, TorqueInSpaceAndTorqueInTheBody) {
  Check check("torques", "closed form: torque integrated in space and in the body");
  const Simulated space = free_ball("[torques.twist]\nbody = \"ball\"\nvector = [2, 0, 0]\n");
  for (double t : space.series.time)
    check.near("global",
               Vec3(rotation(space.series, "ball", t) *
                    space.series.vector("bodies/ball/angular_velocity", t)),
               {4 * t, 0, 3}, 1e-7);
  const Simulated body =
      free_ball("[torques.twist]\nbody = \"ball\"\nvector = [2, 0, 0]\nframe = \"body\"\n");
  for (double t : body.series.time)
    check.near("body", body.series.vector("bodies/ball/angular_velocity", t), {4 * t, 0, 3}, 1e-7);
  check.energy(space);
  check.energy(body);
}

TEST(ForceTest, EffortActsOnTheSecondAndIsReactedByTheFirst) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.sled]
    mass = 3
    inertia = [1, 1, 1]
    [bodies.ram]
    mass = 1
    inertia = [1, 1, 1]
    [joints.slide]
    type = "prismatic"
    bodies = ["sled", "ram"]
    at = [0, 0, 0]
    axis = [1, 0, 0]
    [efforts.piston]
    joint = "slide"
    magnitude = 6
    [simulation]
    duration = 1
    output = 0.1
  )toml"));
  Check check("effort between two bodies", "closed form: relative motion of two inertias");
  for (double t : s.series.time) {
    check.near("ram", s.series.at("bodies/ram/position.x", t), 3 * t * t, 1e-8);
    check.near("sled", s.series.at("bodies/sled/position.x", t), -t * t, 1e-8);
    check.near("work", s.series.at("energy/work/forces/piston", t), 6 * 4 * t * t, 1e-7);
  }
  check.energy(s);
}

// ---------------------------------------------------------------- dampers that give way

/// 2 kg at 3 m/s on a rail along x, held by a damper in series with a spring: between two points or
/// on the joint.
Simulated braked(const std::string& mount, Formulation formulation) {
  Model model = model_from(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.mass]
    mass = 2
    inertia = [1, 1, 1]
    position = [1, 0, 0]
    [joints.rail]
    type = "prismatic"
    bodies = ["ground", "mass"]
    at = [1, 0, 0]
    axis = [1, 0, 0]
    speed = 3
    [dampers.shock]
    damping = 10
    stiffness = 100
  )toml" + mount + R"toml(
    [simulation]
    duration = 1
    output = 0.02
  )toml");
  model.simulation.formulation = formulation;
  return simulate(model);
}

// m v' = -F, F' = k (v - F/c): v'' + v'/tau + (k/m) v = 0 with v(0) = v0, v'(0) = 0
// (theory/bushings (B.8)).
TEST(ForceTest, ADamperInSeriesWithASpringBrakesAMass) {
  const double m = 2, v0 = 3, k = 100, tau = 0.1, a = 0.5 / tau, w = std::sqrt(k / m - a * a);
  Check check("damper in series", "closed form of two roots");
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree})
    for (const std::string mount :
         {"joint = \"rail\"\n",
          "bodies = [\"ground\", \"mass\"]\nat = [[-1, 0, 0], [1, 0, 0]]\n"}) {
      const Simulated s = braked(mount, formulation);
      const double sign = mount.front() == 'j' ? -1 : 1;  // an effort is on the coordinate
      for (const double t : s.series.time) {
        const double v = v0 * std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t));
        const double F = m * v0 * std::exp(-a * t) * (w + a * a / w) * std::sin(w * t);
        check.near("speed", s.series.at("bodies/mass/velocity.x", t), v, 1e-7);
        check.near("force", sign * s.series.at("forces/shock/effort", t), F, 1e-6);
        check.near("stored", s.series.at("energy/elastic", t), F * F / (2 * k), 1e-6);
      }
      check.energy(s);
    }
}

// Pulled at a constant speed, the force comes up to that of the damper alone: c V (1 -
// exp(-t/tau)).
TEST(ForceTest, ADamperInSeriesTakesTimeToFlow) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.arm]
    mass = 1
    inertia = 1
    [joints.hinge]
    type = "revolute"
    bodies = ["ground", "arm"]
    at = [0, 0]
    drive = { speed = 4 }
    [dampers.hinge]
    joint = "hinge"
    damping = "2 N m s/rad"
    stiffness = "40 N m/rad"
    [simulation]
    duration = 0.5
    output = 0.01
  )toml"));
  Check check("damper in series, driven", "closed form: relaxation");
  for (const double t : s.series.time) {
    const double M = 8 * (1 - std::exp(-t / 0.05));
    check.near("moment", s.series.at("forces/hinge/effort", t), -M, 1e-7);
    check.near("drive", s.series.at("joints/hinge/drive_effort", t), M, 1e-7);
    check.near("lost", s.series.at("energy/work/forces/hinge", t),
               -32 * (t - 0.1 * (1 - std::exp(-t / 0.05)) + 0.025 * (1 - std::exp(-t / 0.025))),
               1e-6);
  }
  check.energy(s);
}

// ---------------------------------------------------------------- springs

/// A mass of 2 kg on a smooth rail along x, at rest at `x0`, and a spring law between the origin
/// and it.
Simulated on_a_rail(double x0, const std::string& spring) {
  return simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.mass]
    mass = 2
    inertia = [0.1, 0.1, 0.1]
    position = [)toml" + std::to_string(x0) +
                             R"toml(, 0, 0]
    [joints.rail]
    type = "prismatic"
    bodies = ["ground", "mass"]
    at = { ground = [0, 0, 0], mass = [0, 0, 0] }
    axis = { ground = [1, 0, 0], mass = [1, 0, 0] }
    [simulation]
    duration = 2
    output = 0.05
    [springs.spring]
  )toml" + spring));
}
constexpr const char* kBetween =
    "bodies = [\"ground\", \"mass\"]\nat = { ground = [0, 0, 0], mass = [0, 0, 0] }\n";

TEST(SpringTest, MassOnASpring) {
  const Simulated s = on_a_rail(1.3, std::string(kBetween) + "stiffness = 50\nfree_length = 1\n");
  Check check("spring", "closed form: harmonic oscillator");
  for (double t : s.series.time) {
    const double x = 1 + 0.3 * std::cos(5 * t);
    check.near("x", s.series.at("bodies/mass/position.x", t), x, 1e-8);
    check.near("tension", s.series.at("forces/spring/effort", t), 50 * (x - 1), 1e-6);
    check.near("length", s.series.at("forces/spring/extension", t), x, 1e-8);
    check.near("elastic energy", s.series.at("energy/elastic", t), 25 * (x - 1) * (x - 1), 1e-7);
  }
  check.energy(s);
}

TEST(SpringTest, DampedMassOnASpringWithPreload) {
  const Simulated s = on_a_rail(
      1.3, std::string(kBetween) + "stiffness = 50\ndamping = 4\nfree_length = 1\npreload = 10\n");
  Check check("spring, damper, preload", "closed form: damped oscillator");
  // The preload pulls the rest position in by 10/50; x - 0.8 decays from 0.5 with damping ratio
  // 4/(2 sqrt(100)).
  const double zeta = 1, w = std::sqrt(25 - zeta * zeta);
  for (double t : s.series.time) {
    const double x =
        0.8 + 0.5 * std::exp(-zeta * t) * (std::cos(w * t) + zeta / w * std::sin(w * t));
    check.near("x", s.series.at("bodies/mass/position.x", t), x, 1e-8);
  }
  // What the damper took is what is missing.
  const double lost = s.series.at("energy/kinetic", 2) + s.series.at("energy/elastic", 2) -
                      s.series.at("energy/elastic", 0);
  check.near("heat", s.series.at("energy/work/forces/spring", 2), lost, 1e-7);
  check.energy(s);
}

TEST(SpringTest, StraightTableIsALinearSpring) {
  const Simulated s = on_a_rail(
      1.3, std::string(kBetween) +
               "free_length = 1\ntable = { x = [-0.2, 0, 0.1, 0.15], force = [-10, 0, 5, 7.5] }\n");
  Check check("straight force table", "closed form: harmonic oscillator");
  for (double t : s.series.time)  // goes on straight beyond its ends
    check.near("x", s.series.at("bodies/mass/position.x", t), 1 + 0.3 * std::cos(5 * t), 1e-8);
  check.energy(s);
}

// A stiffening table: the spring passes its points, and the energy it stores is the integral of its
// force.
TEST(SpringTest, TablePassesItsPoints) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.mass]
    mass = 2
    [joints.rail]
    type = "prismatic"
    bodies = ["ground", "mass"]
    at = [0, 0]
    axis = [1, 0]
    drive = { speed = 0.1 }
    [springs.spring]
    joint = "rail"
    table = { x = [-0.1, 0, 0.1, 0.2, 0.3], force = [-3, 0, 1, 4, 9] }
    [simulation]
    duration = 4
    output = 0.01
  )toml"));
  Check check("force table", "points of the table; integral of the force");
  const double force[] = {0, 1, 4, 9};
  for (int k = 0; k < 4; ++k) {
    check.near("effort", s.series.at("forces/spring/effort", k), -force[k], 1e-8);
    check.near("drive", s.series.at("joints/rail/drive_effort", k), force[k], 1e-8);
  }
  const std::vector<double> f = s.series.series("joints/rail/drive_effort");
  double work = 0;  // trapezium over 0.001 m: good to h^2/12 times the change of slope
  for (std::size_t k = 1; k < f.size(); ++k) work += 0.001 * (f[k - 1] + f[k]) / 2;
  check.near("elastic energy", s.series.at("energy/elastic", 4), work, 1e-5);
  check.energy(s);
}

TEST(SpringTest, TorsionSpringAndDamperOnAJoint) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.wheel]
    mass = 1
    inertia = [0.3, 0.2, 0.4]
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "wheel"]
    at = [0, 0, 0]
    axis = [0, 1, 0]
    speed = 2
    [springs.torsion]
    joint = "bearing"
    stiffness = 5
    damping = 0.1
    rest = 0.3
    [simulation]
    duration = 3
    output = 0.1
  )toml"));
  Check check("torsion spring", "closed form: damped oscillator");
  const double d = 0.1 / (2 * 0.2), w = std::sqrt(5 / 0.2 - d * d);
  for (double t : s.series.time) {
    const double x =
        std::exp(-d * t) * (-0.3 * std::cos(w * t) + (2 - 0.3 * d) / w * std::sin(w * t));
    check.near("angle", s.series.at("joints/bearing/coordinate", t), 0.3 + x, 1e-8);
  }
  check.energy(s);
}

// A weak torsion spring lets a wheel go round many times: its coordinate must not jump at half
// turns.
TEST(SpringTest, TorsionSpringCountsTurns) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, 0]
    [bodies.wheel]
    mass = 1
    inertia = [0.2, 0.2, 0.2]
    [joints.bearing]
    type = "revolute"
    bodies = ["ground", "wheel"]
    at = [0, 0, 0]
    axis = [1, 2, 3]
    speed = 40
    [springs.torsion]
    joint = "bearing"
    stiffness = 0.2
    [simulation]
    duration = 5
    output = 0.1
  )toml"));
  Check check("torsion spring over many turns", "closed form: harmonic oscillator");
  for (double t : s.series.time)
    check.near("angle", s.series.at("joints/bearing/coordinate", t), 40 * std::sin(t), 1e-6);
  check.energy(s);
}

// A rotary damper alone: w = w0 exp(-c t/J). On a cylindrical joint, so that the coordinate must be
// named.
TEST(SpringTest, DamperOnOneOfTwoCoordinates) {
  const Simulated s = simulate(model_from(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.wheel]
    mass = 1
    inertia = [0.3, 0.3, 0.5]
    [joints.post]
    type = "cylindrical"
    bodies = ["ground", "wheel"]
    at = [0, 0, 0]
    axis = [0, 0, 1]
    speed = { angle = 8 }
    [springs.drag]
    joint = "post"
    coordinate = "angle"
    damping = 0.4
    [simulation]
    duration = 2
    output = 0.1
  )toml"));
  Check check("rotary damper", "closed form: w0 exp(-c t/J)");
  for (double t : s.series.time) {
    check.near("rate", s.series.at("joints/post/rate_angle", t), 8 * std::exp(-0.8 * t), 1e-7);
    check.near("fall", s.series.at("joints/post/coordinate_displacement", t), -g / 2 * t * t, 1e-7);
    check.near("heat", s.series.at("energy/work/forces/drag", t), 16 * (std::exp(-1.6 * t) - 1),
               1e-7);
  }
  check.energy(s);
}

}  // namespace
}  // namespace freeplay::testing
