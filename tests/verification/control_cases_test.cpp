// SPDX-License-Identifier: Apache-2.0
#include "io/text.hpp"
#include "support/paths.hpp"
#include "support/recording.hpp"

#include <algorithm>
#include <cmath>

// Stability limits of delayed control: verification/cases K1, K2. Limits are bracketed one per cent
// to either side by whether a small motion grows.
namespace freeplay::testing {
namespace {

/// Largest size of a series from sample `from` on, `count` of them.
double largest(const std::vector<double>& series, std::size_t from, std::size_t count) {
  double out = 0;
  for (std::size_t k = from; k < std::min(from + count, series.size()); ++k)
    out = std::max(out, std::abs(series[k]));
  return out;
}

/// theta'' + 0.5 theta' + sin theta = 1.12 cos(2t/3) + u, near its unstable orbit of period 3 pi;
/// the joint counts from where it starts.
std::vector<double> driven_pendulum(const std::string& law, int periods) {
  const Simulated s =
      simulate(model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.pendulum]
    mass = 1
    inertia = 1
    [joints.pivot]
    type = "revolute"
    bodies = ["ground", "pendulum"]
    at = [0, 0]
    speed = 1.0042596
    [efforts.world]
    joint = "pivot"
    magnitude = { formula = "-0.5*v - sin(x - 2.7136618) + 1.12*cos(2*t/3)" }
    [efforts.control]
    joint = "pivot"
    magnitude = { signal = "feedback" }
    [controllers.feedback]
    input = "joints/pivot/rate"
    tau = "3*pi"
  )toml" + law + "[simulation]\nduration = \"" +
                          std::to_string(periods) + "*3*pi\"\noutput = \"3*pi/20\"\n"));
  return s.series.series("controllers/feedback/output");
}

/// Growth of the control effort per period, from ten periods to ten others; by then it is small,
/// but not yet round-off.
double growth(const std::string& law, int early = 15, int late = 65) {
  const std::vector<double> u = driven_pendulum(law, late + 10);
  const auto size = [&](int period) {
    return largest(u, static_cast<std::size_t>(20 * period), 10 * 20);
  };
  return std::pow(size(late) / size(early), 1.0 / (late - early));
}

std::string pyragas(double gain) {
  return "law = \"pyragas\"\ngain = " + std::to_string(gain) + "\n";
}
std::string edfc(double gain) {
  return "law = \"edfc\"\nR = 0.4\ngain = " + std::to_string(gain) + "\n";
}

TEST(CaseK1, DelayedFeedbackOfTheDrivenPendulum) {
  Check check("K1 delayed feedback", "Floquet multipliers of the delay equation");
  check.below("growth above the lower limit", growth(pyragas(1.01 * 0.0897627)), 1);
  check.below("decay below the lower limit", 1 / growth(pyragas(0.99 * 0.0897627)), 1);
  check.below("growth below the upper limit", growth(pyragas(0.99 * 0.1446125)), 1);
  check.below("decay above the upper limit", 1 / growth(pyragas(1.01 * 0.1446125)), 1);
  check.near("multiplier at K = 0.11", growth(pyragas(0.11)), 0.89818, 0.02 * 0.89818);
  // Nothing is left of the effort: the orbit is one of the pendulum itself.
  EXPECT_LT(largest(driven_pendulum(pyragas(0.11), 200), 190 * 20, 200), 1e-7);
}

TEST(CaseK1, ExtendedDelayedFeedback) {
  Check check("K1 extended delayed feedback, R = 0.4", "Floquet multipliers of the delay equation");
  check.below("growth above the lower limit", growth(edfc(1.01 * 0.1256677)), 1);
  check.below("decay below the lower limit", 1 / growth(edfc(0.99 * 0.1256677)), 1);
  check.below("growth below the upper limit", growth(edfc(0.99 * 0.3281538)), 1);
  check.below("decay above the upper limit", 1 / growth(edfc(1.01 * 0.3281538)), 1);
  const double multiplier = std::hypot(0.15853, 0.57463);
  check.near("multiplier at K = 0.19", growth(edfc(0.19), 4, 18), multiplier, 0.02 * multiplier);
}

/// The oscillator of examples/14_control, started a little apart: rates at the ends of periods.
std::vector<double> kept_oscillator(double apart) {
  LoadOptions options;
  options.overrides = {{"parameters.v0", io::shortest(apart)},
                       {"simulation.duration", "30*tau"},
                       {"simulation.output", "tau"}};
  return simulate(load_model(source_dir() / "examples/14_control/oscillator.toml", options))
      .series.series("joints/rail/rate");
}

TEST(ChaosOff, OscillatorWithPlayIsChaoticWithoutFeedbackAndRegularWithIt) {
  Check check("oscillator with play under delayed feedback",
              "two runs that begin apart, each with its own past");
  const std::vector<double> a = kept_oscillator(0), b = kept_oscillator(1e-3);
  const double period = 2 * M_PI / 0.8;
  // From when the deviation has found its direction until rounding shows.
  const auto apart = [&](std::size_t k) { return std::abs(a[k] - b[k]); };
  const double exponent = std::log((apart(18) + apart(19)) / (apart(8) + apart(9))) / (10 * period);
  check.below("a deviation after a period with feedback", std::exp(exponent * period), 0.9);
  check.near("largest exponent with feedback, and that by which the effort dies out", exponent,
             std::log(0.6457) / period, 0.01);
}

/// theta'' = a theta - u(t - tau) of an inverted rod of 1 m, u by PID; growth per second.
double rod(double P, double D, double I) {
  const Simulated s =
      simulate(model_from(R"toml(
    [mechanism]
    planar = true
    gravity = [0, 0]
    [bodies.rod]
    mass = 1
    inertia = 1
    [joints.foot]
    type = "revolute"
    bodies = ["ground", "rod"]
    at = [0, 0]
    speed = 1e-2
    [efforts.weight]
    joint = "foot"
    magnitude = { formula = "14.715*x" }
    [efforts.control]
    joint = "foot"
    magnitude = { signal = "hand" }
    [signals.angle]
    formula = "-joints/foot/coordinate"
    delay = "0.1 s"
    [signals.rate]
    formula = "-joints/foot/rate"
    delay = "0.1 s"
    [controllers.hand]
    law = "pid"
    input = ["angle", "rate"]
    tracking_time = 1
    kp = )toml" + std::to_string(P) +
                          "\nkd = " + std::to_string(D) + "\nki = " + std::to_string(I) + R"toml(
    [simulation]
    duration = 100
    output = 0.02
  )toml"));
  const std::vector<double> x = s.series.series("joints/foot/coordinate");
  return std::log(largest(x, 4500, 500) / largest(x, 2000, 500)) / 50;
}

TEST(CaseK2, DelayedPidOnAnInvertedRod) {
  Check check("K2 delayed PID", "closed form of the border of stability");
  check.below("D above its least", std::exp(rod(20, 1.01 * 2.0402051, 0)), 1);
  check.below("D below its least", std::exp(-rod(20, 0.99 * 2.0402051, 0)), 1);
  check.below("D below its largest", std::exp(rod(20, 0.99 * 15.7906764, 0)), 1);
  check.below("D above its largest", std::exp(-rod(20, 1.01 * 15.7906764, 0)), 1);
  check.below("largest P, below", std::exp(rod(0.99 * 62.2025259, 10.1607968, 0)), 1);
  check.below("largest P, above", std::exp(-rod(1.01 * 62.2025259, 10.1607968, 0)), 1);
  check.below("largest I, below", std::exp(rod(20, 8.915440716, 0.99 * 40.485994)), 1);
  check.below("largest I, above", std::exp(-rod(20, 8.915440716, 1.01 * 40.485994)), 1);
  check.near("rightmost root at P = 20, D = 2.1", rod(20, 2.1, 0), -0.032343, 0.02 * 0.032343);
}

}  // namespace
}  // namespace freeplay::testing
