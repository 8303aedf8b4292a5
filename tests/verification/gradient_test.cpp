// SPDX-License-Identifier: Apache-2.0
#include "io/number_at.hpp"
#include "io/source_files.hpp"
#include "sim/cpu_time.hpp"
#include "support/paths.hpp"
#include "support/recording.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/gradient.hpp>
#include <freeplay/study.hpp>

#include <algorithm>
#include <array>
#include <cmath>

// Gradients through events (theory/gradients): closed forms, differences of tight full runs, what
// they cost, and where they refuse.
namespace freeplay::testing {
namespace {

Gradient gradient_of(std::string model, std::vector<std::string> of, std::vector<std::string> wrt,
                     std::vector<Override> set = {}, bool central = true) {
  GradientOptions options;
  options.of = std::move(of);
  options.wrt = std::move(wrt);
  options.central = central;
  options.workers = 1;
  return find_gradient({std::move(model), "model.toml", std::move(set), {}}, options);
}

std::string slider_crank() {
  return io::read_text(source_dir() / "examples/07_clearance/slider_crank.toml");
}

/// A ball let go above a rigid floor, n impacts: t_n = t_1 (1 + 2 sum e^k), t_1 = sqrt(2 h/g).
constexpr const char* kBall = R"toml(
    [mechanism]
    planar = true
    gravity = [0, "-10 m/s^2"]
    [parameters]
    h = "0.8 m"
    e = 0.8
    [bodies.ball]
    mass = 2
    position = [0, "h"]
    [joints.rail]
    type = "prismatic"
    bodies = ["ground", "ball"]
    at = [0, "h"]
    axis = [0, 1]
    stop = { lower = "-h", contact = { law = "newton", restitution = "e" } }
    [simulation]
    duration = 2
  )toml";

TEST(GradientTest, TimesOfImpactsOfABouncingBall) {
  Check check("gradients of a bouncing ball", "closed form");
  const Gradient g = gradient_of(
      kBall, {"touch joints/rail", "touch 3 joints/rail", "bodies/ball/position.y at 1.2"},
      {"parameters.h", "parameters.e", "mechanism.gravity.1"});
  const double h = 0.8, e = 0.8, gravity = 10, t1 = std::sqrt(2 * h / gravity);
  const auto slope = [&](std::size_t output, std::size_t by) {
    EXPECT_EQ(g.outputs[output].refused, "");
    return g.outputs[output].refused.empty() ? g.outputs[output].slope[by] : 0;
  };
  check.near("first impact by height", slope(0, 0), t1 / (2 * h), 1e-8);
  check.near("first impact by restitution", slope(0, 1), 0, 1e-12);
  check.near("first impact by gravity", slope(0, 2), t1 / (2 * gravity), 1e-9);
  const double bounces = 1 + 2 * e + 2 * e * e;
  check.near("third impact by height", slope(1, 0), t1 * bounces / (2 * h), 1e-8);
  check.near("third impact by restitution", slope(1, 1), t1 * (2 + 4 * e), 1e-8);
  // Between the second impact, at t2 = t1 (1 + 2 e), and the third: y = v s - g s^2/2, v = e^2 g
  // t1.
  const double t2 = t1 * (1 + 2 * e), s = 1.2 - t2, v = e * e * gravity * t1;
  const auto at = [&](double dt1, double de) {
    const double dt2 = dt1 * (1 + 2 * e) + t1 * 2 * de;
    return gravity * (e * e * dt1 + 2 * e * t1 * de) * s - (v - gravity * s) * dt2;
  };
  check.near("height in between by height", slope(2, 0), at(t1 / (2 * h), 0), 1e-7);
  check.near("height in between by restitution", slope(2, 1), at(0, 1), 1e-7);
}

/// What is looked at of the slider-crank with half a millimetre of play in its pin.
const std::vector<std::string> kShown{"touch joints/pin", "bodies/slider/position.x",
                                      "energy/work/joints/pin/contact"};
/// Ten numbers of it: lengths, masses, inertias, speed, clearance, the law, a time.
const std::vector<std::string> kTen{"joints.pin.clearance.radial",
                                    "joints.pin.clearance.contact.stiffness",
                                    "joints.pin.clearance.contact.restitution",
                                    "parameters.crank",
                                    "parameters.rod",
                                    "parameters.speed",
                                    "bodies.rod.mass",
                                    "bodies.rod.inertia",
                                    "bodies.slider.mass",
                                    "simulation.duration"};

/// The first touch, where the slider is after three impacts, and the energy lost by then: of a full
/// run at a tolerance of 1e-13.
std::array<double, 3> tight_run(const io::NumberAt& number, double value) {
  LoadOptions options;
  options.overrides = {{"simulation.duration", "0.9e-3"},
                       {"simulation.tolerance", "1e-13"},
                       {number.path, number.text(value)}};
  const Simulated s = simulate(parse_model(slider_crank(), "model.toml", options));
  return {s.series.events.front().time, s.series.series("bodies/slider/position.x").back(),
          s.series.series("energy/work/joints/pin/contact").back()};
}

TEST(GradientTest, AgreesWithDifferencesOfTightRuns) {
  Check check("gradients of a slider-crank through three impacts",
              "central differences of full runs at a tolerance of 1e-13, extrapolated");
  const std::vector<Override> set{{"simulation.duration", "0.9e-3"},
                                  {"simulation.tolerance", "1e-12"}};
  const Gradient g = gradient_of(slider_crank(), kShown, kTen, set);
  const auto numbers = io::numbers_at(slider_crank(), "model.toml", {}, set, kTen);
  for (std::size_t k = 0; k < kTen.size(); ++k) {
    const double value = g.variables[k].value;
    std::array<double, 3> slope{};
    // Richardson's extrapolation of two widths.
    for (const auto& [width, weight] : {std::pair(2e-4, -1.0 / 3), std::pair(1e-4, 4.0 / 3)}) {
      const double h = width * value;
      const auto up = tight_run(numbers[k], value + h), down = tight_run(numbers[k], value - h);
      for (std::size_t i = 0; i < 3; ++i) slope[i] += weight * (up[i] - down[i]) / (2 * h);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(g.outputs[i].refused, "");
      // Relative to the slope, or to an output that changes in proportion to the number: what the
      // tolerance of the energies leaves in the tight runs is 2e-11 J, whatever the number does.
      const double scale = std::max(std::abs(slope[i]), std::abs(g.outputs[i].value / value));
      check.near(kShown[i] + " by " + kTen[k], g.outputs[i].slope[k] / scale, slope[i] / scale,
                 1e-6);
    }
  }
}

TEST(GradientTest, TenNumbersForTwelveRuns) {
  // The best of three: the machine has other things to do.
  double least = 1e300;
  for (int k = 0; k < 3; ++k) {
    const Gradient g =
        gradient_of(slider_crank(), kShown, kTen, {{"simulation.duration", "4e-3"}}, false);
    EXPECT_EQ(g.neighbours, 11);
    least = std::min(least, g.cpu_seconds / g.run_seconds);
  }
  EXPECT_LT(least, 12);
}

TEST(GradientTest, FollowsItselfToTheLastBits) {
  const Gradient g = gradient_of(slider_crank(), {"bodies/slider/position.x"},
                                 {"bodies.slider.mass"}, {{"simulation.duration", "3e-3"}});
  const Simulated s = simulate(
      parse_model(slider_crank(), "model.toml", {{{"simulation.duration", "3e-3"}}, nullptr}));
  EXPECT_NEAR(g.outputs[0].value, s.series.series("bodies/slider/position.x").back(), 1e-13);
}

TEST(GradientTest, ExtremesAndMeans) {
  // x = a cos(w t): range 2 a, mean square a^2/2 over a whole period, w^2 = k/m.
  const char* oscillator = R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.mass]
    mass = 1
    position = ["a", 0]
    [parameters]
    a = "0.1 m"
    [joints.rail]
    type = "prismatic"
    bodies = ["ground", "mass"]
    at = [0, 0]
    axis = [1, 0]
    [springs.spring]
    joint = "rail"
    stiffness = 4
    rest = "-a"
    [simulation]
    duration = "1.5*pi"
    tolerance = 1e-12    # between steps the dense output errs more than the steps
  )toml";
  const Gradient g = gradient_of(
      oscillator,
      {"range joints/rail/coordinate", "rms bodies/mass/position.x", "mean bodies/mass/position.x",
       "min joints/rail/rate", "bodies/mass/position.x at 0.5", "bodies/mass/position.x"},
      {"parameters.a", "bodies.mass.mass", "simulation.duration"});
  const double a = 0.1, w = 2, end = 1.5 * M_PI;
  const auto slope = [&](std::size_t output, std::size_t by) {
    EXPECT_EQ(g.outputs[output].refused, "");
    return g.outputs[output].refused.empty() ? g.outputs[output].slope[by] : 0;
  };
  Check check("gradients of extremes and means", "closed form");
  check.near("range by amplitude", slope(0, 0), 2, 1e-6);
  check.near("range by mass", slope(0, 1), 0, 1e-7);
  check.near("rms by amplitude", slope(1, 0), std::sqrt(0.5), 1e-7);
  // mean = a sin(w T)/(w T), dw/dm = -w/(2 m)
  check.near("mean by mass", slope(2, 1),
             -w / 2 * a * (std::cos(w * end) / w - std::sin(w * end) / (w * w * end)), 1e-7);
  check.near("mean by duration", slope(2, 2),
             a * (std::cos(w * end) / end - std::sin(w * end) / (w * end * end)), 1e-7);
  check.near("least rate by mass", slope(3, 1), a * w / 2, 1e-7);
  check.near("place at an instant by mass", slope(4, 1), a * std::sin(w * 0.5) * 0.5 * w / 2, 1e-8);
  check.near("place at an instant by duration", slope(4, 2), 0, 1e-12);
  check.near("place at the end by duration", slope(5, 2), -a * w * std::sin(w * end), 1e-7);
}

TEST(GradientTest, OneSidedDifferencesKnowHowFarTheyAreOff) {
  const std::vector<Override> set{{"simulation.duration", "0.9e-3"}};
  const Gradient both = gradient_of(slider_crank(), kShown, kTen, set),
                 one = gradient_of(slider_crank(), kShown, kTen, set, false);
  EXPECT_EQ(one.neighbours, 11);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < kTen.size(); ++k)
      EXPECT_LE(std::abs(one.outputs[i].slope[k] - both.outputs[i].slope[k]),
                10 * (one.outputs[i].error[k] + both.outputs[i].error[k]))
          << kShown[i] << " by " << kTen[k];
}

/// CPU seconds of a search with one worker, which computes in this thread; its best point and goal.
struct Searched {
  double seconds = 0;
  std::vector<double> best;
  std::int64_t failed = 0;
};
Searched searched(const std::string& study) {
  StudyOptions options;
  options.output = scratch_dir() / "search.h5";
  options.workers = 1;
  Searched out;
  const double before = sim::cpu_seconds();
  const StudySummary s = run_study(source_dir() / "examples" / "20_gradients" / study, options);
  out.seconds = sim::cpu_seconds() - before;
  out.failed = s.failed;
  for (const StudyNumber& n : s.numbers)
    if (n.name.starts_with("best/parameters")) out.best.push_back(n.values[0]);
  return out;
}

TEST(GradientTest, BalancesAFourBarInHalfTheTimeOfCobyla) {
  Check check("balancing a four-bar by slopes", "Berkof and Lowen 1969: full force balance");
  const Searched slopes = searched("balance.toml"), cobyla = searched("cobyla.toml");
  EXPECT_EQ(slopes.failed, 0);
  EXPECT_LT(slopes.seconds, 0.5 * cobyla.seconds);
  const double expected[] = {-0.06, 0, -0.06, 0};
  for (std::size_t k = 0; k < 4; ++k)
    check.near(k % 2 == 0 ? "centre of mass, along" : "across", slopes.best[k], expected[k], 2e-5);
}

TEST(GradientTest, BalancesItInOilToo) {
  const Searched slopes = searched("balance_oiled.toml"), cobyla = searched("cobyla_oiled.toml");
  EXPECT_EQ(slopes.failed, 0);
  EXPECT_LT(slopes.seconds, 0.5 * cobyla.seconds);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(slopes.best[k], cobyla.best[k], 5e-5);
}

TEST(GradientTest, RefusesBeyondItsHorizonAndSaysWhere) {
  // Vibrating contacts enlarge changes until no step is small enough.
  const Gradient g =
      gradient_of(slider_crank(), {"touch joints/pin", "bodies/slider/position.x"},
                  {"joints.pin.clearance.radial"}, {{"simulation.duration", "30e-3"}});
  EXPECT_EQ(g.outputs[0].refused, "");
  EXPECT_NE(g.outputs[1].refused, "");
  EXPECT_GT(g.trusted_until, 1e-3);
  EXPECT_LT(g.trusted_until, 30e-3);
  EXPECT_NE(g.horizon.find("pin at t = "), std::string::npos) << g.horizon;
}

TEST(GradientTest, WhatCannotBeIsRefusedInWords) {
  const auto trouble = [](std::vector<std::string> of, std::vector<std::string> wrt,
                          std::vector<Override> set = {}) -> std::string {
    try {
      static_cast<void>(gradient_of(kBall, std::move(of), std::move(wrt), std::move(set)));
    } catch (const ModelError& error) {
      return error.issues().front().text();
    }
    return "";
  };
  const std::string place = "bodies/ball/position.y", h = "parameters.h";
  EXPECT_NE(trouble({"contacts"}, {h}).find("no gradient"), std::string::npos);
  EXPECT_NE(trouble({"bodies/ball/positoin.y"}, {h}).find("position.y"), std::string::npos);
  EXPECT_NE(trouble({place + " at 3 m"}, {h}).find("no time"), std::string::npos);
  EXPECT_NE(trouble({place + " at 3 s"}, {h}).find("outside the run"), std::string::npos);
  EXPECT_NE(trouble({"touch 99 joints/rail"}, {h}).find("is not seen"), std::string::npos);
  EXPECT_NE(trouble({"touch rail"}, {h}).find("joints/NAME"), std::string::npos);
  EXPECT_NE(trouble({place}, {"parameters.hh"}).find("parameters.h"), std::string::npos);
  EXPECT_NE(trouble({place}, {"joints.rail.type"}).find("no number"), std::string::npos);
  EXPECT_NE(trouble({place}, {"bodies.ball.angle"}).find("--set"), std::string::npos);
  EXPECT_NE(trouble({place}, {"parameters.e"}, {{"parameters.e", "1"}}).find("limit"),
            std::string::npos);
  EXPECT_NE(trouble({place}, {h}, {{"simulation.integrator", "cvode-bdf"}}).find("dop853"),
            std::string::npos);
}

}  // namespace
}  // namespace freeplay::testing
