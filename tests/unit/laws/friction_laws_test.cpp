// SPDX-License-Identifier: Apache-2.0
#include "laws/friction_laws.hpp"

#include "laws/catalogue.hpp"
#include "unit/laws/adaptive_rk.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

// What holds for every friction law, slip laws and bristle laws apart. A law is covered as soon as
// its name is in the variant.
namespace freeplay::laws {
namespace {

using test::Y;

// The laws of a variant that keep states, or those that do not.
template <bool States, class V, class... Out>
struct Select;
template <bool States, class... Out>
struct Select<States, std::variant<>, Out...> {
  using type = ::testing::Types<Out...>;
};
template <bool States, class L, class... Rest, class... Out>
struct Select<States, std::variant<L, Rest...>, Out...>
    : std::conditional_t<(L::states > 0) == States,
                         Select<States, std::variant<Rest...>, Out..., L>,
                         Select<States, std::variant<Rest...>, Out...>> {};
using SlipLaws = Select<false, FrictionLaw>::type;
using BristleLaws = Select<true, FrictionLaw>::type;

struct LawName {
  template <class L>
  static std::string GetName(int) {
    std::string name(L::key);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }
};

/// Each bound is documented, allowed itself, and kept.
template <class L>
void expect_bounds_kept() {
  for (const Field<L>& f : L::fields()) {
    EXPECT_FALSE(f.key.empty() || f.unit.empty() || f.doc.empty()) << f.key;
    EXPECT_LT(f.min, f.max) << f.key;
    const auto finds_fault = [&](double value) {
      L law;
      law.*f.member = value;
      for (const Fault& fault : faults(FrictionLaw(law)))
        if (fault.key == f.key) return true;
      return false;
    };
    EXPECT_FALSE(finds_fault(L{}.*f.member)) << f.key << " by default";
    EXPECT_FALSE(finds_fault(f.min)) << f.key;
    EXPECT_FALSE(finds_fault(f.max)) << f.key;
    EXPECT_TRUE(finds_fault(1.1 * f.max)) << f.key;
    EXPECT_TRUE(finds_fault(f.min - 1)) << f.key;
  }
  EXPECT_TRUE(faults(FrictionLaw(L{})).empty());
  if constexpr (requires(L l) { l.static_; }) {
    L upside_down;
    upside_down.static_ = 0.5 * upside_down.kinetic;
    EXPECT_EQ(faults(FrictionLaw(upside_down)).size(), 1u);
  }
}

// --- all laws
// --------------------------------------------------------------------------------------------

template <class V>
struct TypesOf;
template <class... L>
struct TypesOf<std::variant<L...>> {
  using type = ::testing::Types<L...>;
};
template <class L>
class FrictionBoundTest : public ::testing::Test {
 protected:
  using State = BristleState<double, std::max(L::states, 1)>;

  /// A law with parameters drawn round its defaults.
  template <class Random>
  static L drawn(Random& random) {
    std::uniform_real_distribution<> unit(0, 1);
    const auto some = [&](double low, double high) {
      return low * std::pow(high / low, unit(random));
    };
    L law;
    if constexpr (requires { law.kinetic; }) law.kinetic = some(0.02, 0.6);
    if constexpr (requires { law.static_; }) law.static_ = law.kinetic * (1 + unit(random));
    if constexpr (requires { law.viscous; }) law.viscous = unit(random) < 0.5 ? 0 : some(0.01, 1);
    if constexpr (requires { law.sigma0; }) law.sigma0 = some(1e4, 1e6);
    if constexpr (requires { law.as_published; }) law.as_published = unit(random) < 0.5;
    if constexpr (requires { law.sigma1; }) {
      law.sigma1 = some(1, 1e4);
      law.sigma2 = unit(random) < 0.5 ? 0 : some(0.01, 10);
      law.vs = some(1e-4, 1e-2);
    }
    if constexpr (requires { law.dwell_time; }) law.dwell_time = some(1e-3, 1);
    if constexpr (requires { law.reference_load; })
      if (unit(random) < 0.3) {
        law.reference_load = 50;
        law.sigma0 *= 50;
        if constexpr (requires { law.sigma1; }) law.sigma1 *= 50, law.sigma2 *= 50;
      }
    return law;
  }

  /// |friction|/load, the states moved on by h (Runge and Kutta's rule).
  static double step(const L& law, const Vec3& v, double load, double load_rate, double h,
                     State& z) {
    if constexpr (L::states == 0) {
      return law.force(Slip<>{v, load}).norm() / load;
    } else {
      const auto rate = [&](double t, const State& at) {
        return State(law.evaluate(Slip<>{v, load + load_rate * t}, load_rate, at).rate);
      };
      const double out = law.evaluate(Slip<>{v, load}, load_rate, z).force.norm() / load;
      const State a = rate(0, z), b = rate(0.5 * h, z + 0.5 * h * a),
                  c = rate(0.5 * h, z + 0.5 * h * b), d = rate(h, z + h * c);
      z += h / 6 * (a + 2 * b + 2 * c + d);
      return out;
    }
  }
};
TYPED_TEST_SUITE(FrictionBoundTest, TypesOf<FrictionLaw>::type, LawName);

TYPED_TEST(FrictionBoundTest, IsKeptThroughEveryHistoryAndReached) {
  // Stretches of constant velocity, from creeping to racing, turned anywhere in the plane or right
  // back, under loads that rise and fall; each long enough for some bristles' lengths or a rest.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<> unit(0, 1);
  std::array<double, 3> most{};  // creeping, about the Stribeck speed, fast
  for (int history = 0; history < 60; ++history) {
    const TypeParam law = this->drawn(random);
    auto z = FrictionBoundTest<TypeParam>::State::Zero().eval();
    Vec3 direction = Vec3::UnitX();
    double load = 50;
    for (int stretch = 0; stretch < 40; ++stretch) {
      const double turn = unit(random) < 0.3   ? std::numbers::pi
                          : unit(random) < 0.4 ? 0
                                               : 7 * unit(random);
      direction = Vec3(std::cos(turn) * direction[0] - std::sin(turn) * direction[1],
                       std::sin(turn) * direction[0] + std::cos(turn) * direction[1], 0);
      const double speed = unit(random) < 0.1 ? 0 : std::pow(10, -6 + 6.5 * unit(random));
      const Vec3 v = speed * direction;
      double length = 1e-6, stiff = 0;  // of a bristle, m; fastest relaxation, 1/s
      if constexpr (TypeParam::states > 0) {
        length = law.deflection_scale();
        stiff = speed / length;
      }
      if constexpr (requires { law.dwell_time; }) stiff += law.sigma0 / law.sigma1;
      double time = speed > 0 ? 10 * unit(random) * length / speed : 1e-2;
      if constexpr (requires { law.dwell_time; })
        if (speed < 0.1 * law.vs) time = 3 * law.dwell_time;
      const int steps = std::clamp(static_cast<int>(20 * stiff * time), 10, 4000);
      const double h = std::min(time / steps, stiff > 0 ? 0.1 / stiff : 1.0);
      const double target = 100 * std::pow(10, -2 * unit(random));
      const double load_rate = (target - load) / (h * steps);
      const double bound = law.bound(v.norm());
      double& pace = most[speed < 3e-4 ? 0 : speed < 1e-2 ? 1 : 2];
      for (int i = 0; i < steps; ++i) {
        const double given = this->step(law, v, load, load_rate, h, z);
        ASSERT_LE(given, bound * (1 + 1e-12)) << "speed " << speed << ", history " << history;
        if (bound > 0) pace = std::max(pace, given / bound);
        load += load_rate * h;
      }
      load = target;
    }
  }
  // Laws without memory give it always; bristles that were bent by creeping when the motion starts
  // or turns.
  std::printf("%-16s reaches %.6f, %.6f, %.6f of its bound\n", TypeParam::key.data(), most[0],
              most[1], most[2]);
  for (const double share : most) EXPECT_GT(share, TypeParam::states == 0 ? 1 - 1e-12 : 0.99);
}

TEST(CoulombTest, BoundIsWhatACoulombContactHoldsAtRest) {
  Coulomb law;
  law.kinetic = 0.2;
  EXPECT_EQ(law.bound(0), 0.2);
  law.static_ = 0.3;
  EXPECT_EQ(law.bound(0), 0.3);
  EXPECT_EQ(law.bound(1e-9), 0.2);
}

// --- slip laws
// -------------------------------------------------------------------------------------------

template <class L>
class SlipLawTest : public ::testing::Test {
 protected:
  L law;
};
TYPED_TEST_SUITE(SlipLawTest, SlipLaws, LawName);

TYPED_TEST(SlipLawTest, ReproducesItsSamples) {
  ASSERT_FALSE(TypeParam::samples.empty());
  for (const SlipSample& s : TypeParam::samples)
    EXPECT_NEAR(this->law.coefficient(s.speed), s.coefficient, 1e-8 * s.coefficient)
        << "at " << s.speed;
}

TYPED_TEST(SlipLawTest, TakesPowerAndPointsAgainstTheSlip) {
  std::mt19937 random(1);
  std::normal_distribution<> normal;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 v =
        std::pow(10.0, -6 + 0.007 * i) * Vec3(normal(random), normal(random), normal(random));
    const Vec3 f = this->law.force(Slip<>{v, 50.0});
    EXPECT_LE(f.dot(v), 0);
    EXPECT_NEAR(f.cross(v).norm(), 0, 1e-12 * (f.norm() * v.norm() + 1e-300));
    EXPECT_LE(f.norm(), 50 * (0.15 + 1e-9)) << "above static friction at " << v.norm();
  }
}

TYPED_TEST(SlipLawTest, IsRegularAtRest) {
  using D = Dual<3>;
  const Slip<D> rest{{D::variable(0, 0), D::variable(0, 1), D::variable(0, 2)}, D(100)};
  const Vec3T<D> f = this->law.force(rest);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(f[i].value, 0);
    // slope -ratio(0) N, the same in all directions
    for (int k = 0; k < 3; ++k)
      EXPECT_DOUBLE_EQ(f[i].d[k], i == k ? -100 * this->law.ratio(0.0) : 0);
  }
  if (TypeParam::sticks_by_events) return;
  EXPECT_NEAR(this->law.ratio(1e-12), this->law.ratio(0.0), 1e-6 * this->law.ratio(0.0) + 1e-9);
}

TYPED_TEST(SlipLawTest, HasTheDerivativesOfFiniteDifferences) {
  using D = Dual<4>;
  for (double speed = 1.3e-6; speed < 1; speed *= 2.7) {
    const Vec3 v = speed * Vec3(0.6, -0.48, 0.64);
    const Slip<D> slip{{D::variable(v[0], 0), D::variable(v[1], 1), D::variable(v[2], 2)},
                       D::variable(80, 3)};
    const Vec3T<D> f = this->law.force(slip);
    for (int k = 0; k < 4; ++k) {
      const double h = k < 3 ? 1e-5 * speed : 1e-3;
      const auto at = [&](double step) {
        Slip<> s{v, 80.0};
        (k < 3 ? s.velocity[k] : s.normal_force) += step;
        return this->law.force(s);
      };
      const Vec3 difference = (at(h) - at(-h)) / (2 * h);
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(f[i].d[k], difference[i], 1e-8 * (80 * this->law.ratio(speed) + 1))
            << speed << " d" << i << "/d" << k;
    }
  }
}

TYPED_TEST(SlipLawTest, DocumentsAndKeepsItsBounds) { expect_bounds_kept<TypeParam>(); }

TYPED_TEST(SlipLawTest, HoldsALoadOnlyIfItSaysSo) {
  // Half the friction as load: where nothing holds, the slip speed settles at a creep speed above
  // 0.
  if (TypeParam::can_hold_load) {
    EXPECT_TRUE(TypeParam::sticks_by_events) << "a function of the speed alone cannot hold a load";
  } else {
    EXPECT_LT(this->law.coefficient(1e-15), 1e-9);
  }
}

TEST(FrictionLawTest, BrownMcPheePeaksAtStaticFriction) {
  BrownMcPhee law;
  double peak = 0, where = 0;
  for (double v = 5e-4; v < 2e-3; v += 1e-7)
    if (law.coefficient(v) > peak) peak = law.coefficient(v), where = v;
  EXPECT_NEAR(peak / law.static_, 0.9996, 5e-5);
  EXPECT_NEAR(where, law.vt, 0.01 * law.vt);
}

// --- bristle laws
// ----------------------------------------------------------------------------------------

template <class L>
class BristleLawTest : public ::testing::Test {
 protected:
  using State = BristleState<double, L::states>;

  /// The deflection in a line, and the dwell variable where there is one.
  static State state(double z, double dwell = 0) {
    State s = State::Zero();
    s[0] = z;
    if (L::states > 3) s[L::states - 1] = dwell;
    return s;
  }
  /// Slides at a constant velocity and load.
  BristleRate<double, L::states> slide(State& z, const Vec3& velocity, double load,
                                       double distance) const {
    Y<L::states> y = z.array();
    double t = 0;
    const auto rate = [&](double, const Y<L::states>& s) {
      return Y<L::states>(
          law.evaluate(Slip<>{velocity, load}, 0.0, State(s.matrix())).rate.array());
    };
    Y<L::states> scale = Y<L::states>::Constant(1e-6);
    if (L::states > 3) scale[L::states - 1] = 1;
    test::integrate<L::states>(rate, t, y, distance / velocity.norm(), scale, 1e-10);
    z = y.matrix();
    return law.evaluate(Slip<>{velocity, load}, 0.0, z);
  }
  /// Work of friction on the moving part over the last of four periods of x = X sin(wt) under the
  /// load N (1 + a sin(2 wt + phase)); J.
  static double work_of_a_cycle(const L& law, double X, double w, double N, double a,
                                double phase) {
    constexpr int n = L::states + 1;
    const auto rate = [&](double t, const Y<n>& y) {
      const double load = N * (1 + a * std::sin(2 * w * t + phase)),
                   load_rate = 2 * w * N * a * std::cos(2 * w * t + phase);
      const Vec3 v(X * w * std::cos(w * t), 0, 0);
      const auto out =
          law.evaluate(Slip<>{v, load}, load_rate, State(y.template head<L::states>().matrix()));
      Y<n> dy;
      dy << out.rate.array(), out.force.dot(v);
      return dy;
    };
    Y<n> y = Y<n>::Zero(), scale = Y<n>::Constant(X);
    if (L::states > 3) scale[3] = 1;
    scale[n - 1] = N * 0.1 * X;
    double t = 0;
    const double period = 2 * std::numbers::pi / w;
    test::integrate<n>(rate, t, y, 3 * period, scale, 1e-9);
    const double before = y[n - 1];
    test::integrate<n>(rate, t, y, 4 * period, scale, 1e-9);
    return y[n - 1] - before;
  }

  L law;
};
TYPED_TEST_SUITE(BristleLawTest, BristleLaws, LawName);

TYPED_TEST(BristleLawTest, ReproducesItsSamples) {
  for (const BristleSample& s : TypeParam::samples) {
    const auto out = this->law.evaluate(Slip<>{Vec3(s.velocity, 0, 0), s.load}, 0.0,
                                        this->state(s.deflection, s.dwell));
    EXPECT_NEAR(out.force[0], s.force, 1e-8 * std::abs(s.force));
    EXPECT_NEAR(out.rate[0], s.rate, 1e-8 * std::abs(s.velocity));
  }
}

TYPED_TEST(BristleLawTest, HasTheDerivativesOfFiniteDifferences) {
  constexpr int S = TypeParam::states, N = 5 + S;
  using D = Dual<N>;
  double worst = 0;
  for (const double speed : {2e-5, 7e-4, 3e-2})
    for (const double bend : {3e-7, 1.03e-6, 1.7e-6}) {
      // velocity, load, load rate, state
      Eigen::Matrix<double, N, 1> x, size;
      x << speed * Vec3(0.8, 0.6, 0), 90, 20, bend * Vec3(0.6, 0.8, 0),
          Eigen::Matrix<double, S - 3, 1>::Constant(0.4);
      size << Vec3::Constant(speed), 90, 20, Vec3::Constant(bend),
          Eigen::Matrix<double, S - 3, 1>::Constant(0.4);
      const auto evaluate = [&]<class T>(const Eigen::Matrix<T, N, 1>& u) {
        return this->law.evaluate(Slip<T>{u.template head<3>(), u[3]}, u[4],
                                  BristleState<T, S>(u.template tail<S>()));
      };
      Eigen::Matrix<D, N, 1> u;
      for (int k = 0; k < N; ++k) u[k] = D::variable(x[k], k);
      const auto exact = evaluate(u);
      const auto base = evaluate(x);
      for (int k = 0; k < N; ++k) {
        const double h = 1e-5 * size[k];
        auto up = x, down = x;
        up[k] += h, down[k] -= h;
        const auto above = evaluate(up), below = evaluate(down);
        const auto expect_slope = [&](const D& value, double high, double low, double scale) {
          const double error = std::abs(value.d[k] - (high - low) / (2 * h)) * size[k] / scale;
          EXPECT_LT(error, 1e-7) << "variable " << k << ", speed " << speed << ", bend " << bend;
          worst = std::max(worst, error);
        };
        for (int i = 0; i < 3; ++i)
          expect_slope(exact.force[i], above.force[i], below.force[i], base.force.norm() + 1e-3);
        for (int i = 0; i < S; ++i)
          expect_slope(exact.rate[i], above.rate[i], below.rate[i], base.rate.norm() + 1e-9);
      }
    }
}

TYPED_TEST(BristleLawTest, SlidesAtKineticFrictionAndTurnsWithTheMotion) {
  // theory/friction (R.6): after a turn by 90 degrees nothing of the old direction is left.
  const double N = 100, F = N * this->law.kinetic;
  auto z = this->state(0);
  const Vec3 straight = this->slide(z, Vec3(0.1, 0, 0), N, 1e-3).force;
  EXPECT_NEAR((straight - Vec3(-F, 0, 0)).norm(), 0, 1e-6 * F) << straight.transpose();
  const Vec3 turned = this->slide(z, Vec3(0, 0.1, 0), N, 1e-3).force;
  EXPECT_NEAR((turned - Vec3(0, -F, 0)).norm(), 0, 1e-6 * F) << turned.transpose();
}

TYPED_TEST(BristleLawTest, IsBoundedByStaticFrictionInSlowSliding) {
  double bound = this->law.kinetic;
  if constexpr (requires(TypeParam l) { l.static_; }) bound = this->law.static_;
  auto z = this->state(0);
  for (const Vec3& direction :
       {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-0.6, 0.8, 0), Vec3(0.6, -0.8, 0)}) {
    const Vec3 f = this->slide(z, 1e-5 * direction, 100, 2e-5).force;
    EXPECT_LE(f.norm(), 100 * (bound + 3.2e-3));  // and the little that sigma1 adds
    EXPECT_LE(z.template head<3>().norm(), 1.001 * bound / this->law.sigma0);
    EXPECT_LT(f.dot(direction), 0);
  }
}

TYPED_TEST(BristleLawTest, GainsNothingOverACycleAtConstantLoad) {
  for (const double X : {3e-7, 1e-6, 3e-6, 1e-4})
    for (const double w : {1.0, 100.0, 1e4})
      EXPECT_LE(this->work_of_a_cycle(this->law, X, w, 20, 0, 0), 1e-9 * 20 * 0.1 * X)
          << "X = " << X << ", w = " << w;
}

TYPED_TEST(BristleLawTest, GainsNothingUnderALoadAtTwiceTheSlipFrequency) {
  TypeParam published = this->law;
  published.as_published = true;
  double safe = -1e300, unsafe = -1e300;
  const double N = 1, X = 2e-7, stored = 0.5 * N * this->law.sigma0 * X * X;
  for (const double w : {1.0, 30.0})
    for (int i = 0; i < 8; ++i) {
      const double phase = i * std::numbers::pi / 4;
      safe = std::max(safe, this->work_of_a_cycle(this->law, X, w, N, 0.9, phase));
      unsafe = std::max(unsafe, this->work_of_a_cycle(published, X, w, N, 0.9, phase));
    }
  std::printf("%-15s stored %.2g J; largest work of a cycle %.2g J, as published %.2g J\n",
              TypeParam::key.data(), stored, safe, unsafe);
  EXPECT_LE(safe, 1e-6 * stored);
  EXPECT_GT(unsafe, 0.1 * stored);
  for (const double amplitude : {1e-6, 1e-5})
    for (int i = 0; i < 8; ++i)
      EXPECT_LE(this->work_of_a_cycle(this->law, amplitude, 30.0, N, 0.9, i * std::numbers::pi / 4),
                0);
}

TYPED_TEST(BristleLawTest, NeverReturnsMoreThanItTook) {
  // From unbent bristles, under random slip in the plane and a random load: at no time has friction
  // given the parts more than it had taken from them before.
  constexpr int S = TypeParam::states, n = S + 1;
  std::mt19937 random(7);
  std::uniform_real_distribution<> unit(-1, 1);
  double worst = -1e300;
  for (int run = 0; run < 60; ++run) {
    const double X = std::pow(10, -6.5 + 1.0 * (run % 3)), w = std::pow(10, 0.5 + 1.0 * (run % 4));
    Eigen::Matrix<double, 3, 6> a;
    for (double& x : a.reshaped()) x = unit(random);
    const auto rate = [&](double t, const Y<n>& y) {
      Vec3 v = Vec3::Zero();
      double load = 1.02, load_rate = 0;
      for (int k = 0; k < 6; ++k) {
        const double c = w * (1 + 0.7 * k);
        v.head<2>() += a.col(k).head<2>() * X * w * std::cos(c * t + 5 * k);
        load += a(2, k) / 6 * std::cos(c * t + k),
            load_rate -= a(2, k) / 6 * c * std::sin(c * t + k);
      }
      const auto out = this->law.evaluate(Slip<>{v, load}, load_rate,
                                          BristleState<double, S>(y.template head<S>().matrix()));
      Y<n> dy;
      dy << out.rate.array(), out.force.dot(v);
      return dy;
    };
    Y<n> y = Y<n>::Zero(), scale = Y<n>::Constant(X);
    if (S > 3) scale[3] = 1;
    scale[n - 1] = 0.1 * X;
    double t = 0;
    for (int i = 1; i < 200; ++i) {
      test::integrate<n>(rate, t, y, 0.1 * i / w, scale, 1e-8);
      worst = std::max(worst, y[n - 1] / scale[n - 1]);
    }
  }
  EXPECT_LT(worst, 1e-6);
}

TYPED_TEST(BristleLawTest, HoldsALoad) {
  // A mass of 1 kg pressed with 100 N and pulled ever harder, up to half the kinetic friction: it
  // gives way by less than the length of a bristle and comes to rest there.
  constexpr int S = TypeParam::states, n = S + 2;
  const double pull = 0.5 * 100 * this->law.kinetic;
  const auto rate = [&](double t, const Y<n>& y) {
    const auto out = this->law.evaluate(Slip<>{Vec3(y[1], 0, 0), 100.0}, 0.0,
                                        BristleState<double, S>(y.template tail<S>().matrix()));
    Y<n> dy;
    dy << y[1], pull * std::min(1.0, 5 * t) + out.force[0] - 200 * y[1],
        out.rate.array();  // damping for Dahl
    return dy;
  };
  Y<n> y = Y<n>::Zero(), scale = Y<n>::Constant(1e-6);
  scale[1] = 1e-3;
  if (S > 3) scale[n - 1] = 1;
  double time = 0;
  test::integrate<n>(rate, time, y, 0.5, scale, 1e-8);
  const double early = y[0];
  EXPECT_LT(early, this->law.kinetic / this->law.sigma0);
  test::integrate<n>(rate, time, y, 2.0, scale, 1e-8);
  EXPECT_NEAR(y[0], early, 1e-10);
}

TYPED_TEST(BristleLawTest, TakesSigmaPerLoadOrAtAReferenceLoad) {
  TypeParam given = this->law;
  given.reference_load = 50;
  given.sigma0 *= 50;
  if constexpr (requires(TypeParam l) { l.sigma1; }) given.sigma1 *= 50;
  const auto z = this->state(4e-7, 0.3);
  const Slip<> slip{Vec3(3e-4, 1e-4, 0), 70.0};
  const auto a = this->law.evaluate(slip, 5.0, z), b = given.evaluate(slip, 5.0, z);
  EXPECT_NEAR((a.force - b.force).norm(), 0, 1e-12 * a.force.norm());
  EXPECT_NEAR((a.rate - b.rate).norm(), 0, 1e-12 * a.rate.norm());
}

TYPED_TEST(BristleLawTest, DocumentsAndKeepsItsBounds) { expect_bounds_kept<TypeParam>(); }

TYPED_TEST(BristleLawTest, StartsFromNothing) {
  const auto out = this->law.evaluate(Slip<>{Vec3(0.1, 0, 0), 0.0}, 1e6, this->state(0));
  EXPECT_EQ(out.force.norm(), 0);
  EXPECT_TRUE(out.rate.allFinite());
}

// --- published numbers
// -----------------------------------------------------------------------------------

/// Canudas parameters: forces in N at a load of 1 N.
LuGre canudas() {
  LuGre law;
  law.reference_load = 1;
  law.kinetic = 1, law.static_ = 1.5, law.sigma0 = 1e5, law.sigma1 = std::sqrt(1e5),
  law.sigma2 = 0.4, law.vs = 1e-3;
  return law;
}

TEST(LuGreTest, PreSlidingLoopOfCaseD2) {
  for (const bool as_published : {true, false}) {
    LuGre law = canudas();
    law.as_published = as_published;
    const auto applied = [](double t) {
      const double ramp = 0.1425;
      return t < 10 ? ramp * t : t < 30 ? 1.425 - ramp * (t - 10) : -1.425 + ramp * (t - 30);
    };
    const auto rate = [&](double t, const Y<3>& y) {
      const auto out = law.evaluate(Slip<>{Vec3(y[1], 0, 0), 1.0}, 0.0, Vec3(y[2], 0, 0));
      return Y<3>(y[1], applied(t) + out.force[0], out.rate[0]);
    };
    Y<3> y = Y<3>::Zero();
    double t = 0, worst = 0;
    const std::vector<std::array<double, 2>> table{
        {5, 9.65675}, {10, 44.85793}, {20, 35.13}, {30, -9.73245}, {50, 44.85793}};
    for (const auto& [time, um] : table) {
      test::integrate<3>(rate, t, y, time, Y<3>(1e-5, 1e-5, 1e-5), 1e-9);
      EXPECT_NEAR(1e6 * y[0], um, time == 20 ? 6e-3 : 1e-4) << "t = " << time;
      worst = std::max(worst, std::abs(1e6 * y[0] - um));
    }
    std::printf("case D2 %s: worst deviation %.1e um\n", as_published ? "as published" : "default",
                worst);
  }
}

/// Friction of a unit mass that a force growing at `rate` tears off: its peak before 5 mm/s; N.
double break_away(const LuGre& law, double rate) {
  const auto motion = [&](double t, const Y<3>& y) {
    const auto out = law.evaluate(Slip<>{Vec3(y[1], 0, 0), 1.0}, 0.0, Vec3(y[2], 0, 0));
    return Y<3>(y[1], rate * t + out.force[0], out.rate[0]);
  };
  Y<3> y = Y<3>::Zero();
  double t = 0, peak = 0;
  while (y[1] < 5e-3) {
    test::integrate<3>(motion, t, y, t + 1e-4 / rate, Y<3>(1e-5, 1e-5, 1e-5), 1e-9);
    const auto out = law.evaluate(Slip<>{Vec3(y[1], 0, 0), 1.0}, 0.0, Vec3(y[2], 0, 0));
    peak = std::max(peak, -out.force[0]);
  }
  return peak;
}

TEST(LuGreTest, DepartsFromThePublicationByWhatItsPageSays) {
  // Peaks by an independent program (fourth-order Runge-Kutta at 10 us).
  LuGre published = canudas(), fading = canudas();
  published.as_published = true;
  EXPECT_NEAR(break_away(published, 3), 1.363620, 2e-4);
  EXPECT_NEAR(break_away(published, 27), 1.042249, 2e-4);
  EXPECT_NEAR(break_away(fading, 3) / break_away(published, 3), 1 - 0.001, 5e-4);
  EXPECT_NEAR(break_away(fading, 27) / break_away(published, 27), 1 - 0.03, 5e-3);
  const Slip<> sudden{Vec3(0.1, 0, 0), 1.0};
  EXPECT_NEAR(published.evaluate(sudden, 0.0, Vec3(0, 0, 0)).force[0], -31.66, 0.01);
  EXPECT_NEAR(fading.evaluate(sudden, 0.0, Vec3(0, 0, 0)).force[0], -0.04, 1e-6);
  for (const Entry& law : friction_catalogue()) {
    const bool has_switch = std::any_of(law.parameters.begin(), law.parameters.end(),
                                        [](const Parameter& p) { return p.key == "as_published"; });
    EXPECT_EQ(has_switch, !law.departs.empty()) << law.key;
    EXPECT_EQ(has_switch, to_text(law).find("Departs from the publication") != std::string::npos);
  }
}

TEST(DahlTest, VirginCurveAndLoopOfCaseD3) {
  Dahl law;
  law.kinetic = 1, law.sigma0 = 1e5, law.reference_load = 1;
  const auto move = [&](Y<2>& y, double distance) {  // state: z, work against friction
    const double v = distance > 0 ? 1 : -1;
    const auto rate = [&](double, const Y<2>& s) {
      const auto out = law.evaluate(Slip<>{Vec3(v, 0, 0), 1.0}, 0.0, Vec3(s[0], 0, 0));
      return Y<2>(out.rate[0], -out.force[0] * v);
    };
    double t = 0;
    test::integrate<2>(rate, t, y, std::abs(distance), Y<2>(1e-5, 1e-5));
  };
  const double x0 = 1e-5;
  Y<2> y(0, 0);
  move(y, x0);
  EXPECT_NEAR(1e5 * y[0], 0.6321205588, 1e-10);
  for (int i = 0; i < 30; ++i) move(y, -2 * x0), move(y, 2 * x0);
  EXPECT_NEAR(1e5 * y[0], 0.761594156, 1e-9);
  const double before = y[1];
  move(y, -2 * x0), move(y, 2 * x0);
  EXPECT_NEAR(y[1] - before, 9.536233762e-6, 1e-14);
}

TEST(LuGreTest, ScalarProjectedFormWouldFailTheTurn) {
  // What theory/friction (R.6) warns of, kept here as the reason for the isotropic form: z' = v (1
  // - sigma0 z.v/(|v| mu)) never loses the part of z normal to v.
  const double mu = 0.1, s0 = 1e5;
  Y<2> z(0, 0);
  for (const Vec3& v : {Vec3(0.1, 0, 0), Vec3(0, 0.1, 0)}) {
    const auto rate = [&](double, const Y<2>& s) {
      const double share = 1 - s0 / mu * (s[0] * v[0] + s[1] * v[1]) / v.norm();
      return Y<2>(v[0] * share, v[1] * share);
    };
    double t = 0;
    test::integrate<2>(rate, t, z, 1e-2, Y<2>(1e-6, 1e-6), 1e-10);
  }
  EXPECT_NEAR(s0 * z[0] / mu, 1, 1e-6);
  EXPECT_NEAR(s0 * z[1] / mu, 1, 1e-6);
}

TEST(ElastoPlasticTest, DoesNotDriftBelowTheBreakAway) {
  // 200 wiggles between a quarter and 0.6 of kinetic friction: LuGre creeps on, this law does not.
  const auto drift = [](const auto& law) {
    const auto rate = [&](double t, const Y<5>& y) {
      const auto out = law.evaluate(Slip<>{Vec3(y[1], 0, 0), 100.0}, 0.0, Vec3(y[2], y[3], y[4]));
      Y<5> dy;
      dy << y[1], 10 * (0.425 - 0.175 * std::cos(200 * t)) + out.force[0], out.rate.array();
      return dy;
    };
    Y<5> y = Y<5>::Zero(), scale = Y<5>::Constant(1e-6);
    scale[1] = 1e-3;
    const double period = 2 * std::numbers::pi / 200;
    double t = 0;
    test::integrate<5>(rate, t, y, 20 * period, scale, 1e-8);
    const double early = y[0];
    test::integrate<5>(rate, t, y, 220 * period, scale, 1e-8);
    return (y[0] - early) / 200;
  };
  EXPECT_GT(drift(LuGre{}), 1e-9);
  EXPECT_NEAR(drift(ElastoPlastic{}), 0, 1e-13);
}

TEST(GonthierFrictionTest, GrowsStrongerWithTheTimeAtRest) {
  GonthierFriction law;
  BristleState<double, 4> state = BristleState<double, 4>::Zero();
  const auto rest = law.evaluate(Slip<>{Vec3::Zero(), 100.0}, 0.0, state);
  EXPECT_DOUBLE_EQ(rest.rate[3], 1 / law.dwell_time);
  state[3] = 1;
  state[0] = 1e-5;  // beyond saturation
  EXPECT_NEAR(law.evaluate(Slip<>{Vec3::Zero(), 100.0}, 0.0, state).force[0], -15, 1e-12);
  state[3] = 0;
  EXPECT_NEAR(law.evaluate(Slip<>{Vec3::Zero(), 100.0}, 0.0, state).force[0], -10, 1e-12);
}

TEST(GonthierFrictionTest, IsRefusedWhereItWouldCreateEnergy) {
  // Sliding for a few bristle times and returning slowly; the work of friction over what it took on
  // the way out.
  const auto gain = [](double sigma1) {
    GonthierFriction law;
    law.sigma1 = sigma1;
    double best = -1, velocity = 0;
    const auto rate = [&](double, const Y<5>& y) {
      const auto out = law.evaluate(Slip<>{Vec3(velocity, 0, 0), 1.0}, 0.0,
                                    BristleState<double, 4>(y.head<4>().matrix()));
      Y<5> dy;
      dy << out.rate.array(), out.force[0] * velocity;
      return dy;
    };
    Y<5> scale;
    scale << 1e-7, 1e-7, 1e-7, 1, 1e-9;
    for (const double speed : {3e-4, 6e-4, 1.2e-3})
      for (const double times : {0.5, 1.5, 4.0}) {
        Y<5> y = Y<5>::Zero();
        double t = 0;
        velocity = speed;
        test::integrate<5>(rate, t, y, times * sigma1 / law.sigma0, scale, 1e-8);
        const double took = -y[4];
        velocity = -1e-5, t = 0;
        test::integrate<5>(rate, t, y, y[0] / 1e-5, scale, 1e-8);
        best = std::max(best, y[4] / took);
      }
    const bool refused = !faults(FrictionLaw(law)).empty();
    return std::pair(best, refused);
  };
  const auto [little, refused] = gain(10);
  EXPECT_GT(little, 0.1);
  EXPECT_TRUE(refused);
  const auto [enough, still_refused] = gain(50);  // sigma1 vs = kinetic/2
  EXPECT_LT(enough, -0.1);
  EXPECT_FALSE(still_refused);
}

TEST(LuGreTest, IsRefusedWhereItMightCreateEnergy) {
  LuGre law;
  EXPECT_TRUE(faults(FrictionLaw(law)).empty());
  law.vd = 1;
  EXPECT_THAT(faults(FrictionLaw(law)).at(0).message, ::testing::HasSubstr("sigma1"));
  law.as_published = true;
  EXPECT_TRUE(faults(FrictionLaw(law)).empty());
  law.as_published = false;
  law.sigma2 = 0.5 * law.sigma1;
  EXPECT_TRUE(faults(FrictionLaw(law)).empty());
}

}  // namespace
}  // namespace freeplay::laws
