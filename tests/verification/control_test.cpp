// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include <freeplay/simulator.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

// Signals, controllers and delays, each against a closed form or an independent computation.
namespace freeplay::testing {
namespace {

/// A cart of 2 kg on a slide, and what is given.
Model cart(const std::string& rest, const std::string& run = "duration = 2\noutput = 0.1\n") {
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
    [efforts.drive]
    joint = "slide"
    magnitude = { signal = "drive" }
  )toml" + rest + "\n[simulation]\n" +
                    run);
}

/// Classical Runge-Kutta in very short steps: an independent computation.
using Rates = std::function<std::vector<double>(const std::vector<double>&)>;
void advance(std::vector<double>& y, double time, int steps, const Rates& f) {
  const double h = time / steps;
  const auto along = [&](const std::vector<double>& k, double part) {
    std::vector<double> out = y;
    for (std::size_t i = 0; i < y.size(); ++i) out[i] += part * h * k[i];
    return out;
  };
  for (int s = 0; s < steps; ++s) {
    const auto k1 = f(y), k2 = f(along(k1, 0.5)), k3 = f(along(k2, 0.5)), k4 = f(along(k3, 1));
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
}

// ---------------------------------------------------------------- at all times

// kp = 8, kd = 4 on 2 kg: x'' = 4 (0.1 - x) - 2 x', from rest at 0.
TEST(ControlTest, ProportionalAndRateFeedback) {
  for (const char* formulation : {"cartesian", "tree"}) {
    const Simulated s = simulate(
        cart(R"toml(
      [signals.error_rate]
      formula = "-joints/slide/rate"
      [controllers.drive]
      law = "pid"
      input = ["error", "error_rate"]
      kp = "8 N/m"
      kd = "4 N s/m"
    )toml",
             std::string("duration = 2\noutput = 0.1\nformulation = \"") + formulation + "\""));
    Check check(std::string("PD on a cart, ") + formulation, "closed form: damped oscillation");
    const double w = std::sqrt(3.0);
    for (const double t : s.series.time) {
      const double x = 0.1 * (1 - std::exp(-t) * (std::cos(w * t) + std::sin(w * t) / w));
      check.near("coordinate", s.series.at("joints/slide/coordinate", t), x, 1e-9);
      check.near("signal", s.series.at("signals/error", t), 0.1 - x, 1e-9);
      check.near("output against force", s.series.at("controllers/drive/output", t),
                 s.series.at("forces/drive/effort", t), 1e-15);
    }
    check.energy(s);
  }
}

std::vector<double> pid_rates(const std::vector<double>& y, double ki, double lower, double upper) {
  // x, v, I, f with kp 40, kd 12, filter 0.01; tracking sqrt(kd/ki).
  const double e = 0.1 - y[0], raw = 40 * e + y[2] + 12 * (e - y[3]) / 0.01;
  const double u = std::clamp(raw, lower, upper);
  return {y[1], u / 2, ki * e + (u - raw) / std::sqrt(12 / ki), (e - y[3]) / 0.01};
}

TEST(ControlTest, PidWithLimitsAgainstShortSteps) {
  for (const double limit : {1e9, 3.0}) {
    const Simulated s = simulate(cart(R"toml(
      [controllers.drive]
      law = "pid"
      input = "error"
      kp = 40
      ki = 30
      kd = 12
      derivative_filter = "10 ms"
      limit = [)toml" + std::to_string(-limit) +
                                      ", " + std::to_string(limit) + "]"));
    Check check(limit < 10 ? "PID at its limit" : "PID",
                "Runge-Kutta of order 4 in steps of 1e-5 s (5e-6 s: the same to 1e-9)");
    std::vector<double> y{0, 0, 0, 0.1};
    double last = 0;
    for (const double t : s.series.time) {
      if (t > last)
        advance(y, t - last, 10000,
                [&](const std::vector<double>& at) { return pid_rates(at, 30, -limit, limit); });
      last = t;
      check.near("coordinate", s.series.at("joints/slide/coordinate", t), y[0], 1e-7);
    }
    check.energy(s);
  }
}

// What it says at the start is the limit itself.
TEST(ControlTest, LimitReachedExactlyAtTheStart) {
  const Simulated s = simulate(cart(R"toml(
    [controllers.drive]
    law = "pid"
    input = "error"
    kp = 40
    limit = [-4, 4]
  )toml"));
  Check check("P law that starts at its limit", "closed form: 0.1 (1 - cos(w t)), w^2 = 20");
  for (const double t : s.series.time)
    check.near("coordinate", s.series.at("joints/slide/coordinate", t),
               0.1 * (1 - std::cos(std::sqrt(20.0) * t)), 1e-8);
}

TEST(ControlTest, FilterAndTransferFunctionAreTheSameLag) {
  const Simulated s = simulate(cart(R"toml(
    [signals.clock]
    formula = "1 + t"
    filter = "0.2 s"
    [signals.time]
    formula = "t"
    [controllers.lag]
    law = "transfer-function"
    input = "time"
    numerator = [1]
    denominator = [0.2, 1]
    [controllers.drive]
    law = "state-feedback"
    input = ["joints/slide/coordinate", "bodies/cart/velocity.x"]
    gains = [8, 4]
    offset = 0.8
  )toml"));
  Check check("first-order lag", "closed form: t - T (1 - exp(-t/T)); the PD of the first case");
  const double w = std::sqrt(3.0);
  for (const double t : s.series.time) {
    const double lag = t - 0.2 * (1 - std::exp(-t / 0.2));
    check.near("filter", s.series.at("signals/clock", t), 1 + lag, 1e-8);
    check.near("transfer function", s.series.at("controllers/lag/output", t), lag, 1e-8);
    check.near("state feedback", s.series.at("joints/slide/coordinate", t),
               0.1 * (1 - std::exp(-t) * (std::cos(w * t) + std::sin(w * t) / w)), 1e-9);
  }
}

// ---------------------------------------------------------------- sampled

/// Between samples the force is constant, so that the cart is a discrete system itself.
struct SampledPid {
  double h, delay, x = 0, v = 0, I = 0, D = 0, last = 0.1, u = 0, pending = 0;
  void sample() {
    const double e = 0.1 - x;
    D = (0.01 * D + 12 * (e - last)) / (0.01 + h);
    last = e;
    const double raw = 40 * e + I + D, out = std::clamp(raw, -3.0, 3.0);
    I += 30 * h * e + std::min(1.0, h / std::sqrt(12.0 / 30)) * (out - raw);
    pending = out;
    if (delay == 0) u = out;
  }
  void move(double time) {
    x += v * time + 0.25 * u * time * time;
    v += 0.5 * u * time;
  }
  void period() {
    sample();
    move(delay);
    u = pending;
    move(h - delay);
  }
};

TEST(ControlTest, SampledPidIsTheDiscreteRecursion) {
  for (const double delay : {0.0, 0.004, 0.01}) {
    const std::string extra =
        delay > 0 ? "computation_delay = " + std::to_string(delay) + "\n" : "";
    const Simulated s = simulate(cart(R"toml(
      [controllers.drive]
      law = "pid"
      input = "error"
      kp = 40
      ki = 30
      kd = 12
      derivative_filter = "10 ms"
      limit = [-3, 3]
      sample_time = "10 ms"
    )toml" + extra,
                                      "duration = 10\noutput = 0.01\n"));
    Check check("sampled PID, computed in " + std::to_string(delay) + " s",
                "discrete recursion, 1000 samples");
    SampledPid exact{0.01, delay};
    for (std::size_t k = 0; k + 1 < s.series.time.size(); ++k) {
      const double t = s.series.time[k];
      check.near("coordinate at samples", s.series.at("joints/slide/coordinate", t), exact.x,
                 1e-10);
      exact.period();
      if (delay == 0)
        check.near("output from the sample on", s.series.at("controllers/drive/output", t), exact.u,
                   1e-8);
    }
    check.energy(s);
  }
}

// The acceleration follows from the force that it leads to: a sample sees that of the held force.
TEST(ControlTest, SamplesSeeAccelerations) {
  const Simulated s = simulate(cart(R"toml(
    [signals.felt]
    formula = "bodies/cart/acceleration.x"
    sample_time = "0.1 s"
    [controllers.drive]
    law = "state-feedback"
    input = "felt"
    gains = [-1]
    offset = 1
    sample_time = "0.1 s"
  )toml"));
  Check check("feedback of the acceleration", "recursion: u = 1 + a, a = u/2 of the sample before");
  double u = 0;
  for (std::size_t k = 0; k + 1 < s.series.time.size(); ++k) {
    const double before = u / 2;
    u = 1 + before;
    check.near("acceleration felt", s.series.at("signals/felt", s.series.time[k]), before, 1e-12);
    check.near("output", s.series.at("controllers/drive/output", s.series.time[k]), u, 1e-12);
  }
}

TEST(ControlTest, NoiseDoesNotDependOnTheSteps) {
  const auto noisy = [](double tolerance) {
    Model model = cart(R"toml(
      [signals.noise]
      formula = "0"
      sample_time = "1 ms"
      noise = 2
      seed = 7
      [controllers.drive]
      law = "pid"
      input = "error"
    )toml",
                       "duration = 4\noutput = 0.001\n");
    model.simulation.tolerance = tolerance;
    return simulate(model).series.series("signals/noise");
  };
  const std::vector<double> a = noisy(1e-9), b = noisy(1e-5);
  EXPECT_EQ(a, b);
  double mean = 0, square = 0;
  for (const double x : a) mean += x, square += x * x;
  mean /= static_cast<double>(a.size());
  square /= static_cast<double>(a.size());
  // 4000 samples: three standard errors.
  EXPECT_NEAR(mean, 0, 0.095);
  EXPECT_NEAR(std::sqrt(square), 2, 0.067);
}

// ---------------------------------------------------------------- delays

/// x' = b x(t - 1), x = 1 before the start: sum of b^k (t - k + 1)^k / k!.
double delayed_decay(double b, double t) {
  double sum = 1, factorial = 1;
  for (int k = 1; t - k + 1 > 0; ++k) {
    factorial *= k;
    sum += std::pow(b * (t - k + 1), k) / factorial;
  }
  return sum;
}

TEST(ControlTest, DelayEquationWithKnownBreakingPoints) {
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    Model model = cart(R"toml(
      [signals.late]
      formula = "y"
      delay = 1
      [controllers.y]
      law = "state-space"
      input = "late"
      a = [0]
      b = [-1]
      c = [1]
      initial = [1]
      [controllers.drive]
      law = "pid"
      input = "error"
      kp = 1
    )toml",
                       "duration = 10\noutput = 0.25\n");
    model.simulation.tolerance = tolerance;
    const Simulated s = simulate(model);
    Check check("x' = -x(t - 1) at " + std::to_string(tolerance),
                "closed form: a polynomial on each interval of length 1");
    for (const double t : s.series.time)
      check.near("x", s.series.at("controllers/y/output", t), delayed_decay(-1, t), 20 * tolerance);
  }
}

// A delay a hundred times shorter than the steps the motion would allow; and one of a whole output
// step.
TEST(ControlTest, ShortDelays) {
  for (const double tau : {1e-3, 0.1}) {
    const Simulated s = simulate(cart(R"toml(
      [signals.late]
      formula = "joints/slide/rate"
      delay = )toml" + std::to_string(tau) +
                                      R"toml(
      [controllers.drive]
      law = "state-feedback"
      input = "late"
      gains = [2]
      offset = 1
    )toml"));
    Check check("delayed damping, " + std::to_string(tau) + " s",
                "steps: v' = (1 - 2 v(t - tau))/2, sum of (-1)^k (t - k tau)^(k+1)/(k+1)!");
    for (const double t : s.series.time) {
      double v = 0, factorial = 1;
      for (int k = 0; t - k * tau > 0 && k < 60; ++k) {
        factorial *= k + 1;
        v += (k % 2 ? -1 : 1) * 0.5 * std::pow(t - k * tau, k + 1) / factorial;
      }
      check.near("speed", s.series.at("joints/slide/rate", t), v, 1e-9);
    }
  }
}

}  // namespace
}  // namespace freeplay::testing
