// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include <freeplay/equilibrium.hpp>
#include <freeplay/errors.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

// A shape that follows its wear within a run (theory/wear (W.22)), verification case W1 (d), and
// oil between surfaces that are not round (theory/films (F.29), (F.30)).
namespace freeplay::testing {
namespace {

constexpr double kPi = std::numbers::pi, kDegree = kPi / 180;
constexpr Formulation kBoth[] = {Formulation::cartesian, Formulation::tree};

std::vector<double> depths(const Simulated& run, const std::string& part, double time) {
  const std::string path = "joints/bore/wear_depth_" + part;
  for (const Channel& channel : run.series.channels)
    if (channel.path == path)
      for (std::size_t k = 0; k < run.series.time.size(); ++k)
        if (std::abs(run.series.time[k] - time) < 1e-9 * (1 + time)) {
          const auto first = run.series.rows[k].begin() + channel.offset;
          return {first, first + channel.width};
        }
  throw std::out_of_range(path);
}

// ---- W1 (d): a pin that digs into its bushing, 1000 N and 10 rad/s, over two turns

constexpr double kTime = 2 * 2 * kPi / 10, kPath = 10 * 0.0099 * kTime;
/// Coefficients are so much larger that the path of the case, 74.25 m, is done by then.
constexpr double kCoefficient = 1e-14 * 74.25 / kPath;

Model digging_pin(double share, const std::string& update, double journal = 0) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.pin]
mass = 10
inertia = 1
angular_velocity = 10
[joints.bore]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
[joints.bore.clearance]
bearing_radius = "10 mm"
journal_radius = "9.9 mm"
bearing_length = "15 mm"
offset = [1.023441724e-4, 0]
force_point = "ball"
contact = {{ law = "elastic-foundation", layer_modulus = 1e10, layer_poisson = 0, layer_thickness = 1e-3, restitution = 0.3, min_approach_speed = 0.05 }}
wear = {{ law = "archard", outer = {:.17g}, inner = {:.17g}{} }}
[forces.load]
body = "pin"
at = [0, 0]
vector = [1000, 0]
[simulation]
duration = {:.17g}
output = {:.17g}
)",
                                kCoefficient, journal * kCoefficient, update, share * kTime,
                                share * kTime));
}

TEST(WornShape, APinDigsIntoItsBushingWithinARun) {
  Check check("W1 (d) elastic bed, shape updated within a run",
              "quadrature of the force balance with 4001 sectors and 16000 steps");
  std::vector<double> profile;
  for (const auto& [share, depth, volume] :
       {std::tuple(0.1, 1.549957e-6, 7.468606e-11), std::tuple(1.0, 9.152604e-6, 7.553808e-10)})
    for (const Formulation formulation : kBoth) {
      Model model = digging_pin(share, ", update = \"50 nm\"");
      model.simulation.formulation = formulation;
      const Simulated run = simulate(model);
      EXPECT_EQ(run.result.status, RunStatus::done) << run.result.reason;
      EXPECT_TRUE(run.result.warnings.empty()) << run.result.warnings[0];
      profile = depths(run, "outer", share * kTime);
      check.near("depth at the load", profile[0] / depth, 1, 5e-3);
      const double worn = run.series.at("joints/bore/worn_volume_outer", share * kTime);
      check.near("volume", worn / volume, 1, 2e-3);
      check.near(
          "volume audit",
          std::accumulate(profile.begin(), profile.end(), 0.0) * 0.01 * 0.015 * kDegree / worn, 1,
          1e-10);
      check.energy(run);
    }
  // (c): without the elastic part of the bed the worn arc is that of two circles.
  check.near("depth in the limit of a rigid bed", profile[0] / 9.172893e-6, 1, 5e-3);
  // Half as much at a time.
  const auto finer = depths(simulate(digging_pin(1, ", update = \"25 nm\"")), "outer", kTime);
  for (const std::size_t k : {0UL, 10UL, 20UL, 350UL})
    check.near("half as much at a time", profile[k] / finer[0], finer[k] / finer[0], 5e-3);
}

TEST(WornShape, GoesOnToTheLastBit) {
  const Model model = digging_pin(0.2, ", update = \"50 nm\"", 1);
  class Keeper final : public Observer {
   public:
    bool wants_checkpoint() override { return ++steps == 60; }
    void checkpoint(const State& state, const RunResult&) override {
      if (kept.memory.empty()) kept = state;
    }
    int steps = 0;
    State kept;
  } keeper;
  Observer* const observers[] = {&keeper};
  const RunResult whole = run(model, assemble(model).start, observers);
  ASSERT_FALSE(keeper.kept.memory.empty());
  RunOptions options;
  options.go_on = true;
  class Nothing final : public Observer {
  } nothing;
  Observer* const others[] = {&nothing};
  const RunResult rest = run(model, keeper.kept, others, options);
  EXPECT_EQ(rest.final_state.memory, whole.final_state.memory);
  EXPECT_EQ(rest.final_state.y, whole.final_state.y);
}

TEST(WornShape, SaysWhatItDoesNotFollow) {
  using ::testing::HasSubstr;
  // More at once than the bed is pressed in makes a sawtooth, and is said.
  const Simulated rough = simulate(digging_pin(1, ", update = \"8 um\""));
  EXPECT_THAT(rough.result.warnings, ::testing::Contains(HasSubstr("not to be trusted")));
  Model hertz = digging_pin(1, ", update = \"50 nm\"");
  hertz.joints[0].clearance->contact = LawChoice{"hertz", {{"stiffness", 1e11}}};
  hertz.joints[0].clearance->outer = hertz.joints[0].clearance->inner = Material{207e9, 0.3};
  try {
    validate(hertz);
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("wear.update"));
  }
}

// ---- oil

Model oiled(const std::string& shape, const std::string& more = "") {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.journal]
mass = 1
inertia = 1
angular_velocity = 100
[joints.bore]
type = "revolute"
bodies = ["ground", "journal"]
at = [0, 0]
[joints.bore.clearance]
bearing_length = "20 mm"
{}
contact = {{ law = "elastic-foundation", layer_modulus = 1e10, layer_poisson = 0, layer_thickness = 1e-3 }}
film = {{ law = "reynolds", viscosity = "20 mPa s", cells_around = 96, cells_along = 16, minimum_film = "0.1 um", transition = {{ law = "additive" }} }}
{}
[forces.load]
body = "journal"
at = [0, 0]
vector = [100, -250]
[simulation]
duration = 0.05
output = 0.05
tolerance = 1e-9
)",
                                shape, more));
}

TEST(WornShape, AWornBearingIsOiledLikeAWiderOne) {
  Check check("oil in a worn bearing", "a round bearing that is so much wider");
  for (const Formulation formulation : kBoth) {
    Model wide = oiled("bearing_radius = 0.01507\njournal_radius = 0.015");
    Model worn = oiled("bearing_radius = 0.01505\njournal_radius = 0.015",
                       "wear = { law = \"archard\", outer = 1e-16, inner = 0 }");
    worn.joints[0].clearance->wear->outer_depth.assign(360, 20e-6);
    for (Model* model : {&wide, &worn}) model->simulation.formulation = formulation;
    const Simulated a = simulate(worn), b = simulate(wide);
    check.near("eccentricity, um", 1e6 * a.series.vector("joints/bore/eccentricity", 0.05),
               1e6 * b.series.vector("joints/bore/eccentricity", 0.05), 2e-3);
    check.near("smallest film",
               a.series.at("joints/bore/film_thickness", 0.05) /
                   b.series.at("joints/bore/film_thickness", 0.05),
               1, 1e-4);
    check.energy(a);
  }
}

TEST(WornShape, AnOiledOvalBearingCarriesItsLoad) {
  Check check("oil in an oval bearing", "balance of film and load; both formulations");
  std::vector<Vec3> places;
  for (const Formulation formulation : kBoth) {
    Model model = oiled(
        "bearing_profile = { ellipse = [\"15.07 mm\", \"15.04 mm\"], phase = \"20 deg\" }\n"
        "journal_profile = { lobes = 3, amplitude = \"2 um\" }\njournal_radius = 0.015");
    model.simulation.formulation = formulation;
    const Simulated run = simulate(model);
    places.push_back(run.series.vector("joints/bore/eccentricity", 0.05));
    check.energy(run);
    EXPECT_GT(run.series.at("joints/bore/film_thickness", 0.05), 1e-6);
  }
  check.near("eccentricity, um", 1e6 * places[0], 1e6 * places[1], 1e-4);
}

TEST(WornShape, FilmsOfRoundSurfacesRefuseOthers) {
  using ::testing::HasSubstr;
  const auto message = [](const std::string& law, const std::string& value) {
    Model model = oiled(
        "bearing_profile = { ellipse = [\"15.07 mm\", \"15.04 mm\"] }\njournal_radius = 0.015");
    if (law == "tabulated")
      model.joints[0].clearance->film->law.parameters.emplace_back("tabulated", 1);
    else if (law == "transition")
      model.joints[0].clearance->film->transition = LawChoice{value, {}};
    else
      model.joints[0].clearance->film->law = LawChoice{law, {{"viscosity", 0.02}}};
    try {
      validate(model);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message("short-bearing", ""), HasSubstr("round surfaces"));
  EXPECT_THAT(message("tabulated", ""), HasSubstr("round surfaces"));
  EXPECT_THAT(message("transition", "flores"), HasSubstr("round surfaces"));
  EXPECT_EQ(message("reynolds-guembel", ""), "accepted");
}

}  // namespace
}  // namespace freeplay::testing
