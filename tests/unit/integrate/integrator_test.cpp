// SPDX-License-Identifier: Apache-2.0
#include "integrate/integrator.hpp"

#include "integrate/dop853_coefficients.hpp"
#include "integrate/radau_coefficients.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

// Every integrator goes through the same battery, on problems whose solution is known in closed
// form: a linear oscillator, a pendulum in Cartesian coordinates held on its circle by projection,
// and for implicit methods a stiff linear problem. The tables of error against tolerance are
// printed.
namespace freeplay::integrate {
namespace {

struct Candidate {
  Method method;
  const char* name;
  bool adaptive, implicit;
  double order;  // of a fixed-step method
};
constexpr Candidate kCandidates[] = {{Method::dop853, "dop853", true, false, 0},
                                     {Method::cvode_adams, "cvode_adams", true, false, 0},
                                     {Method::cvode_bdf, "cvode_bdf", true, true, 0},
                                     {Method::arkode_erk, "arkode_erk", true, false, 0},
                                     {Method::arkode_dirk, "arkode_dirk", true, true, 0},
                                     {Method::radau, "radau", true, true, 0},
                                     {Method::rk4, "rk4", false, false, 4},
                                     {Method::heun, "heun", false, false, 2}};
void PrintTo(const Candidate& c, std::ostream* out) { *out << c.name; }

/// A problem with its solution. It remembers how far ahead it was evaluated, and can be told to
/// fail.
class Known : public Problem {
 public:
  explicit Known(double tolerance = 1e-8) : tolerance_(tolerance) {}
  virtual VecX exact(double t) const = 0;
  virtual double end() const = 0;
  virtual void derivative(double t, const double* y, double* f) const = 0;

  bool rhs(double t, const double* y, double* f) final {
    ++calls;
    latest = std::max(latest, t);
    if (fails && fails(t)) return false;
    derivative(t, y, f);
    return true;
  }
  void weights(const double* y, double* w) const final {
    for (int i = 0; i < size(); ++i) w[i] = 1 / (tolerance_ * (std::abs(y[i]) + 1));
  }
  double error(double t, const VecX& y) const { return (y - exact(t)).cwiseAbs().maxCoeff(); }

  std::int64_t calls = 0;
  double latest = -1;
  std::function<bool(double)> fails;

 private:
  double tolerance_;
};

class Oscillator final : public Known {
 public:
  using Known::Known;
  int size() const override { return 2; }
  double end() const override { return 20; }
  VecX exact(double t) const override { return Eigen::Vector2d(std::cos(t), -std::sin(t)); }
  void derivative(double, const double* y, double* f) const override {
    f[0] = y[1];
    f[1] = -y[0];
  }
  bool jacobian(double, const double*, MatX& dfdy) override {
    dfdy << 0, 1, -1, 0;
    return true;
  }
};

/// Unit length, unit g, released at rest from the horizontal. State x, y, x', y'; y upwards.
class Pendulum final : public Known {
 public:
  using Known::Known;
  int size() const override { return 4; }
  double end() const override { return 15; }

  // sin(theta / 2) = k cd(t), k = sin(amplitude / 2), theta from the lowest point.
  VecX exact(double t) const override {
    const double k = std::sqrt(0.5), k1 = std::sqrt(1 - k * k);
    double sn = 0, cn = 0, dn = 0;
    jacobi(t, k, sn, cn, dn);
    const double theta = 2 * std::asin(k * cn / dn), rate = -2 * k * k1 * sn / dn;
    return Vec4(std::sin(theta), -std::cos(theta), rate * std::cos(theta), rate * std::sin(theta));
  }
  void derivative(double, const double* y, double* f) const override {
    const double tension = (y[2] * y[2] + y[3] * y[3] - y[1]) / (y[0] * y[0] + y[1] * y[1]);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -tension * y[0];
    f[3] = -tension * y[1] - 1;
  }
  bool jacobian(double, const double* y, MatX& dfdy) override {
    const double r2 = y[0] * y[0] + y[1] * y[1];
    const double tension = (y[2] * y[2] + y[3] * y[3] - y[1]) / r2;
    const Vec4 gradient =
        Vec4(-2 * tension * y[0], -2 * tension * y[1] - 1, 2 * y[2], 2 * y[3]) / r2;
    dfdy.setZero();
    dfdy(0, 2) = dfdy(1, 3) = 1;
    dfdy.row(2) = -y[0] * gradient.transpose();
    dfdy.row(3) = -y[1] * gradient.transpose();
    dfdy(2, 0) -= tension;
    dfdy(3, 1) -= tension;
    return true;
  }
  bool project(double t, double* y) override {
    if (t > unprojectable || !(std::hypot(y[0], y[1]) > 0.1)) return false;
    for (int pass = 0; pass < 2; ++pass) {
      const double r = std::hypot(y[0], y[1]);
      y[0] /= r, y[1] /= r;
      const double radial = y[0] * y[2] + y[1] * y[3];
      y[2] -= radial * y[0], y[3] -= radial * y[1];
    }
    return true;
  }
  double unprojectable = std::numeric_limits<double>::infinity();  // from there on
  static double violation(const VecX& y) {
    return std::max(std::abs(y[0] * y[0] + y[1] * y[1] - 1), std::abs(y[0] * y[2] + y[1] * y[3]));
  }

 private:
  // Arithmetic-geometric mean: Abramowitz & Stegun 1964, 16.4.
  static void jacobi(double u, double k, double& sn, double& cn, double& dn) {
    double a[12] = {1}, c[12] = {k}, b = std::sqrt(1 - k * k);
    int n = 0;
    for (; n < 11 && c[n] > 1e-17; ++n) {
      a[n + 1] = 0.5 * (a[n] + b);
      c[n + 1] = 0.5 * (a[n] - b);
      b = std::sqrt(a[n] * b);
    }
    double phi = std::ldexp(a[n] * u, n);
    for (; n > 0; --n) phi = 0.5 * (phi + std::asin(c[n] / a[n] * std::sin(phi)));
    sn = std::sin(phi);
    cn = std::cos(phi);
    dn = std::sqrt(1 - k * k * sn * sn);
  }
};

/// y0 clings to cos t within a microsecond and drives y1.
class Stiff final : public Known {
 public:
  using Known::Known;
  int size() const override { return 2; }
  double end() const override { return 10; }
  VecX exact(double t) const override {
    return Eigen::Vector2d(std::cos(t), 0.5 * (std::cos(t) + std::sin(t) - std::exp(-t)));
  }
  void derivative(double t, const double* y, double* f) const override {
    f[0] = -1e6 * (y[0] - std::cos(t)) - std::sin(t);
    f[1] = y[0] - y[1];
  }
  bool jacobian(double, const double*, MatX& dfdy) override {
    dfdy << -1e6, 0, 1, -1;
    return true;
  }
};

/// y' = y^2 from 1: infinite at t = 1.
class Explosion final : public Known {
 public:
  using Known::Known;
  int size() const override { return 1; }
  double end() const override { return 2; }
  VecX exact(double t) const override { return VecX::Constant(1, 1 / (1 - t)); }
  void derivative(double, const double* y, double* f) const override { f[0] = y[0] * y[0]; }
  bool jacobian(double, const double* y, MatX& dfdy) override {
    dfdy(0, 0) = 2 * y[0];
    return true;
  }
};

/// A slow oscillator beside one ten thousand times as fast that hardly decays; excited by 1e-6.
class Vibration final : public Known {
 public:
  using Known::Known;
  int size() const override { return 4; }
  double end() const override { return 20; }
  VecX exact(double t) const override { return Vec4(0, 0, std::cos(t), -std::sin(t)); }
  void derivative(double, const double* y, double* f) const override {
    f[0] = y[1];
    f[1] = -1e8 * y[0] - 10 * y[1];
    f[2] = y[3];
    f[3] = -y[2];
  }
  bool jacobian(double, const double*, MatX& dfdy) override {
    dfdy.setZero();
    dfdy(0, 1) = dfdy(2, 3) = 1;
    dfdy(1, 0) = -1e8, dfdy(1, 1) = -10, dfdy(3, 2) = -1;
    return true;
  }
};

struct Errors {
  double state = 0, dense = 0;  // largest, at the ends of the steps and inside them
  Counters counters;
};

/// The whole run. Each step is looked into at five places.
Errors run(const Candidate& c, Known& problem, const Settings& settings) {
  const auto integrator = make_integrator(c.method, problem, settings);
  integrator->start(0, problem.exact(0), 0);
  Errors errors;
  VecX y;
  while (integrator->time() < problem.end()) {
    const Outcome outcome = integrator->step(problem.end());
    EXPECT_TRUE(outcome.ok) << outcome.reason << " at " << integrator->time();
    if (!outcome.ok) break;
    const double t = integrator->time(), before = integrator->previous_time();
    EXPECT_GT(t, before);
    errors.state = std::max(errors.state, problem.error(t, integrator->state()));
    for (double x : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      const double inside = before + x * (t - before);
      integrator->interpolate(inside, y);
      errors.dense = std::max(errors.dense, problem.error(inside, y));
    }
  }
  errors.counters = integrator->counters();
  return errors;
}

/// Slope of the straight line through (log x, log y).
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const int n = static_cast<int>(x.size());
  VecX a(n), b(n);
  for (int i = 0; i < n; ++i) a[i] = std::log(x[i]), b[i] = std::log(y[i]);
  a.array() -= a.mean();
  return a.dot(b) / a.squaredNorm();
}

class IntegratorTest : public testing::TestWithParam<Candidate> {
 protected:
  static bool adaptive() { return GetParam().adaptive; }
  static Settings settings() {
    Settings s;
    if (!adaptive()) s.step = 1.0 / 256;
    return s;
  }

  /// Table of error against tolerance from 1e-5 to 1e-10.
  template <class P>
  static void follow_tolerance(const char* title, double dense_limit) {
    std::printf("\n%s, %s\n%9s %11s %11s %9s %7s %9s %6s %6s\n", GetParam().name, title,
                "tolerance", "error", "inside", "error/tol", "steps", "rejected", "evals", "jac");
    std::vector<double> tolerances, errors;
    for (double tolerance : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
      P problem(tolerance);
      const Errors e = run(GetParam(), problem, {});
      std::printf("%9.0e %11.2e %11.2e %9.1f %7ld %9ld %6ld %6ld\n", tolerance, e.state, e.dense,
                  e.state / tolerance, static_cast<long>(e.counters.steps),
                  static_cast<long>(e.counters.rejected), static_cast<long>(e.counters.evaluations),
                  static_cast<long>(e.counters.jacobians));
      EXPECT_EQ(e.counters.evaluations, problem.calls);
      EXPECT_LT(e.dense, 2 * e.state + dense_limit * tolerance);
      if (!errors.empty()) {
        EXPECT_LT(e.state, errors.back());
      }
      tolerances.push_back(tolerance);
      errors.push_back(e.state);
    }
    const double observed = slope(tolerances, errors);
    std::printf("slope %.2f\n", observed);
    EXPECT_GE(observed, 0.7);
  }

  /// Error against step; dense output of both methods is a cubic.
  template <class P>
  static void follow_step(const char* title) {
    std::printf("\n%s, %s\n%9s %11s %11s\n", GetParam().name, title, "step", "error", "inside");
    std::vector<double> steps, errors;
    for (double step : {1.0 / 64, 1.0 / 128, 1.0 / 256, 1.0 / 512}) {
      P problem;
      const Errors e = run(GetParam(), problem, {.step = step});
      std::printf("%9.5f %11.2e %11.2e\n", step, e.state, e.dense);
      EXPECT_LT(e.dense, 2 * e.state);
      steps.push_back(step);
      errors.push_back(e.state);
    }
    const double observed = slope(steps, errors);
    std::printf("order %.2f\n", observed);
    EXPECT_NEAR(observed, GetParam().order, 0.2);
  }
};

class AdaptiveTest : public IntegratorTest {};  // watches its error, chooses its steps
class ImplicitTest : public IntegratorTest {};  // solves for each step
auto candidates_with(bool Candidate::*trait) {
  std::vector<Candidate> out;
  for (const Candidate& c : kCandidates)
    if (c.*trait) out.push_back(c);
  return testing::ValuesIn(out);
}

TEST_P(IntegratorTest, ErrorFollowsToleranceOnOscillator) {
  if (adaptive())
    follow_tolerance<Oscillator>("oscillator", 10);
  else
    follow_step<Oscillator>("oscillator");
}

TEST_P(IntegratorTest, ErrorFollowsToleranceOnProjectedPendulum) {
  if (adaptive())
    follow_tolerance<Pendulum>("pendulum", 10);
  else
    follow_step<Pendulum>("pendulum");
}

TEST_P(ImplicitTest, ErrorFollowsToleranceOnStiffProblem) { follow_tolerance<Stiff>("stiff", 20); }

TEST_P(IntegratorTest, StaysOnInvariants) {
  Pendulum problem(1e-5);
  const auto integrator = make_integrator(GetParam().method, problem, settings());
  integrator->start(0, problem.exact(0), 0);
  double worst = 0, jump = 0;
  VecX y;
  while (integrator->time() < problem.end()) {
    ASSERT_TRUE(integrator->step(problem.end()).ok);
    worst = std::max(worst, Pendulum::violation(integrator->state()));
    integrator->interpolate(integrator->time(), y);
    jump = std::max(jump, (y - integrator->state()).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, 1e-14);
  EXPECT_LT(jump, 1e-14);  // the interpolant ends in the projected state
}

TEST_P(IntegratorTest, HitsStopTimesExactlyAndNeverLooksBeyond) {
  Pendulum problem;
  const auto integrator = make_integrator(GetParam().method, problem, settings());
  integrator->start(0, problem.exact(0), 0);
  VecX y;
  for (double stop : {0.1, 0.1 + 1e-9, 1.0 / 3, 1.0, 1 + 1e-13, std::numbers::pi, 7.7}) {
    double longest = 0;
    while (integrator->time() < stop) {
      const Outcome outcome = integrator->step(stop);
      ASSERT_TRUE(outcome.ok) << outcome.reason << " at " << integrator->time() << " before "
                              << stop;
      ASSERT_LE(integrator->time(), stop);
      ASSERT_GT(integrator->time(), integrator->previous_time());
      longest = std::max(longest, integrator->time() - integrator->previous_time());
      integrator->interpolate(0.5 * (integrator->previous_time() + integrator->time()), y);
    }
    EXPECT_EQ(integrator->time(), stop);
    EXPECT_LE(problem.latest, stop * (1 + 1e-15));
    EXPECT_LT(problem.error(stop, integrator->state()), 1e-4);
    // A step cut short is no reason to go on with short ones.
    if (adaptive()) {
      EXPECT_GE(integrator->next_step(), 0.5 * longest);
    }
  }
}

TEST_P(AdaptiveTest, EndsItsStepsInHalvesRatherThanSlivers) {
  Oscillator problem(1e-6);
  const auto integrator = make_integrator(GetParam().method, problem, {});
  integrator->start(0, problem.exact(0), 0);
  double last = 0;
  while (integrator->time() < 10) ASSERT_TRUE(integrator->step(10).ok);
  const double step = integrator->next_step();
  const double stop = 10 + 5.001 * step;
  while (integrator->time() < stop) {
    ASSERT_TRUE(integrator->step(stop).ok);
    last = integrator->time() - integrator->previous_time();
  }
  EXPECT_GT(last, 0.1 * step);
}

TEST_P(IntegratorTest, BeginsAgainInsideItsLastStep) {
  Pendulum problem(1e-9);
  const auto integrator = make_integrator(GetParam().method, problem, settings());
  integrator->start(0, problem.exact(0), 0);
  VecX y;
  int restarts = 0;
  for (int turn = 1; integrator->time() < 5; ++turn) {
    ASSERT_TRUE(integrator->step(5).ok);
    EXPECT_EQ(integrator->counters().steps, turn);  // counts go on
    if (turn % 15 == 0) {
      const double t =
          integrator->previous_time() + 0.37 * (integrator->time() - integrator->previous_time());
      integrator->interpolate(t, y);
      ASSERT_TRUE(problem.project(t, y.data()));
      integrator->start(t, y, integrator->next_step());
      EXPECT_EQ(integrator->time(), t);
      EXPECT_EQ(integrator->state(), y);
      ++restarts;
    }
  }
  EXPECT_GE(restarts, 1);
  EXPECT_LT(problem.error(5, integrator->state()), adaptive() ? 1e-5 : 1e-4);
}

TEST_P(AdaptiveTest, TheSuggestedStepIsNeverTooLong) {
  for (double step : {1e-9, 1e-3, 10.0}) {
    Pendulum problem(1e-9);
    const auto integrator = make_integrator(GetParam().method, problem, {});
    integrator->start(0, problem.exact(0), step);
    while (integrator->time() < 5) {
      const Outcome outcome = integrator->step(5);
      ASSERT_TRUE(outcome.ok) << outcome.reason << " with first step " << step;
    }
    EXPECT_LT(problem.error(5, integrator->state()), 1e-5);
  }
}

TEST_P(AdaptiveTest, KeepsToTheLongestStepAllowed) {
  Oscillator problem(1e-4);
  const auto integrator = make_integrator(GetParam().method, problem, {.max_step = 0.05});
  integrator->start(0, problem.exact(0), 0);
  while (integrator->time() < 3) {
    ASSERT_TRUE(integrator->step(3).ok);
    EXPECT_LE(integrator->time() - integrator->previous_time(), 0.05 * (1 + 1e-12));
  }
}

TEST_P(IntegratorTest, RecoversFromEvaluationsThatFail) {
  Pendulum problem(1e-8);
  const auto integrator = make_integrator(GetParam().method, problem, settings());
  integrator->start(0, problem.exact(0), 0);
  problem.fails = [&](double) { return problem.calls > 5 && problem.calls % 53 == 0; };
  bool stopped = false;
  while (integrator->time() < 5 && !stopped) {
    const Outcome outcome = integrator->step(5);
    stopped = !outcome.ok;
    if (stopped) {
      EXPECT_THAT(outcome.reason, testing::HasSubstr("cannot be evaluated"));
    }
  }
  EXPECT_EQ(stopped, !adaptive());  // a fixed step cannot be shortened
  if (adaptive()) {
    EXPECT_GT(integrator->counters().rejected, 0);
    EXPECT_LT(problem.error(5, integrator->state()), 1e-4);
  }
}

TEST_P(IntegratorTest, GivesUpWhereTheMotionCannotBeEvaluated) {
  Oscillator problem;
  const auto integrator = make_integrator(GetParam().method, problem, settings());
  integrator->start(0, problem.exact(0), 0);
  problem.fails = [](double t) { return t > 0.7; };
  Outcome outcome;
  for (int turn = 0; turn < 100000 && outcome.ok; ++turn) outcome = integrator->step(5);
  EXPECT_FALSE(outcome.ok);
  EXPECT_THAT(outcome.reason, testing::AnyOf(testing::HasSubstr("cannot be evaluated"),
                                             testing::HasSubstr("too small")));
  EXPECT_LE(integrator->time(), 0.7);
  EXPECT_GT(integrator->time(), 0.6);
  EXPECT_TRUE(integrator->state().allFinite());
}

TEST_P(IntegratorTest, GivesUpWhereTheConstraintsCannotBeMet) {
  Pendulum problem;
  problem.unprojectable = 0.7;
  const auto integrator = make_integrator(GetParam().method, problem, settings());
  integrator->start(0, problem.exact(0), 0);
  Outcome outcome;
  for (int turn = 0; turn < 100000 && outcome.ok; ++turn) outcome = integrator->step(5);
  EXPECT_FALSE(outcome.ok);
  EXPECT_THAT(outcome.reason, testing::AnyOf(testing::HasSubstr("constraints cannot be met"),
                                             testing::HasSubstr("too small")));
  EXPECT_LE(integrator->time(), 0.7);
  EXPECT_GT(integrator->time(), 0.6);
  EXPECT_LT(Pendulum::violation(integrator->state()), 1e-14);
}

TEST_P(IntegratorTest, FailsAtOnceWhereItStarts) {
  Oscillator problem;
  problem.fails = [](double) { return true; };
  const auto integrator = make_integrator(GetParam().method, problem, settings());
  integrator->start(0, problem.exact(0), 0);
  const Outcome outcome = integrator->step(5);
  EXPECT_FALSE(outcome.ok);
  EXPECT_THAT(outcome.reason, testing::HasSubstr("cannot be evaluated"));
  // Nothing is lost: once the cause is gone the run goes on.
  problem.fails = nullptr;
  integrator->start(0, problem.exact(0), 0);
  while (integrator->time() < 1) ASSERT_TRUE(integrator->step(1).ok);
  EXPECT_LT(problem.error(1, integrator->state()), 1e-4);
  // The same where steps have been taken before.
  problem.fails = [](double) { return true; };
  integrator->start(1, problem.exact(1), integrator->next_step());
  EXPECT_FALSE(integrator->step(5).ok);
}

TEST_P(AdaptiveTest, StopsBeforeASingularity) {
  Explosion problem(1e-6);
  const auto integrator = make_integrator(GetParam().method, problem, {});
  integrator->start(0, problem.exact(0), 0);
  Outcome outcome;
  for (int turn = 0; turn < 100000 && outcome.ok; ++turn) outcome = integrator->step(2);
  EXPECT_FALSE(outcome.ok);
  EXPECT_FALSE(outcome.reason.empty());
  EXPECT_THAT(outcome.reason, testing::Not(testing::HasSubstr("SUNDIALS")));
  EXPECT_NEAR(integrator->time(), 1, 1e-3);
}

TEST_P(AdaptiveTest, RefusedStepsLeaveNoTrace) {
  for (double tolerance : {1e-6, 1e-9}) {
    Pendulum plain_problem(tolerance), refused_problem(tolerance);
    const Errors plain = run(GetParam(), plain_problem, {});
    const Errors refused = run(GetParam(), refused_problem, {.reject_every = 10});
    EXPECT_GE(refused.counters.rejected, plain.counters.rejected + plain.counters.steps / 20);
    std::printf("%s, tolerance %.0e: error %.2e, with every tenth step refused %.2e\n",
                GetParam().name, tolerance, plain.state, refused.state);
    EXPECT_LT(refused.state, 3 * plain.state + 100 * tolerance);
    EXPECT_LT(refused.dense, 3 * plain.dense + 100 * tolerance);
  }
}

const auto name_of_test = [](const auto& test) { return std::string(test.param.name); };
INSTANTIATE_TEST_SUITE_P(All, IntegratorTest, testing::ValuesIn(kCandidates), name_of_test);
INSTANTIATE_TEST_SUITE_P(All, AdaptiveTest, candidates_with(&Candidate::adaptive), name_of_test);
INSTANTIATE_TEST_SUITE_P(All, ImplicitTest, candidates_with(&Candidate::implicit), name_of_test);

// An interpolant built on evaluated slopes would be off by the stiffness times the error of the
// state.
TEST(ArkodeTest, InterpolantOfImplicitMethodWithstandsStiffness) {
  Stiff problem(1e-6);
  const auto integrator = make_integrator(Method::arkode_dirk, problem, {});
  VecX y = problem.exact(0);
  y[0] += 1e-7;  // below the tolerance; its slope, 0.1, is not
  integrator->start(0, y, 0.05);
  ASSERT_TRUE(integrator->step(10).ok);
  ASSERT_GT(integrator->time(), 1e-3);
  for (double x : {0.1, 0.5, 0.9}) {
    const double t = x * integrator->time();
    integrator->interpolate(t, y);
    EXPECT_LT(problem.error(t, y), 1e-5);
  }
}

// L-stable: fast vibration below the tolerance is damped out, not followed.
TEST(ArkodeTest, ImplicitMethodStridesOverFastVibration) {
  Vibration problem(1e-4);
  const auto integrator = make_integrator(Method::arkode_dirk, problem, {});
  VecX y = problem.exact(0);
  y[0] = 1e-6;
  integrator->start(0, y, 0);
  while (integrator->time() < 20) ASSERT_TRUE(integrator->step(20).ok);
  EXPECT_LT(integrator->counters().steps, 1000);  // of 32 000 periods
  EXPECT_LT(problem.error(20, integrator->state()), 1e-2);
}

/// Hairer & Wanner 1996, table IV.5.6 and IV.8: the order conditions that define Radau IIA.
TEST(RadauTest, StagesIntegratePowersUpToTheirNumber) {
  const auto& c = radau::coefficients();
  for (int i = 0; i < radau::kStages; ++i)
    for (int power = 1; power <= radau::kStages; ++power) {
      double sum = 0;
      for (int j = 0; j < radau::kStages; ++j) sum += c.a[i][j] * std::pow(c.c[j], power - 1);
      EXPECT_NEAR(sum, std::pow(c.c[i], power) / power, 1e-14);
    }
}
TEST(RadauTest, WeightsIntegratePowersUpToTwiceTheStages) {
  const auto& c = radau::coefficients();
  for (int power = 1; power <= 2 * radau::kStages - 1; ++power) {
    double sum = 0;
    for (int j = 0; j < radau::kStages; ++j)
      sum += c.a[radau::kStages - 1][j] * std::pow(c.c[j], power - 1);
    EXPECT_NEAR(sum, 1.0 / power, 1e-14);
  }
}
TEST(RadauTest, StridesOverFastVibration) {
  Vibration problem(1e-6);
  const auto integrator = make_radau(problem, {});
  integrator->start(0, problem.exact(0), 0);
  while (integrator->time() < problem.end()) ASSERT_TRUE(integrator->step(problem.end()).ok);
  EXPECT_LT(integrator->counters().steps, 200);  // 20 s at 1e4 rad/s
}

TEST(CvodeTest, OrderRisesFromOne) {
  Oscillator problem(1e-9);
  for (Method method : {Method::cvode_adams, Method::cvode_bdf}) {
    const auto integrator = make_integrator(method, problem, {});
    integrator->start(0, problem.exact(0), 0);
    ASSERT_TRUE(integrator->step(20).ok);
    EXPECT_EQ(integrator->order(), 1);
    while (integrator->time() < 20) ASSERT_TRUE(integrator->step(20).ok);
    EXPECT_GE(integrator->order(), 4);
  }
}

// Order conditions of the coefficients as printed by Hairer, Norsett & Wanner 1993, II.1 and II.5.
TEST(Dop853Test, RowsSumToNodes) {
  using namespace dop853;
  for (int i = 0; i < kAllStages; ++i) {
    double sum = 0;
    for (double a : kA[i]) sum += a;
    EXPECT_NEAR(sum, kC[i], 2e-14) << "stage " << i;  // terms up to 44
  }
}

TEST(Dop853Test, WeightsMeetOrderConditions) {
  using namespace dop853;
  for (int k = 0; k < 8; ++k) {  // quadrature
    double sum = 0;
    for (int i = 0; i < kStages; ++i) sum += kB[i] * std::pow(kC[i], k);
    EXPECT_NEAR(sum, 1.0 / (k + 1), 5e-15) << "c^" << k;
  }
  for (int j = 0; j < kStages; ++j) {  // D(1): sum_i b_i a_ij = b_j (1 - c_j), for all columns used
    double sum = 0;
    for (int i = 0; i < kStages; ++i) sum += kB[i] * kA[i][j];
    EXPECT_NEAR(sum, kB[j] * (1 - kC[j]), 1e-14) << "column " << j;
  }
  for (int j = 0; j < kStages; ++j) EXPECT_EQ(kA[kStages][j], kB[j]);  // first same as last
  // One bushy tree of each order beyond quadrature: b A c^k = 1 / ((k + 1)(k + 2)).
  for (int k = 1; k < 7; ++k) {
    double sum = 0;
    for (int i = 0; i < kStages; ++i)
      for (int j = 0; j < i; ++j) sum += kB[i] * kA[i][j] * std::pow(kC[j], k);
    EXPECT_NEAR(sum, 1.0 / ((k + 1) * (k + 2)), 5e-15) << "A c^" << k;
  }
}

TEST(Dop853Test, ErrorEstimatesVanishOnLowPowers) {
  using namespace dop853;
  for (int k = 0; k < 5; ++k) {
    double sum = 0;
    for (int i = 0; i < kStages; ++i) sum += kE5[i] * std::pow(kC[i], k);
    EXPECT_NEAR(sum, 0, 5e-15) << "c^" << k;
  }
  for (int k = 0; k < 3; ++k) {
    double sum = 0;
    for (int i = 0; i < kStages; ++i) sum += kE3[i] * std::pow(kC[i], k);
    EXPECT_NEAR(sum, 0, 5e-15) << "c^" << k;
  }
}

}  // namespace
}  // namespace freeplay::integrate
