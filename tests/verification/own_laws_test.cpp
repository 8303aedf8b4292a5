// SPDX-License-Identifier: Apache-2.0
#include "support/own_laws.hpp"

#include "model/words.hpp"
#include "support/allocations.hpp"
#include "support/recording.hpp"
#include <freeplay/assembly.hpp>

#include <fmt/format.h>

#include <cmath>

// Laws of users, formulas and compiled code, through the whole engine: a run with one is the run
// with the law of the catalogue that says the same.
namespace freeplay::testing {
namespace {

using Parameters = std::vector<Expression::Parameter>;

LawChoice own(const std::string& text, Parameters parameters) {
  return {"expression", {}, Expression{text, std::move(parameters)}};
}
LawChoice compiled(const std::string& name, Parameters parameters) {
  register_own_laws();
  return {"plugin", {}, Expression{name, std::move(parameters)}};
}
LawChoice own_lankarani(double K, double e) {
  return own("K*d^1.5*(1 + 3/4*(1 - e^2)*v/v0)", {{"K", K, "N/m^1.5"}, {"e", e, ""}});
}

/// Both runs hit as often, at the same times and as hard, and end in the same place.
void expect_twins(Check& check, const std::string& name, const Simulated& a, const Simulated& b,
                  double within) {
  EXPECT_EQ(a.result.contacts, b.result.contacts) << name;
  ASSERT_EQ(a.series.impacts.size(), b.series.impacts.size()) << name;
  for (std::size_t k = 0; k < a.series.impacts.size(); ++k) {
    const Impact &x = a.series.impacts[k], &y = b.series.impacts[k];
    check.near(name + " touch", y.start, x.start, within * a.model.simulation.duration);
    check.near(name + " peak force", y.peak_force, x.peak_force, within * x.peak_force);
    check.near(name + " peak depth", y.peak_depth, x.peak_depth, within * x.peak_depth);
  }
  const auto scales = unit_scales(a);
  for (const Channel& channel : a.series.channels)
    if (channel.path.ends_with("/position"))
      check.near(name + " " + channel.path,
                 (b.series.vector(channel.path, b.series.time.back()) -
                  a.series.vector(channel.path, a.series.time.back()))
                     .norm(),
                 0, within * scales.at("m"));
}

// verification/cases G: the slider-crank with 0.5 mm of play at 5000 rpm, a third of a turn.
TEST(OwnLaws, TheSliderCrankRunsAsWithTheLawOfTheCatalogue) {
  Check check("a law written as a formula", "the same law of the catalogue");
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree}) {
    Model model = load_imperfect("slider_crank");
    model.simulation.formulation = formulation;
    model.simulation.tolerance = 1e-10;
    // Impacts multiply what the last digits of two texts differ by: later ones say nothing.
    model.simulation.duration = 4e-3;
    const Simulated built_in = simulate(model);
    for (Joint& joint : model.joints)
      if (joint.clearance) joint.clearance->contact = own_lankarani(6.61e10, 0.9);
    const Simulated formula = simulate(model);
    EXPECT_GT(built_in.result.contacts, 4);
    expect_twins(check, formulation == Formulation::tree ? "tree" : "cartesian", built_in, formula,
                 1e-6);
    check.energy(formula);
    for (const char* name : {"@power", "@steps"}) {
      for (Joint& joint : model.joints)
        if (joint.clearance)
          joint.clearance->contact =
              compiled(name, {{"K", 6.61e10, ""}, {"b", 0.75 * (1 - 0.81), ""}});
      const Simulated own_code = simulate(model);
      expect_twins(check, name, built_in, own_code, 1e-6);
      check.energy(own_code);
    }
  }
}

/// A pin in its bearing, pushed round by a turning force; with friction.
Model pushed_pin() {
  return model_from(R"(
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.pin]
mass = 0.5
inertia = 1e-4
velocity = [0.3, 0.1]
angular_velocity = 20
[joints.hole]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
[joints.hole.clearance]
bearing_radius = "10 mm"
bearing_length = "20 mm"
radial = "0.1 mm"
material = "steel"
contact = { law = "lankarani-nikravesh", stiffness = 1e10, restitution = 0.6 }
friction = { law = "tanh", kinetic = 0.1, v1 = 1e-2 }
wear = { law = "archard", outer = 1e-14, inner = 2e-14 }
[simulation]
duration = 0.02
tolerance = 1e-10
)");
}

TEST(OwnLaws, FrictionAndWearAreThoseOfTheCatalogueWithEveryMethod) {
  Check check("friction and wear written as formulas", "the same laws of the catalogue");
  for (const Method method : {Method::automatic, Method::dop853, Method::radau, Method::cvode_bdf,
                              Method::arkode_erk, Method::ida}) {
    Model model = pushed_pin();
    model.simulation.method = method;
    if (method == Method::ida) model.simulation.formulation = Formulation::cartesian;
    const Simulated built_in = simulate(model);
    Clearance& play = *model.joints[0].clearance;
    play.contact = own_lankarani(1e10, 0.6);
    play.friction = own("mu*tanh(v/v1)", {{"mu", 0.1, ""}, {"v1", 1e-2, "m/s"}});
    LawChoice wear = own("k*p*v", {});
    wear.parameters = play.wear->law.parameters;
    play.wear->law = wear;
    const Simulated formula = simulate(model);
    EXPECT_GT(built_in.result.contacts, 1);
    const std::string name(name_of(method));
    expect_twins(check, name, built_in, formula, 1e-5);
    EXPECT_LE(formula.result.friction_use, 1 + 1e-6) << name;
    for (const char* path : {"joints/hole/worn_volume_outer", "joints/hole/worn_volume_inner"}) {
      const double volume = built_in.series.series(path).back();
      EXPECT_GT(volume, 0);
      check.near(name + " " + path, formula.series.series(path).back(), volume, 1e-5 * volume);
    }
    for (const char* kind : {"@power", "@steps"}) {
      if (kind[1] == 's' && method != Method::radau) continue;  // others hardly ask for slopes
      play.contact = compiled(kind, {{"K", 1e10, ""}, {"b", 0.75 * (1 - 0.36), ""}});
      play.friction = compiled(kind, {{"mu", 0.1, ""}, {"v1", 1e-2, ""}});
      LawChoice rate = compiled("@rate", {});
      rate.parameters = play.wear->law.parameters;
      play.wear->law = rate;
      const Simulated own_code = simulate(model);
      expect_twins(check, name + " " + kind, built_in, own_code, 1e-5);
      EXPECT_LE(own_code.result.friction_use, 1 + 1e-6) << name;
      const double volume = built_in.series.series("joints/hole/worn_volume_outer").back();
      check.near(name + " " + kind + " worn volume",
                 own_code.series.series("joints/hole/worn_volume_outer").back(), volume,
                 1e-5 * volume);
    }
  }
}

TEST(OwnLaws, FrictionThatFallsWithTheLoadKeepsItsBound) {
  Model model = pushed_pin();
  model.joints[0].clearance->friction =
      own("mu*(1 + load/N0)^(-1/3)*tanh(v/v1)",
          {{"mu", 0.3, ""}, {"N0", 50, "N"}, {"v1", 1e-2, "m/s"}});
  Check check("friction that depends on the load", "bound and balance");
  for (const Method method : {Method::dop853, Method::radau}) {
    model.simulation.method = method;
    const Simulated run = simulate(model);
    EXPECT_GT(run.result.friction_use, 0.99);
    EXPECT_LE(run.result.friction_use, 1 + 1e-6);
    check.energy(run);
  }
}

// A linear spring K without damping: a touch at v lasts pi sqrt(m/K), presses v sqrt(m K).
TEST(OwnLaws, AStopOfASpringIsAClosedForm) {
  const double m = 2, K = 1e6, v = 0.5;
  Check check("a stop with a formula", "closed form of a linear spring");
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree}) {
    Model model = model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.ball]
mass = {}
inertia = 1
[joints.track]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [1, 0]
speed = {}
[joints.track.stop]
upper = 1e-3
contact = {{ law = "expression", force = "K*d", K = "1 kN/mm" }}
[simulation]
duration = 0.05
)",
                                         m, v));
    model.simulation.formulation = formulation;
    const Simulated run = simulate(model);
    ASSERT_EQ(run.series.impacts.size(), 1U);
    const Impact& impact = run.series.impacts.front();
    check.near("force", impact.peak_force, v * std::sqrt(m * K), 1e-8 * v * std::sqrt(m * K));
    check.near("duration", impact.end - impact.start, M_PI * std::sqrt(m / K), 1e-9);
    check.near("speed", impact.separation_speed, v, 1e-8 * v);
    check.energy(run);
  }
}

// A force that leaves the numbers in the middle of a run ends it, with the joint it comes from.
TEST(OwnLaws, AForceThatIsNoNumberEndsTheRun) {
  Model model = pushed_pin();
  // The square root has no value beyond 20 m/s, which the checks do not look at.
  model.joints[0].clearance->contact =
      own("K*d^1.5*sqrt(1 - (v/c)^2)", {{"K", 1e10, ""}, {"c", 20, "m/s"}});
  model.bodies[1].velocity = Vec3(40, 0, 0);
  const Assembly start = assemble(model);
  Recording series;
  Observer* const observers[] = {&series};
  const RunResult result = run(model, start.start, observers);
  EXPECT_NE(result.status, RunStatus::done);
  EXPECT_FALSE(result.reason.empty());
}

TEST(OwnLaws, CostNoAllocationInTheLoop) {
  const auto allocations_of = [&](double duration) {
    Model model = pushed_pin();
    Clearance& play = *model.joints[0].clearance;
    play.contact = own_lankarani(1e10, 0.6);
    play.friction = own("mu*tanh(v/v1)", {{"mu", 0.1, ""}, {"v1", 1e-2, "m/s"}});
    play.wear.reset();
    model.simulation.duration = duration;
    model.simulation.method = Method::dop853;
    const Assembly start = assemble(model);
    const std::size_t before = allocations();
    const RunResult result = run(model, start.start, {});
    EXPECT_EQ(result.status, RunStatus::done);
    return allocations() - before;
  };
  EXPECT_EQ(allocations_of(0.05), allocations_of(0.1));
}

}  // namespace
}  // namespace freeplay::testing
