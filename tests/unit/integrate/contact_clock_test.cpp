// SPDX-License-Identifier: Apache-2.0
#include "integrate/integrator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

// One impact of a unit mass on a spring of Hertz, F = K d^1.5, which a step of high order in time
// cannot begin or end: d starts as v t, so that the motion is a series in the root of time. Energy
// is kept, so the speed at separation is that of the touch, and the duration is known
// (theory/contact_laws (C.22)).
namespace freeplay::integrate {
namespace {

constexpr double kStiffness = 1e9, kSpeed = 0.7;  // N/m^1.5 at 1 kg, m/s

class Impact final : public Problem {
 public:
  explicit Impact(double tolerance) : tolerance_(tolerance) {}
  int size() const override { return 2; }
  bool rhs(double, const double* y, double* f) override {
    f[0] = y[1];
    f[1] = y[0] > 0 ? -kStiffness * y[0] * std::sqrt(y[0]) : 0;
    return true;
  }
  bool jacobian(double, const double*, MatX&) override { return false; }
  bool event(int, double, const double* y, double& g, double& rate) override {
    g = y[0];
    rate = y[1];
    return true;
  }
  void weights(const double* y, double* w) const override {
    w[0] = 1 / (tolerance_ * (std::abs(y[0]) + depth()));
    w[1] = 1 / (tolerance_ * (std::abs(y[1]) + kSpeed));
  }
  static double depth() { return std::pow(1.25 * kSpeed * kSpeed / kStiffness, 0.4); }
  /// 2 integral of dx / sqrt(1 - x^2.5) over 0..1, times depth over speed.
  static double duration() {
    return 2 * std::sqrt(M_PI) * std::tgamma(1.4) / std::tgamma(0.9) * depth() / kSpeed;
  }
  static double energy(const VecX& y) {
    const double d = std::max(0.0, y[0]);
    return 0.5 * y[1] * y[1] + 0.4 * kStiffness * d * d * std::sqrt(d);
  }

 private:
  double tolerance_;
};

struct Course {
  VecX end;
  double time = 0, worst_energy = 0;
  std::int64_t evaluations = 0;
  bool landed = false;
};

/// Through the impact: to 0.7 of its duration, then on to the separation if `landing`.
Course bounce(double tolerance, Onset onset, bool landing) {
  Impact problem(tolerance);
  const auto integrator = make_dop853(problem, {});
  integrator->start(0, VecX{{0, kSpeed}}, 0.05 * Impact::duration(), onset);
  const double stop = landing ? 2 * Impact::duration() : 0.7 * Impact::duration();
  Course out;
  while (integrator->time() < stop && !out.landed) {
    const VecX& y = integrator->state();
    const bool parting = landing && y[1] < 0 && y[0] < 0.8 * Impact::depth();
    integrator->expect(parting ? 0 : -1, integrator->time() - (parting ? y[0] / y[1] : 0));
    EXPECT_TRUE(integrator->step(stop).ok);
    out.landed = integrator->landed();
    // Inside the step too, as far as there is contact.
    for (const double part : {0.1, 0.5, 0.9}) {
      VecX inside;
      const double t0 = integrator->previous_time();
      integrator->interpolate(t0 + part * (integrator->time() - t0), inside);
      out.worst_energy = std::max(out.worst_energy,
                                  std::abs(Impact::energy(inside) / (0.5 * kSpeed * kSpeed) - 1));
    }
  }
  out.end = integrator->state();
  out.time = integrator->time();
  out.evaluations = integrator->counters().evaluations;
  return out;
}

TEST(ContactClock, TheRootOfTimeSavesEvaluationsAtEqualError) {
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const Course in_time = bounce(tolerance, Onset::smooth, false),
                 in_root = bounce(tolerance, Onset::root, false);
    std::printf("tolerance %.0e: in time %ld evaluations, energy %.1e; in its root %ld, %.1e\n",
                tolerance, static_cast<long>(in_time.evaluations), in_time.worst_energy,
                static_cast<long>(in_root.evaluations), in_root.worst_energy);
    EXPECT_LT(in_root.worst_energy, 0.1 * in_time.worst_energy);
    // Errors fall with the eighth power of the number of steps.
    const double at_equal_error = static_cast<double>(in_root.evaluations) *
                                  std::pow(in_root.worst_energy / in_time.worst_energy, 1.0 / 8);
    EXPECT_LT(at_equal_error, 0.8 * static_cast<double>(in_time.evaluations));
  }
}

TEST(ContactClock, AStepEndsOnTheSeparation) {
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const Course course = bounce(tolerance, Onset::root, true);
    EXPECT_TRUE(course.landed);
    EXPECT_LE(course.end[0], 0);  // just past it
    EXPECT_GT(course.end[0], -1e-15 * Impact::depth() - 1e-18);
    EXPECT_NEAR(course.end[1], -kSpeed, 20 * tolerance * kSpeed);
    EXPECT_NEAR(course.time, Impact::duration(), 20 * tolerance * Impact::duration());
    EXPECT_LT(course.worst_energy, 20 * tolerance);
  }
}

/// The test aid that refuses good steps refuses landings too; one that never lands steps across the
/// separation, and the speed after it is the same: less exactly, since the motion is not smooth
/// there, and what such a step believes of its error depends on where it happens to begin.
TEST(ContactClock, RefusedLandingsLeaveNoTrace) {
  for (const int every : {2, 3, 5}) {
    Impact problem(1e-9);
    Settings settings;
    settings.reject_every = every;
    const auto integrator = make_dop853(problem, settings);
    integrator->start(0, VecX{{0, kSpeed}}, 0.05 * Impact::duration(), Onset::root);
    do {
      const VecX& y = integrator->state();
      const bool parting = y[1] < 0 && y[0] < 0.8 * Impact::depth();
      integrator->expect(parting ? 0 : -1, integrator->time() - (parting ? y[0] / y[1] : 0));
      ASSERT_TRUE(integrator->step(1).ok);
    } while (integrator->state()[0] > 0);
    EXPECT_NEAR(integrator->state()[1], -kSpeed, 1e-7 * kSpeed) << every;
  }
}

}  // namespace
}  // namespace freeplay::integrate
