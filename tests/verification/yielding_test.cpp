// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// Contact laws that remember, through the whole engine: theory/contact_laws (C.23) to (C.26).
namespace freeplay::testing {
namespace {

constexpr Formulation kBoth[] = {Formulation::cartesian, Formulation::tree};

/// 2 kg that fly along x against a stop 1 mm away.
Simulated against_stop(const std::string& law, double speed, Formulation formulation,
                       RunOptions options = {}, const std::string& gravity = "[0, 0]",
                       double upper = 1e-3, double duration = 0.01, double tolerance = 1e-9) {
  Model model = model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = {}
[bodies.ball]
mass = 2
inertia = 1
[joints.track]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [1, 0]
speed = {}
[joints.track.stop]
upper = {}
contact = {{ {} }}
[simulation]
duration = {}
tolerance = {}
)",
                                       gravity, speed, upper, law, duration, tolerance));
  model.simulation.formulation = formulation;
  return simulate(model, options);
}

// Walton & Braun 1986: v+/v- = sqrt(K/K2), K2 = K/c^2 + S K d_max, d_max = v sqrt(m/K); a quarter
// of a period in, a quarter of a stiffer one out, and free flight through the dent.
TEST(Yielding, WaltonBraunRestitutesTheRootOfItsStiffnesses) {
  const double m = 2, K = 1e7;
  Check check("Walton & Braun", "closed form (C.24)");
  for (const Formulation formulation : kBoth)
    for (const double v : {0.5, 2.0})
      for (const double c : {0.2, 0.6, 1.0})
        for (const double S : {0.0, 3e3}) {
          const Simulated run =
              against_stop(fmt::format("law = \"walton-braun\", stiffness = {}, restitution = {}, "
                                       "hardening = {}",
                                       K, c, S),
                           v, formulation);
          ASSERT_EQ(run.series.impacts.size(), 1U);
          const Impact& impact = run.series.impacts.front();
          const double deepest = v * std::sqrt(m / K), K2 = K * (1 / (c * c) + S * deepest),
                       e = std::sqrt(K / K2), dent = deepest * (1 - K / K2);
          const std::string name = fmt::format("v {} c {} S {} ", v, c, S);
          check.near(name + "restitution", impact.separation_speed / v, e, 1e-8);
          check.near(name + "peak depth", impact.peak_depth, deepest, 1e-8 * deepest);
          check.near(name + "peak force", impact.peak_force, K * deepest, 1e-8 * K * deepest);
          check.near(name + "energy lost", impact.energy_lost, 0.5 * m * v * v * (1 - e * e),
                     1e-8 * m * v * v);
          const double lasts =
              0.5 * std::numbers::pi * (std::sqrt(m / K) + std::sqrt(m / K2)) + dent / (e * v);
          check.near(name + "duration", impact.end - impact.start, lasts, 1e-8 * lasts);
          check.energy(run);
        }
}

/// 0.5 kg in a round hole, play 0.2 mm, thrown against its wall.
Simulated in_hole(double yield_pressure, double speed, Formulation formulation) {
  Model model = model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.pin]
mass = 0.5
inertia = 1e-4
velocity = [{}, 0]
[joints.hole]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
[joints.hole.clearance]
bearing_radius = "10 mm"
radial = "0.2 mm"
material = {{ young = "207 GPa", poisson = 0.3 }}
contact = {{ law = "thornton", yield_pressure = {} }}
[simulation]
duration = {}
)",
                                       speed, yield_pressure, 2e-3 / speed));
  model.simulation.formulation = formulation;
  return simulate(model);
}

// Thornton 1997, eq. 20: the closed form of the restitution, from v/v_y alone.
TEST(Yielding, ThorntonRestitutesItsClosedForm) {
  const double m = 0.5, modulus = 207e9 / (2 * (1 - 0.09)), R = 1 / (1 / 9.8e-3 - 1 / 10e-3),
               K = 4.0 / 3 * modulus * std::sqrt(R), p = 2e8;
  const double dy = std::pow(std::numbers::pi * p / (2 * modulus), 2) * R;
  const double vy = std::sqrt(2 * 0.4 * K * std::pow(dy, 2.5) / m);
  Check check("Thornton", "closed form (C.26)");
  for (const Formulation formulation : kBoth)
    for (const double ratio : {0.5, 0.999, 1.001, 1.5, 3.0, 10.0, 100.0}) {
      const Simulated run = in_hole(p, ratio * vy, formulation);
      ASSERT_GE(run.series.impacts.size(), 1U) << ratio;
      const double q = std::min(1.0, 1 / ratio);
      const double e = std::sqrt(6 * std::sqrt(3.0) / 5) * std::sqrt(1 - q * q / 6) *
                       std::pow(q / (q + 2 * std::sqrt(1.2 - 0.2 * q * q)), 0.25);
      check.near(fmt::format("v/v_y {}", ratio),
                 run.series.impacts.front().separation_speed / (ratio * vy), e, 3e-8);
      check.energy(run);
    }
}

// Laid on the wall without speed and let go: it sinks to twice the depth of its weight, springs
// back along the stiffer line, and comes back to just where it yielded, again and again, without
// loss.
TEST(Yielding, WhatLiesInItsDentVibratesThereAndGrazesYieldingEveryTime) {
  const double m = 2, g = 9.81, K = 1e6, c = 0.5, K2 = K / (c * c);
  const double deepest = 2 * m * g / K, swing = m * g / K2,
               t1 = std::numbers::pi * std::sqrt(m / K);
  const double w = std::sqrt(K2 / m);
  Check check("laid down", "closed form: two oscillators");
  for (const Formulation formulation : kBoth) {
    const Simulated run = against_stop("law = \"walton-braun\", stiffness = 1e6, restitution = 0.5",
                                       0, formulation, {}, "[9.81, 0]", 0, 0.2, 1e-12);
    for (const double t : run.series.time) {
      const double x = run.series.vector("bodies/ball/position", t)[0];
      const double expected = t < t1 ? m * g / K * (1 - std::cos(std::sqrt(K / m) * t))
                                     : deepest - swing * (1 - std::cos(w * (t - t1)));
      check.near("depth", x, expected, 1e-6 * deepest);
    }
    check.energy(run);
    EXPECT_LT(run.result.stats.events, 300);
  }
}

// Pressed a second time before it has let go: first along the stiffer line, then it yields on.
TEST(Yielding, PressedAgainItYieldsFromWhereItWas) {
  Model model = model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.ball]
mass = 2
inertia = 1
[joints.track]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [1, 0]
drive = { table = { time = [0, 1, 2, 3, 4, 5], value = [-1e-5, 3e-5, 2.6e-5, 5e-5, 0, -1e-4] } }
[joints.track.stop]
upper = 0
contact = { law = "walton-braun", stiffness = 1e7, restitution = 0.5 }
[simulation]
duration = 5
output = 0.01
)");
  const Simulated run = simulate(model);
  const double K = 1e7, K2 = 4e7;
  Check check("pressed again", "the law by hand, along the motion");
  double deepest = 0;
  for (const double t : run.series.time) {
    const double d = run.series.at("joints/track/coordinate", t);
    deepest = d <= 0 ? 0 : std::max(deepest, d);
    const double force = d <= 0 ? 0 : std::max(0.0, K * deepest + K2 * (d - deepest));
    // Within what a slow motion takes, and what the grid misses of the deepest point: 0.1 N of 500.
    check.near("force", std::abs(run.series.at("joints/track/drive_effort", t)), force, 0.1);
  }
  check.energy(run);
}

TEST(Yielding, RejectedStepsLeaveNoTrace) {
  RunOptions options;
  options.reject_every = 2;
  const std::string law = "law = \"walton-braun\", stiffness = 1e7, restitution = 0.6";
  Check check("rejected steps", "the same run without them");
  for (const Formulation formulation : kBoth) {
    const Simulated plain = against_stop(law, 0.7, formulation),
                    repeated = against_stop(law, 0.7, formulation, options);
    EXPECT_GT(repeated.result.stats.rejected, plain.result.stats.rejected);
    ASSERT_EQ(repeated.series.impacts.size(), 1U);
    check.near("separation", repeated.series.impacts[0].separation_speed,
               plain.series.impacts[0].separation_speed, 1e-8);
    check.near("depth", repeated.series.impacts[0].peak_depth, plain.series.impacts[0].peak_depth,
               1e-12);
  }
}

TEST(Yielding, WhatItRemembersIsDeclared) {
  const Simulated run =
      against_stop("law = \"walton-braun\", stiffness = 1e7", 0.5, Formulation::cartesian);
  const auto blocks = run.assembly.start.layout->blocks();
  const auto deepest = std::ranges::find(blocks, "joints/track/stop_upper/deepest", &Block::name);
  ASSERT_NE(deepest, blocks.end());
  EXPECT_EQ(deepest->kind, BlockKind::memory);
  EXPECT_EQ(deepest->perturbation, Perturbation::continuous);
}

}  // namespace
}  // namespace freeplay::testing
