// SPDX-License-Identifier: Apache-2.0
#include "joints/bore_gap.hpp"

#include "rig.hpp"

#include <gmock/gmock.h>

#include <array>
#include <numbers>
#include <set>
#include <vector>

// Journal in a finite bearing: detection against brute force, closed forms of line and face, force
// along paths through all states.
namespace freeplay::joints {
namespace {

BoreGap captive(const Rig& rig) {
  BoreGap out;
  out.first = rig.first, out.second = rig.second;
  out.outer_radius = 0.010, out.inner_radius = 0.0095;
  out.outer_half_length = 0.010, out.inner_half_length = 0.0095;
  out.faces = true;
  out.face_outer = out.inner_radius;
  return out;
}
BoreGap through_pin(const Rig& rig) {
  BoreGap out = captive(rig);
  out.through = true;
  out.inner_half_length = 0.0105;
  out.face_inner = out.outer_radius, out.face_outer = 0.014;
  return out;
}

/// Greatest value of f over a circle by 720 samples and golden section round the best of them.
template <class F>
double greatest_on_circle(F&& f) {
  constexpr int kSamples = 720;
  static const auto kCircle = [] {
    std::array<std::pair<double, double>, kSamples> out;
    for (int i = 0; i < kSamples; ++i)
      out[i] = {std::cos(2 * std::numbers::pi * i / kSamples),
                std::sin(2 * std::numbers::pi * i / kSamples)};
    return out;
  }();
  int best = 0;
  double greatest = -1e300;
  for (int i = 0; i < kSamples; ++i)
    if (const double value = f(kCircle[i].first, kCircle[i].second); value > greatest)
      greatest = value, best = i;
  const double step = 2 * std::numbers::pi / kSamples, golden = 0.5 * (std::sqrt(5.0) - 1);
  const auto at = [&](double t) { return f(std::cos(t), std::sin(t)); };
  double low = (best - 1) * step, high = (best + 1) * step;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double fa = at(a), fb = at(b);
  for (int i = 0; i < 45; ++i) {
    if (fa > fb) {
      high = b, b = a, fb = fa;
      a = high - golden * (high - low), fa = at(a);
    } else {
      low = a, a = b, fa = fb;
      b = low + golden * (high - low), fb = at(b);
    }
  }
  return std::max({greatest, fa, fb});
}

/// Centre and two radii of an end circle of a part.
struct Circle {
  Vec3 centre, u, v;
  [[nodiscard]] Vec3 at(double c, double s) const { return centre + c * u + s * v; }
};
Circle circle(const Pose<double>& p, const Frame& f, double along, double radius) {
  const Mat3 axes = p.R * f.axes;
  return {p.r + p.R * f.point + along * axes.col(2), radius * axes.col(0), radius * axes.col(1)};
}

/// A pose with the rims near the wall and the faces near the stops.
void place_near_contact(Random& random, Rig& rig, const BoreGap& gap) {
  const double c = gap.clearance();
  const double H = std::min(gap.inner_half_length, gap.outer_half_length);
  const double axial = std::abs(gap.outer_half_length - gap.inner_half_length);
  const double e = between(random, 0, 1.3 * c), direction = between(random, 0, 7);
  const double tilt = between(random, 0, 1.3 * c / H), tilt_direction = between(random, 0, 7);
  rig.place(
      {e * std::cos(direction), e * std::sin(direction), between(random, -1.2, 1.2) * axial},
      {tilt * std::cos(tilt_direction), tilt * std::sin(tilt_direction), between(random, -3, 3)});
}

/// Rims as points, not the greatest depth of a half; whole faces, whose points are rounded.
double exact_depth(BoreGap gap, int k, const Rig& rig) {
  gap.points_only = k < 2;
  return gap.depth(k, rig.p1, rig.p2);
}

TEST(BoreGapTest, CaptiveDetectionEqualsBruteForceOnAHundredThousandPoses) {
  Random random(1);
  double worst = 0;
  int near = 0;
  for (int i = 0; i < 100'000; ++i) {
    Rig rig(random, false);
    const BoreGap gap = captive(rig);
    place_near_contact(random, rig, gap);
    const Vec3 P = rig.p1.r + rig.p1.R * rig.first.point, a = rig.p1.R * rig.first.axes.col(2);
    const Vec3 x = rig.p1.R * rig.first.axes.col(0), y = rig.p1.R * rig.first.axes.col(1);
    for (int k = 0; k < 4; ++k) {
      const double side = k % 2 == 0 ? -1 : 1;
      const double found = exact_depth(gap, k, rig);
      if (std::abs(found) < 0.05e-3) ++near;
      const Circle rim = circle(rig.p2, rig.second, side * gap.inner_half_length, gap.inner_radius);
      // In the plane across the bearing axis; the sums over the circle are linear.
      const Vec2 c0(x.dot(rim.centre - P), y.dot(rim.centre - P)), cu(x.dot(rim.u), y.dot(rim.u)),
          cv(x.dot(rim.v), y.dot(rim.v));
      const double z0 = side * a.dot(rim.centre - P), zu = side * a.dot(rim.u),
                   zv = side * a.dot(rim.v);
      const double brute = k < 2 ? std::sqrt(greatest_on_circle([&](double c, double s) {
                                     return (c0 + c * cu + s * cv).squaredNorm();
                                   })) -
                                       gap.outer_radius
                                 : greatest_on_circle([&](double c, double s) {
                                     return z0 + c * zu + s * zv;
                                   }) - gap.outer_half_length;
      worst = std::max(worst, std::abs(found - brute));
    }
  }
  EXPECT_LT(worst, 1e-11);
  EXPECT_GT(near, 20'000) << "the poses are not near contact";
  RecordProperty("worst", std::to_string(worst));
}

TEST(BoreGapTest, ThroughPinDetectionEqualsBruteForce) {
  Random random(2);
  for (int i = 0; i < 5'000; ++i) {
    Rig rig(random, false);
    const BoreGap gap = through_pin(rig);
    place_near_contact(random, rig, gap);
    const Vec3 P = rig.p2.r + rig.p2.R * rig.second.point, a = rig.p2.R * rig.second.axes.col(2);
    for (int k = 0; k < 4; ++k) {
      const double side = k % 2 == 0 ? -1 : 1;
      const double radius = k < 2 ? gap.outer_radius : gap.face_outer;
      const Circle edge = circle(rig.p1, rig.first, side * gap.outer_half_length, radius);
      const double brute =
          k < 2 ? gap.inner_radius - std::sqrt(-greatest_on_circle([&](double c, double s) {
                    const Vec3 x = edge.at(c, s) - P;
                    return -(x - a * a.dot(x)).squaredNorm();
                  }))
                : greatest_on_circle([&](double c, double s) {
                    return side * a.dot(edge.at(c, s) - P);
                  }) - gap.inner_half_length;
      EXPECT_NEAR(exact_depth(gap, k, rig), brute, 1e-11) << k;
    }
  }
}

TEST(BoreGapTest, AFaceRimAsAPointIsRoundedByATenThousandthOfThePlay) {
  // sqrt(tilt^2 + small^2) - small lies below the tilt by at most `small`.
  Random random(8);
  for (int i = 0; i < 1'000; ++i) {
    Rig rig(random, false);
    BoreGap points = i % 2 == 0 ? captive(rig) : through_pin(rig);
    points.points_only = true;
    place_near_contact(random, rig, points);
    const double rounding = 1e-4 * std::abs(points.outer_half_length - points.inner_half_length);
    for (int k = 2; k < 4; ++k) {
      ContactPoint<double> rim;
      ASSERT_TRUE(points.leading(k, rig.p1, rig.p2, rim));
      EXPECT_NEAR(rim.depth, points.depth(k, rig.p1, rig.p2), 1e-15);
      EXPECT_LE(rim.depth, exact_depth(points, k, rig) + 1e-15);
      EXPECT_GE(rim.depth, exact_depth(points, k, rig) - rounding - 1e-15);
    }
    rig.place({0, 0, 0}, {0, 0, 1});  // flat: in the middle, and exact
    for (int k = 2; k < 4; ++k)
      EXPECT_NEAR(points.depth(k, rig.p1, rig.p2), exact_depth(points, k, rig), 1e-15);
  }
}

TEST(BoreGapTest, ReachIsExactWhereNewtonWouldFindAMinimum) {
  // Centred discs with a large tilt: far from any contact, but the event function must be right.
  for (const double rho : {1.0, -1.0})
    for (const double tilt : {1e-9, 1e-3, 0.3, 0.9})
      for (const Vec2& D : {Vec2(0, 0), Vec2(1e-6, 0), Vec2(0, 1e-6), Vec2(1e-4, 1e-5),
                            Vec2(0.3, 0.1), Vec2(-0.01, 0.4)}) {
        const Vec2 alpha(tilt, 0);
        const double brute = greatest_on_circle([&](double c, double s) {
          const Vec2 n(c, s);
          return D.dot(n) + rho * std::sqrt(1 - n.dot(alpha) * n.dot(alpha));
        });
        EXPECT_NEAR(reach_of<double>(D, alpha, rho).length, brute, 1e-14)
            << rho << ' ' << tilt << ' ' << D.transpose();
      }
}

TEST(BoreGapTest, LineForceHasTheClosedForm) {
  // theory/gaps (G.13) with a tilt in the plane of the load, where the depth is linear along the
  // line.
  Random random(3);
  for (const bool through : {false, true})
    for (const double tilt : {0.0, 1e-7, 1e-4, 3e-4, 1e-3, -1e-4}) {
      Rig rig(random, false);
      const BoreGap gap = through ? through_pin(rig) : captive(rig);
      rig.place({gap.clearance() + 2e-6, 0, 0}, {0, tilt, 0});
      BoreGap rims = gap;
      rims.points_only = true;
      const double dA = rims.depth(0, rig.p1, rig.p2), dB = rims.depth(1, rig.p1, rig.p2);
      const Elastic law;
      const Load<double> now = load(gap, rig.p1, rig.p2, law);
      const auto [force, moment] = in_first_frame(rig, now.on_second);
      const auto power = [](double d) { return std::pow(std::max(d, 0.0), 2.5); };
      // The limit of equal depths, where the quotient would only show round-off.
      const double expected = std::abs(dA - dB) < 1e-4 * dA
                                  ? law.K * std::pow(0.5 * (dA + dB), 1.5)
                                  : law.K / 2.5 * (power(dB) - power(dA)) / (dB - dA);
      // The outer part's axes are the frame for a captive journal, the inner one's for a through
      // pin: cos(tilt) between them.
      EXPECT_NEAR(force.norm() / expected, 1, 3e-6) << through << ' ' << tilt;
      EXPECT_LT(force[0], 0);
    }
}

TEST(BoreGapTest, FaceForceAndMomentHaveTheClosedForm) {
  // theory/gaps (G.14), (G.15): linear foundation under a tilted disc.
  Random random(4);
  for (const double tilt : {0.0, 1e-9, 1e-6, 1e-5, 2e-4, 1e-3, 5e-3})
    for (const double middle : {-4e-6, -1e-6, 1e-7, 2e-6, 8e-6}) {
      Rig rig(random, false);
      const BoreGap gap = captive(rig);
      const double R = gap.face_outer, H = gap.inner_half_length;
      rig.place({0, 0, gap.outer_half_length + middle - H * std::cos(tilt)}, {0, tilt, 0});
      Elastic law;
      const double area = std::numbers::pi * R * R, kf = law.k / area;
      const double slope = std::sin(tilt);
      const double x0 = slope > 0 ? -middle / slope : (middle > 0 ? -1e9 : 1e9);
      const double psi = std::acos(std::clamp(x0 / R, -1.0, 1.0));
      const double s = std::sin(psi), c = std::cos(psi);
      const double F =
          kf * (middle * R * R * (psi - s * c) + slope * 2 / 3 * R * R * R * s * s * s);
      const double M = kf * (middle * 2 / 3 * R * R * R * s * s * s +
                             slope * R * R * R * R / 4 * (psi - s * c + 2 * s * s * s * c));
      Wrench<double> face;
      gap.points(3, rig.p1, rig.p2, [&](const ContactPoint<double>& p) {
        face.add(p.normal * (-p.weight * law.force(p, 0.0)), p.arm2);
      });
      const auto [force, moment] = in_first_frame(rig, face);
      EXPECT_NEAR(-force[2], F, 1e-5 * F + 1e-12) << tilt << ' ' << middle;
      // About the middle of the face; the tilt turns x down the slope at -x.
      const Vec3 centre = turned({0, tilt, 0}) * Vec3(0, 0, H);
      const Vec3 about = moment - centre.cross(force);
      EXPECT_NEAR(about.norm(), M, 1e-5 * (M + F * R) + 1e-12) << tilt << ' ' << middle;
    }
}

TEST(BoreGapTest, RingIsTheDifferenceOfTwoDiscs) {
  for (const double cut : {-1e9, -0.9, -0.3, 0.1, 0.65, 0.95}) {
    const auto moments = [&](double inner, double outer) {
      Eigen::Vector4d out = Eigen::Vector4d::Zero();
      visit_ring(inner, outer, cut, [&](double x, double y, double dA) {
        EXPECT_GT(dA, 0);
        EXPECT_GE(std::hypot(x, y), inner - 1e-12);
        EXPECT_LE(std::hypot(x, y), outer + 1e-12);
        out += dA * Eigen::Vector4d(1, x, x * x, y * y);
      });
      return out;
    };
    const Eigen::Vector4d ring = moments(0.6, 1), discs = moments(0, 1) - moments(0, 0.6);
    EXPECT_LT((ring - discs).cwiseAbs().maxCoeff(), 2e-5) << cut;
  }
}

// ---- states

struct Waypoint {
  double x, z, tilt;
};

/// Largest change of the load between neighbouring poses of the path, and the states on it.
struct Walk {
  double largest_force = 0, largest_moment = 0;
  std::set<int> states;
};
Walk walk(const BoreGap& gap, Rig rig, const std::vector<Waypoint>& path, int steps) {
  Walk out;
  const Elastic law{.K = 1e10, .k = 1e8};
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for (std::size_t leg = 0; leg + 1 < path.size(); ++leg)
    for (int i = 0; i < steps; ++i) {
      const double t = double(i) / steps;
      const auto mix = [&](double a, double b) { return (1 - t) * a + t * b; };
      const Waypoint &a = path[leg], &b = path[leg + 1];
      rig.place({mix(a.x, b.x), 0, mix(a.z, b.z)}, {0, mix(a.tilt, b.tilt), 0});
      const auto [f, m] = in_first_frame(rig, load(gap, rig.p1, rig.p2, law).on_second);
      if (leg + i > 0) {
        out.largest_force = std::max(out.largest_force, (f - force).norm());
        out.largest_moment = std::max(out.largest_moment, (m - moment).norm());
      }
      force = f, moment = m;
      out.states.insert(gap.state(rig.p1, rig.p2));
    }
  return out;
}

TEST(BoreGapTest, ForceIsContinuousThroughAllThirteenStates) {
  Random random(5);
  const Rig rig(random, false);
  BoreGap tight = captive(rig);  // both face rims touch before both rims
  tight.inner_radius = tight.face_outer = 0.0099;
  tight.outer_half_length = tight.inner_half_length + 0.05e-3;
  BoreGap wide = tight;  // the other way round
  wide.outer_half_length = wide.inner_half_length + 0.15e-3;
  const std::vector<Waypoint> through_tight{{0, 0, 0},
                                            {0.103e-3, 0, 0},
                                            {0.103e-3, 0.051e-3, 0},
                                            {0, 0.051e-3, 0},
                                            {0, 0, 0},
                                            {0, 0, 0.003},
                                            {0, 0.0223e-3, 0.003},
                                            {0, 0, 0.0052},
                                            {0.0526e-3, 0, 0.0052},
                                            {0.0735e-3, 0, 0.003},
                                            {0.0735e-3, 0.0223e-3, 0.003},
                                            {0, 0, 0.0108},
                                            {0, 0, 0}};
  const std::vector<Waypoint> through_wide{{0, 0, 0},
                                           {0, 0, 0.0108},
                                           {0, 0.045e-3, 0.0108},
                                           {-0.103e-3, 0.045e-3, 0},
                                           {-0.103e-3, 0.151e-3, 0},
                                           {0, 0.151e-3, 0.0001},
                                           {0, 0, 0}};
  std::set<int> states;
  for (const auto& [gap, path] : {std::pair(tight, through_tight), std::pair(wide, through_wide)}) {
    const Walk coarse = walk(gap, rig, path, 4000), fine = walk(gap, rig, path, 8000);
    EXPECT_NEAR(fine.largest_force / coarse.largest_force, 0.5, 0.02);
    EXPECT_NEAR(fine.largest_moment / coarse.largest_moment, 0.5, 0.02);
    states.insert(fine.states.begin(), fine.states.end());
  }
  EXPECT_EQ(states.size(), BoreGap::kStates);
  for (const int state : states) EXPECT_FALSE(BoreGap::state_name(state).empty());
}

TEST(BoreGapTest, RimFormIsFourPointContacts) {
  Random random(6);
  Rig rig(random, false);
  BoreGap gap = captive(rig);
  gap.points_only = true;
  const double c = gap.clearance();
  rig.place({c + 1e-6, 0, c + 1e-6}, {0, 1e-5, 0});
  std::vector<ContactPoint<double>> points;
  for (int k = 0; k < gap.contacts(); ++k)
    gap.points(k, rig.p1, rig.p2, [&](const auto& p) { points.push_back(p); });
  ASSERT_EQ(points.size(), 3u);  // both rims, one face
  for (const auto& p : points) {
    EXPECT_EQ(p.weight, 1);
    EXPECT_EQ(p.surface, kContactSurface);
  }
}

TEST(BoreGapTest, AJournalThatLeavesItsBoreIsClippedAtTheEdge) {
  Random random(7);
  Rig rig(random, false);
  BoreGap gap = captive(rig);
  gap.faces = false;
  EXPECT_EQ(gap.contacts(), 2);
  const double out = gap.outer_half_length, c = gap.clearance();
  const auto share = [&](double z) {
    rig.place({c + 1e-6, 0, z}, Vec3::Zero());
    double sum = 0;
    for (int k = 0; k < 2; ++k)
      gap.points(k, rig.p1, rig.p2, [&](const auto& p) { sum += p.weight; });
    return sum;
  };
  const double H = gap.inner_half_length;
  EXPECT_NEAR(share(0), 1, 1e-12);
  EXPECT_NEAR(share(out), 0.5, 1e-12);
  EXPECT_NEAR(share(-out - 0.5 * H), 0.25, 1e-12);
  EXPECT_EQ(share(out + H + 1e-6), 0);
  EXPECT_LT(gap.depth(0, rig.p1, rig.p2), 0);
  EXPECT_LT(gap.depth(1, rig.p1, rig.p2), 0);
}

}  // namespace
}  // namespace freeplay::joints
