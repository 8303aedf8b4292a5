// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "support/recording.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <fstream>
#include <sstream>

// The spatial four-bar of papers/marques_2017, runs F1 and F1b, its ball ideal and with play.
namespace freeplay::testing {
namespace {

TEST(SpatialFourBar, F1IdealJointFollowsTheReferenceRun) {
  Model model = load_mechanism("spatial_four_bar");
  model.simulation.output = 0.05;
  const Simulated run = simulate(model);
  EXPECT_EQ(run.assembly.rows, 16);
  EXPECT_EQ(run.assembly.freedom, 2);  // the coupler may spin about its own axis
  Check check("F1 ideal four-bar", "papers/marques_2017 F1, two tolerances agree");
  const auto z = [&](double t) { return run.series.at("bodies/rocker/position.z", t); };
  // papers/marques_2017 F1, ideal column: two tolerances agree to the digits shown.
  check.near("z(0.05)", z(0.05), .032146717659, 1e-10);
  check.near("z(0.1)", z(0.1), .030520637146, 1e-10);
  check.near("z(0.5)", z(0.5), .030149478728, 1e-10);
  check.near("z(1)", z(1), .036933298550, 1e-10);
  check.energy(run);
}

TEST(SpatialFourBar, F1bIdealJointFollowsTheReferenceRun) {
  // papers/marques_2017 F1b: B at (-0.074916, -0.085, 0.065245), eight digits.
  LoadOptions options;
  options.overrides = {{"joints.ball.at", "[-0.074916, -0.085, 0.065245]"},
                       {"joints.ball.clearance", "false"},
                       {"simulation.output", "0.2"}};
  const Simulated run =
      simulate(load_model(source_dir() / "mechanisms" / "spatial_four_bar.toml", options));
  Check check("F1b ideal four-bar", "papers/marques_2017 F1b, step-converged RK4");
  constexpr double z[] = {.02820864, .03491914, .03580230, .03432796, .03693304,
                          .02712739, .03218201, .03295919, .03007732, .03629863};
  constexpr double x[] = {-.06394136, -.02777012, -.03066665, -.02619756, -.03779392,
                          -.06515990, -.05825470, -.05681094, -.01845305, -.03283583};
  for (int k = 0; k < 10; ++k) {
    check.near("z", run.series.at("bodies/rocker/position.z", 0.2 * (k + 1)), z[k], 1e-8);
    check.near("x", run.series.at("bodies/rocker/position.x", 0.2 * (k + 1)), x[k], 1e-8);
  }
}

/// The four-bar of F1 with its ball made real. Radii, material and laws as in papers/marques_2017.
Model four_bar_with_play(bool external, const char* ball_at = nullptr) {
  std::ifstream file(source_dir() / "mechanisms" / "spatial_four_bar.toml");
  std::stringstream text;
  text << file.rdbuf();
  std::string toml = text.str();
  if (ball_at) {
    const std::string written = "at     = [-0.07492, -0.085, 0.06524]";
    const auto at = toml.find(written);
    EXPECT_NE(at, std::string::npos);
    toml.replace(at, written.size(), fmt::format("at     = {}", ball_at));
  }
  Model model = model_from(toml);
  Clearance play;  // written out, so that the shipped file may change
  play.outer_radius = 0.010;
  play.inner_radius = 0.0098;
  play.outer = play.inner = {207e9, 0.3};
  play.external_curvature = external;
  play.contact = {"lankarani-nikravesh", {{"restitution", 0.9}}};
  play.friction = LawChoice{"tanh", {{"kinetic", 0.1}, {"v1", 1e-3}}};
  for (Joint& joint : model.joints)
    if (joint.name == "ball") joint.clearance = play;
  model.simulation.duration = 2;
  model.simulation.output = 0.05;
  model.simulation.tolerance = 1e-10;
  return model;
}

TEST(FourBarWithPlay, F1ReferenceTable) {
  struct Row {
    bool external;
    double z[4];
    int contacts;
  };
  for (const Row& r :
       {Row{true, {.032120319019, .030506500735, .028032113143, .036748308347}, 23},
        Row{false, {.032125298244, .030506636857, .028035367140, .036746898116}, 31}}) {
    const Simulated run = simulate(four_bar_with_play(r.external));
    Check check(r.external ? "F1 external" : "F1 internal",
                "papers/marques_2017 F1, two tolerances agree");
    const double t[] = {0.05, 0.1, 0.5, 1.0};
    for (int k = 0; k < 4; ++k)
      check.near(fmt::format("z({})", t[k]), run.series.at("bodies/rocker/position.z", t[k]),
                 r.z[k], 1e-9);
    EXPECT_EQ(run.result.contacts, r.contacts);
    check.near("first touch", run.series.events.front().time, 0.011210679, 1e-9);
    check.near("first approach", run.series.events.front().speed, 0.03568111, 1e-8);
    check.energy(run);
  }
}

TEST(FourBarWithPlay, F1bReferenceRun) {
  const Simulated run = simulate(four_bar_with_play(false, "[-0.074916, -0.085, 0.065245]"));
  struct Row {
    double t, z, lost, friction;
  };
  Check check("F1b dry", "papers/marques_2017 F1b, RK4 with two step sizes");
  const double start = run.series.at("energy/kinetic", 0) + run.series.at("energy/potential", 0);
  for (const Row& r : {Row{0.1, .0305069, -0.1957, -0.1384}, Row{0.2, .0276785, -1.5089, -1.4504},
                       Row{0.5, .0280347, -3.3070, -3.2456}, Row{1.0, .0367473, -6.1172, -6.0512},
                       Row{2.0, .0292904, -10.2500, -10.1838}}) {
    check.near(fmt::format("z({})", r.t), run.series.at("bodies/rocker/position.z", r.t), r.z,
               6e-8);
    const double energy =
        run.series.at("energy/kinetic", r.t) + run.series.at("energy/potential", r.t) - start;
    check.near(fmt::format("energy({}), mJ", r.t), 1e3 * energy, r.lost, 1e-3);
    check.near(fmt::format("friction work({}), mJ", r.t),
               1e3 * run.series.at("energy/work/joints/ball/friction", r.t), r.friction, 1e-3);
  }
  EXPECT_EQ(run.result.contacts, 31);
}

}  // namespace
}  // namespace freeplay::testing
