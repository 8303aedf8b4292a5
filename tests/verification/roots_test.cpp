// SPDX-License-Identifier: Apache-2.0
#include "laws/catalogue.hpp"
#include "support/paths.hpp"
#include "support/recording.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// No touch is lost through the whole engine: starts on a wall, grazing, contacts that come
// together.
namespace freeplay::testing {
namespace {

std::vector<double> touches(const Simulated& run) {
  std::vector<double> out;
  for (const Event& e : run.series.events)
    if (e.kind == "touch") out.push_back(e.time);
  return out;
}

/// Largest difference of any place of any body up to `until`; m.
double apart(const Simulated& a, const Simulated& b, double until) {
  double most = 0;
  for (const Channel& c : a.series.channels) {
    if (!c.path.starts_with("bodies/") || !c.path.ends_with("/position")) continue;
    for (std::size_t row = 0; row < a.series.rows.size() && a.series.time[row] <= until; ++row)
      for (int k = c.offset; k < c.offset + c.width; ++k) {
        const auto at = static_cast<std::size_t>(k);
        most = std::max(most, std::abs(a.series.rows[row][at] - b.series.rows[row][at]));
      }
  }
  return most;
}

constexpr double kBeyond[] = {-1e-12, -1e-15, 0.0, 1e-15, 1e-12};  // m

/// Starts from just before a wall to just beyond it are one and the same through the third contact.
/// `start(d)` makes the model that starts d beyond it.
template <class Start>
void starts_agree(Check& check, const std::string& name, const Start& start) {
  std::optional<Simulated> first;
  for (const double d : kBeyond) {
    Simulated run = simulate(start(d));
    if (!first) {
      first.emplace(std::move(run));
      continue;
    }
    const auto times = touches(*first);
    const double until = times.size() > 3 ? times[3] : first->result.time;
    const double position = first->model.simulation.tolerance * scales_of(first->model).length;
    check.below(fmt::format("{} {:g} m beyond", name, d), apart(*first, run, until),
                100 * position);
  }
}

/// A body of 1 kg on a rail that gravity pulls against a stop.
Model on_rail(double beyond, double speed, const std::string& contact, double tolerance,
              const std::string& formulation) {
  Model model = model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.ball]
mass = 1
inertia = 1
position = [0, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [0, 1]
speed = {}
[joints.rail.stop]
lower = 0
contact = {{ {} }}
[simulation]
duration = 0.25
output = 1e-3
tolerance = {}
formulation = "{}"
)",
                                       -speed, contact, tolerance, formulation));
  model.joints[0].stops[0].lower = beyond;
  return model;
}

/// The laws that serve a stop, each with what it needs.
std::vector<std::string> stop_laws(bool all) {
  if (!all)
    return {R"(law = "newton", restitution = 0.6)", R"(law = "hertz", stiffness = 1e8)",
            R"(law = "lankarani-nikravesh", stiffness = 1e8, restitution = 0.7)",
            R"(law = "kelvin-voigt", stiffness = 1e6, damping = 100)"};
  std::vector<std::string> out;
  for (const laws::Entry& law : laws::contact_catalogue()) {
    std::string text = fmt::format("law = \"{}\"", law.key);
    for (const laws::Parameter& p : law.parameters)
      if (p.key == "stiffness")
        text += ", stiffness = 1e8";
      else if (p.key == "restitution")
        text += ", restitution = 0.7";
    try {
      (void)on_rail(0, 0, text, 1e-6, "cartesian");
      out.push_back(text);
    } catch (const ModelError&) {  // a law of lines or profiles
    }
  }
  return out;
}

void rail_starts(bool all, const std::vector<double>& tolerances) {
  Check check("starts on a stop", "the same start, rounded otherwise");
  for (const std::string& law : stop_laws(all))
    for (const char* formulation : {"cartesian", "tree"}) {
      if (law.find("newton") != std::string::npos && formulation[0] == 't') continue;
      for (const double tolerance : tolerances)
        for (const double speed : {0.0, 0.3, 1e-3, -0.3})
          starts_agree(check,
                       fmt::format("{}, {}, {:g}, {} m/s:", law, formulation, tolerance, speed),
                       [&](double d) { return on_rail(d, speed, law, tolerance, formulation); });
    }
}

TEST(OnTheWall, AStopIsMetWhereverTheStartIsRounded) { rail_starts(false, {1e-8}); }

TEST(OnTheWall, AStopHoldsWhatIsLaidOnIt) {
  Check check("laid on a stop", "statics: at most twice the static depth");
  for (const std::string& law : stop_laws(false))
    for (const double tolerance : {1e-6, 1e-9}) {
      const Simulated run = simulate(on_rail(0, 0, law, tolerance, "auto"));
      // Under its weight it sinks by the static depth and swings about it, no deeper than twice.
      const double most = law.find("kelvin") != std::string::npos ? 2 * 9.81 / 1e6
                          : law.find("newton") != std::string::npos
                              ? 0.0
                              : std::pow(2.5 * 9.81 / 1e8, 1 / 1.5);
      for (const double y : run.series.series("bodies/ball/position.y"))
        check.below(law, std::abs(y), 1.001 * most + 1e-3 * tolerance);
    }
}

TEST(OnTheWall, AStartDeepInARigidStopIsRefused) {
  EXPECT_THROW((void)assemble(on_rail(1e-3, 0, stop_laws(false)[0], 1e-8, "auto")), AssemblyError);
}

/// A mechanism whose play starts d beyond its wall, `direction` from the outer to the inner centre.
Model with_play(const std::string& name, const Vec3& direction, double beyond, double tolerance,
                const char* formulation, double duration) {
  Model model = load_imperfect(name);
  for (Joint& joint : model.joints) {
    if (!joint.clearance) continue;
    Clearance& play = *joint.clearance;
    play.offset = direction * (play.outer_radius - play.inner_radius + beyond);
    // Hysteresis damping is in proportion to 1/approach speed. Over 1e-12 m an engine's pin gathers
    // 2e-4 m/s, which is not the same to such a law as none at all.
    play.min_approach_speed = 1e-2;
  }
  model.simulation.tolerance = tolerance;
  model.simulation.duration = duration;
  model.simulation.output = duration / 200;
  model.simulation.formulation = formulation[0] == 't' ? Formulation::tree : Formulation::cartesian;
  return model;
}

void play_starts(const std::vector<double>& tolerances, bool all) {
  struct Mechanism {
    const char* name;
    Vec3 direction;
    double duration;
  };
  std::vector<Mechanism> list{{"slider_crank", {-1, 0, 0}, 1e-3}, {"scotch_yoke", {1, 0, 0}, 0.05}};
  if (all) {
    list.push_back({"slider_crank", {0, 1, 0}, 1e-3});
    list.push_back({"slider_crank", {0.6, -0.8, 0}, 1e-3});
    list.push_back({"four_bar_two_joints", {0, -1, 0}, 0.05});
    list.push_back({"spatial_four_bar", {0, 0, -1}, 0.05});
    list.push_back({"spatial_slider_crank", {0, 0, 1}, 0.03});
    list.push_back({"quick_return", {1, 0, 0}, 0.05});
  }
  Check check("starts on the wall of a bearing", "the same start, rounded otherwise");
  for (const Mechanism& m : list)
    for (const char* formulation : {"cartesian", "tree"})
      for (const double tolerance : tolerances)
        starts_agree(check, fmt::format("{}, {}, {:g}:", m.name, formulation, tolerance),
                     [&](double d) {
                       return with_play(m.name, m.direction, d, tolerance, formulation, m.duration);
                     });
}

TEST(OnTheWall, APinIsHeldWhereverItsStartIsRounded) { play_starts({1e-8}, false); }

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
// the tilt it starts from, and the same in both formulations.
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
TEST(EveryRoot, EveryLawAndTolerance) { rail_starts(true, {1e-6, 1e-8, 1e-11}); }
TEST(EveryRoot, EveryMechanismWithPlay) { play_starts({1e-6, 1e-8, 1e-10}, true); }
TEST(EveryRoot, GrazesOfEveryDepth) {
  const std::vector<double> tolerances{1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  sixteen_grazes(tolerances, {1e-3, 1e-4}, true);
  sixteen_grazes(tolerances, {1e-5, 1e-6}, false);
}
#endif

}  // namespace
}  // namespace freeplay::testing
