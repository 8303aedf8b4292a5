// SPDX-License-Identifier: Apache-2.0
#include "laws/catalogue.hpp"
#include "support/recording.hpp"

#include <fmt/format.h>

#include <cmath>

// One contact at a time, through the whole engine: verification/cases B and D, theory/contact_laws
// (C.4), (C.11), (C.12).
namespace freeplay::testing {
namespace {

/// A mass of 1 kg that flies along x against a stop at 1 mm, at 0.5 m/s (verification/cases B2).
Model impact_on(const std::string& law, const std::string& extra = {}) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.ball]
mass = 1
inertia = 1
position = [0, 0]
[joints.track]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [1, 0]
speed = 0.5
[joints.track.stop]
upper = 1e-3
contact = {{ law = "{}"{} }}
[simulation]
duration = 0.01
)",
                                law, extra));
}

const Impact& only_impact(const Simulated& run) {
  EXPECT_EQ(run.series.impacts.size(), 1U);
  static const Impact none{};
  return run.series.impacts.empty() ? none : run.series.impacts.front();
}

TEST(ContactCase, B1AchievedRestitution) {
  struct Row {
    const char* law;
    double achieved[9];
  };
  const Row rows[] = {
      {"hunt-crossley",
       {.515833, .546854, .581288, .619736, .662962, .711950, .768000, .832870, .909016}},
      {"herbert-mcwhannell",
       {.490698, .500779, .519967, .550309, .593624, .651073, .722683, .806980, .900893}},
      {"lee-wang",
       {.686663, .711950, .738995, .768000, .799199, .832870, .869343, .909016, .952370}},
      {"lankarani-nikravesh",
       {.665265, .672262, .684225, .701635, .725241, .756149, .795973, .847102, .913177}},
      {"flores", {.069444, .155540, .256208, .362872, .470445, .577276, .683184, .788539, .893921}},
      {"gharib-hurmuzlu",
       {.099982, .196980, .281877, .352379, .410720, .459491, .500779, .536160, .566812}},
      {"carvalho-martins",
       {.128940, .211588, .303974, .401093, .500174, .599967, .699965, .799989, .899999}}};
  Check check("B1 achieved restitution", "theory/contact_laws (C.4)");
  for (const Row& row : rows)
    for (int k = 0; k < 9; ++k) {
      const double c = 0.1 * (k + 1);
      const Simulated run =
          simulate(impact_on(row.law, fmt::format(", stiffness = 1e8, restitution = {}", c)));
      const Impact& impact = only_impact(run);
      check.near(fmt::format("{} {:.1f}", row.law, c), impact.separation_speed / 0.5,
                 row.achieved[k], 1e-5);
      check.energy(run);
    }
}

TEST(ContactCase, RestitutionThatIsMeantIsMet) {
  Check check("restitution as prescribed", "theory/contact_laws (C.4), (C.11), (C.12), (C.14)");
  for (const double c : {0.05, 0.3, 0.5, 0.7, 0.9}) {
    const std::string extra = fmt::format(", stiffness = 1e8, restitution = {}", c);
    // Exact and memory-free restitute what they are told; the latter knows no approach speed.
    check.near("exact", only_impact(simulate(impact_on("exact", extra))).separation_speed / 0.5, c,
               1e-5);
    check.near("memory-free",
               only_impact(simulate(impact_on("memory-free", extra))).separation_speed / 0.5, c,
               1e-5);
    check.near("tsuji", only_impact(simulate(impact_on("tsuji", extra))).separation_speed / 0.5, c,
               1e-5);
    check.near("newton",
               only_impact(simulate(impact_on("newton", fmt::format(", restitution = {}", c))))
                       .separation_speed /
                   0.5,
               c, 1e-12);
  }
  // theory/contact_laws (C.14): Jankowski.
  const std::pair<double, double> jankowski[] = {
      {0.3, .292}, {0.5, .495}, {0.7, .698}, {0.9, .900}};
  for (const auto& [c, achieved] : jankowski)
    check.near("jankowski",
               only_impact(simulate(impact_on(
                               "jankowski", fmt::format(", stiffness = 1e8, restitution = {}", c))))
                       .separation_speed /
                   0.5,
               achieved, 1e-3);
}

TEST(ContactCase, B3KelvinVoigtLeavesAtZeroDepthOrAtZeroForce) {
  Check check("B3 spring and damper", "theory/contact_laws (C.11), (C.12)");
  const double K = 1e6;
  for (const double z : {0.21545376, 0.03351845, 0.2}) {
    const std::string extra =
        fmt::format(", stiffness = {}, damping = {:.17g}", K, 2 * z * std::sqrt(K));
    const double root = std::sqrt(1 - z * z);
    check.near("tension",
               only_impact(simulate(impact_on("kelvin-voigt", extra + ", tension = true")))
                       .separation_speed /
                   0.5,
               std::exp(-M_PI * z / root), 1e-6);
    // The force vanishes before the depth does; the depth then relaxes freely, at the same speed.
    const double released = std::exp(-z / root * (M_PI - std::atan2(2 * z * root, 1 - 2 * z * z)));
    check.near("no tension",
               only_impact(simulate(impact_on("kelvin-voigt", extra))).separation_speed / 0.5,
               released, 1e-6);
  }
}

TEST(ContactCase, B2DepthDurationAndLoop) {
  struct Row {
    const char* law;
    double c, e, depth, duration;
  };
  const Row rows[] = {{"hunt-crossley", 0.5, 0.662962, 3.38965399e-4, 2.4681183e-3},
                      {"hunt-crossley", 0.9, 0.909016, 3.81562800e-4, 2.3567090e-3},
                      {"lankarani-nikravesh", 0.5, 0.725241, 3.50231914e-4, 2.4314011e-3},
                      {"lankarani-nikravesh", 0.9, 0.913177, 3.82244239e-4, 2.3554494e-3},
                      {"flores", 0.5, 0.470445, 3.01121735e-4, 2.6488586e-3},
                      {"flores", 0.9, 0.893921, 3.79081330e-4, 2.3614107e-3}};
  Check check("B2 one impact", "theory/contact_laws (C.4), (C.6); quadrature");
  for (const Row& r : rows) {
    const Simulated run =
        simulate(impact_on(r.law, fmt::format(", stiffness = 1e8, restitution = {}", r.c)));
    const Impact& impact = only_impact(run);
    const double e = impact.separation_speed / impact.approach_speed;
    check.near("e", e, r.e, 1e-5);
    check.near("depth", impact.peak_depth, r.depth, 1e-5 * r.depth);
    check.near("duration", impact.end - impact.start, r.duration, 1e-7 * r.duration);
    // Energy lost = (1 - e^2) m v^2/2, the area of the loop.
    const double lost = 0.5 * 0.25 * (1 - e * e);
    check.near("loop", impact.energy_lost, lost, 1e-6 * lost);
  }
  const Simulated elastic = simulate(impact_on("hertz", ", stiffness = 1e8"));
  const Impact& impact = only_impact(elastic);
  check.near("elastic depth", impact.peak_depth, 3.962232981e-4, 1e-5 * 4e-4);
  check.near("elastic force", impact.peak_force, 788.6966806, 1e-5 * 789);
  // By quadrature; 2.9432751843 dmax/v0.
  check.near("elastic duration", impact.end - impact.start, 2.33238840e-3, 1e-10);
  check.near("H7: energy kept", impact.energy_lost, 0, 1e-8 * 0.125);
}

/// A ball dropped by 1 m on a stop (verification/cases B5).
Model dropped(const std::string& contact, double duration) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.ball]
mass = 1
inertia = 1
position = [0, 0]
[joints.fall]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [0, 1]
[joints.fall.stop]
lower = -1
contact = {{ {} }}
[simulation]
duration = {}
output = 1e-4
)",
                                contact, duration));
}

TEST(ContactCase, B5BallDroppedOnAStop) {
  struct Row {
    const char* law;
    double c, speed, apex, depth;
  };
  const Row rows[] = {{"lankarani-nikravesh", 0.5, 3.209743, 0.525099, 1.754269e-3},
                      {"lankarani-nikravesh", 0.9, 4.043963, 0.833519, 0},
                      {"hunt-crossley", 0.7, 3.399523, 0.589029, 0}};
  Check check("B5 dropped ball", "independent integration of the impact with gravity");
  for (const Row& r : rows) {
    const Simulated run = simulate(
        dropped(fmt::format("law = \"{}\", stiffness = 1.4e8, restitution = {}", r.law, r.c), 1.3));
    ASSERT_FALSE(run.series.impacts.empty());
    const Impact& first = run.series.impacts.front();
    check.near("v-", first.approach_speed, 4.429447, 1e-6);
    check.near("v+", first.separation_speed, r.speed, 1e-5);
    check.near("apex", r.speed * r.speed / (2 * 9.81), r.apex, 1e-5);
    if (r.depth > 0) check.near("depth", first.peak_depth, r.depth, 1e-5 * r.depth);
    check.energy(run);
  }
}

TEST(ContactCase, B5EndlessBouncesComeToRest) {
  Check check("B5 Zeno", "closed form: bounces end at t1 (1 + e)/(1 - e)");
  for (const auto& [e, end] : {std::pair{0.5, 1.354570923}, std::pair{0.9, 8.578949179}}) {
    const Simulated run =
        simulate(dropped(fmt::format("law = \"newton\", restitution = {}", e), 9));
    ASSERT_FALSE(run.series.events.empty());
    EXPECT_EQ(run.series.events.back().kind, "rest");
    check.near("first touch", run.series.events.front().time, 0.451523641, 1e-9);
    // What is left of the sequence once a rebound falls below a millionth of L/T takes that long.
    check.near("rest", run.series.events.back().time, end, 1e-5);
    check.near("lies still", run.series.at("bodies/ball/position.y", 9), -1, 1e-9);
    check.energy(run);
  }
}

// A ball of 1 kg at -3 m/s meets a table that a drive moves at +1 m/s; e = 0.5. Approach 4 m/s, so
// it leaves at 1 + 2 m/s with an impulse of 6 N s: the drive does 6 J of work, and the contact
// takes (1 - e^2)/2 of the approach squared, 6 J.
TEST(ContactCase, NewtonImpactOnADrivenBodyBooksTheWorkOfTheDrive) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.table]
mass = 20
inertia = 1
position = [0, 0]
[bodies.ball]
mass = 1
inertia = 1
position = [0, 1]
[joints.lift]
type = "prismatic"
bodies = ["ground", "table"]
at = [0, 0]
axis = [0, 1]
drive = { speed = 1 }
[joints.fall]
type = "prismatic"
bodies = ["table", "ball"]
at = [0, 1]
axis = [0, 1]
speed = -4
[joints.fall.stop]
lower = -1
contact = { law = "newton", restitution = 0.5 }
[simulation]
duration = 0.5
output = 0.01
)"));
  Check check("newton, driven", "closed form: impulse and work of the drive");
  check.near("leaves at", run.series.at("bodies/ball/velocity.y", 0.5), 3, 1e-9);
  check.near("drive", run.series.at("energy/work/joints/lift/drive", 0.5), 6, 1e-8);
  check.near("contact", run.series.impacts.front().energy_lost, 6, 1e-8);
  check.energy(run);
}

// A ball that has come to rest on a shaking table (seen from the table, the shaking is a force) is
// thrown off when the table falls faster than it, bounces and rests again, and never falls through.
TEST(ContactCase, WhatRestsIsThrownOffAndCaughtAgain) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.ball]
mass = 1
inertia = 1
position = [0, 0.5]
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0.5]
axis = [0, 1]
[joints.rail.stop]
lower = -0.5
contact = { law = "newton", restitution = 0.8 }
[forces.shaking]
body = "ball"
at = [0, 0]
direction = [0, 1]
magnitude = { sine = { amplitude = 10.1043, frequency = 1.5915494309189535 } }
[simulation]
duration = 10
output = 1e-3
)"));
  Check check("rest and flight", "closed form of the flights; energy balance");
  int rests = 0, flights = 0;
  for (const Event& e : run.series.events) {
    rests += e.kind == "rest";
    flights += e.kind == "separation";
    // Thrown off where the shaking, w = 10 rad/s, exceeds the weight: sin(w t) = 9.81/10.1043.
    if (e.kind == "separation")
      check.near("thrown off", std::sin(10 * e.time), 9.81 / 10.1043, 1e-7);
  }
  // At rest since t = 4.1 s, then thrown off in every period of 0.628 s; no throw is stepped over.
  EXPECT_EQ(flights, 9);
  EXPECT_GE(rests, flights);
  for (double t : run.series.time)
    check.near("on or above the table", std::min(0.0, run.series.at("bodies/ball/position.y", t)),
               0, 1e-9);
  check.energy(run);
}

// ---------------------------------------------------------------- D: friction

/// Mass on a belt of 0.1 m/s, held by a spring of 2 N/m (verification/cases D1).
Model rabinowicz(double breakaway, double kinetic) {
  return model_from(fmt::format(R"(
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
drive = {{ speed = 0.1 }}
[joints.slide]
type = "prismatic"
bodies = ["belt", "block"]
at = [0, 0]
axis = [1, 0]
friction = {{ law = "coulomb", kinetic = {}, static = {}, preload = 1 }}
[springs.k]
bodies = ["ground", "block"]
at = [[-1, 0], [0, 0]]
stiffness = 2
free_length = 1
[simulation]
duration = 40
)",
                                kinetic, breakaway));
}

TEST(FrictionCase, D1StickAndSlipOnABelt) {
  struct Row {
    double breakaway, kinetic, slip_time, stick_time, period, restick;
  };
  Check check("D1 stick and slip on a belt", "Rabinowicz's test, closed form");
  for (const Row& r : {Row{1.5, 1.0, 2.611259254, 5.0, 7.611259254, 0.25},
                       Row{1.4715, 0.981, 2.618422247, 4.905, 7.523422247, 0.24525}}) {
    const Simulated run = simulate(rabinowicz(r.breakaway, r.kinetic));
    std::vector<double> stick, slip;
    for (const Event& e : run.series.events) (e.kind == "stick" ? stick : slip).push_back(e.time);
    ASSERT_GE(stick.size(), 4U);
    ASSERT_GE(slip.size(), 4U);
    // The first stick takes up the belt; from the first slip on the cycle is exact.
    for (int k = 1; k < 3; ++k) {
      check.near("slip time", stick[k] - slip[k - 1], r.slip_time, 1e-7);
      check.near("stick time", slip[k] - stick[k], r.stick_time, 1e-7);
      check.near("period", slip[k] - slip[k - 1], r.period, 1e-7);
    }
    check.energy(run);
  }
}

TEST(FrictionCase, D4OscillatorTurnsAndStops) {
  // Fc = 0.5 N by the weight of 1 kg: turning points 0.1, -0.09, 0.08 ... every pi/10.
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.block]
mass = 1
inertia = 1
position = [0.0975, 0]
[joints.slide]
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
friction = { law = "coulomb", kinetic = 0.05096839959225279 }
[springs.k]
bodies = ["ground", "block"]
at = [[-1, 0], [0.0975, 0]]
stiffness = 100
free_length = 1
[simulation]
duration = 5
)"));
  Check check("D4 Coulomb oscillator", "closed form: turning points fall by 2 Fc/k");
  for (int k = 1; k <= 9; ++k)
    check.near("reversal", run.series.events[k - 1].time, k * M_PI / 10, 1e-7);
  EXPECT_EQ(run.series.events.back().kind, "stick");
  // 0.0975 - 0.01 n first lies inside 0.005 at n = 10, on the other side: -(...)= -0.0025.
  const double rest = run.series.at("bodies/block/position.x", 5);
  check.near("stops", std::abs(rest), 0.0025, 1e-8);
  check.near("stays at rest", rest, run.series.at("bodies/block/position.x", 4), 1e-15);
  check.energy(run);
}

TEST(FrictionCase, D4BlockSlidesToAStop) {
  const Simulated run = simulate(model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.block]
mass = 1
inertia = 1
position = [0, 0]
[joints.slide]
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
speed = 1
friction = { law = "coulomb", kinetic = 0.2 }
[simulation]
duration = 2
)"));
  Check check("D4 sliding block", "closed form: v0/(mu g), v0^2/(2 mu g)");
  ASSERT_EQ(run.series.events.size(), 1U);
  check.near("time", run.series.events[0].time, 0.509683996, 1e-8);
  check.near("distance", run.series.at("bodies/block/position.x", 2), 0.254841998, 1e-8);
  check.near("at rest", run.series.at("bodies/block/velocity.x", 2), 0, 1e-15);
  check.energy(run);
}

/// 1 kg on a slide under a load of 1 N, pushed by a force of c0 + c1 t.
Model pushed(const std::string& friction, double c0, double c1, double duration) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.block]
mass = 1
inertia = 1
position = [0, 0]
[joints.slide]
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
friction = {{ {}, preload = 1, reference_load = 1 }}
[forces.ramp]
body = "block"
direction = [1, 0]
magnitude = {{ polynomial = [{}, {}] }}
[simulation]
duration = {}
output = 5
)",
                                friction, c0, c1, duration));
}

TEST(FrictionCase, D2LuGreBeforeSliding) {
  // Canudas' parameters; the force ramps up to 1.425 N in 10 s, down to -1.425 N at 30 s and back.
  const std::string lugre =
      "law = \"lugre\", kinetic = 1, static = 1.5, sigma0 = 1e5, sigma1 = 316.22776601683796, "
      "sigma2 = 0.4, vs = 0.001, as_published = true";
  Recording all;
  Observer* observers[] = {&all};
  State state;
  struct Leg {
    double c0, c1, until;
  };
  for (const Leg& leg : {Leg{0, 0.1425, 10}, Leg{2.85, -0.1425, 30}, Leg{-5.7, 0.1425, 50}}) {
    const Model model = pushed(lugre, leg.c0, leg.c1, leg.until);
    if (leg.c0 == 0) state = assemble(model).start;
    const RunResult result = run(model, state, observers);
    ASSERT_EQ(result.status, RunStatus::done) << result.reason;
    state = result.final_state;
  }
  Check check("D2 LuGre before sliding",
              "parameters of Canudas de Wit et al. 1995; independent integration");
  for (const auto& [t, x] :
       {std::pair{5.0, 9.65675}, std::pair{10.0, 44.85793}, std::pair{20.0, 35.13},
        std::pair{30.0, -9.73245}, std::pair{50.0, 44.85793}})
    check.near(fmt::format("x({}), um", t), 1e6 * all.at("bodies/block/position.x", t), x, 0.02);
}

TEST(FrictionCase, D3DahlLoops) {
  // Moved by a drive, so that the curve is the law's own: virgin curve, then a steady loop.
  const auto moved = [](const char* drive, double duration) {
    return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.block]
mass = 1
inertia = 1
position = [0, 0]
[joints.slide]
type = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
drive = {{ {} }}
friction = {{ law = "dahl", kinetic = 1, sigma0 = 1e5, preload = 1, reference_load = 1 }}
[simulation]
duration = {}
output = {}
)",
                                  drive, duration, duration / 400));
  };
  Check check("D3 Dahl loops", "closed form: F_C tanh(sigma x/F_C)");
  const Simulated virgin = simulate(moved("speed = 1e-5", 1));
  check.near("virgin curve", virgin.series.at("joints/slide/friction_force", 1), 0.6321205588,
             1e-7);
  const Simulated loop =
      simulate(moved("sine = { amplitude = 1e-5, frequency = 1, phase = 0 }", 20));
  check.near("peak of the loop", loop.series.at("joints/slide/friction_force", 19.25), 0.761594156,
             1e-6);
  const double area = loop.series.at("energy/work/joints/slide/friction", 19.25) -
                      loop.series.at("energy/work/joints/slide/friction", 20.0 - 1.75);
  check.near("area of the loop", -area, 9.536233762e-6, 1e-11);
}

}  // namespace
}  // namespace freeplay::testing
