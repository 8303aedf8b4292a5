// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/equilibrium.hpp>
#include <freeplay/errors.hpp>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

// Flexible bodies as model files have them, in both methods: impacts on a rod that bends, spin-up
// of a blade, frequencies, statics, and bodies that fly.
namespace freeplay::testing {
namespace {

// ---------------------------------------------------------------- slider-crank with a flexible rod

/// Slider-crank of 5000 rpm with 0.5 mm of play; the rod as the words say, stiffness times
/// `factor`.
std::string slider_crank(const std::string& words, double factor = 1) {
  const double A = 2.243590e-4, E = 207e9 * factor;
  return fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.crank]
mass = 0.30
inertia = 1.0e-4
position = [0.025, 0]
[bodies.rod]
mass = 0.21
inertia = 2.52e-4
position = [0.11, 0]
{}
[bodies.slider]
mass = 0.14
position = [0.17, 0]
[joints.crank_bearing]
type = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
drive = {{ speed = "5000 rpm" }}
[joints.crank_pin]
type = "revolute"
bodies = ["crank", "rod"]
at = [0.05, 0]
[joints.pin]
type = "revolute"
bodies = ["slider", "rod"]
at = [0.17, 0]
[joints.pin.clearance]
bearing_radius = "10 mm"
radial = "0.5 mm"
contact = {{ law = "lankarani-nikravesh", restitution = 0.9, stiffness = 6.61e10 }}
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0.17, 0]
axis = [1, 0]
[simulation]
duration = 1.09e-3
output = 1e-5
)",
                     words.empty() ? ""
                                   : fmt::format("[bodies.rod.flexible]\nfrom = [0.05, 0]\nto = "
                                                 "[0.17, 0]\nEA = {:.17g}\nEI = {:.17g}\n{}",
                                                 E * A, E * A * A / 12, words));
}

struct Blow {
  double time, speed, force;
};

void compare(Check& check, const Simulated& run, std::initializer_list<Blow> table,
             const std::string& rod, std::initializer_list<double> times,
             std::initializer_list<double> forces) {
  ASSERT_GE(run.series.impacts.size(), table.size());
  std::size_t k = 0;
  for (const Blow& expected : table) {
    const Impact& found = run.series.impacts[k];
    const std::string what = fmt::format("{}, impact {}: ", rod, k + 1);
    check.near(what + "touch, s", found.start, expected.time, times.begin()[k]);
    check.near(what + "largest force, N", found.peak_force, expected.force,
               forces.begin()[k] * expected.force);
    ++k;
  }
  check.energy(run);
}

TEST(FlexibleTest, ImpactsOnARodThatBends) {
  Check check("slider-crank with play and a flexible rod",
              "recomputed: 8 elements, Green's strain, RK4 at 5e-9 s");
  const std::initializer_list<Blow> reference = {{2.29386886e-4, 4.359803, 24051.97},
                                                 {6.97505375e-4, 3.017224, 11559.29},
                                                 {1.03083354e-3, 5.317332, 11662.64}};
  const auto green = simulate(model_from(slider_crank("method = \"beam\"\nstrain = \"green\"")));
  compare(check, green, reference, "beam, Green's strain", {1e-8, 1e-7, 1e-7}, {1e-5, 1e-4, 1e-4});
  const auto beam = simulate(model_from(slider_crank("method = \"beam\"")));
  compare(check, beam, reference, "beam", {1e-8, 1e-7, 1e-7}, {1e-3, 1e-2, 1e-2});
  compare(check, simulate(model_from(slider_crank("modes = 10"))), reference, "modes",
          {1e-7, 1e-6, 1e-6}, {1e-2, 3e-2, 3e-2});
  // It halves the blow of the rigid rod.
  const auto rigid = simulate(model_from(slider_crank("")));
  check.near("rigid rod, impact 1: largest force, N", rigid.series.impacts.at(0).peak_force,
             45871.45, 1e-4 * 45871.45);
}

// A thousand times as stiff, it is the rigid rod.
TEST(FlexibleTest, AStiffRodIsARigidOne) {
  Check check("slider-crank with play and a rod of 1000 E", "the rigid rod");
  const auto rigid = simulate(model_from(slider_crank("")));
  Model model = model_from(slider_crank("modes = 4", 1000));
  model.simulation.duration = 2.9e-4;
  const auto modal = simulate(model);
  ASSERT_FALSE(modal.series.impacts.empty());
  const double force = rigid.series.impacts.at(0).peak_force;
  check.near("largest force of impact 1, N", modal.series.impacts[0].peak_force, force,
             2e-3 * force);
}

// ---------------------------------------------------------------- the blade of Simo and Vu-Quoc

std::string blade(const std::string& words) {
  return R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.blade.flexible]
from = [0, 0]
to = [10, 0]
EA = 2.8e7
EI = 1.4e4
rhoA = 1.2
)" + words +
         R"toml(
[bodies.hub]
mass = 1
inertia = 1
position = [0, 0]
[markers.tip]
body = "blade"
at = [10, 0]
[joints.shaft]
type = "revolute"
bodies = ["ground", "hub"]
at = [0, 0]
drive = { formula = "0.4*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1))" }
[joints.root]
type = "fixed"
bodies = ["hub", "blade"]
at = [0, 0]
[simulation]
duration = 6
output = 1
tolerance = 1e-8
)toml";
}

Vec3 tip_in_hub(const Simulated& run, double t) {
  const double angle = run.series.at("bodies/hub/angle", t);
  const Vec3 tip = run.series.vector("markers/tip/position", t);
  return {std::cos(angle) * tip[0] + std::sin(angle) * tip[1] - 10,
          -std::sin(angle) * tip[0] + std::cos(angle) * tip[1], 0};
}

TEST(FlexibleTest, SpinUpOfABlade) {
  Check check("spin-up of a blade, from its hub",
              "recomputed: 8 and 16 elements in absolute nodal coordinates");
  const double table[][3] = {
      {2, -6.0580e-4, -0.102372}, {4, -6.7650e-3, -0.342254}, {6, -1.69694e-2, -0.543566}};
  const auto beam = simulate(model_from(blade("method = \"beam\"")));
  // The modes above the first few only tremble: they are left out.
  const auto modal = simulate(model_from(blade("modes = 4")));
  for (const auto& [t, u1, u2] : table) {
    const Vec3 of_beam = tip_in_hub(beam, t), of_modes = tip_in_hub(modal, t);
    check.near(fmt::format("beam, lag at {} s, m", t), of_beam[1], u2, 2e-3 * std::abs(u2));
    check.near(fmt::format("beam, shortening at {} s, m", t), of_beam[0], u1, 2e-3 * std::abs(u1));
    check.near(fmt::format("modes, lag at {} s, m", t), of_modes[1], u2, 1e-2 * std::abs(u2));
    check.near(fmt::format("modes, shortening at {} s, m", t), of_modes[0], u1,
               3e-2 * std::abs(u1));
  }
  check.energy(beam);
  check.energy(modal);
}

// ---------------------------------------------------------------- frequencies

std::string strip(bool planar, const std::string& words) {
  return fmt::format(R"(
[mechanism]
planar = {}
gravity = {}
[bodies.strip.flexible]
from = {}
to = {}
section = {{ width = "5 mm", height = "20 mm" }}
material = {{ young = "207 GPa", poisson = 0.3 }}
density = 7800
{}
[joints.clamp]
type = "fixed"
bodies = ["ground", "strip"]
at = {}
)",
                     planar, planar ? "[0, 0]" : "[0, 0, 0]", planar ? "[0, 0]" : "[0, 0, 0]",
                     planar ? "[0.5, 0]" : "[0.5, 0, 0]", words, planar ? "[0, 0]" : "[0, 0, 0]");
}

TEST(FlexibleTest, FrequenciesOfAClampedStrip) {
  Check check("clamped steel strip by its model file, Hz", "closed form, Euler and Bernoulli");
  const double unit = std::sqrt(207e9 * 0.005 * 0.005 / 12 / 7800) / 0.25 / (2 * M_PI);
  const double beta[] = {1.875104069, 4.694091133, 7.854757438};
  const auto frequencies = [](const Model& model) {
    return natural_modes(model, assemble(model).start);
  };
  for (const char* words : {"method = \"beam\"", ""}) {
    const auto modes = frequencies(model_from(strip(true, words)));
    for (std::size_t k = 0; k < 2; ++k)
      check.near(fmt::format("{}, mode {}", *words ? "beam" : "modes, in the plane", k + 1),
                 modes.at(k).frequency, unit * beta[k] * beta[k], 1e-4 * unit * beta[k] * beta[k]);
    EXPECT_NE(modes[0].motion.find("strip"), std::string::npos) << modes[0].motion;
  }
  // In space the broad side bends four times as stiffly, and the strip twists.
  const auto modes = frequencies(model_from(strip(false, "")));
  const auto has = [&](const char* what, double expected) {
    double nearest = 0;
    for (const Mode& mode : modes)
      if (std::abs(mode.frequency - expected) < std::abs(nearest - expected))
        nearest = mode.frequency;
    check.near(fmt::format("modes, in space: {}", what), nearest, expected, 1e-3 * expected);
  };
  has("thin side, first", unit * beta[0] * beta[0]);
  has("thin side, second", unit * beta[1] * beta[1]);
  has("broad side, first", 4 * unit * beta[0] * beta[0]);
  const double G = 207e9 / 2.6, s = 0.005, l = 0.02, r = s / l;
  const double J = l * s * s * s * (1.0 / 3 - 0.21 * r * (1 - r * r * r * r / 12));
  const double polar = 7800 * s * l * (s * s + l * l) / 12;
  has("twist, first", std::sqrt(G * J / polar) / (4 * 0.5));
}

// ---------------------------------------------------------------- statics

// A cantilever under its own weight and a tip load settles at the handbook's deflection.
TEST(FlexibleTest, EquilibriumOfACantilever) {
  Check check("cantilever under a tip load", "closed form of a slender beam, small deflections");
  const double EI = 207e9 * 0.02 * std::pow(0.005, 3) / 12, F = 0.1,
               expected = F * 0.125 / (3 * EI);
  for (const char* words : {"method = \"beam\"", ""}) {
    const Model model = model_from(strip(true, words) + R"(
[markers.tip]
body = "strip"
at = [0.5, 0]
[forces.load]
body = "strip"
at = [0.5, 0]
direction = [0, 1]
magnitude = 0.1
)");
    const Equilibrium rest = find_equilibrium(model);
    ASSERT_TRUE(rest.found) << rest.reason;
    Recording series;
    Model still = model;
    still.simulation.duration = 1e-4;
    Observer* const watch[] = {&series};
    ASSERT_EQ(run(still, rest.state, watch).status, RunStatus::done);
    check.near(fmt::format("{}: tip, m", *words ? "beam" : "modes"),
               series.vector("markers/tip/position", 0)[1], expected, 1e-4 * expected);
  }
}

// ---------------------------------------------------------------- flexures

constexpr const char* kFlexure = R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.strip.flexible]
from = [0, 0]
to = [0.02, 0]
section = {{ width = "0.3 mm", height = "20 mm" }}
material = {{ young = 207e9 }}
density = 7850
{}
[bodies.arm]
mass = 0.3
inertia = 0.001
position = [0.12, 0]
{}
[joints.clamp]
type = "fixed"
bodies = ["ground", "strip"]
at = [0, 0]
[joints.end]
type = "fixed"
bodies = ["strip", "arm"]
at = [0.02, 0]
[simulation]
duration = 0.1
)";

// Two frequencies of a rigid arm on a strip: the strip's stiffness at its end and the arm's inertia
// about that point. The strip weighs 0.3 % of the arm and moves little.
TEST(FlexibleTest, AnArmOnAFlexuralPivot) {
  Check check("arm on a flexural pivot, Hz", "closed form of a strip without mass");
  const double EI = 207e9 * 0.02 * std::pow(0.3e-3, 3) / 12, l = 0.02, m = 0.3, c = 0.1;
  Eigen::Matrix2d K, M;
  K << 12, -6 * l, -6 * l, 4 * l * l;
  K *= EI / (l * l * l);
  M << m, m * c, m * c, 0.001 + m * c * c;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix2d> expected(K, M);
  for (const char* words : {"method = \"beam\"\nelements = 4", ""}) {
    const Model model = model_from(fmt::format(fmt::runtime(kFlexure), words, ""));
    const auto modes = natural_modes(model, assemble(model).start);
    for (int k = 0; k < 2; ++k) {
      const double f = std::sqrt(expected.eigenvalues()[k]) / (2 * M_PI);
      check.near(fmt::format("{}, mode {}", *words ? "beam" : "modes", k + 1),
                 modes.at(static_cast<std::size_t>(k)).frequency, f, k == 0 ? 2e-5 * f : 3e-3 * f);
    }
  }
}

// The start knows rigid bodies only; what it cannot say it says.
TEST(FlexibleTest, AStartThatBendsIsRefusedWithTheRemedy) {
  const Model model = model_from(
      fmt::format(fmt::runtime(kFlexure), "", "velocity = [0, 0.66]\nangular_velocity = 6"));
  try {
    (void)assemble(model);
    FAIL() << "started";
  } catch (const AssemblyError& error) {
    EXPECT_NE(std::string(error.what()).find("Flexible bodies start straight"), std::string::npos)
        << error.what();
  }
}

// ---------------------------------------------------------------- flight

// A body in flight turns with its start: the same motion seen from turned axes.
TEST(FlexibleTest, AFlightTurnsWithItsStart) {
  const auto flight = [](const char* from, const char* to, const char* velocity, const char* spin) {
    return model_from(fmt::format(R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.rod]
velocity = {2}
angular_velocity = {3}
[bodies.rod.flexible]
from = {0}
to = {1}
section = {{ diameter = "8 mm" }}
material = "steel"
modes = 4
[bodies.weight]
mass = 0.3
inertia = [1e-4, 1e-4, 1e-4]
position = {1}
[joints.weld]
type = "spherical"
bodies = ["rod", "weight"]
at = {1}
[simulation]
duration = 0.02
output = 0.01
tolerance = 1e-10
)",
                                  from, to, velocity, spin));
  };
  // Body axes turn with the rod; so does its spin, which is written in them.
  const auto along_x = simulate(flight("[0, 0, 0]", "[0.4, 0, 0]", "[1, 0, 0]", "[3, 20, 30]"));
  const auto along_y = simulate(flight("[0, 0, 0]", "[0, 0.4, 0]", "[0, 1, 0]", "[3, 20, 30]"));
  for (const double t : {0.01, 0.02}) {
    const Vec3 a = along_x.series.vector("bodies/weight/position", t),
               b = along_y.series.vector("bodies/weight/position", t);
    EXPECT_NEAR(a[0], b[1], 1e-9);
    EXPECT_NEAR(a[1], -b[0], 1e-9);
    EXPECT_NEAR(a[2], b[2], 1e-9);
  }
  Check check("flight of a flexible rod with a weight", "balance");
  check.energy(along_x);
}

}  // namespace
}  // namespace freeplay::testing
