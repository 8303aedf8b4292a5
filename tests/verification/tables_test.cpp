// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <fmt/format.h>

#include <cmath>

// Springs by tables: the error follows the tolerance down to what the interpolation leaves out, and
// so does the audit, whatever the table looks like.
namespace freeplay::testing {
namespace {

std::string list(const std::vector<double>& numbers) {
  std::string out;
  for (const double v : numbers) out += fmt::format("{}{:.17g}", out.empty() ? "" : ", ", v);
  return "[" + out + "]";
}

template <class F>
std::string table_of(int knots, double from, double to, F&& f) {
  std::vector<double> x, y;
  for (int k = 0; k < knots; ++k) {
    x.push_back(from + (to - from) * k / (knots - 1));
    y.push_back(f(x.back()));
  }
  return fmt::format("table = {{ x = {}, force = {} }}\n", list(x), list(y));
}

/// A mass of 1 kg on a rail with that spring, let go at x = 1.
Simulated swing(const std::string& spring, double duration, double tolerance,
                const char* formulation) {
  return simulate(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.mass]
mass = 1
inertia = 1
position = [1, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "mass"]
at = [1, 0]
axis = [1, 0]
[springs.law]
joint = "rail"
rest = -1
{}
[simulation]
duration = {:.17g}
output = {:.17g}
tolerance = {}
formulation = "{}"
)",
                                         spring, duration, duration, tolerance, formulation)));
}

constexpr double kCubicPeriod = 4 * 1.85407467730137192;  // of x'' = -x^3 from x = 1

TEST(TableSpringTest, CubicThroughAThousandKnotsIsTheCubic) {
  Check check("x^3 by 1001 knots", "the same spring by a formula");
  const std::string spring = table_of(1001, -4, 4, [](double x) { return x * x * x; });
  for (const char* formulation : {"cartesian", "tree"})
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const auto run = swing(spring, kCubicPeriod, tolerance, formulation);
      check.below(fmt::format("{} at {}", formulation, tolerance),
                  std::abs(run.series.at("bodies/mass/position.x", kCubicPeriod) - 1),
                  30 * tolerance);
      check.below("audit", run.result.energy_residual, 30 * tolerance * run.result.energy_scale);
      EXPECT_LT(run.result.stats.steps, 300);  // nobody stops at knots that are none
    }
}

TEST(TableSpringTest, ErrorFallsWithTheToleranceDownToTheInterpolation) {
  // sinh x = x + x^3/6 + ... is no cubic. The reference is the same spring by a formula.
  Check check("sinh by 41 knots", "the same spring by a formula");
  const std::string table = table_of(41, -2, 2, [](double x) { return 3 * std::sinh(x); });
  const double exact = swing("formula = \"3*sinh(x)\"\n", 20, 1e-12, "cartesian")
                           .series.at("bodies/mass/position.x", 20);
  const double limit = swing(table, 20, 1e-12, "cartesian").series.at("bodies/mass/position.x", 20);
  const double interpolation = std::abs(limit - exact);
  // h^4/384 |f''''| = 2.6e-7 x 11 in force; over 20 s it shifts the phase by some of that.
  check.below("interpolation", interpolation, 1e-4);
  for (const char* formulation : {"cartesian", "tree"})
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
      const auto run = swing(table, 20, tolerance, formulation);
      check.below(fmt::format("{} at {}", formulation, tolerance),
                  std::abs(run.series.at("bodies/mass/position.x", 20) - limit), 300 * tolerance);
      check.below(fmt::format("audit of {} at {}", formulation, tolerance),
                  run.result.energy_residual, 30 * tolerance * run.result.energy_scale);
    }
}

TEST(TableSpringTest, CornersKeepTheAudit) {
  // A dead band of +-0.3 m between stiff flanks: slopes are limited, second derivatives jump.
  Check check("dead band", "energy balance, theory/audit (A.5)");
  const std::string table =
      "table = { x = [-2, -1, -0.3, -0.29, 0.29, 0.3, 1, 2], "
      "force = [-500, -200, 0, 0, 0, 0, 200, 500] }\n";
  const double limit = swing(table, 3, 1e-12, "cartesian").series.at("bodies/mass/position.x", 3);
  for (const char* formulation : {"cartesian", "tree"})
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const auto run = swing(table, 3, tolerance, formulation);
      check.below(fmt::format("{} at {}", formulation, tolerance),
                  std::abs(run.series.at("bodies/mass/position.x", 3) - limit), 1000 * tolerance);
      check.below("audit", run.result.energy_residual, 30 * tolerance * run.result.energy_scale);
    }
}

TEST(TableSpringTest, RestsAndTurnsOnAKnot) {
  // Let go exactly on a knot, and turning exactly on one: the motion is symmetric about zero.
  Check check("start on a knot", "symmetry of the motion");
  const std::string table = "table = { x = [-3, -1, 0, 1, 3], force = [-20, -2, 0, 2, 20] }\n";
  for (const char* formulation : {"cartesian", "tree"}) {
    const auto run = swing(table, 10, 1e-9, formulation);
    check.energy(run);
    EXPECT_LT(run.result.stats.steps, 2000);
    const auto rest = swing(table + "preload = -2\n", 10, 1e-9, formulation);  // balanced at 1
    check.near("rest", rest.series.at("bodies/mass/position.x", 10), 1, 1e-12);
    EXPECT_LT(rest.result.stats.steps, 200);
  }
}

TEST(TableDriveTest, ABlowInATableOfASecondKeepsItsHeight) {
  // Force table in time: 0.1 ms, peak 1000 N, otherwise nothing: impulse 0.05 N s, two Hermite
  // flanks of equal area.
  const auto run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.mass]
mass = 1
inertia = 1
[forces.blow]
body = "mass"
direction = [1, 0]
magnitude = { table = { time = [0, 0.25, 0.5, 0.50005, 0.5001, 0.75, 1], value = [0, 0, 0, 1000, 0, 0, 0] } }
[simulation]
duration = 1
output = 1
)"));
  Check check("blow by a table", "closed form: integral of the table");
  check.near("v", run.series.at("bodies/mass/velocity.x", 1), 0.05, 1e-9);
}

}  // namespace
}  // namespace freeplay::testing
