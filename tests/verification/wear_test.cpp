// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include "verification/pressed_slider_crank.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

// Wear within a run, without a change of shape: theory/wear (W.1) to (W.8), verification cases W.
namespace freeplay::testing {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr Formulation kBoth[] = {Formulation::cartesian, Formulation::tree};

std::vector<double> values(const Recording& series, const std::string& path, double time) {
  for (const Channel& channel : series.channels)
    if (channel.path == path)
      for (std::size_t k = 0; k < series.time.size(); ++k)
        if (std::abs(series.time[k] - time) < 1e-9 * (1 + time)) {
          const auto first = series.rows[k].begin() + channel.offset;
          return {first, first + channel.width};
        }
  throw std::out_of_range(path);
}

/// Sum of the depths times their areas against the time integral of rate x area: to 1e-10.
void audit_volume(Check& check, const Simulated& run, const std::string& joint, double time) {
  for (const Joint& j : run.model.joints) {
    if (j.name != joint) continue;
    const Clearance& c = *j.clearance;
    for (const std::string part : {"outer", "inner"}) {
      const auto depth = values(run.series, "joints/" + joint + "/wear_depth_" + part, time);
      const double radius = part == "outer" ? c.outer_radius : c.inner_radius;
      const double area =
          radius * c.outer_length * 2 * std::numbers::pi / static_cast<double>(depth.size());
      const double sum = std::accumulate(depth.begin(), depth.end(), 0.0) * area;
      const double volume = run.series.at("joints/" + joint + "/worn_volume_" + part, time);
      if (volume > 0) check.near("volume audit, " + part, sum / volume, 1, 1e-10);
    }
  }
}

// ---- W1: a pin that turns in a bushing, 1000 N, 10 rad/s

constexpr double kRi = 0.01, kRj = 0.0099, kL = 0.015, kF = 1000, kOmega = 10, kC = 1e-4;
constexpr double kPath = 74.25;  // m, of the case: 750 s
/// Twenty turns, with coefficients so much larger.
constexpr double kTurns = 20, kTime = kTurns * 2 * std::numbers::pi / kOmega;
const double kCoefficient = 1e-14 * 750 / kTime;

Model pin(const std::string& contact, double offset, const std::string& more = "",
          int sectors = 360, double duration = kTime, double turned = 0) {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.bush]
mass = 1
inertia = 1
angle = {8}
[bodies.pin]
mass = 1000
inertia = 1
angular_velocity = {0}
[joints.wall]
type = "fixed"
bodies = ["ground", "bush"]
at = [0, 0]
[joints.bore]
type = "revolute"
bodies = ["bush", "pin"]
at = [0, 0]
[joints.bore.clearance]
bearing_radius = {1}
journal_radius = {2}
bearing_length = {3}
material = {{ young = 207e9, poisson = 0.3 }}
offset = [{4:.17g}, 0]
force_point = "ball"
contact = {{ {5} }}
[joints.bore.clearance.wear]
law = "archard"
outer = {6:.17g}
inner = {6:.17g}
sectors = {9}
{7}
[forces.load]
body = "pin"
at = [0, 0]
vector = [1000, 0]
[simulation]
duration = {10:.17g}
output = {10:.17g}
)",
                                kOmega, kRi, kRj, kL, offset, contact, kCoefficient, more, turned,
                                sectors, duration));
}
constexpr double kHertz = 1e11;
Model hertz_pin(int sectors = 360, double duration = kTime, double turned = 0) {
  return pin(fmt::format("law = \"hertz\", stiffness = {}", kHertz),
             kC + std::pow(kF / kHertz, 2.0 / 3), "", sectors, duration, turned);
}
const std::string kBed =
    "law = \"elastic-foundation\", layer_modulus = 1e10, layer_poisson = 0, layer_thickness = "
    "1e-3, restitution = 0.5";
constexpr double kBedOffset = 1.023441724e-4;

/// Share of a Hertz line between two angles from its middle, by Simpson's rule in the angle of a
/// circle over it.
double hertz_share(double from, double to, double half) {
  const auto u = [&](double x) { return std::asin(std::clamp(x / half, -1.0, 1.0)); };
  const double a = u(from), b = u(to);
  const int n = 2000;
  double sum = 0;
  for (int k = 0; k <= n; ++k) {
    const double c = std::cos(a + (b - a) * k / n);
    sum += (k == 0 || k == n ? 1 : k % 2 ? 4 : 2) * c * c;
  }
  return 2 / std::numbers::pi * sum * (b - a) / (3 * n);
}

TEST(Wear, APinUnderAHertzLine) {
  Check check("W1 (a) Hertz line", "closed form");
  for (const Formulation formulation : kBoth) {
    Model model = hertz_pin();
    model.simulation.formulation = formulation;
    const Simulated run = simulate(model);
    audit_volume(check, run, "bore", kTime);
    check.near("V over k F s, bearing",
               run.series.at("joints/bore/worn_volume_outer", kTime) / 7.425e-10, 1, 1e-6);
    check.near("V over k F s, journal",
               run.series.at("joints/bore/worn_volume_inner", kTime) / 7.425e-10, 1, 1e-6);
    const double a = 8.595626742e-4;
    const auto outer = values(run.series, "joints/bore/wear_depth_outer", kTime);
    for (const int k : {0, 1, 2, 3, 4}) {
      const double mean = 7.425e-10 / (kRi * kL * kDegree) *
                          hertz_share((k - 0.5) * kDegree, (k + 0.5) * kDegree, a / kRi);
      check.near("bearing, means over sectors", outer[static_cast<std::size_t>(k)] / mean, 1, 1e-6);
      check.near("even", outer[static_cast<std::size_t>((360 - k) % 360)] / mean, 1, 1e-6);
    }
    check.near("beyond the line", outer[6], 0, 1e-15);
    const auto inner = values(run.series, "joints/bore/wear_depth_inner", kTime);
    const auto [least, most] = std::ranges::minmax(inner);
    check.near("journal, least", least / 7.957747e-7, 1, 2e-3);
    check.near("journal, most", most / 7.957747e-7, 1, 2e-3);
    check.near("load ratio", run.series.at("joints/bore/load_ratio", kTime), 1, 1e-12);
    check.energy(run);
  }
}

TEST(Wear, APinOnAnElasticBed) {
  Check check("W1 (b) elastic bed", "closed form");
  const double e = kBedOffset, arc = std::acos(kC / e), K = 1e13;
  for (const Formulation formulation : kBoth) {
    Model model = pin(kBed, e);
    model.simulation.formulation = formulation;
    const Simulated run = simulate(model);
    audit_volume(check, run, "bore", kTime);
    const double sum = 2 * K * kRi * kL * e * (std::sin(arc) - arc * std::cos(arc));
    check.near("sum of pressures over load", sum / kF, 1.004608, 1e-6);
    check.near("load ratio", run.series.at("joints/bore/load_ratio", kTime), 1.004608, 1e-6);
    check.near("V over k s sum(p dA)",
               run.series.at("joints/bore/worn_volume_outer", kTime) / (1e-14 * kPath * sum), 1,
               1e-6);
    const auto outer = values(run.series, "joints/bore/wear_depth_outer", kTime);
    for (const int k : {0, 5, 11}) {
      // Mean of e cos - c over the sector.
      const double low = (k - 0.5) * kDegree, high = (k + 0.5) * kDegree;
      const double mean =
          1e-14 * kPath * K * (e * (std::sin(high) - std::sin(low)) - kC * kDegree) / kDegree;
      check.near("bearing, means over sectors", outer[static_cast<std::size_t>(k)] / mean, 1, 2e-6);
    }
    check.near("greatest depth", outer[0] / 1.740548e-5, 1, 2e-3);
    check.energy(run);
  }
}

TEST(Wear, DoesNotDependOnSectorsNorOnTheirBorders) {
  Check check("sectors", "360 against 1080 and 720, and borders elsewhere");
  const double duration = 0.3;  // the journal is worn over a part of it
  for (const bool bed : {false, true}) {
    const auto depth = [&](int sectors, double turned, const std::string& part) {
      const Simulated run = simulate(bed ? pin(kBed, kBedOffset, "", sectors, duration, turned)
                                         : hertz_pin(sectors, duration, turned));
      audit_volume(check, run, "bore", duration);
      return values(run.series, "joints/bore/wear_depth_" + part, duration);
    };
    for (const std::string part : {"outer", "inner"}) {
      const auto coarse = depth(360, 0, part), thirds = depth(1080, 0, part),
                 halves = depth(720, 0, part);
      const double greatest = *std::ranges::max_element(coarse);
      for (std::size_t k = 0; k < 360; ++k) {
        check.near(
            part + ", the mean of three thirds",
            (thirds[(3 * k + 1079) % 1080] + thirds[3 * k] + thirds[3 * k + 1]) / (3 * greatest),
            coarse[k] / greatest, 2e-3);
        // Borders of 720 lie elsewhere: half of 2k - 1, all of 2k, half of 2k + 1.
        if (bed)
          check.near(part + ", 360 against 720",
                     (0.25 * halves[(2 * k + 719) % 720] + 0.5 * halves[2 * k] +
                      0.25 * halves[2 * k + 1]) /
                         greatest,
                     coarse[k] / greatest, 5e-3);
      }
    }
    if (bed) continue;
    // The bearing turned by half a sector under the same load.
    const auto turned = depth(360, 0.5 * kDegree, "outer");
    const double scale = kCoefficient * kF * kOmega * kRj * duration / (kRi * kL * kDegree);
    for (const int k : {-4, -2, -1, 0, 3})
      check.near("half a sector on",
                 turned[static_cast<std::size_t>((k + 360) % 360)] /
                     (scale * hertz_share(k * kDegree, (k + 1) * kDegree, 8.595626742e-4 / kRi)),
                 1, 1e-6);
  }
}

TEST(Wear, LawsAgreeWhereTheyMust) {
  Check check("laws", "Archard's law with other coefficients");
  const double duration = 0.1;
  const auto volume = [&](const std::string& table, bool friction) {
    Model model = pin(kBed, kBedOffset, "", 360, duration);
    LawChoice& law = model.joints[1].clearance->wear->law;
    Wear& wear = *model.joints[1].clearance->wear;
    if (friction)
      model.joints[1].clearance->friction = LawChoice{"tanh", {{"kinetic", 0.2}, {"v1", 1e-4}}};
    law.key = table;
    if (table == "running-in") {
      law.parameters.emplace_back("start", 5);
      law.parameters.emplace_back("depth", 1e3 * kCoefficient * 1e7);
    }
    if (table == "archard-pressure") wear.x = {0, 1e12}, wear.factor = {3, 3};
    if (table == "archard-speed") wear.x = {0, 1}, wear.factor = {0, 1};
    const Simulated run = simulate(model);
    return run.series.at("joints/bore/worn_volume_outer", duration);
  };
  const double plain = volume("archard", false);
  const double rubbed = volume("archard", true);
  check.near("Reye", volume("reye", true) / rubbed, 0.2, 1e-6);
  check.near("friction term", volume("archard-shear", true) / rubbed, std::sqrt(1 + 3 * 0.04),
             1e-6);
  check.near("table of pressure", volume("archard-pressure", false) / plain, 3, 1e-9);
  check.near("table of speed", volume("archard-speed", false) / plain, kOmega * kRj, 1e-6);
  check.near("running-in, while new", volume("running-in", false) / plain, 5, 1e-2);
}

// ---- W2: slider-crank that follows its pin

Model slider_crank(const std::string& contact, double inner) {
  return pressed_slider_crank(fmt::format(R"(bearing_radius = "10 mm"
radial = "0.1 mm"
bearing_length = "10 mm"
material = {{ young = 207e9, poisson = 0.3 }}
offset = ["0.1 mm", 0]
contact = {{ {} }}
wear = {{ law = "archard", outer = "1e-14 1/Pa", inner = {} }})",
                                          contact, inner),
                              R"(duration = 0.6
output = 0.2)");
}

TEST(Wear, ASliderCrankThatFollows) {
  Check check("W2 slider-crank, no update",
              "force of the ideal mechanism, 40000 points, contact along it");
  const Simulated run =
      simulate(slider_crank("law = \"exact\", stiffness = 6.61e10, restitution = 0.3", 1e-14));
  const auto turn = [&](const std::string& part) {
    auto out = values(run.series, "joints/pin/wear_depth_" + part, 0.6);
    const auto before = values(run.series, "joints/pin/wear_depth_" + part, 0.4);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] -= before[k];
    return out;
  };
  audit_volume(check, run, "pin", 0.6);
  for (const std::string part : {"outer", "inner"})
    check.near("V per turn, " + part,
               (run.series.at("joints/pin/worn_volume_" + part, 0.6) -
                run.series.at("joints/pin/worn_volume_" + part, 0.4)) /
                   1.754312e-14,
               1, 5e-3);
  const auto outer = turn("outer"), inner = turn("inner");
  for (const auto& [angle, depth, tolerance] :
       {std::tuple(0, 2.068178e-10, 0.02), std::tuple(5, 2.065951e-10, 0.02),
        std::tuple(10, 2.063253e-10, 0.02), std::tuple(15, 2.069506e-10, 0.02),
        std::tuple(20, 2.095213e-10, 0.02), std::tuple(22, 2.102286e-10, 0.02),
        std::tuple(24, 1.191834e-10, 0.04), std::tuple(25, 5.50041e-11, 0.04)}) {
    check.near("bearing", outer[static_cast<std::size_t>(angle)] / depth, 1, tolerance);
    check.near("bearing, other side", outer[static_cast<std::size_t>((360 - angle) % 360)] / depth,
               1, tolerance);
  }
  check.near("journal at 0", inner[0] / 3.014647e-9, 1, 0.02);
  check.near("journal beyond 5 degrees", inner[8], 0, 1e-12);
  check.below("energy residual", run.result.energy_residual / run.result.energy_scale, 1e-6);
}

// ---- what must not matter

TEST(Wear, RejectedStepsLeaveNoTrace) {
  Check check("rejected steps", "the same run without");
  const auto volume = [](std::int64_t every) {
    RunOptions options;
    options.reject_every = every;
    Model model = slider_crank("law = \"exact\", stiffness = 6.61e10, restitution = 0.3", 1e-14);
    model.simulation.duration = model.simulation.output = 0.05;
    return simulate(model, options).series.at("joints/pin/worn_volume_outer", 0.05);
  };
  check.near("volume", volume(3) / volume(0), 1, 1e-6);
}

TEST(Wear, ARunGoesOnToTheLastBit) {
  Model model = slider_crank("law = \"exact\", stiffness = 6.61e10, restitution = 0.3", 1e-14);
  model.simulation.duration = 0.05;
  class Keeper final : public Observer {
   public:
    bool wants_checkpoint() override { return ++steps == 40; }
    void checkpoint(const State& state, const RunResult&) override {
      if (kept.memory.empty()) kept = state;
    }
    int steps = 0;
    State kept;
  } keeper;
  Observer* const observers[] = {&keeper};
  const State start = assemble(model).start;
  const RunResult whole = run(model, start, observers);
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

TEST(Wear, SurfacesThatNeverTouchStayAsTheyAre) {
  Model model = pin(kBed, 0, "", 360, 1e-3);
  std::erase_if(model.forces, [](const Force&) { return true; });
  const Simulated run = simulate(model);
  for (const std::string part : {"outer", "inner"})
    EXPECT_THAT(values(run.series, "joints/bore/wear_depth_" + part, 1e-3), ::testing::Each(0.0));
}

TEST(Wear, WhatIsWornAwayBeforeTheStartCounts) {
  Check check("worn before the start", "the same joint with a larger bore");
  // A bearing that has lost 20 um all round is a bearing of 20 um more.
  Model worn = pin(kBed, kBedOffset + 20e-6, "", 360, 0.1);
  worn.joints[1].clearance->wear->outer_depth.assign(360, 20e-6);
  const Simulated run = simulate(worn);
  const auto depth = values(run.series, "joints/bore/wear_depth_outer", 0.1);
  EXPECT_GT(depth[0], 20e-6);
  EXPECT_EQ(depth[180], 20e-6);
  audit_volume(check, run, "bore", 0.1);
  // Force balance with c = 120 um: e (t - sin t cos t) = F/(K R L).
  double low = 120e-6, high = 140e-6;
  for (int k = 0; k < 100; ++k) {
    const double e = 0.5 * (low + high), t = std::acos(120e-6 / e);
    (1e13 * kRi * kL * e * (t - std::sin(t) * std::cos(t)) < kF ? low : high) = e;
  }
  Model settled = worn;
  settled.joints[1].clearance->offset = Vec3(low, 0, 0);
  const Simulated rest = simulate(settled);
  check.near("rests at", rest.series.vector("joints/bore/eccentricity", 0.1), Vec3(low, 0, 0),
             1e-10);
}

TEST(Wear, WhatCannotWearIsRefused) {
  const auto message = [](const std::string& contact, const std::string& more,
                          const std::string& law = "law = \"archard\"\nouter = 1e-14\ninner = 0") {
    try {
      static_cast<void>(model_from(fmt::format(R"(
[mechanism]
planar = true
[bodies.pin]
mass = 1
inertia = 1
[joints.bore]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
[joints.bore.clearance]
bearing_radius = "10 mm"
radial = "0.1 mm"
contact = {{ {} }}
{}
[joints.bore.clearance.wear]
{}
)",
                                               contact, more, law)));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using ::testing::HasSubstr;
  const std::string steel = "material = \"steel\"\nbearing_length = \"10 mm\"";
  EXPECT_EQ(message("law = \"exact\"", steel), "accepted");
  EXPECT_THAT(message("law = \"newton\"", steel), HasSubstr("no pressure"));
  EXPECT_THAT(message("law = \"exact\"", "material = \"steel\""), HasSubstr("bearing_length"));
  EXPECT_THAT(message("law = \"exact\", stiffness = 1e10", "bearing_length = \"10 mm\""),
              HasSubstr("material"));
  EXPECT_THAT(message("law = \"exact\"", steel, "law = \"reye\"\nouter = 1e-14\ninner = 0"),
              HasSubstr("friction"));
  EXPECT_THAT(message("law = \"exact\"", steel, "law = \"archard\"\nouter = 0\ninner = 0"),
              HasSubstr("neither part wears"));
  EXPECT_THAT(
      message("law = \"exact\"", steel, "law = \"archard-pressure\"\nouter = 1e-14\ninner = 0"),
      HasSubstr("needs a table"));
  EXPECT_THAT(message("law = \"exact\"", steel,
                      "law = \"archard\"\nouter = 1e-14\ninner = 0\nouter_depth = [1e-6]"),
              HasSubstr("1 depths for 360 sectors"));
  std::string depths = "outer_depth = [1e-6";
  for (int k = 1; k < 360; ++k) depths += ", 1e-6";
  EXPECT_THAT(message("law = \"exact\"", steel,
                      "law = \"archard\"\nouter = 1e-14\ninner = 0\n" + depths + "]"),
              HasSubstr("radii of the new parts"));
  EXPECT_EQ(message(kBed, steel, "law = \"archard\"\nouter = 1e-14\ninner = 0\n" + depths + "]"),
            "accepted");
}

TEST(Wear, SurvivesItsFile) {
  Model model = pin(kBed, kBedOffset);
  Wear& wear = *model.joints[1].clearance->wear;
  const auto expect_same = [&] {
    validate(model);
    const std::string text = write_model(model);
    EXPECT_EQ(write_model(model_from(text)), text);
  };
  expect_same();
  wear.outer_depth.assign(360, 1e-6);
  wear.inner_depth.assign(360, 2e-6);
  expect_same();
  wear = {{"archard-speed", {{"outer", 1e-14}, {"inner", 0}}}, {0, 1}, {1, 2}, 72, {}, {}};
  expect_same();
  wear = {{"running-in", {{"outer", 1e-14}, {"inner", 0}, {"depth", 1e-6}}}, {}, {}, 36, {}, {}};
  expect_same();
}

}  // namespace
}  // namespace freeplay::testing
