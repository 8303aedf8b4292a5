// SPDX-License-Identifier: Apache-2.0
#include "joints/guide_gap.hpp"
#include "joints/slot_gap.hpp"
#include "joints/tube_gap.hpp"
#include "rig.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

// Guides, tubes and slots against their closed forms, theory/gaps (G.17), (G.18), and their force
// along paths from one kind of contact to another.
namespace freeplay::joints {
namespace {

double positive_power(double x, double n) { return x > 0 ? std::pow(x, n) : 0; }

/// Mean of <d>^n over a line with depths a and b at its ends, theory/gaps (G.13).
double line_mean(double a, double b, double n) {
  if (std::abs(a - b) < 1e-5 * (std::abs(a) + std::abs(b))) return positive_power((a + b) / 2, n);
  return (positive_power(b, n + 1) - positive_power(a, n + 1)) / ((n + 1) * (b - a));
}

GuideGap guide(const Rig& rig) {
  GuideGap out;
  out.first = rig.first, out.second = rig.second;
  out.outer_width = 0.0204, out.inner_width = 0.02;
  out.inner_half_length = 0.015;
  return out;
}

TEST(GuideGapTest, CornersAreWhereTheyAre) {
  Random random(21);
  Rig rig(random, true);
  const GuideGap gap = [&] {
    GuideGap g = guide(rig);
    g.points_only = true;
    return g;
  }();
  const double y = 0.1e-3, turn = 0.02;
  rig.place({y, 0, 0.3}, {0, turn, 0});
  // Corner k of the slider in the frame of the guide; a turn about y takes z to x.
  for (int k = 0; k < 4; ++k) {
    const double s = (k % 2 == 0 ? -1 : 1) * 0.015, w = (k < 2 ? 1 : -1) * 0.01;
    const double across = y + s * std::sin(turn) + w * std::cos(turn);
    EXPECT_NEAR(gap.depth(k, rig.p1, rig.p2), (k < 2 ? across : -across) - 0.0102, 1e-15) << k;
  }
}

TEST(GuideGapTest, FaceForceAndMomentHaveTheClosedForm) {
  Random random(22);
  const Elastic law;
  for (const double turn : {0.0, 1e-6, 1e-4, -3e-4, 1e-3}) {
    Rig rig(random, true);
    const GuideGap gap = guide(rig);
    rig.place({gap.clearance() + 3e-6, 0, 0.1}, {0, turn, 0});
    const double H = gap.inner_half_length;
    const double middle = 3e-6 - 0.01 * (1 - std::cos(turn));
    const double a = middle - H * std::sin(turn), b = middle + H * std::sin(turn);
    const auto [force, moment] = in_first_frame(rig, load(gap, rig.p1, rig.p2, law).on_second);
    EXPECT_NEAR(-force[0], law.K * line_mean(a, b, 1.5), 1e-6 * std::abs(force[0])) << turn;
    // First integral by the midpoint rule on a fine mesh.
    double first = 0;
    const int n = 20000;
    for (int i = 0; i < n; ++i) {
      const double s = H * (2 * (i + 0.5) / n - 1);
      first += s * positive_power(a + (b - a) * (s + H) / (2 * H), 1.5) / n;
    }
    // About the middle of the slider: the face is turned sideways by half its width.
    const double arm = law.K * first * std::cos(turn) + force[0] * 0.01 * std::sin(turn);
    EXPECT_NEAR(moment[1], -arm, 1e-5 * std::abs(force[0]) * H) << turn;
  }
}

TEST(GuideGapTest, HalvesShareTheLaw) {
  Random random(23);
  Rig rig(random, true);
  const GuideGap gap = guide(rig);
  rig.place({gap.clearance() + 3e-6, 0, 0}, Vec3::Zero());
  for (int k = 0; k < 4; ++k) {
    double share = 0;
    gap.points(k, rig.p1, rig.p2, [&](const auto& p) { share += p.weight; });
    EXPECT_NEAR(share, k < 2 ? 0.5 : 0, 1e-14) << gap.contact_name(k);
  }
  EXPECT_EQ(gap.state(rig.p1, rig.p2), 2);
}

TEST(GuideGapTest, ASliderLongerThanItsGuideIsTouchedByTheEdgesOfTheGuide) {
  Random random(24);
  Rig rig(random, true);
  GuideGap gap = guide(rig);
  gap.outer_half_length = 0.005;
  gap.points_only = true;
  const double turn = 0.05, y = 0.05e-3;
  rig.place({y, 0, 0.002}, {0, turn, 0});
  // Edge of the upper wall at z = +-5 mm in the frame of the slider, against its face at 10 mm.
  const Mat3 to_slider = turned({0, turn, 0}).transpose();
  for (int k = 0; k < 4; ++k) {
    const double wall = k < 2 ? 1 : -1, end = k % 2 == 0 ? -1 : 1;
    const Vec3 edge = to_slider * (Vec3(wall * 0.0102, 0, end * 0.005) - Vec3(y, 0, 0.002));
    EXPECT_NEAR(gap.depth(k, rig.p1, rig.p2), 0.01 - wall * edge[0], 1e-15) << k;
  }
}

TubeGap tube(const Rig& rig) {
  TubeGap out;
  out.first = rig.first, out.second = rig.second;
  out.outer_size = {0.0204, 0.0306}, out.inner_size = {0.02, 0.03};
  out.inner_half_length = 0.025;
  return out;
}

TEST(TubeGapTest, DepthsAreThoseOfTheCorners) {
  Random random(25);
  for (int i = 0; i < 200; ++i) {
    Rig rig(random, false);
    TubeGap gap = tube(rig);
    const Vec3 o(between(random, -2e-4, 2e-4), between(random, -3e-4, 3e-4), 0.2);
    const Vec3 theta = vector_within(random, 0.02);
    rig.place(o, theta);
    const Mat3 R = turned(theta);
    // All eight corners against all four walls.
    std::array<double, 4> deepest;
    deepest.fill(-1);
    for (const double x : {-0.01, 0.01})
      for (const double y : {-0.015, 0.015})
        for (const double z : {-0.025, 0.025}) {
          const Vec3 corner = o + R * Vec3(x, y, z);
          const std::array<double, 4> depth{corner[0] - 0.0102, -corner[0] - 0.0102,
                                            corner[1] - 0.0153, -corner[1] - 0.0153};
          for (std::size_t w = 0; w < 4; ++w) deepest[w] = std::max(deepest[w], depth[w]);
        }
    for (const bool points : {false, true}) {
      gap.points_only = points;
      for (int w = 0; w < 4; ++w) {
        double found = -1;
        for (int k = 4 * w; k < 4 * w + 4; ++k)
          found = std::max(found, gap.depth(k, rig.p1, rig.p2));
        EXPECT_NEAR(found, deepest[static_cast<std::size_t>(w)], 1e-15);
      }
    }
  }
}

TEST(TubeGapTest, FaceForceIsTheMeanOverTheFace) {
  Random random(26);
  const Elastic law;
  for (const Vec3& theta : {Vec3(0, 0, 0), Vec3(0, 1e-4, 0), Vec3(0, 0, 2e-4), Vec3(0, 3e-4, -1e-4),
                            Vec3(0, 2e-3, 1e-3), Vec3(0, -5e-4, 3e-3)}) {
    Rig rig(random, false);
    const TubeGap gap = tube(rig);
    rig.place({0.2e-3 + 2e-6, 0, 0}, theta);
    double force = 0;
    for (int k = 0; k < 4; ++k)  // the wall at +x
      gap.points(k, rig.p1, rig.p2, [&](const auto& p) { force += p.weight * law.force(p, 0.0); });
    // Lines along the box, each by its closed form, on a fine mesh across.
    const Mat3 R = turned(theta);
    double expected = 0;
    const int n = 4000;
    for (int i = 0; i < n; ++i) {
      const double y = 0.015 * (2 * (i + 0.5) / n - 1);
      const auto depth = [&](double z) {
        return 0.2e-3 + 2e-6 + (R * Vec3(0.01, y, z))[0] - 0.0102;
      };
      expected += law.K * line_mean(depth(-0.025), depth(0.025), 1.5) / n;
    }
    EXPECT_NEAR(force, expected, 1e-4 * expected) << theta.transpose();
  }
}

SlotGap slot(const Rig& rig, double arc) {
  SlotGap out;
  out.first = rig.first, out.second = rig.second;
  out.outer_radius = 0.0051, out.inner_radius = 0.005, out.arc_radius = arc;
  out.ends = arc > 0 ? Clearance::Ends{-0.5, 0.8} : Clearance::Ends{-0.02, 0.03};
  return out;
}

/// Distance from the nearest point of the centre line, by trying them all.
double distance_to_centre_line(const SlotGap& gap, const Vec3& o) {
  double nearest = 1;
  const int n = 200000;
  for (int i = 0; i <= n; ++i) {
    const double s = gap.ends->from + (gap.ends->to - gap.ends->from) * i / n;
    const Vec3 at = gap.arc_radius > 0
                        ? Vec3(gap.arc_radius * std::sin(s), 0, gap.arc_radius * std::cos(s))
                        : Vec3(0, 0, s);
    nearest = std::min(nearest, (o - at).norm());
  }
  return nearest;
}

TEST(SlotGapTest, DepthIsTheDistanceFromTheCentreLine) {
  Random random(27);
  for (const double arc : {0.0, 0.06})
    for (int i = 0; i < 20; ++i) {
      Rig rig(random, true);
      const SlotGap gap = slot(rig, arc);
      const Vec3 o(between(random, -0.1, 0.1), 0, between(random, -0.1, 0.1));
      rig.place(o, {0, between(random, -3, 3), 0});
      EXPECT_NEAR(gap.depth(0, rig.p1, rig.p2), distance_to_centre_line(gap, o) - gap.clearance(),
                  2e-9);
    }
}

TEST(SlotGapTest, StiffnessGoesFromWallToEnd) {
  Random random(28);
  const Elastic law;
  Rig rig(random, true);
  SlotGap gap = slot(rig, 0);
  const double ratio = 51;  // of the effective radii, hence 51^0.5 of K
  gap.end_scale = std::pow(ratio, 0.2);
  const auto force = [&](double x, double z) {
    rig.place({x, 0, z}, Vec3::Zero());
    return in_first_frame(rig, load(gap, rig.p1, rig.p2, law).on_second).first;
  };
  const double d = 1e-6, c = gap.clearance(), F = law.K * std::pow(d, 1.5);
  EXPECT_NEAR(force(c + d, 0)[0], -F, 1e-6 * F);
  EXPECT_NEAR(force(c + d, 0.0249)[0], -F, 1e-6 * F);
  EXPECT_NEAR(force(c + d, 0.03)[0], -F * std::sqrt(ratio), 1e-6 * F);
  EXPECT_NEAR(force(0, 0.03 + c + d)[2], -F * std::sqrt(ratio), 1e-6 * F);
  EXPECT_EQ(force(0, 0.01).norm(), 0);
  rig.place({0, 0, 0.03 + c + d}, Vec3::Zero());
  EXPECT_EQ(gap.state(rig.p1, rig.p2), 2);
}

// ---- continuity

struct Place {
  Vec3 o, theta;
};
/// Ratio of the largest change of the load per step when the steps of a path are halved.
template <class G>
double halving(const G& gap, Rig rig, const std::vector<Place>& path) {
  const Elastic law;
  const auto largest = [&](int steps) {
    double out = 0;
    Vec6 last = Vec6::Zero();
    for (std::size_t leg = 0; leg + 1 < path.size(); ++leg)
      for (int i = 0; i < steps; ++i) {
        const double t = double(i) / steps;
        rig.place((1 - t) * path[leg].o + t * path[leg + 1].o,
                  (1 - t) * path[leg].theta + t * path[leg + 1].theta);
        const auto [f, m] = in_first_frame(rig, load(gap, rig.p1, rig.p2, law).on_second);
        Vec6 now;
        now << f, m / 0.01;
        if (leg + i > 0) out = std::max(out, (now - last).norm());
        last = now;
      }
    return out;
  };
  return largest(4000) / largest(2000);
}

TEST(ContinuityTest, GuideFromCornerToFaceToOppositeCorners) {
  Random random(29);
  const Rig rig(random, true);
  EXPECT_NEAR(halving(guide(rig), rig,
                      {{{0, 0, 0}, {0, 0, 0}},
                       {{0.1e-3, 0, 0}, {0, 0.0068, 0}},
                       {{0.202e-3, 0, 0}, {0, 0, 0}},
                       {{0.1e-3, 0, 0}, {0, -0.0068, 0}},
                       {{0, 0, 0}, {0, -0.0135, 0}},
                       {{-0.202e-3, 0, 0}, {0, 0, 0}}}),
              0.5, 0.02);
}

TEST(ContinuityTest, GuideThroughItsEnd) {
  Random random(30);
  const Rig rig(random, true);
  GuideGap gap = guide(rig);
  gap.outer_half_length = 0.02;
  EXPECT_NEAR(halving(gap, rig,
                      {{{0.201e-3, 0, 0}, {0, 0, 0}},
                       {{0.201e-3, 0, 0.02}, {0, 1e-4, 0}},
                       {{0.201e-3, 0, 0.04}, {0, 1e-4, 0}}}),
              0.5, 0.02);
}

TEST(ContinuityTest, TubeFromCornerToFaceToEdge) {
  Random random(31);
  const Rig rig(random, false);
  EXPECT_NEAR(halving(tube(rig), rig,
                      {{{0, 0, 0}, {0, 0, 0}},
                       {{0.1e-3, 0, 0}, {0, 0.003, 0.003}},
                       {{0.203e-3, 0, 0}, {0, 0, 0}},
                       {{0.203e-3, 0.302e-3, 0}, {0, 0, 0}},
                       {{0.1e-3, 0.1e-3, 0}, {0.004, 0.003, -0.002}}}),
              0.5, 0.02);
}

TEST(ContinuityTest, SlotAlongTheWallIntoTheEnd) {
  Random random(32);
  const Rig rig(random, true);
  for (const double arc : {0.0, 0.06}) {
    SlotGap gap = slot(rig, arc);
    gap.end_scale = 2.2;
    gap.inner_scale = arc > 0 ? 0.95 : 1;
    const auto at = [&](double across, double along) {
      if (arc == 0) return Place{{across, 0, along}, Vec3::Zero()};
      return Place{
          {(arc + across) * std::sin(along / arc), 0, (arc + across) * std::cos(along / arc)},
          Vec3::Zero()};
    };
    // Short chords, so that the arc is followed within the play.
    std::vector<Place> path{at(0, 0.02), at(0.101e-3, 0.02)};
    const double end = arc > 0 ? 0.8 * arc : 0.03;
    for (int i = 1; i <= 60; ++i) path.push_back(at(0.101e-3, 0.02 + (end - 0.02) * i / 60));
    path.push_back(at(0, end));
    path.push_back(at(0, end + 0.101e-3));
    path.push_back(at(0, end));
    path.push_back(at(-0.101e-3, end));
    EXPECT_NEAR(halving(gap, rig, path), 0.5, 0.02) << arc;
  }
}

}  // namespace
}  // namespace freeplay::joints
