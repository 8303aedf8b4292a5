// SPDX-License-Identifier: Apache-2.0
#include "laws/control/fuzzy_pid.hpp"
#include "support/recording.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// Motors that give way, and gains that follow rules.
namespace freeplay::testing {
namespace {

/// A flywheel of 2e-3 kg m^2 on the ground under a motor of 24 V.
Model driven_wheel(const std::string& motor, const std::string& more, double duration) {
  return model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.wheel]
    mass = 1
    inertia = 2e-3
    [joints.shaft]
    type = "revolute"
    bodies = ["ground", "wheel"]
    at = [0, 0]
    [signals.voltage]
    formula = "24"
    [controllers.motor]
    law = "dc-motor"
    input = ["voltage", "joints/shaft/rate"]
    unit = "N m"
    )toml" + motor +
                    R"toml(
    [efforts.motor]
    joint = "shaft"
    magnitude = { signal = "motor" }
    )toml" + more +
                    fmt::format("\n[simulation]\nduration = {}\noutput = {}\n", duration,
                                duration / 20));
}

// w'' + R/L w' + N^2 kt ke/(J L) w = N kt V/(J L) from rest: overdamped here.
TEST(ActuatorTest, MotorWithWindingRunsUp) {
  for (const double inductance : {2e-3, 2e-2}) {
    const Simulated s = simulate(driven_wheel(
        fmt::format("resistance = 0.6\ninductance = {}\ntorque_constant = 0.05\nratio = 3\n",
                    inductance),
        "", 0.3));
    Check check(inductance < 1e-2 ? "motor, slow" : "motor that swings",
                "closed form: linear differential equation of second order");
    const double J = 2e-3, N = 3, k = 0.05, R = 0.6, V = 24, decay = R / (2 * inductance),
                 square = N * N * k * k / (J * inductance), end = V / (N * k),
                 root = decay * decay - square, w = std::sqrt(std::abs(root));
    for (const double t : s.series.time) {
      const double c = root > 0 ? std::cosh(w * t) : std::cos(w * t),
                   d = root > 0 ? std::sinh(w * t) : std::sin(w * t);
      const double rate = end * (1 - std::exp(-decay * t) * (c + decay / w * d));
      check.near("rate", s.series.at("joints/shaft/rate", t), rate, 1e-7 * end);
    }
    check.energy(s);
  }
}

// The torque limit holds up to the speed line, and then the rate comes to its end exponentially.
TEST(ActuatorTest, LimitedTorqueAndSpeedLine) {
  const Simulated s = simulate(driven_wheel(
      "resistance = 0.6\ntorque_constant = 0.05\nratio = 3\nlimit = [-2, 2]\n", "", 0.4));
  Check check("motor of limited torque", "closed form: steady acceleration, then exponential");
  const double J = 2e-3, slope = 9 * 0.05 * 0.05 / 0.6, end = 24 / 0.15;
  const double corner = end - 2 / slope, at = corner * J / 2;
  for (const double t : s.series.time) {
    const double rate = t < at ? 2 / J * t : end - (end - corner) * std::exp(-slope / J * (t - at));
    check.near("rate", s.series.at("joints/shaft/rate", t), rate, 1e-7 * end);
    check.near("torque", s.series.at("controllers/motor/output", t),
               std::min(2.0, slope * (end - rate)), 1e-7);
  }
  check.energy(s);
}

// Against a load the gearbox passes on its efficiency, under one that drives it back 1/(2 - it).
TEST(ActuatorTest, GearboxLosesForwardAndBack) {
  for (const double load : {-1.5, 1.5}) {
    const Simulated s = simulate(
        driven_wheel("resistance = 0.6\ntorque_constant = 0.05\nratio = 3\nefficiency = 0.8\n",
                     fmt::format("[efforts.load]\njoint = \"shaft\"\nmagnitude = {}\n", load), 3));
    Check check(load < 0 ? "gearbox that drives" : "gearbox that is driven",
                "steady balance of torques");
    const double motor = load < 0 ? -load / 0.8 : -load / (2 - 0.8);
    check.near("rate", s.series.at("joints/shaft/rate", 3), (24 - 0.6 * motor / 0.15) / 0.15, 1e-5);
    check.near("torque", s.series.at("controllers/motor/output", 3), -load, 1e-7);
    check.energy(s);
  }
}

TEST(ActuatorTest, MistakesAreSaid) {
  const auto expect = [](const std::string& motor, const std::string& words) {
    try {
      static_cast<void>(driven_wheel(motor, "", 1));
      FAIL() << "not refused: " << words;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  expect("torque_constant = 0.05\n", "resistance");
  expect("resistance = 1\ntorque_constant = 0.05\nratio = 0\n", "ratio of 0");
  expect("resistance = 1\ntorque_constant = 0.05\nsample_time = 0.01\n", "sample_time");
  expect("resistance = 1\ntorque_constant = 0.05\nefficiency = 1.2\n", "efficiency");
}

// ---------------------------------------------------------------- rules

const std::vector<double> kKp{9, 4, 0, 4, 2, 4, 0, 4, 9}, kKi{0, 1, 0, 3, 6, 3, 0, 1, 0},
    kKd{1, 0, 0, 0, 2, 0, 0, 0, 1};

std::string listed(const std::vector<double>& x) { return fmt::format("[{}]", fmt::join(x, ", ")); }

Model ruled_cart(const std::string& controller) {
  return model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.cart]
    mass = 2
    inertia = 1
    [joints.slide]
    type = "prismatic"
    bodies = ["ground", "cart"]
    at = [0, 0]
    axis = [1, 0]
    [signals.error]
    formula = "0.1 - joints/slide/coordinate"
    [signals.error_rate]
    formula = "-joints/slide/rate"
    [efforts.drive]
    joint = "slide"
    magnitude = { signal = "drive" }
    [controllers.drive]
    input = ["error", "error_rate"]
    )toml" + controller +
                    "\n[simulation]\nduration = 3\noutput = 0.1\n");
}

/// Weights of the three sets, written down once more.
std::array<double, 3> weights(double x) {
  x = std::clamp(x, -1.0, 1.0);
  const double p = std::abs(x), upper = 3 * p * p - 2 * p * p * p;
  return x < 0 ? std::array{upper, 1 - upper, 0.0} : std::array{0.0, 1 - upper, upper};
}
double rule_sum(const std::vector<double>& rules, double e, double rate) {
  const auto row = weights(e / 0.08), column = weights(rate / 0.15);
  double sum = 0;
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t k = 0; k < 3; ++k) sum += row[j] * column[k] * rules[3 * j + k];
  return sum;
}

TEST(ActuatorTest, RulesMoveTheGains) {
  const Simulated s = simulate(ruled_cart(
      "law = \"fuzzy-pid\"\nkp = 6\nki = 1\nkd = 5\nerror_range = 0.08\nrate_range = 0.15\n"
      "kp_rules = " +
      listed(kKp) + "\nki_rules = " + listed(kKi) + "\nkd_rules = " + listed(kKd)));
  Check check("fuzzy PID", "Runge-Kutta of order 4 in steps of 1e-4 s, rules written down again");
  std::array<double, 3> y{0, 0, 0};
  const auto rates = [](const std::array<double, 3>& at) {
    const double e = 0.1 - at[0], r = -at[1];
    const double u = (6 + rule_sum(kKp, e, r)) * e + at[2] + (5 + rule_sum(kKd, e, r)) * r;
    return std::array{at[1], u / 2, (1 + rule_sum(kKi, e, r)) * e};
  };
  const auto along = [](std::array<double, 3> a, const std::array<double, 3>& k, double h) {
    for (std::size_t i = 0; i < 3; ++i) a[i] += h * k[i];
    return a;
  };
  double last = 0;
  for (const double t : s.series.time) {
    const int steps = static_cast<int>(std::lround((t - last) / 1e-4));
    const double h = steps > 0 ? (t - last) / steps : 0;
    for (int n = 0; n < steps; ++n) {
      const auto k1 = rates(y), k2 = rates(along(y, k1, h / 2)), k3 = rates(along(y, k2, h / 2)),
                 k4 = rates(along(y, k3, h));
      for (std::size_t i = 0; i < 3; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    last = t;
    check.near("coordinate", s.series.at("joints/slide/coordinate", t), y[0], 1e-8);
  }
  check.energy(s);
}

// The same rule everywhere is a gain, and without rules it is the PID law; also sample by sample.
TEST(ActuatorTest, EvenRulesAreGains) {
  for (const std::string& sampled : {std::string(), std::string("\nsample_time = \"10 ms\"")}) {
    const Simulated a = simulate(
        ruled_cart("law = \"fuzzy-pid\"\nkp = 6\nki = 1\nkd = 5\nerror_range = 1\nrate_range = 1\n"
                   "kp_rules = [2, 2, 2, 2]\nki_rules = [3, 3, 3, 3]\ntracking_time = 0.5" +
                   sampled));
    const Simulated b = simulate(
        ruled_cart("law = \"pid\"\nkp = 8\nki = 4\nkd = 5\ntracking_time = 0.5" + sampled));
    Check check(sampled.empty() ? "even rules" : "even rules, sampled", "the PID law");
    for (const double t : a.series.time)
      check.near("coordinate", a.series.at("joints/slide/coordinate", t),
                 b.series.at("joints/slide/coordinate", t), 1e-12);
  }
}

TEST(ActuatorTest, RulesGoOnBeyondTheirRange) {
  laws::FuzzyPid law;
  law.error_range = 2;
  law.rate_range = 3;
  const std::vector<double> rules{1, 2, 3, 4};
  EXPECT_EQ(law.rule(rules, -5.0, -9.0), 1);
  EXPECT_EQ(law.rule(rules, -2.0, 3.0), 2);
  EXPECT_EQ(law.rule(rules, 7.0, -3.0), 3);
  EXPECT_EQ(law.rule(rules, 2.0, 9.0), 4);
  EXPECT_EQ(law.rule(rules, 0.0, 0.0), 2.5);
  law.kp_rules = {1, 2, 3};
  EXPECT_FALSE(law.conflict(2).empty());
  law.kp_rules = {1};
  EXPECT_FALSE(law.conflict(2).empty());
}

}  // namespace
}  // namespace freeplay::testing
