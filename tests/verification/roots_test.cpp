// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "verification/touches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// No touch is lost through the whole engine: grazing, contacts that come together.
namespace freeplay::testing {
namespace {

/// An oscillator of 1 rad/s and 1 m that reaches `depth` into a Hertzian wall, sixteen times.
Model grazing(double depth, double tolerance, const char* formulation, double speed = 1) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.ball]
mass = 1
inertia = 1
position = [0, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [1, 0]
speed = {}
[joints.rail.stop]
upper = {}
contact = {{ law = "hertz", stiffness = 1e3 }}
[springs.spring]
bodies = ["ground", "ball"]
at = [[-1, 0], [0, 0]]
stiffness = 1
free_length = 1
[simulation]
duration = 100.4
output = 0.4
tolerance = {}
formulation = "{}"
)",
                                speed, 1 - depth, tolerance, formulation));
}

/// `places`: also where they leave the oscillator. Not asked of the slightest and closest, where
/// the error of one step across the end of a contact counts for more than a touch.
void sixteen_grazes(const std::vector<double>& tolerances, const std::vector<double>& depths,
                    bool places) {
  Check check("sixteen grazes", "the same run at a tolerance of 1e-13");
  for (const double depth : depths) {
    const Simulated exact = simulate(grazing(depth, 1e-13, "tree"));
    ASSERT_EQ(touches(exact).size(), 16u);
    // What sixteen grazes make of an error: from 1 where they are slight to 50.
    const double grows =
        apart(exact, simulate(grazing(depth, 1e-13, "tree", 1 + 1e-7)), 100) / 1e-7;
    for (const char* formulation : {"cartesian", "tree"})
      for (const double tolerance : tolerances) {
        if (depth < 100 * tolerance) continue;
        const Simulated run = simulate(grazing(depth, tolerance, formulation));
        EXPECT_EQ(touches(run).size(), 16u) << formulation << " " << tolerance << " " << depth;
        if (places)
          check.below(fmt::format("{} {:g} {:g}", formulation, tolerance, depth),
                      apart(exact, run, 100), 10 * std::max(10.0, grows) * tolerance);
      }
  }
}

TEST(Grazing, SixteenTouchesInARowAreAllFound) { sixteen_grazes({1e-6, 1e-8}, {1e-3, 1e-4}, true); }

/// A box that falls flat into a guide: all its corners land at once.
TEST(Together, CornersThatLandFlatAreOneEvent) {
  for (const char* formulation : {"cartesian", "tree"})
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const Simulated run = simulate(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.box]
mass = 1
inertia = 1e-3
position = [0.1, 0.05]
[joints.guide]
type = "prismatic"
bodies = ["ground", "box"]
at = [0.1, 0.05]
axis = [1, 0]
[joints.guide.clearance]
guide_width = 0.022
slider_width = 0.02
slider_length = 0.06
material = {{ young = "210 GPa", poisson = 0.3 }}
contact = {{ law = "hertz", stiffness = 1e8 }}
form = "corner"
[simulation]
duration = 0.05
tolerance = {}
formulation = "{}"
)",
                                                            tolerance, formulation)));
      const auto times = touches(run);
      ASSERT_GE(times.size(), 2u) << formulation;
      EXPECT_EQ(times.size() % 2, 0u);
      for (std::size_t k = 0; k + 1 < std::min<std::size_t>(times.size(), 4); k += 2)
        EXPECT_EQ(times[k], times[k + 1]) << formulation << " " << tolerance << " touch " << k;
      EXPECT_NEAR(times[0], std::sqrt(2 * 0.001 / 9.81), 1e-9);
    }
}

// The crank bearing of the spatial slider-crank lands on both rims at once. In either formulation
// each landing is one event, until the tilt has grown from round-off to what steps resolve.
TEST(Together, LandingsOnBothRimsAreOneEventInBothFormulations) {
  std::vector<std::vector<Event>> seen;
  double position = 0;
  for (const char* formulation : {"tree", "cartesian"}) {
    LoadOptions options;
    options.overrides = {{"joints.crank_bearing.clearance.friction", "false"},
                         {"simulation.duration", "0.0302"},
                         {"simulation.formulation", formulation}};
    const Simulated run =
        simulate(load_model(source_dir() / "mechanisms/spatial_slider_crank.toml", options));
    position = run.model.simulation.tolerance * scales_of(run.model).length;
    seen.push_back(run.series.events);
    ASSERT_EQ(seen.back().size(), 12u) << formulation;  // three landings
    for (std::size_t k = 0; k < 8; k += 2) {
      EXPECT_EQ(seen.back()[k].time, seen.back()[k + 1].time) << formulation << " " << k;
      EXPECT_NE(seen.back()[k].contact, seen.back()[k + 1].contact) << formulation << " " << k;
    }
  }
  Check check("landings in both formulations", "the other formulation");
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_EQ(seen[0][k].kind, seen[1][k].kind) << k;
    check.near(seen[0][k].kind, seen[0][k].time * seen[0][k].speed,
               seen[1][k].time * seen[0][k].speed, 100 * position);
  }
}

// Two rims of one journal that land together do not for long: each landing multiplies a tilt some
// thirtyfold, since the journal turns for the time of flight with what it got in the much shorter
// time of contact. That is the mechanism's own doing: the time between the two touches is linear in
// the tilt it starts from, and the same in both formulations. The tree begins without any,
// Cartesian coordinates with their rounding: at 1e-10 both list the same touches and separations up
// to the fourteenth instant (55 ms), by when that rounding has grown, 20 to 35 times a landing,
// from 1.3e-10 s between the rims (30 ms) over 2.6e-9 and 7.4e-8 to 2.8e-6 s; in the tree the same
// growth begins at 7e-13 s four landings later.
TEST(Together, ATiltGrowsByWhatTheMechanismMakesOfIt) {
  const auto apart_at_landings = [](const char* offset, const char* formulation) {
    LoadOptions options;
    options.overrides = {{"parameters.guide_offset_y", offset},
                         {"joints.crank_bearing.clearance.friction", "false"},
                         {"simulation.duration", "0.04"},
                         {"simulation.tolerance", "1e-10"},
                         {"simulation.formulation", formulation}};
    const auto times = touches(
        simulate(load_model(source_dir() / "mechanisms/spatial_slider_crank.toml", options)));
    std::vector<double> out;
    for (std::size_t k = 0; k + 1 < times.size(); k += 2) out.push_back(times[k + 1] - times[k]);
    return out;
  };
  const auto tree = apart_at_landings("1e-7 m", "tree"),
             twice = apart_at_landings("2e-7 m", "tree");
  const auto other = apart_at_landings("1e-7 m", "cartesian");
  ASSERT_EQ(tree.size(), 4u);
  ASSERT_EQ(twice.size(), 4u);
  ASSERT_EQ(other.size(), 4u);
  Check check("a tilt that grows", "the other formulation; linearity in the tilt");
  for (std::size_t k = 1; k < 4; ++k) {
    check.near("linear", twice[k], 2 * tree[k], 0.01 * twice[k]);
    check.near("cartesian", other[k], tree[k], 0.01 * tree[k]);
  }
  EXPECT_GT(tree[2], 100 * tree[1]);
}

#ifdef FREEPLAY_EVERY_ROOT
// The same with all laws, mechanisms and tolerances: minutes, in a program of its own.
TEST(EveryRoot, GrazesOfEveryDepth) {
  const std::vector<double> tolerances{1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  sixteen_grazes(tolerances, {1e-3, 1e-4}, true);
  sixteen_grazes(tolerances, {1e-5, 1e-6}, false);
}
#endif

}  // namespace
}  // namespace freeplay::testing
