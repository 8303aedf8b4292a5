// SPDX-License-Identifier: Apache-2.0
#include "core/scalars.hpp"
#include "films/bushing/radial_bushing.hpp"
#include "films/bushing/six_bushing.hpp"

#include <Eigen/Geometry>
#include <gmock/gmock.h>

#include <cmath>

namespace freeplay::films {
namespace {

TEST(RadialBushingTest, GivesItsSamplesInBothForms) {
  for (const bool published : {false, true})
    for (const BushingSample& s : RadialBushing::samples) {
      RadialBushing law;
      law.as_published = published;
      const Vec3 n(0.6, 0, 0.8);
      const Vec3 f = law.force<double>(s.displacement * n, s.rate * n);
      EXPECT_NEAR(f.dot(n), s.force, 1e-9 * std::abs(s.force));
    }
}

TEST(RadialBushingTest, DiffersOnlyInTransverseDamping) {
  RadialBushing a, b;
  b.as_published = true;
  const Vec3 e(1e-5, 0, 0), v(1e-3, 2e-3, 0);
  EXPECT_NEAR(a.force(e, v)[0], b.force(e, v)[0], 1e-9);
  EXPECT_NEAR(b.force(e, v)[1], 0, 1e-12);
  EXPECT_NEAR(a.force(e, v)[1], -a.stiffness * a.damping_time * 2e-3, 1e-9);
}

TEST(RadialBushingTest, GapIsFreeAndEntersWithoutAJump) {
  RadialBushing law;
  law.gap = 1e-4;
  EXPECT_EQ(law.force(Vec3(0.9e-4, 0, 0), Vec3(1, 0, 0)).norm(), 0);
  EXPECT_LT(law.force(Vec3(1e-4 + 1e-14, 0, 0), Vec3(1, 0, 0)).norm(), 1e-4);
  EXPECT_NEAR(law.force(Vec3(1.5e-4, 0, 0), Vec3(0, 0, 0))[0], -law.stiffness * 0.5e-4, 1e-6);
  // Force is minus the gradient of the potential.
  const double h = 1e-9;
  EXPECT_NEAR(
      (law.potential(Vec3(1.5e-4 + h, 0, 0)) - law.potential(Vec3(1.5e-4 - h, 0, 0))) / (2 * h),
      law.stiffness * 0.5e-4, 1e-2);
  law.as_published = true;
  EXPECT_EQ(law.force(Vec3(1.01e-4, 0, 0), Vec3(-1, 0, 0)).norm(), 0) << "rubber does not pull";
}

TEST(MonotoneSplineTest, KeepsToThePointsWithoutOvershoot) {
  const std::vector<double> x{0, 1, 2, 3, 4}, y{0, 1, 1.1, 5, 5.2};
  const MonotoneSpline s(x, y);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_DOUBLE_EQ(s.at(x[i]).value, y[i]);
  double before = s.at(-6).value, integral = s.at(-6).integral;
  double slope_before = s.at(-6).slope;
  const double h = 1e-3;
  for (double t = -6 + h; t < 6; t += h) {
    const auto p = s.at(t);
    EXPECT_GE(p.value, before - 1e-15) << t;
    EXPECT_NEAR(p.slope, slope_before, 0.1) << t;
    EXPECT_NEAR(p.integral - integral, 0.5 * h * (p.value + before), 2e-6) << t;
    before = p.value;
    integral = p.integral;
    slope_before = p.slope;
  }
  EXPECT_DOUBLE_EQ(s.at(-2.5).value, -s.at(2.5).value);
  EXPECT_NEAR(s.at(6).value, 5.2 + 2 * s.at(4).slope, 1e-12);
  EXPECT_NEAR(s.ratio(1e-15), s.at(0).slope, 1e-12);
  EXPECT_NE(MonotoneSpline::fault(std::vector<double>{0, 0}, std::vector<double>{0, 1}), "");
  EXPECT_NE(MonotoneSpline::fault(std::vector<double>{0}, std::vector<double>{0}), "");
  EXPECT_EQ(MonotoneSpline::fault(x, y), "");
}

TEST(MonotoneSplineTest, APieceGoesOnBeyondItsKnots) {
  const std::vector<double> x{0, 1, 2, 3, 4}, y{0, 1, 1.1, 5, 5.2};
  const MonotoneSpline s(x, y);  // with its mirror image nine knots: 1 ... 2 is piece 5
  const PieceRange only{5, 5};
  EXPECT_EQ(s.at(1.5, only).value, s.at(1.5).value);
  EXPECT_EQ(s.at(1.5, only).integral, s.at(1.5).integral);
  // A cubic by four of its values.
  const double a = s.at(1.1).value, b = s.at(1.3).value, c = s.at(1.5).value, d = s.at(1.7).value;
  EXPECT_NEAR(s.at(1.9, only).value, 4 * d - 6 * c + 4 * b - a, 1e-12);
  EXPECT_NEAR(s.at(2.1, only).value, 4 * s.at(1.9, only).value - 6 * d + 4 * c - b, 1e-12);
  EXPECT_GT(std::abs(s.at(2.1).value - s.at(2.1, only).value), 1e-3);
}

TEST(MonotoneSplineTest, WatchesTheKnotsThatCount) {
  const std::vector<double> x{0, 1, 2, 3, 4}, corner{0, 0, 0, 1, 5};
  const MonotoneSpline s(x, corner);
  const auto along = s.watched(1e-8, false), distance = s.watched(1e-8, true);
  ASSERT_EQ(along.knots.size(), 2 * distance.knots.size());  // and in the mirror
  for (std::size_t k = 0; k < distance.places.size(); ++k) {
    EXPECT_GT(distance.places[k], 0);
    EXPECT_EQ(std::sqrt(distance.places[k]), along.places[distance.places.size() + k]);
  }
  // Through points of a line nothing counts, nor where the tolerance is coarse.
  EXPECT_TRUE(MonotoneSpline(3).watched(1e-12, false).knots.empty());
  EXPECT_TRUE(
      MonotoneSpline(x, std::vector<double>{0, 2, 4, 6, 8}).watched(1e-12, true).knots.empty());
  EXPECT_TRUE(s.watched(100, false).knots.empty());
}

SixBushing rubber() {
  SixBushing b;
  const std::vector<double> d{0, 1e-3, 2e-3, 3e-3}, f{0, 500, 1500, 5000};
  const std::vector<double> a{0, 0.1, 0.3, 0.6}, m{0, 5, 20, 90};
  b.radial = MonotoneSpline(d, f);
  b.axial = MonotoneSpline(std::vector<double>{-2e-3, 0, 1e-3}, std::vector<double>{-900, 0, 300});
  b.twist = MonotoneSpline(a, m);
  b.tilt = MonotoneSpline(40);
  b.coupling(0, 4) = b.coupling(4, 0) = 3e3;
  b.coupling(1, 3) = b.coupling(3, 1) = -3e3;
  return b;
}

TEST(SixBushingTest, MomentIsConjugateToLargeRotations) {
  // Work over a closed loop in pose space vanishes, with rotations up to a radian about all axes.
  const SixBushing b = rubber();
  ASSERT_EQ(b.fault(), "");
  const auto pose = [](double t) {
    BushingMotion<> m;
    m.d = Vec3(1e-3 * std::sin(t), 2e-3 * std::cos(2 * t), 5e-4 * std::sin(3 * t));
    m.theta = Vec3(0.7 * std::cos(t), 0.5 * std::sin(2 * t), 0.9 * std::sin(t));
    return m;
  };
  const auto rotation = [](const Vec3& th) {
    const double a = th.norm();
    return a > 0 ? Mat3(Eigen::AngleAxisd(a, th / a)) : Mat3(Mat3::Identity());
  };
  const int steps = 4000;
  const double dt = 2 * 3.14159265358979323846 / steps, h = 1e-6;
  double work = 0, turned = 0, largest = 0;
  for (int i = 0; i < steps; ++i) {
    const double t = i * dt;
    BushingMotion<> m = pose(t);
    const BushingMotion<> up = pose(t + h), down = pose(t - h);
    m.d_dot = (up.d - down.d) / (2 * h);
    const Mat3 W =
        (rotation(up.theta) - rotation(down.theta)) / (2 * h) * rotation(m.theta).transpose();
    m.omega = 0.5 * Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
    EXPECT_LT(
        (SixBushing::rate_matrix(m.theta) * m.omega - (up.theta - down.theta) / (2 * h)).norm(),
        1e-7);
    const auto f = b.force<double>(m, {}, {});
    work += dt * (f.f.dot(m.d_dot) + f.m.dot(m.omega));
    turned += dt * std::abs(f.m.dot(m.omega));
    largest = std::max(largest, f.m.norm());
  }
  EXPECT_LT(std::abs(work), 1e-6 * turned);
  EXPECT_GT(largest, 10);
}

TEST(SixBushingTest, ForceIsMinusTheGradient) {
  const SixBushing b = rubber();
  BushingMotion<PairDual> m;
  for (int i = 0; i < 3; ++i) {
    m.d[i] = PairDual::variable(1e-3 * (i + 0.5), i);
    m.theta[i] = PairDual(0.0);
    m.d_dot[i] = m.omega[i] = PairDual(0.0);
  }
  const auto u = b.potential<PairDual>(m, {});
  const auto f = b.force<PairDual>(m, {}, {});
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(f.f[i].value, -u.d[i], 1e-9 * std::abs(u.d[i]));
}

TEST(SixBushingTest, MaxwellBranchRelaxes) {
  SixBushing b;
  b.radial = MonotoneSpline(1e5);
  b.branches = {{{1e6, 1e6, 1e6, 0, 0, 0}, 0.02}, {{2e6, 0, 0, 0, 0, 0}, 0.5}};
  ASSERT_EQ(b.states(), 12u);
  // A step of displacement, then rest: each branch decays as exp(-t/tau). Exact integration of the
  // step is the limit of a fast ramp: z = k d.
  std::vector<double> z(12, 0.0), rate(12);
  z[0] = 1e6 * 1e-3;
  z[6] = 2e6 * 1e-3;
  BushingMotion<> m{Vec3(1e-3, 0, 0), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  EXPECT_NEAR(b.force<double>(m, z, rate).f[0], -(1e5 + 3e6) * 1e-3, 1e-9);
  EXPECT_NEAR(rate[0], -z[0] / 0.02, 1e-9);
  EXPECT_NEAR(rate[6], -z[6] / 0.5, 1e-9);
  // Moving: the spring of each branch is stretched.
  m.d_dot = Vec3(0.1, 0, 0);
  (void)b.force<double>(m, z, rate);
  EXPECT_NEAR(rate[0], 1e6 * 0.1 - z[0] / 0.02, 1e-9);
  // Energy stored in a branch is what its damper can still take.
  EXPECT_NEAR(b.potential<double>(m, z),
              0.5 * 1e5 * 1e-6 + 0.5 * z[0] * z[0] / 1e6 + 0.5 * z[6] * z[6] / 2e6, 1e-12);
}

TEST(SixBushingTest, SaysWhatIsWrong) {
  SixBushing b = rubber();
  b.coupling(0, 4) = 0;
  EXPECT_THAT(b.fault(), ::testing::HasSubstr("symmetric"));
  b = rubber();
  b.branches = {{{1, 1, 1, 1, 1, 1}, 0}};
  EXPECT_THAT(b.fault(), ::testing::HasSubstr("time"));
}

}  // namespace
}  // namespace freeplay::films
