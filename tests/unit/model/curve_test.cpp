// SPDX-License-Identifier: Apache-2.0
#include "model/curve.hpp"

#include <freeplay/errors.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace freeplay {
namespace {

std::vector<Vec3> ring(int count, double radius = 1, double wave = 0) {
  std::vector<Vec3> out;
  for (int i = 0; i < count; ++i) {
    const double a = 2 * M_PI * i / count;
    out.emplace_back(radius * std::cos(a), radius * std::sin(a), wave * std::cos(2 * a));
  }
  return out;
}
/// Parameters of the knots: lengths of the chords, added up.
std::vector<double> knots(const Curve& curve) {
  std::vector<double> out{0};
  const auto& p = curve.points();
  for (std::size_t i = 0; i + 1 < p.size(); ++i)
    out.push_back(out.back() + (p[i + 1] - p[i]).norm());
  return out;
}

TEST(CurveTest, GoesThroughItsPointsWithContinuousCurvature) {
  for (const bool closed : {true, false}) {
    const Curve curve(ring(12, 1, 0.3), closed);
    const std::vector<double> at = knots(curve);
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_LT((curve.at(at[i]).c - curve.points()[i]).norm(), 1e-14);
      if (closed && i == 0) continue;
      const auto before = curve.at(at[i] - 1e-9), after = curve.at(at[i] + 1e-9);
      EXPECT_LT((before.d1 - after.d1).norm(), 1e-7);
      EXPECT_LT((before.d2 - after.d2).norm(), 1e-6);
      // Third and fourth derivatives from second ones on either side.
      const double w = 1e-3;
      const auto third = [&](double u, double step) -> Vec3 {
        const Vec3 a = curve.at(u).d2, b = curve.at(u + step).d2, c = curve.at(u + 2 * step).d2,
                   d = curve.at(u + 3 * step).d2;
        return (-11 * a + 18 * b - 9 * c + 2 * d) / (6 * step);
      };
      const double from = at[i];
      const bool end = !closed && (i == 0 || i + 1 == at.size());
      const auto fourth = [&](double u, double step) -> Vec3 {
        const Vec3 a = curve.at(u).d2, b = curve.at(u + step).d2, c = curve.at(u + 2 * step).d2,
                   d = curve.at(u + 3 * step).d2;
        return (2 * a - 5 * b + 4 * c - d) / (step * step);
      };
      if (end) continue;  // where the curve goes on straight
      EXPECT_LT((third(from - 1e-12, -w) - third(from + 1e-12, w)).norm(), 1e-6);
      EXPECT_LT((fourth(from - 1e-12, -w) - fourth(from + 1e-12, w)).norm(), 1e-4);
    }
  }
}

TEST(CurveTest, ClosedCurveHasNoSeam) {
  const Curve curve(ring(12, 1, 0.3), true);
  const double last = knots(curve).back() + (curve.points().back() - curve.points().front()).norm();
  const auto end = curve.at(last), start = curve.at(0.0);
  EXPECT_LT((end.c - start.c).norm(), 1e-14);
  EXPECT_LT((end.d1 - start.d1).norm(), 1e-13);
  EXPECT_LT((end.d2 - start.d2).norm(), 1e-12);
}

TEST(CurveTest, OpenCurveGoesOnStraight) {
  const Curve curve({{0, 0, 0}, {1, 0.3, 0}, {2, -0.1, 0.2}}, false);
  EXPECT_LT(curve.at(0.0).d2.norm(), 1e-14);
  const auto end = curve.at(knots(curve).back());
  EXPECT_LT(end.d2.norm(), 1e-13);
  const Vec3 beyond = end.c + 0.7 * end.d1;
  const double u = curve.nearest(beyond);
  EXPECT_LT((curve.at(u).c - beyond).norm(), 1e-14);
  EXPECT_NEAR(curve.arc(u) - curve.length(), 0.7 * end.d1.norm(), 1e-14);
  const Vec3 before = curve.at(0.0).c - 0.4 * curve.at(0.0).d1;
  EXPECT_NEAR(curve.arc(curve.nearest(before)), -0.4 * curve.at(0.0).d1.norm(), 1e-14);
}

// The error of a quintic spline falls with the sixth power of the distance of its points.
TEST(CurveTest, ApproachesACircleWithSixthOrder) {
  double last = 0;
  for (const int count : {16, 32, 64}) {
    const Curve curve(ring(count), true);
    double worst = std::abs(curve.length() - 2 * M_PI);
    for (double u = 0; u < 6; u += 0.01)
      worst = std::max(worst, std::abs(curve.at(u).c.norm() - 1));
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / worst), 6, 0.3);
    }
    last = worst;
  }
  EXPECT_LT(last, 1e-8);
}

// From points off the curve, at knots and at the seam: the line to the nearest point is normal to
// the curve, and no sampled point is nearer.
TEST(CurveTest, FindsTheNearestPoint) {
  for (const bool closed : {true, false}) {
    const Curve curve(ring(9, 1, 0.4), closed);
    for (double a = -0.3; a < 6.6; a += 0.0771)
      for (const double off : {-0.3, 0.0, 1e-9, 0.2}) {
        const Vec3 x((1 + off) * std::cos(a), (1 + off) * std::sin(a),
                     0.4 * std::cos(2 * a) + 0.3 * off);
        const double u = curve.nearest(x);
        const auto local = curve.at(u);
        const Vec3 e = x - local.c;
        EXPECT_LT(std::abs(e.dot(local.d1)), 1e-13) << a << " " << off;
        for (double v = 0; v < knots(curve).back(); v += 0.02)
          EXPECT_LE(e.norm(), (x - curve.at(v).c).norm() + 1e-12) << a << " " << off;
      }
    for (std::size_t i = 0; i < curve.points().size(); ++i) {
      const Vec3 at = curve.at(curve.nearest(curve.points()[i])).c;
      EXPECT_LT((at - curve.points()[i]).norm(), 1e-15) << i;
    }
  }
}

TEST(CurveTest, FootHasItsDerivative) {
  const Curve curve(ring(9, 1, 0.4), true);
  const Vec3 x(0.5, 0.9, -0.1);
  Vec3T<Dual<3>> moving;
  for (int k = 0; k < 3; ++k) moving[k] = Dual<3>::variable(x[k], k);
  const Dual<3> u = foot(curve, moving);
  for (int k = 0; k < 3; ++k) {
    const Vec3 h = 1e-6 * Vec3::Unit(k);
    EXPECT_NEAR(u.d[k], (curve.nearest(x + h) - curve.nearest(x - h)) / 2e-6, 1e-8);
  }
}

TEST(CurveTest, ArcLengthIsTheIntegralOfTheSpeed) {
  const Curve curve(ring(7, 1, 0.5), true);
  double arc = 0, u = 0;
  const double h = 1e-4;
  for (int i = 0; i < 50000; ++i, u += h)
    arc += h / 6 *
           (curve.at(u).d1.norm() + 4 * curve.at(u + h / 2).d1.norm() + curve.at(u + h).d1.norm());
  EXPECT_NEAR(curve.arc(u), arc, 1e-11);
}

TEST(CurveTest, RefusesWhatIsNoCurve) {
  EXPECT_THROW(static_cast<void>(make_curve({{0, 0, 0}}, false)), ModelError);
  EXPECT_THROW(static_cast<void>(make_curve({{0, 0, 0}, {1, 0, 0}}, true)), ModelError);
  EXPECT_THROW(static_cast<void>(make_curve({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, false)), ModelError);
  EXPECT_THROW(static_cast<void>(make_curve({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}}, true)),
               ModelError);
  EXPECT_NO_THROW(static_cast<void>(make_curve({{0, 0, 0}, {1, 0, 0}}, false)));
}

TEST(CurveTest, KnowsWhereItCrossesItself) {
  std::vector<Vec3> eight;
  for (int i = 0; i < 40; ++i) {
    const double a = 2 * M_PI * (i + 0.5) / 40;
    eight.emplace_back(std::sin(a), std::sin(2 * a), 0);
  }
  EXPECT_FALSE(Curve(eight, true).crossing().empty());
  for (int i = 0; i < 40; ++i) eight[i][2] = 0.1 * std::cos(2 * M_PI * (i + 0.5) / 40);
  EXPECT_TRUE(Curve(eight, true).crossing().empty());  // an overpass
  EXPECT_TRUE(Curve(ring(12), true).crossing().empty());
}

}  // namespace
}  // namespace freeplay
