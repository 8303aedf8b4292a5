// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

// Dry friction at rest: what holds, when it gives way, and how several share a load. Every instant
// and every displacement has a closed form.
namespace freeplay::testing {
namespace {

constexpr double g = 9.81;

/// Times of the events of a kind, in one joint or in all.
std::vector<double> times(const Simulated& run, std::string_view kind,
                          std::string_view joint = {}) {
  std::vector<double> out;
  for (const Event& e : run.series.events)
    if (e.kind == kind && (joint.empty() || e.joint == joint)) out.push_back(e.time);
  return out;
}

/// The time asked for, or one that no test expects.
double nth(const std::vector<double>& times, std::size_t k) {
  return k < times.size() ? times[k] : -1;
}

double root(const std::function<double(double)>& f, double a, double b) {
  const bool rising = f(b) > 0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (a + b);
    ((f(middle) > 0) == rising ? b : a) = middle;
  }
  return b;
}

/// A block of 1 kg on a rail, 0.3 at rest and 0.2 sliding, under a force along it.
Model block(const std::string& magnitude, double duration,
            const std::string& gravity = "[0, -9.81]",
            const std::string& friction = R"({ law = "coulomb", kinetic = 0.2, static = 0.3 })") {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = {}
[bodies.block]
mass = 1
inertia = 1
[joints.rail]
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
friction = {}
[forces.pull]
body = "block"
direction = [1, 0]
magnitude = {}
[simulation]
duration = {}
)",
                                gravity, friction, magnitude, duration));
}

/// The same without friction in any joint.
Model smooth(Model model) {
  for (Joint& joint : model.joints) joint.friction.reset();
  return model;
}

double x_at(const Simulated& run, double t, const char* body = "block") {
  return run.series.at(fmt::format("bodies/{}/position.x", body), t);
}

TEST(Rest, BlockHoldsUpToTheStaticLimitAndSlidesBeyondIt) {
  Check check("block", "closed form: holds up to mu_s m g, slides with mu_k");
  for (const double pull : {0.0, 1.0, 2.5, 0.3 * g, -2.9}) {
    const Simulated run = simulate(block(fmt::format("{:.17g}", pull), 2));
    check.near(fmt::format("{} N", pull), x_at(run, 2), 0, 1e-12);
    EXPECT_TRUE(run.series.events.empty());
    EXPECT_LE(run.result.stats.steps,
              10 * simulate(smooth(block(fmt::format("{:.17g}", pull), 2))).result.stats.steps);
  }
  for (const double pull : {0.3001 * g, 3.5, -3.0}) {
    const Simulated run = simulate(block(fmt::format("{:.17g}", pull), 2));
    const double a = pull - std::copysign(0.2 * g, pull);
    check.near(fmt::format("{} N", pull), x_at(run, 2), 0.5 * a * 4, 1e-8);
    check.energy(run);
  }
}

TEST(Rest, BlockOnAnInclineAtOnePercentBelowAndAboveTheLimit) {
  Check check("incline", "closed form: tan of the slope against mu");
  for (const double share : {0.99, 1.01}) {
    const double slope = std::atan(0.3 * share);
    const Simulated run = simulate(block(
        "0", 2, fmt::format("[{:.17g}, {:.17g}]", g * std::sin(slope), -g * std::cos(slope))));
    const double a = g * (std::sin(slope) - 0.2 * std::cos(slope));
    check.near(fmt::format("{}", share), x_at(run, 2), share > 1 ? 2 * a : 0,
               share > 1 ? 1e-8 : 1e-12);
  }
}

TEST(Rest, AnHourUnderNineTenthsOfTheLimit) {
  const Simulated run = simulate(block(fmt::format("{:.17g}", 0.9 * 0.3 * g), 3600));
  EXPECT_LT(std::abs(x_at(run, 3600)), 1e-12);
  EXPECT_LT(run.result.stats.steps, 1000);
}

TEST(Rest, BlockPulledByARamp) {
  const Simulated run = simulate(block(R"({ formula = "0.5*t" })", 8));
  Check check("ramp", "closed form: breaks away at mu_s m g");
  const double start = 0.3 * g / 0.5;  // s
  ASSERT_EQ(times(run, "slip").size(), 1U);
  check.near("breaks away", times(run, "slip")[0], start, 1e-9);
  // m x'' = t/2 - 0.2 m g from then on.
  const auto x = [&](double t) {
    const double s = t - start;
    return 0.5 * (0.5 * start - 0.2 * g) * s * s + 0.5 * s * s * s / 6;
  };
  check.near("x", x_at(run, 8), x(8), 1e-8);
  EXPECT_LE(run.result.stats.steps,
            10 * simulate(smooth(block(R"({ formula = "0.5*t" })", 8))).result.stats.steps);
}

TEST(Rest, BlockPulledByASine) {
  const double A = 4, w = 3;
  const Simulated run = simulate(block("{ formula = \"4*sin(3*t)\" }", 2.05));
  Check check("sine", "closed form: breaks away at mu_s m g");
  const double t0 = std::asin(0.3 * g / A) / w;
  const auto v = [&](double t) {
    return A / w * (std::cos(w * t0) - std::cos(w * t)) - 0.2 * g * (t - t0);
  };
  const double t1 = root([&](double t) { return v(t); }, 0.5, 2);  // comes to rest
  const auto slips = times(run, "slip"), sticks = times(run, "stick");
  check.near("breaks away", nth(slips, 0), t0, 1e-9);
  if (A * std::sin(w * t1) < -0.3 * g) {
    check.near("turns round", nth(slips, 1), t1, 1e-9);  // slides back at once
  } else {
    check.near("sticks", nth(sticks, 0), t1, 1e-9);
    check.near("breaks away again", nth(slips, 1), (M_PI + std::asin(0.3 * g / A)) / w, 1e-9);
  }
  check.energy(run);
}

// The belt takes the block along from the first instant: no slip until the spring pulls at 1.5 N.
TEST(Rest, BlockStartsOnABeltAtItsSpeed) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.belt]
mass = 1
inertia = 1
position = [0, -1]
[bodies.block]
mass = 1
inertia = 1
position = [0, 0]
[joints.belt]
type = "prismatic"
bodies = ["ground", "belt"]
at = [0, -1]
axis = [1, 0]
drive = { speed = 0.1 }
[joints.slide]
type = "prismatic"
bodies = ["belt", "block"]
at = [0, 0]
axis = [1, 0]
speed = 0
friction = { law = "coulomb", kinetic = 1.0, static = 1.5, preload = 1 }
[springs.k]
bodies = ["ground", "block"]
at = [[-1, 0], [0, 0]]
stiffness = 2
free_length = 1
[simulation]
duration = 24
)"));
  Check check("belt", "closed form: stick and slip on a belt");
  const auto slips = times(run, "slip"), sticks = times(run, "stick");
  const double slip_time = 2.611259254, period = 7.611259254;  // s, closed form
  check.near("first slip", nth(slips, 0), 7.5, 1e-9);
  check.near("first stick", nth(sticks, 0), 7.5 + slip_time, 2e-9);
  check.near("second slip", nth(slips, 1), 7.5 + period, 2e-9);
  check.near("second stick", nth(sticks, 1), 7.5 + period + slip_time, 4e-9);
  EXPECT_EQ(slips.size(), 3U);
  check.energy(run);
}

/// Two blocks on each other, pulled by a ramp.
Model stack(const char* pulled, double below, double above) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.lower]
mass = 2
inertia = 1
position = [0, 0]
[bodies.upper]
mass = 1
inertia = 1
position = [0, 0.1]
[joints.floor]
type = "prismatic"
bodies = ["ground", "lower"]
at = [0, 0]
axis = [1, 0]
friction = {{ law = "coulomb", kinetic = {} }}
[joints.top]
type = "prismatic"
bodies = ["lower", "upper"]
at = [0, 0.1]
axis = [1, 0]
friction = {{ law = "coulomb", kinetic = {} }}
[forces.pull]
body = "{}"
direction = [1, 0]
magnitude = {{ formula = "2*t" }}
[simulation]
duration = 12
)",
                                below, above, pulled));
}

TEST(Rest, TwoStackedBlocksPulledBelow) {
  const Simulated run = simulate(stack("lower", 0.2, 0.3));
  Check check("stack, pulled below", "statics of two stacked blocks");
  // Together from 0.2 (m1 + m2) g on; the upper is left behind when they accelerate at 0.3 g.
  const double first = 0.2 * 3 * g / 2, second = (0.2 + 0.3) * 3 * g / 2;
  check.near("floor", nth(times(run, "slip", "floor"), 0), first, 1e-9);
  check.near("top", nth(times(run, "slip", "top"), 0), second, 1e-8);
  EXPECT_EQ(times(run, "stick").size(), 0U);
  check.near("together", x_at(run, 6, "upper"), x_at(run, 6, "lower"), 1e-12);
  check.energy(run);
}

TEST(Rest, TwoStackedBlocksPulledAbove) {
  const Simulated run = simulate(stack("upper", 0.2, 0.3));
  Check check("stack, pulled above", "statics of two stacked blocks");
  check.near("top", nth(times(run, "slip", "top"), 0), 0.3 * g / 2, 1e-9);
  check.near("floor stays", x_at(run, 12, "lower"), 0, 1e-12);
  EXPECT_EQ(times(run, "slip", "floor").size(), 0U);
  check.energy(run);
}

// Two sliders on one rail, a stop between them and a spring that presses them together: neither
// knows how much of the pull the other carries, but together they give way at mu (N1 + N2).
TEST(Rest, TwoSlidersPressedTogetherShareALoad) {
  Check check("two sliders", "statics: both give way at mu (N1 + N2)");
  for (const auto& [n1, n2] : {std::pair{5.0, 5.0}, std::pair{1.0, 9.0}, std::pair{9.0, 1.0}}) {
    const Simulated run = simulate(model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.a]
mass = 1
inertia = 1
position = [0, 0]
[bodies.b]
mass = 1
inertia = 1
position = [0.1, 0]
[joints.rail_a]
type = "prismatic"
bodies = ["ground", "a"]
at = [0, 0]
axis = [1, 0]
friction = {{ law = "coulomb", kinetic = 0.2, static = 0.3, preload = {} }}
[joints.link]
type = "prismatic"
bodies = ["a", "b"]
at = [0.1, 0]
axis = [1, 0]
drive = {{ speed = 0 }}
[joints.rail_b]
type = "point-on-line"
bodies = ["ground", "b"]
at = [0.1, 0]
axis = [1, 0]
[joints.rub_b]
type = "prismatic"
bodies = ["ground", "b"]
at = [0.1, 0]
axis = [1, 0]
friction = {{ law = "coulomb", kinetic = 0.2, static = 0.3, preload = {} }}
[forces.pull]
body = "b"
direction = [1, 0]
magnitude = {{ formula = "t" }}
[simulation]
duration = 4
)",
                                                          n1, n2)));
    const auto slips = times(run, "slip");
    check.near(fmt::format("{} and {}", n1, n2), nth(slips, slips.size() - 1), 0.3 * (n1 + n2),
               1e-9);
    check.near("not before", x_at(run, 2.8, "b"), 0.1, 1e-12);
    // Both slide with the smaller coefficient: m x'' = t - 2.
    const double s = 1;
    check.near("x", x_at(run, 4, "b"), 0.1 + (0.5 * s * s + s * s * s / 6) / 2, 1e-8);
  }
}

// A pin under its load turns when the torque passes mu N r.
TEST(Rest, PinAtRestUnderLoad) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.wheel]
mass = 2
inertia = 0.1
[joints.pin]
type = "revolute"
bodies = ["ground", "wheel"]
at = [0, 0]
friction = { law = "coulomb", kinetic = 0.1, static = 0.15, radius = 0.01 }
[efforts.motor]
joint = "pin"
magnitude = { formula = "0.01*t" }
[simulation]
duration = 5
)"));
  Check check("pin", "closed form: turns at mu N r");
  const double limit = 0.15 * 2 * g * 0.01 / 0.01;
  check.near("turns", nth(times(run, "slip"), 0), limit, 1e-9);
  check.near("not before", run.series.at("bodies/wheel/angle", 2.9), 0, 1e-12);
  const double s = 5 - limit, a0 = (0.01 * limit - 0.1 * 2 * g * 0.01) / 0.1;
  check.near("angle", run.series.at("bodies/wheel/angle", 5),
             0.5 * a0 * s * s + 0.1 * s * s * s / 6, 1e-8);
  check.energy(run);
}

// A box that lies on the floor of its tube with four corners: eight tangential rows for three
// motions. It lies in its static depth, so nothing moves until the pull passes mu m g.
TEST(Rest, BoxOnFourCornersHoldsAndGivesWay) {
  const double depth = std::pow(2 * g / (4 * 1e9), 1 / 1.5);
  const auto box = [&](const std::string& magnitude, double duration) {
    return simulate(model_from(fmt::format(R"(
[mechanism]
gravity = [0, 0, -9.81]
[bodies.box]
mass = 2
inertia = [0.01, 0.01, 0.01]
[joints.tube]
type = "prismatic"
bodies = ["ground", "box"]
at = [0, 0, 0]
axis = [1, 0, 0]
[joints.tube.clearance]
guide_width = "101 mm"
slider_width = "100 mm"
guide_height = "101 mm"
slider_height = "100 mm"
slider_length = "200 mm"
form = "corner"
offset = [0, 0, {:.17g}]
contact = {{ law = "exact", stiffness = 1e9, restitution = 0.3 }}
friction = {{ law = "coulomb", kinetic = 0.2, static = 0.3 }}
[forces.pull]
body = "box"
at = [0, 0, -0.05]
direction = [1, 0, 0]
magnitude = {}
[simulation]
duration = {}
)",
                                           -0.5e-3 - depth, magnitude, duration)));
  };
  Check check("box", "statics: gives way at mu m g");
  const Simulated holds = box("5", 1);
  // The pull acts a micron below the contacts: it tips the box by as little.
  check.near("holds", x_at(holds, 1, "box"), 0, 1e-11);
  const Simulated slides = box("6.5", 0.5);
  check.near("slides", x_at(slides, 0.5, "box"), 0.5 * (6.5 / 2 - 0.2 * g) * 0.25, 1e-6);
}

// Many stick and slip phases under impacts: never beyond a cone, and the same motion whenever the
// run ends.
TEST(Rest, TogglePressStaysWithinItsCones) {
  Check check("toggle press", "the same motion whenever the run ends");
  for (const double tolerance : {1e-7, 1e-9, 1e-11}) {
    Model model = load_case("toggle_press");
    model.simulation.tolerance = tolerance;
    model.simulation.output = 0.01;
    double early[2];
    for (const double duration : {0.03, 0.25}) {
      model.simulation.duration = duration;
      const Simulated run = simulate(model);
      check.near(fmt::format("friction at {:g}", tolerance), run.result.friction_use, 1, 1e-9);
      early[duration > 0.1] = run.series.at("bodies/ram/position.y", 0.01);
    }
    check.near(fmt::format("10 ms at {:g}", tolerance), early[1], early[0], 100 * tolerance);
  }
}

// Pressed together by 5 kN, its stiff pins are followed by implicit steps. What those left of the
// motion was nothing beside the tolerance, but thousands of tolerances of the energy.
TEST(Rest, TogglePressKeepsTheAuditInStiffContact) {
  Check check("toggle press, audit", "energy balance, theory/audit (A.5)");
  for (const char* law : {"coulomb", "ambrosio"})
    for (const double tolerance : {1.867e-7, 6e-8, 3e-8}) {
      Model model = load_case("toggle_press");
      for (Joint& joint : model.joints)
        if (joint.clearance) joint.clearance->friction->key = law;
      model.simulation.tolerance = tolerance;
      model.simulation.duration = 0.7;
      const Simulated run = simulate(model);
      check.below(fmt::format("{} at {:g}", law, tolerance),
                  run.result.energy_residual / run.result.energy_scale, 200 * tolerance);
    }
}

// A blow sets off what friction holds: both go on at 1 m/s, slow down at 2 m/s^2 and stick.
TEST(Rest, ABlowReleasesWhatSticks) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -10]
[bodies.held]
mass = 1
inertia = 0.1
[bodies.striker]
mass = 1
inertia = 0.1
velocity = [2, 0]
[joints.rail]
type = "prismatic"
bodies = ["ground", "held"]
at = [0, 0]
axis = [1, 0]
friction = { law = "coulomb", kinetic = 0.2 }
[joints.slide]
type = "prismatic"
bodies = ["held", "striker"]
at = [0, 0]
axis = [1, 0]
stop = { upper = 0.5, contact = { law = "newton", restitution = 0 } }
[simulation]
duration = 2
)"));
  Check check("blow against friction", "closed form: impulse, then -mu g");
  check.near("set off", nth(times(run, "slip", "rail"), 0), 0.25, 1e-9);
  check.near("sticks", nth(times(run, "stick", "rail"), 0), 0.75, 1e-9);
  check.near("x", x_at(run, 2, "held"), 0.25, 1e-9);
  check.energy(run);
}

/// A slider that lies on the floor of its guide from the start, pulled along it.
Model lying(const std::string& magnitude, double duration) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -10]
[bodies.slider]
mass = 1
inertia = 0.1
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0, 0]
axis = [1, 0]
[joints.guide.clearance]
guide_width = 0.1
slider_width = 0.09
slider_length = 0.2
contact = {{ law = "newton", restitution = 0.5 }}
friction = {{ law = "coulomb", kinetic = 0.4, static = 0.5 }}
offset = [0, -0.005]
[forces.pull]
body = "slider"
direction = [1, 0]
magnitude = {}
[simulation]
duration = {}
)",
                                magnitude, duration));
}

TEST(Rest, ARigidContactThatLiesThereHoldsFromTheStart) {
  Check check("lying", "statics of a rigid contact");
  const Simulated holds = simulate(lying("4.99", 1));
  check.near("holds", x_at(holds, 1, "slider"), 0, 1e-12);
  EXPECT_TRUE(holds.series.events.empty());
  check.near("slides", x_at(simulate(lying("5.01", 1)), 1, "slider"), 0.5 * 1.01, 1e-8);
  check.near("an age at rest", simulate(lying("0", 1e5)).result.energy_residual, 0, 1e-9);
}

// A cylinder that lies in its bore, pulled at its centre: friction at the wall loads one rim more
// than the other, and both hold together up to the static limit.
TEST(Rest, TwoRimsUnderUnequalLoadsGiveWayTogether) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
gravity = [0, 0, -10]
[bodies.pin]
mass = 1
inertia = [0.1, 0.1, 0.1]
[joints.bore]
type = "cylindrical"
bodies = ["ground", "pin"]
at = [0, 0, 0]
axis = [1, 0, 0]
[joints.bore.clearance]
bearing_radius = 0.1
journal_radius = 0.09
journal_length = 0.2
contact = { law = "newton", restitution = 0.5 }
friction = { law = "coulomb", kinetic = 0.4, static = 0.5 }
offset = [0, 0, -0.01]
[forces.pull]
body = "pin"
direction = [1, 0, 0]
magnitude = { polynomial = [0, 10] }
[simulation]
duration = 1
)"));
  Check check("two rims", "statics: both rims give way together");
  ASSERT_EQ(times(run, "slip").size(), 2U);
  for (const double t : times(run, "slip")) check.near("gives way", t, 0.5, 1e-9);
  // x'' = 10 t - 4 from then on.
  check.near("x", x_at(run, 1, "pin"), 0.5 * 0.25 + 10 * 0.125 / 6, 1e-8);
}

// A pin in its sleeve, pushed along and turned by efforts that grow from nothing: the limit of both
// together is reached without a jump, and the slip begins without an acceleration. Its direction
// then turns with the pull.
TEST(Rest, ASlipInTwoDirectionsThatBeginsSlowlyTakesFewSteps) {
  const auto pulled = [](const char* friction, double tolerance) {
    return simulate(model_from(fmt::format(R"(
[mechanism]
gravity = [0, 0, -10]
[bodies.pin]
mass = 1
inertia = [0.03, 0.03, 0.03]
[joints.bore]
type = "cylindrical"
bodies = ["ground", "pin"]
at = [0, 0, 0]
axis = [1, 0, 0]
{}
[forces.pull]
body = "pin"
direction = [1, 0, 0]
magnitude = {{ polynomial = [0, 40] }}
[torques.turn]
body = "pin"
direction = [1, 0, 0]
magnitude = {{ polynomial = [0.1, 7] }}
[simulation]
duration = 0.2
tolerance = {}
)",
                                           friction, tolerance)));
  };
  const char* friction =
      "friction = { law = \"coulomb\", kinetic = 0.5, static = 0.5, radius = 0.1 }";
  Check check("slow beginning", "closed form of the instant; x: the same run at finer tolerances");
  // Richardson in the tolerance, 1e-9 ... 1e-11, which agree to 2e-11 m.
  const double x = 0.013380576996;
  for (const double tolerance : {1e-7, 1e-8, 1e-9, 1e-10}) {
    const Simulated run = pulled(friction, tolerance);
    const double limit = 5;  // N: hypot(40 t, 70 t + 1) reaches it
    const double a = 40 * 40 + 70 * 70, b = 70, c = 1 - limit * limit;
    check.near("gives way", nth(times(run, "slip"), 0), (-b + std::sqrt(b * b - a * c)) / a, 1e-9);
    check.near("x", x_at(run, 0.2, "pin"), x, 10 * tolerance + 2e-11);
    // 58 to 67 here, 382 to 6800 when such slips had their own direction from the start. Without
    // friction the motion is a polynomial and takes 3 to 6: ten times that is not met.
    EXPECT_LE(run.result.stats.steps, 100) << tolerance;
  }
}

// The pull passes the limit for two thousandths of a period, twice in each.
TEST(Rest, ABriefExcessBreaksAway) {
  const Simulated run =
      simulate(block("{ sine = { amplitude = 2.9432, frequency = 5 } }", 1, "[0, -9.81]",
                     R"({ law = "coulomb", kinetic = 0.25, static = 0.3 })"));
  EXPECT_EQ(times(run, "slip").size(), 10U);
  Check check("brief excess", "closed form: slips while the pull exceeds the limit");
  check.near("first", nth(times(run, "slip"), 0), std::asin(2.943 / 2.9432) / (10 * M_PI), 1e-8);
}

}  // namespace
}  // namespace freeplay::testing
