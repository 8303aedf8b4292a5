// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include <freeplay/equilibrium.hpp>

#include <algorithm>
#include <cmath>

// Static equilibrium and natural frequencies against the closed forms of textbook mechanisms.
namespace freeplay::testing {
namespace {

constexpr double g = 9.81;
constexpr double kPi = 3.14159265358979323846;

double value(const Model& model, const std::vector<double>& row, const std::string& path,
             int component = 0) {
  for (const Channel& c : describe(model).channels)
    if (c.path == path) return row[static_cast<std::size_t>(c.offset + component)];
  throw std::out_of_range("no series " + path);
}

/// Angular frequencies of the oscillating modes about the equilibrium, rising.
std::vector<double> frequencies(const Model& model) {
  const Equilibrium rest = find_equilibrium(model);
  EXPECT_TRUE(rest.found);
  std::vector<double> out;
  for (const Mode& mode : natural_modes(model, rest.state))
    if (mode.imaginary > 0) out.push_back(mode.imaginary);
  std::ranges::sort(out);
  return out;
}

// ---------------------------------------------------------------- equilibrium

TEST(EquilibriumTest, PendulumEndsHangingNotStanding) {
  const Model model = load_mechanism("pendulum");  // written horizontally
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found);
  Check check("equilibrium of a pendulum", "closed form: hangs below its pivot");
  check.near("angle", value(model, rest.row, "joints/pivot/coordinate"), -kPi / 2, 1e-9);
  check.near("pin x", value(model, rest.row, "joints/pivot/reaction_force", 0), 0, 1e-9);
  check.near("pin y", value(model, rest.row, "joints/pivot/reaction_force", 1), g, 1e-9);
}

// A weight on two springs that meet at right angles: each carries m g/sqrt(2).
TEST(EquilibriumTest, WeightOnTwoSprings) {
  const Model model = model_from(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [parameters]
    stretched = "sqrt(2)"
    [bodies.weight]
    mass = 2
    inertia = [0.1, 0.1, 0.1]
    position = [0.1, 0, -0.8]
    [joints.plane]
    type = "planar"
    bodies = ["ground", "weight"]
    at = [0.1, 0, -0.8]
    axis = [0, 1, 0]
    [springs.left]
    bodies = ["ground", "weight"]
    at = { ground = [-1, 0, 0], weight = [0, 0, 0] }
    stiffness = 50
    free_length = "stretched - 2*9.81/stretched/50"
    [springs.right]
    bodies = ["ground", "weight"]
    at = { ground = [1, 0, 0], weight = [0, 0, 0] }
    stiffness = 50
    free_length = "stretched - 2*9.81/stretched/50"
    [springs.upright]
    joint = "plane"
    coordinate = "angle"
    stiffness = 1
  )toml");
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found);
  Check check("equilibrium on two springs",
              "closed form: springs at right angles carry m g/sqrt 2 each");
  check.near("x", value(model, rest.row, "bodies/weight/position", 0), 0, 1e-9);
  check.near("z", value(model, rest.row, "bodies/weight/position", 2), -1, 1e-9);
  for (const char* side : {"forces/left/effort", "forces/right/effort"})
    check.near("tension", value(model, rest.row, side), 2 * g / std::sqrt(2.0), 1e-7);
}

// ---------------------------------------------------------------- modes

// Two uniform rods hanging from each other: w^2 = 3 (1 -+ 2/sqrt 7) g/L.
TEST(ModesTest, DoublePendulum) {
  Model model = load_mechanism("double_pendulum");
  const std::vector<double> w = frequencies(model);
  ASSERT_EQ(w.size(), 2u);
  Check check("modes of the double pendulum",
              "closed form: w^2 = 3 (1 -+ 2/sqrt 7) g/L for two uniform rods");
  const double L = 0.4, root = 2 / std::sqrt(7.0);
  check.near("slow", w[0], std::sqrt(3 * (1 - root) * g / L), 1e-8);
  check.near("fast", w[1], std::sqrt(3 * (1 + root) * g / L), 1e-8);
}

// Spatial: a body on a universal joint above a ball of inertia swings with the same frequency both
// ways, w^2 = m g l/(m l^2 + J).
TEST(ModesTest, SpatialPendulumSwingsTwoWays) {
  const Model model = model_from(R"toml(
    [mechanism]
    gravity = [0, 0, -9.81]
    [bodies.bob]
    mass = 3
    inertia = [0.2, 0.2, 0.1]
    position = [0, 0, -0.5]
    [joints.hook]
    type = "universal"
    bodies = ["ground", "bob"]
    at = [0, 0, 0]
    axis = [1, 0, 0]
    second_axis = [0, 1, 0]
  )toml");
  const std::vector<double> w = frequencies(model);
  ASSERT_EQ(w.size(), 2u);
  Check check("modes of a spatial pendulum", "closed form: w^2 = m g l/(m l^2 + J)");
  for (double found : w)
    check.near("frequency", found, std::sqrt(3 * g * 0.5 / (3 * 0.25 + 0.2)), 1e-8);
}

// Two masses on three springs between walls, one damper: undamped w^2 = k/m and 3 k/m; with a
// damper c from each mass to its wall every mode has the real part -c/(2 m).
TEST(ModesTest, ChainOfMassesWithDampers) {
  const Model model = model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.a]
    mass = 2
    position = [1, 0]
    [bodies.b]
    mass = 2
    position = [2, 0]
    [joints.rail_a]
    type = "prismatic"
    bodies = ["ground", "a"]
    at = [1, 0]
    axis = [1, 0]
    [joints.rail_b]
    type = "prismatic"
    bodies = ["ground", "b"]
    at = [2, 0]
    axis = [1, 0]
    [springs.left]
    joint = "rail_a"
    stiffness = 50
    damping = 3
    [springs.right]
    joint = "rail_b"
    stiffness = 50
    damping = 3
    [springs.middle]
    bodies = ["a", "b"]
    at = [[1, 0], [2, 0]]
    stiffness = 50
  )toml");
  const Equilibrium rest = find_equilibrium(model);
  ASSERT_TRUE(rest.found);
  const std::vector<Mode> modes = natural_modes(model, rest.state);
  ASSERT_EQ(modes.size(), 2u);
  Check check("modes of a damped chain", "closed form: w^2 = k/m and 3 k/m, decay -c/(2 m)");
  const double real = -3 / (2 * 2.0);
  for (int k = 0; k < 2; ++k) {
    const double w2 = (k == 0 ? 1 : 3) * 50 / 2.0;
    check.near("real", modes[k].real, real, 1e-9);
    check.near("imaginary", modes[k].imaginary, std::sqrt(w2 - real * real), 1e-8);
    check.near("damping ratio", modes[k].damping, -real / std::sqrt(w2), 1e-9);
    check.near("Hz", modes[k].frequency, std::sqrt(w2 - real * real) / (2 * kPi), 1e-9);
  }
}

}  // namespace
}  // namespace freeplay::testing
