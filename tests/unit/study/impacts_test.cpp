// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"
#include "support/small_systems.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

// Flows that jump: the bouncing ball and the impact oscillator of verification/cases E.
namespace freeplay::study {
namespace {

using std::numbers::pi;
constexpr double kGravity = 9.81;

/// Ball on a table y = A sin(w t), Gamma = A w^2 / g; state: height and velocity in the room.
Flow bouncing_ball(double Gamma, double e, double w) {
  const double A = Gamma * kGravity / (w * w);
  Flow flow{2,
            [](double, const double* x, double* f) {
              f[0] = x[1];
              f[1] = -kGravity;
            },
            [](double, const double*, double* J) { J[0] = 0, J[1] = 1, J[2] = 0, J[3] = 0; }};
  Impacts i;
  i.distance = [=](double t, const VecX& x) { return x[0] - A * std::sin(w * t); };
  i.gradient = [](double, const VecX&) { return VecX::Unit(2, 0); };
  i.drift = [=](double t, const VecX&) { return -A * w * std::cos(w * t); };
  i.reset = [=](double t, const VecX& x) {
    VecX out = x;
    out[1] = -e * x[1] + (1 + e) * A * w * std::cos(w * t);
    return out;
  };
  i.reset_jacobian = [=](double, const VecX&) {
    MatX R = MatX::Identity(2, 2);
    R(1, 1) = -e;
    return R;
  };
  i.reset_drift = [=](double t, const VecX&) {
    VecX out = VecX::Zero(2);
    out[1] = -(1 + e) * A * w * w * std::sin(w * t);
    return out;
  };
  flow.impacts = i;
  return flow;
}

/// Half way through the flight of the period-1 orbit, where the ball stands still: hit at the phase
/// with Gamma cos(phase) = pi (1-e)/(1+e), flying for one period.
struct Apex {
  double time;
  VecX state;
};
Apex period_one_apex(double Gamma, double e, double w) {
  const double A = Gamma * kGravity / (w * w), T = 2 * pi / w;
  const double phase = std::acos(pi * (1 - e) / (1 + e) / Gamma);
  VecX x(2);
  x << A * std::sin(phase) + kGravity * T * T / 8, 0;
  return {phase / w + T / 2, x};
}

TEST(ImpactsTest, SaltationAgreesWithFiniteDifferences) {
  const double e = 0.8, w = 10;
  const Flow flow = bouncing_ball(1.02, e, w);
  const Apex apex = period_one_apex(1.02, e, w);
  const MatX exact = monodromy(flow, apex.time, apex.state, 2 * pi / w, 0.01);
  const double h = 1e-5;
  for (int k = 0; k < 2; ++k) {
    VecX ends[2];
    for (int side = 0; side < 2; ++side) {
      Trajectory t(flow, apex.time, apex.state + (side ? h : -h) * VecX::Unit(2, k), 0);
      t.advance(apex.time + 2 * pi / w, 0.01);
      EXPECT_EQ(t.impact_count(), 1);
      ends[side] = t.state();
    }
    const VecX difference = (ends[1] - ends[0]) / (2 * h);
    EXPECT_LT((difference - exact.col(k)).norm(), 1e-6 * exact.norm());
  }
  EXPECT_NEAR(exact.determinant(), e * e, 1e-10);
}

TEST(ImpactsTest, BouncingBallDoublesItsPeriodAtTheExactAcceleration) {
  freeplay::testing::Check check("E bouncing ball doubles its period", "closed form");
  const double e = 0.8, w = 10, T = 2 * pi / w;
  // A multiplier of -1: 1 + trace + determinant = 0.
  const auto residue = [&](double Gamma) {
    const Apex apex = period_one_apex(Gamma, e, w);
    const MatX M = monodromy(bouncing_ball(Gamma, e, w), apex.time, apex.state, T, T / 50);
    return 1 + M.trace() + M.determinant();
  };
  double low = 0.9, high = 1.3;
  ASSERT_GT(residue(low), 0);
  ASSERT_LT(residue(high), 0);
  for (int k = 0; k < 45; ++k) {
    const double middle = 0.5 * (low + high);
    (residue(middle) > 0 ? low : high) = middle;
  }
  check.near("acceleration over g", low, 1.0708364682, 1e-9);
  const double exact = std::hypot(pi * (1 - e) / (1 + e), 2 * (1 + e * e) / ((1 + e) * (1 + e)));
  check.near("by formula", low, exact, 1e-9);
}

TEST(ImpactsTest, BouncingBallIsSeenWithPeriodOneBeforeAndTwoAfterTheDoubling) {
  const double e = 0.8, w = 10, T = 2 * pi / w;
  for (const auto& [Gamma, period] : {std::pair{1.03, 1}, std::pair{1.11, 2}}) {
    const Flow flow = bouncing_ball(Gamma, e, w);
    Apex apex = period_one_apex(Gamma, e, w);
    apex.state[0] += 1e-3;
    Trajectory t(flow, apex.time, apex.state, 0);
    Points points{2, {}};
    for (int k = 1; k <= 600; ++k) {
      t.advance(apex.time + k * T, T / 50);
      const VecX x = t.state();
      if (k > 500) points.values.insert(points.values.end(), {x[0], x[1]});
    }
    EXPECT_EQ(classify(points, kGravity * T * T / 8, 1e-4).period, period) << Gamma;
  }
}

/// x'' + 2 z x' + x = F cos(w t), rigid stop at x = s.
Flow impact_oscillator(double F, double z, double w, double s, double e) {
  Flow flow{
      2,
      [=](double t, const double* x, double* f) {
        f[0] = x[1];
        f[1] = -2 * z * x[1] - x[0] + F * std::cos(w * t);
      },
      [=](double, const double*, double* J) { J[0] = 0, J[1] = 1, J[2] = -1, J[3] = -2 * z; }};
  Impacts i;
  i.distance = [=](double, const VecX& x) { return s - x[0]; };
  i.gradient = [](double, const VecX&) -> VecX { return -VecX::Unit(2, 0); };
  i.reset = [=](double, const VecX& x) {
    VecX out = x;
    out[1] = -e * x[1];
    return out;
  };
  i.reset_jacobian = [=](double, const VecX&) {
    MatX R = MatX::Identity(2, 2);
    R(1, 1) = -e;
    return R;
  };
  flow.impacts = i;
  return flow;
}

/// State of the forced motion without stop at t = 0.
VecX steady_state(double F, double z, double w) {
  const double D = std::pow(1 - w * w, 2) + std::pow(2 * z * w, 2);
  VecX x(2);
  x << F * (1 - w * w) / D, F * 2 * z * w * w / D;
  return x;
}

TEST(ImpactsTest, ImpactOscillatorGrazesAtTheExactForce) {
  freeplay::testing::Check check("E impact oscillator grazes", "closed form");
  const double z = 0.1, w = 0.8, s = 1, T = 2 * pi / w;
  double low = 0.35, high = 0.45;
  for (int k = 0; k < 40; ++k) {
    const double F = 0.5 * (low + high);
    const Flow flow = impact_oscillator(F, z, w, s, 0.7);
    Trajectory t(flow, 0, steady_state(F, z, w), 0);
    t.advance(T, T / 400);
    (t.impact_count() == 0 ? low : high) = F;
  }
  check.near("force", low, 0.3939543, 1e-7);
  check.near("by formula", low, s * std::sqrt(std::pow(1 - w * w, 2) + std::pow(2 * z * w, 2)),
             1e-8);
}

TEST(ImpactsTest, OscillatorBelowGrazingIsNotChaoticAndHasTheExponentOfItsDamping) {
  const double T = 2 * pi / 0.8;
  const auto found =
      lyapunov_spectrum(impact_oscillator(0.39, 0.1, 0.8, 1, 0.7), steady_state(0.39, 0.1, 0.8),
                        {.transient = 10 * T, .length = 200 * T, .interval = T, .step = T / 200});
  EXPECT_FALSE(found.chaotic());
  EXPECT_NEAR(found.exponents[0], -0.1, 1e-3);
  EXPECT_NEAR(found.exponents[1], -0.1, 1e-3);
}

TEST(ImpactsTest, SaltationCarriesTheLossOfEachImpactIntoTheSumOfExponents) {
  // Over a cycle with impacts, the sum is the divergence -2z plus ln(e^2) per impact.
  const double z = 0.1, w = 0.8, T = 2 * pi / w, e = 0.7;
  const Flow flow = impact_oscillator(0.8, z, w, 1, e);
  const LyapunovSettings settings{
      .transient = 0, .length = 300 * T, .interval = T, .step = T / 200, .blocks = 1};
  const auto found = lyapunov_spectrum(flow, steady_state(0.3, z, w), settings);
  Trajectory same(flow, 0, steady_state(0.3, z, w), 0);
  same.advance(300 * T, T / 200);
  ASSERT_GT(same.impact_count(), 100);
  EXPECT_NEAR(found.sum(), -2 * z + same.impact_count() * 2 * std::log(e) / (300 * T), 1e-4);
}

}  // namespace
}  // namespace freeplay::study
