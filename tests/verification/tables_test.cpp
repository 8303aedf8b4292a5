// SPDX-License-Identifier: Apache-2.0
#include "verification/touches.hpp"

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

/// A body thrown off the middle of rubber that holds it alone, without weight.
Simulated thrown(bool planar, const std::string& rubber, double tolerance,
                 const char* formulation) {
  return simulate(model_from(fmt::format(
      R"(
[mechanism]
planar = {}
gravity = {}
[bodies.part]
mass = 2
inertia = {}
{}
[joints.mount]
type = "revolute"
bodies = ["ground", "part"]
at = {}
{}
[joints.mount.bushing]
{}
[simulation]
duration = 0.2
output = 0.02
tolerance = {}
formulation = "{}"
)",
      planar, planar ? "[0, 0]" : "[0, 0, 0]", planar ? "4e-3" : "[4e-3, 5e-3, 3e-3]",
      planar ? "velocity = [0.5, 0.2]\nangular_velocity = 20"
             : "velocity = [0.5, 0.2, -0.4]\nangular_velocity = [9, -4, 20]",
      planar ? "[0.02, 0]" : "[0.02, 0, 0]", planar ? "" : "axis = [0, 0.6, 0.8]", rubber,
      tolerance, formulation)));
}

/// The largest difference of any place from the run at 1e-12, and the audit, follow the tolerance.
/// Places to 0.12 s: until then the motion makes at most four of one tolerance in the place of the
/// mount. Afterwards it is not stable, seventyfold by 0.2 s, and a few tolerances from some hundred
/// steps become some hundred. Stepped across its knots it is 139, 534 and 3000 tolerances off at
/// 1e-8, 1e-9 and 1e-12 by 0.12 s.
void rubber_converges(const std::string& name, bool planar, const std::string& rubber) {
  Check check(name, "the same run at a tolerance of 1e-12; energy balance, theory/audit (A.5)");
  const Simulated limit = thrown(planar, rubber, 1e-12, "cartesian");
  for (const char* formulation : {"cartesian", "tree"})
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
      const Simulated run = thrown(planar, rubber, tolerance, formulation);
      const std::string which = fmt::format("{} at {:g}", formulation, tolerance);
      check.below(which, apart(limit, run, 0.12), 100 * tolerance * scales_of(run.model).length);
      check.below("audit of " + which, run.result.energy_residual,
                  30 * tolerance * run.result.energy_scale);
      EXPECT_LT(run.result.stats.steps, 3000) << which;
    }
}

TEST(TableBushingTest, KnotsAreMetInEveryDirection) {
  // Dead in the middle, stiff beyond, and harder still: corners in radius, angle, along and across.
  const std::string radial =
      "radial = { x = [0, 1e-3, 1.2e-3, 3e-3, 6e-3], force = [0, 0, 40, 900, 5000] }\n";
  const std::string twist = "twist = { x = [0, 0.05, 0.1, 0.4], force = [0, 0, 6, 80] }\n";
  rubber_converges("corners of rubber, planar", true, radial + twist);
  rubber_converges("corners of rubber, in space", false,
                   radial + twist +
                       "axial = { x = [-4e-3, -1e-3, 0, 2e-3], force = [-900, -30, 0, 700] }\n"
                       "tilt = { x = [0, 0.04, 0.05, 0.3], force = [0, 0, 2, 60] }\n");
}

TEST(TableBushingTest, AGapBeforeTheRubberIsMet) {
  rubber_converges("rubber behind a gap", true,
                   "stiffness = 4e5\ndamping_time = 1e-4\ngap = 1e-3\n");
  rubber_converges("rubber behind a gap, in space", false,
                   "stiffness = 4e5\ndamping_time = 1e-4\ngap = 1e-3\n");
}

TEST(TableBushingTest, RestsOnAKnot) {
  // Exactly on a knot that counts, with nothing that moves it off: no event, no short steps.
  Check check("rubber at rest on a knot", "statics");
  for (const char* formulation : {"cartesian", "tree"}) {
    const Simulated run = simulate(model_from(fmt::format(R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.part]
mass = 2
inertia = [1, 1, 1]
[joints.mount]
type = "revolute"
bodies = ["ground", "part"]
at = [0, 0, 0]
axis = [0, 0, 1]
speed = 1
[joints.mount.bushing]
radial = 1e4
axial = {{ x = [-1e-3, 0, 1e-3], force = [-1000, 0, 300] }}
twist = {{ x = [-1, 0, 2], force = [-2, 0, 2] }}
tilt = 10
[simulation]
duration = 20
formulation = "{}"
)",
                                                          formulation)));
    check.energy(run);
    EXPECT_LT(run.result.stats.steps, 1500) << formulation;
    check.near("along", run.series.at("bodies/part/position.z", 20), 0, 1e-12);
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
