// SPDX-License-Identifier: Apache-2.0
#include "joints/geometry.hpp"
#include "rig.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

// What every geometry promises, whatever its shape: depths change at the rate of the material
// velocities, elastic forces are those of a potential, both bodies are pushed alike, derivatives
// are those of the values.
namespace freeplay::joints {
namespace {

/// A geometry with the poses in which it is near contact.
struct Case {
  std::string name;
  bool planar;
  std::function<Geometry(const Rig&)> make;
  std::function<void(Random&, Rig&)> place;
  bool slot = false;    ///< weights are slopes of the depth
  bool leaves = false;  ///< one part sticks out of the other, whose end cuts the contact

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

BoreGap bore(const Rig& rig, bool through, bool faces, bool points) {
  BoreGap out;
  out.first = rig.first, out.second = rig.second;
  out.outer_radius = 0.010, out.inner_radius = 0.0098;
  out.outer_half_length = 0.010, out.inner_half_length = through ? 0.0101 : 0.0099;
  out.through = through, out.faces = faces, out.points_only = points;
  out.face_inner = through ? out.outer_radius : 0;
  out.face_outer = through ? 0.014 : out.inner_radius;
  return out;
}
void near_bore(Random& random, Rig& rig) {
  const double e = between(random, 0, 0.21e-3), u = between(random, 0, 7);
  const double tilt = between(random, 0, 0.015), t = between(random, 0, 7);
  rig.place({e * std::cos(u), e * std::sin(u), between(random, -0.11e-3, 0.11e-3)},
            {tilt * std::cos(t), tilt * std::sin(t), between(random, -3, 3)});
}
GuideGap guide(const Rig& rig, double guide_half, bool points) {
  GuideGap out;
  out.first = rig.first, out.second = rig.second;
  out.outer_width = 0.0204, out.inner_width = 0.02;
  out.inner_half_length = 0.015, out.outer_half_length = guide_half;
  out.points_only = points;
  return out;
}
void near_guide(Random& random, Rig& rig) {
  rig.place({between(random, -0.21e-3, 0.21e-3), 0, between(random, -2e-3, 2e-3)},
            {0, between(random, -0.015, 0.015), 0});
}
TubeGap tube(const Rig& rig, bool points) {
  TubeGap out;
  out.first = rig.first, out.second = rig.second;
  out.outer_size = {0.0204, 0.0306}, out.inner_size = {0.02, 0.03};
  out.inner_half_length = 0.025;
  out.points_only = points;
  return out;
}
void near_tube(Random& random, Rig& rig) {
  rig.place(
      {between(random, -0.2e-3, 0.2e-3), between(random, -0.3e-3, 0.3e-3),
       between(random, -0.1, 0.1)},
      {between(random, -0.01, 0.01), between(random, -0.008, 0.008), between(random, -0.01, 0.01)});
}
SlotGap slot(const Rig& rig, double arc) {
  SlotGap out;
  out.first = rig.first, out.second = rig.second;
  out.outer_radius = 0.0051, out.inner_radius = 0.005, out.arc_radius = arc;
  out.ends = arc > 0 ? Clearance::Ends{-0.5, 0.8} : Clearance::Ends{-0.02, 0.03};
  out.end_scale = 2.1, out.inner_scale = arc > 0 ? 0.9 : 1;
  return out;
}
/// The slot of a law whose stiffness does not follow from the radii, or that has none.
SlotGap plain(SlotGap slot) {
  slot.outer_scale = slot.inner_scale = slot.end_scale = 1;
  return slot;
}
/// Near one of the walls of a slot with 0.1 mm of play; m from its centre line.
double near_wall(Random& random) {
  const double e = between(random, 0.08e-3, 0.11e-3);
  return between(random, -1, 1) < 0 ? -e : e;
}
void near_line_slot(Random& random, Rig& rig) {
  rig.place({near_wall(random), 0, between(random, -0.02011, 0.03011)},
            {0, between(random, -3, 3), 0});
}
void near_arc_slot(Random& random, Rig& rig) {
  const double r = 0.06 + near_wall(random);
  const double angle = between(random, -0.502, 0.802);
  rig.place({r * std::sin(angle), 0, r * std::cos(angle)}, {0, between(random, -3, 3), 0});
}

/// Two half axes, or lobes with waves on them.
Profile ellipse() { return EllipseProfile{0.01002, 0.01008, 0.4}; }
Profile lobes() { return LobedProfile{3, 4e-6, 0.3}; }
template <class G>
G outlined(const Rig& rig, const Profile* outer, const Profile* inner) {
  G out;
  out.first = rig.first, out.second = rig.second;
  out.outer_radius = outer && own_radius(*outer) > 0 ? own_radius(*outer) : 0.01005;
  out.inner_radius = 0.0099;
  out.bearing = outline_of(outer, out.outer_radius);
  out.journal = outline_of(inner, out.inner_radius);
  if constexpr (requires { out.divide(); }) out.divide();
  return out;
}
template <class G>
auto oval(bool outer, bool inner) {
  return [=](const Rig& rig) {
    const Profile e = ellipse(), l = lobes();
    return outlined<G>(rig, outer ? &e : nullptr, inner ? &l : nullptr);
  };
}
/// An ellipse too sharp for the journal: two contacts, or none.
ProfileGap sharp(const Rig& rig) {
  const Profile narrow = EllipseProfile{0.01040, 0.01005, 0.4};
  ProfileGap out = outlined<ProfileGap>(rig, &narrow, nullptr);
  out.inner_radius = 0.01;
  out.divide();
  return out;
}
void near_oval(Random& random, Rig& rig) {
  const double e = between(random, 0.11e-3, 0.19e-3), u = between(random, 0, 7);
  rig.place({e * std::cos(u), 0, e * std::sin(u)}, {0, between(random, -3, 3), 0});
}
void near_sharp_end(Random& random, Rig& rig) {
  // The frame of the rig lies anywhere in its body: place by the body's own axes.
  const double along = between(random, 0.25e-3, 0.36e-3) * (between(random, -1, 1) < 0 ? -1 : 1),
               across = between(random, -4e-6, 4e-6), c = std::cos(0.4), s = std::sin(0.4);
  const Vec3 e(c * along - s * across, s * along + c * across, 0);
  rig.place(rig.first.axes.transpose() * e, {0, between(random, -3, 3), 0});
}

std::vector<Case> cases() {
  std::vector<Case> out{
      {"ball", false,
       [](const Rig& rig) {
         return RadialGap{rig.first, rig.second, 0.01, 0.0098};
       },
       [](Random& random, Rig& rig) {
         rig.place(vector_within(random, 1).normalized() * between(random, 0.17e-3, 0.21e-3),
                   vector_within(random, 2));
       }},
      {"captive", false, [](const Rig& rig) { return bore(rig, false, true, false); }, near_bore},
      {"captive rims", false, [](const Rig& rig) { return bore(rig, false, true, true); },
       near_bore},
      {"through-pin", false, [](const Rig& rig) { return bore(rig, true, true, false); },
       near_bore},
      {"through-pin rims", false, [](const Rig& rig) { return bore(rig, true, true, true); },
       near_bore},
      {"cylindrical", false,
       [](const Rig& rig) {
         BoreGap gap = bore(rig, false, false, false);
         gap.outer_half_length = 0.05;
         return gap;
       },
       near_bore},
      {"guide", true, [](const Rig& rig) { return guide(rig, 0, false); }, near_guide},
      {"guide corners", true, [](const Rig& rig) { return guide(rig, 0, true); }, near_guide},
      {"short guide", true, [](const Rig& rig) { return guide(rig, 0.010, false); }, near_guide},
      {"leaving guide", true, [](const Rig& rig) { return guide(rig, 0.0151, false); }, near_guide,
       false, true},
      {"leaving short guide", true, [](const Rig& rig) { return guide(rig, 0.0149, false); },
       near_guide, false, true},
      {"leaving guide corners", true, [](const Rig& rig) { return guide(rig, 0.0151, true); },
       near_guide},
      {"leaving short guide corners", true, [](const Rig& rig) { return guide(rig, 0.0149, true); },
       near_guide},
      {"half out of the guide, corners", true,
       [](const Rig& rig) { return guide(rig, 0.0151, true); },
       [](Random& random, Rig& rig) {
         rig.place({between(random, -0.21e-3, 0.21e-3), 0, between(random, 0.013, 0.02)},
                   {0, between(random, -0.015, 0.015), 0});
       }},
      {"leaving journal rims", false,
       [](const Rig& rig) {
         BoreGap gap = bore(rig, false, false, true);
         gap.outer_half_length = 0.0095, gap.inner_half_length = 0.0094;
         return gap;
       },
       [](Random& random, Rig& rig) {
         near_bore(random, rig);
         rig.p2.r += rig.p1.R * rig.first.axes.col(2) * between(random, -2e-3, 2e-3);
       }},
      {"leaving short bearing rims", false,
       [](const Rig& rig) {
         BoreGap gap = bore(rig, true, false, true);
         gap.outer_half_length = 0.0094, gap.inner_half_length = 0.0095;
         return gap;
       },
       [](Random& random, Rig& rig) {
         near_bore(random, rig);
         rig.p2.r += rig.p1.R * rig.first.axes.col(2) * between(random, -2e-3, 2e-3);
       }},
      {"leaving journal", false,
       [](const Rig& rig) {
         BoreGap gap = bore(rig, false, false, false);
         gap.outer_half_length = gap.inner_half_length - 2e-3;
         gap.inner_half_length -= 1e-3;
         return gap;
       },
       near_bore, false, true},
      {"tube", false, [](const Rig& rig) { return tube(rig, false); }, near_tube},
      {"tube corners", false, [](const Rig& rig) { return tube(rig, true); }, near_tube},
      {"slot of one stiffness", true, [](const Rig& rig) { return plain(slot(rig, 0)); },
       near_line_slot},
      {"arc slot of one stiffness", true, [](const Rig& rig) { return plain(slot(rig, 0.06)); },
       near_arc_slot},
      {"oval bore", true, oval<ProfileGap>(true, false), near_oval},
      {"lobed journal", true, oval<ProfileGap>(false, true), near_oval},
      {"lobed journal in an oval bore", true, oval<ProfileGap>(true, true), near_oval},
      {"bore with two contacts", true, sharp, near_sharp_end},
      {"bed of an oval bore", true, oval<BedGap>(true, false), near_oval},
      {"bed of a lobed journal", true, oval<BedGap>(false, true), near_oval},
      {"bed of both", true, oval<BedGap>(true, true), near_oval},
      {"slot", true, [](const Rig& rig) { return slot(rig, 0); }, near_line_slot, true},
      {"arc slot", true, [](const Rig& rig) { return slot(rig, 0.06); }, near_arc_slot, true}};
  return out;
}

/// The pose as a function of time, at its speeds.
Pose<TimeDual> coasting(const Pose<double>& pose) {
  Pose<TimeDual> out;
  const Mat3 turn =
      (Mat3() << 0, -pose.w[2], pose.w[1], pose.w[2], 0, -pose.w[0], -pose.w[1], pose.w[0], 0)
          .finished() *
      pose.R;
  out.v = pose.v.cast<TimeDual>(), out.w = pose.w.cast<TimeDual>();
  for (int i = 0; i < 3; ++i) {
    out.r[i] = TimeDual(pose.r[i]);
    out.r[i].d[0] = pose.v[i];
    for (int j = 0; j < 3; ++j) {
      out.R(i, j) = TimeDual(pose.R(i, j));
      out.R(i, j).d[0] = turn(i, j);
    }
  }
  return out;
}

class GeometryTest : public ::testing::TestWithParam<Case> {
 protected:
  /// f(geometry, rig) for poses near contact, with speeds.
  template <class F>
  void for_poses(int count, F&& f) {
    Random random(11);
    for (int i = 0; i < count; ++i) {
      Rig rig(random, GetParam().planar);
      GetParam().place(random, rig);
      rig.move(random, 0.1);
      // The common point anywhere between the surfaces: nothing below may depend on it.
      std::visit(
          [&](auto g) {
            if constexpr (requires { g.share; })
              g.share = std::array{0.5, 0.0, 1.0}[static_cast<std::size_t>(i % 3)];
            f(std::as_const(g), rig);
          },
          GetParam().make(rig));
    }
  }
};

/// Those where no edge cuts the contact, which would move the place itself.
class WholeGeometryTest : public GeometryTest {};

TEST_P(WholeGeometryTest, DepthRateIsTheMaterialVelocityAlongTheNormal) {
  int checked = 0;
  for_poses(400, [&](const auto& g, const Rig& rig) {
    for (int k = 0; k < g.contacts(); ++k) {
      ContactPoint<double> p;
      if (g.depth(k, rig.p1, rig.p2) < -2e-5 || !g.leading(k, rig.p1, rig.p2, p)) continue;
      EXPECT_NEAR(p.depth, g.depth(k, rig.p1, rig.p2), 1e-15);
      // Central differences of two widths: skip where the deepest place jumps in between.
      const auto difference = [&](double h) {
        const Rig before = rig.after(-h), later = rig.after(h);
        return (g.depth(k, later.p1, later.p2) - g.depth(k, before.p1, before.p2)) / (2 * h);
      };
      const double coarse = difference(2e-6), fine = difference(1e-6);
      if (std::abs(coarse - fine) > 1e-6) continue;
      const double rate = fine + (fine - coarse) / 3;
      // A slot's normal leans by the blend of its curvature, which scales with the depth.
      const double slack = GetParam().slot ? 1e-3 * std::abs(p.depth) / 1e-5 + 1e-7 : 2e-8;
      EXPECT_NEAR(motion_at(p, rig.p1, rig.p2).rate, rate, slack) << g.contact_name(k);
      ++checked;
    }
  });
  EXPECT_GT(checked, 40);
}

/// Forms in which a contact is one point, as Newton's impact law needs it.
class PointGeometryTest : public GeometryTest {};

TEST_P(PointGeometryTest, CoastingDepthCurvesAsItsTimeDerivativesSay) {
  // Bodies keep their speeds; derivatives along the motion against differences in time.
  int checked = 0;
  double steepest = 0;
  for_poses(400, [&](const auto& g, const Rig& rig) {
    for (int k = 0; k < g.contacts(); ++k) {
      ContactPoint<TimeDual> p;
      const Pose<TimeDual> p1 = coasting(rig.p1), p2 = coasting(rig.p2);
      const double now = g.depth(k, rig.p1, rig.p2);
      if (now < -2e-5 || !g.leading(k, p1, p2, p)) continue;
      EXPECT_NEAR(p.depth.value, now, 1e-15);
      ContactPoint<double> plain;
      ASSERT_TRUE(g.leading(k, rig.p1, rig.p2, plain));
      EXPECT_NEAR(p.depth.value, plain.depth, 1e-15);
      const TimeDual rate = motion_at(p, p1, p2).rate;
      // The normal velocity is the rate of the depth, exactly.
      EXPECT_NEAR(p.depth.d[0], rate.value, 1e-12) << g.contact_name(k);
      // The rate of that velocity, by differences of the leading point later and before.
      const auto rate_after = [&](double h) {
        const Rig then = rig.after(h);
        ContactPoint<double> at;
        if (!g.leading(k, then.p1, then.p2, at)) return std::nan("");
        return motion_at(at, then.p1, then.p2).rate;
      };
      const auto difference = [&](double h) { return (rate_after(h) - rate_after(-h)) / (2 * h); };
      const double coarse = difference(2e-6), fine = difference(1e-6);
      const double exact = fine + (fine - coarse) / 3;
      // Skip where an edge takes over from a corner in between, or the point crosses a face.
      if (!(std::abs(coarse - fine) <= 1e-4 * (1 + std::abs(fine)))) continue;
      EXPECT_NEAR(rate.d[0], exact, 1e-5 * (1 + std::abs(exact))) << g.contact_name(k);
      steepest = std::max(steepest, std::abs(exact));
      ++checked;
    }
  });
  EXPECT_GT(checked, 40);
  EXPECT_GT(steepest, 1e-2) << "nothing curves";
}

TEST_P(GeometryTest, ElasticForcesAreThoseOfAPotential) {
  const Elastic law;
  int checked = 0, edges = 0;
  double worst = 0;
  for_poses(400, [&](const auto& g, const Rig& rig) {
    const auto energy = [&](double t) {
      const Rig then = rig.after(t);
      return load(g, then.p1, then.p2, law, GetParam().slot).energy;
    };
    const Load<double> now = load(g, rig.p1, rig.p2, law, GetParam().slot);
    if (now.on_second.force.norm() < 1) return;  // too shallow to be differenced
    const double h = 1e-8;
    const double rate = (energy(h) - energy(-h)) / (2 * h);
    const double scale = now.on_second.force.norm() * 0.1 + 1e-6;  // W; speeds are about 0.1 m/s
    worst = std::max(worst, std::abs(now.power + rate) / scale);
    // The energy grows with one power of the depth more than the force and is summed less exactly,
    // in two directions on the faces of a box.
    edges += now.edges;
    EXPECT_NEAR(now.power, -rate, (GetParam().name == "tube" ? 1e-3 : 2e-4) * scale);
    ++checked;
  });
  EXPECT_GT(checked, 40);
  if (GetParam().leaves) {
    EXPECT_GT(edges, 20);
  }
  RecordProperty("worst", std::to_string(worst));
}

/// Place and turn of the second frame in the first.
std::pair<Vec3, Vec3> relative(const Rig& rig) {
  const Mat3 axes = rig.p1.R * rig.first.axes;
  const Vec4 q = quaternion_of(axes.transpose() * rig.p2.R * rig.second.axes);
  const double s = q.tail<3>().norm();
  const Vec3 theta = s > 0 ? Vec3(q.tail<3>() / s * 2 * std::atan2(s, q[0])) : Vec3::Zero();
  const Vec3 o = axes.transpose() *
                 (rig.p2.r + rig.p2.R * rig.second.point - rig.p1.r - rig.p1.R * rig.first.point);
  return {o, theta};
}

TEST_P(GeometryTest, NoWorkRoundAClosedPath) {
  const Elastic law;
  Random random(12);
  double gross = 0;
  for (int loop = 0; loop < 5; ++loop) {
    const Rig start(random, GetParam().planar);
    // A loop through three poses near contact, in and out of it.
    std::array<std::pair<Vec3, Vec3>, 3> through;
    for (auto& pose : through) {
      Rig rig = start;
      GetParam().place(random, rig);
      pose = relative(rig);
    }
    const auto at = [&](double t) {
      const double u = std::cos(2 * M_PI * t), v = std::sin(2 * M_PI * t);
      const auto mix = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
        return Vec3((a + b) / 2 + u * (a - b) / 2 + v * (c - (a + b) / 2));
      };
      Rig rig = start;
      rig.place(mix(through[0].first, through[1].first, through[2].first),
                mix(through[0].second, through[1].second, through[2].second));
      return rig;
    };
    double work = 0, here = 0;
    const int steps = 8000;
    const double h = 1.0 / steps;
    std::visit(
        [&](const auto& g) {
          for (int i = 0; i < steps; ++i) {
            // Midpoint rule; the velocity by differences of the pose.
            const double t = (i + 0.5) * h, dt = 1e-3 * h;
            Rig rig = at(t);
            const Rig before = at(t - dt), later = at(t + dt);
            rig.p2.v = (later.p2.r - before.p2.r) / (2 * dt);
            const Mat3 dR = (later.p2.R - before.p2.R) / (2 * dt) * rig.p2.R.transpose();
            rig.p2.w = Vec3(dR(2, 1) - dR(1, 2), dR(0, 2) - dR(2, 0), dR(1, 0) - dR(0, 1)) / 2;
            const double power = load(g, rig.p1, rig.p2, law).power;
            work += power * h, here += std::abs(power) * h;
          }
        },
        GetParam().make(start));
    EXPECT_LE(std::abs(work), 2e-4 * here);
    gross += here;
  }
  EXPECT_GT(gross, 0) << "no path touches";
}

TEST_P(GeometryTest, BothBodiesArePushedAtOnePoint) {
  for_poses(100, [&](const auto& g, const Rig& rig) {
    for (int k = 0; k < g.contacts(); ++k)
      g.points(k, rig.p1, rig.p2, [&](const ContactPoint<double>& p) {
        EXPECT_GT(p.depth, 0);
        EXPECT_GT(p.weight, 0);
        EXPECT_NEAR(p.normal.norm(), 1, 1e-12);
        EXPECT_LT((rig.p1.r + p.arm1 - rig.p2.r - p.arm2).norm(), 1e-14);
      });
  });
}

// ---- derivatives

/// Columns: place and turn of the first body, of the second, then their speeds.
constexpr int kColumns = 24;
Pose<double>& pose_of(Rig& rig, int column) { return column % 12 < 6 ? rig.p1 : rig.p2; }
Rig perturbed(Rig rig, int column, double by) {
  Pose<double>& p = pose_of(rig, column);
  const int i = column % 3, kind = column % 6 / 3;
  if (column < 12 && kind == 0) p.r[i] += by;
  if (column < 12 && kind == 1) p.R = turned(Vec3::Unit(i) * by) * p.R;
  if (column >= 12) (kind == 0 ? p.v : p.w)[i] += by;
  return rig;
}
std::pair<Pose<PairDual>, Pose<PairDual>> seeded(const Rig& rig) {
  std::pair<Pose<PairDual>, Pose<PairDual>> out;
  for (int body = 0; body < 2; ++body) {
    Pose<PairDual>& p = body == 0 ? out.first : out.second;
    const Pose<double>& from = body == 0 ? rig.p1 : rig.p2;
    p.r = from.r.cast<PairDual>(), p.R = from.R.cast<PairDual>();
    p.v = from.v.cast<PairDual>(), p.w = from.w.cast<PairDual>();
    for (int i = 0; i < 3; ++i) {
      const int at = 6 * body + i;
      p.r[i].d[at] = 1;
      p.v[i].d[12 + at] = 1;
      p.w[i].d[12 + at + 3] = 1;
      for (int c = 0; c < 3; ++c) {
        const Vec3 moved = Vec3::Unit(i).cross(from.R.col(c));
        for (int r = 0; r < 3; ++r) p.R(r, c).d[at + 3] = moved[r];
      }
    }
  }
  return out;
}

TEST_P(GeometryTest, DerivativesAreThoseOfTheValues) {
  // Derivatives leave out that an edge moves along the contact which it cuts.
  const double tolerance = GetParam().leaves ? 0.05 : 2e-4;
  const Elastic law{.damping = 0.5};
  int checked = 0;
  double worst = 0;
  for_poses(100, [&](const auto& g, const Rig& rig) {
    const auto wrench = [&](const Rig& at) {
      const Load<double> l = load(g, at.p1, at.p2, law);
      Vec6 out;
      out << l.on_second.force, l.on_second.moment;
      return out;
    };
    const Vec6 value = wrench(rig);
    if (value.head<3>().norm() < 1) return;
    const auto [q1, q2] = seeded(rig);
    const Load<PairDual> dual = load(g, q1, q2, law);
    Vec6 dual_value;
    for (int i = 0; i < 3; ++i) {
      dual_value[i] = dual.on_second.force[i].value;
      dual_value[i + 3] = dual.on_second.moment[i].value;
    }
    EXPECT_LT((dual_value - value).norm(), 1e-9 * value.norm());
    Eigen::Matrix<double, 6, kColumns> exact, difference;
    for (int c = 0; c < kColumns; ++c) {
      const double h = c < 12 ? 1e-9 : 1e-5;
      difference.col(c) = (wrench(perturbed(rig, c, h)) - wrench(perturbed(rig, c, -h))) / (2 * h);
      for (int i = 0; i < 3; ++i) {
        exact(i, c) = dual.on_second.force[i].d[c];
        exact(i + 3, c) = dual.on_second.moment[i].d[c];
      }
    }
    for (const auto& columns : {std::pair(0, 12), std::pair(12, 12)}) {
      const auto A = exact.middleCols(columns.first, columns.second);
      const auto B = difference.middleCols(columns.first, columns.second);
      const double error = (A - B).norm() / (B.norm() + 1e-9);
      worst = std::max(worst, error);
      EXPECT_LT(error, tolerance) << "columns from " << columns.first;
    }
    ++checked;
  });
  EXPECT_GT(checked, 5);
  RecordProperty("worst", std::to_string(worst));
}

std::vector<Case> whole_cases() {
  std::vector<Case> out = cases();
  std::erase_if(out, [](const Case& c) { return c.leaves; });
  return out;
}
std::vector<Case> point_cases() {
  std::vector<Case> out = cases();
  Random random(1);
  const Rig rig(random, true);
  std::erase_if(out, [&](const Case& c) {
    const bool spread = std::visit(
        [](const auto& g) {
          if constexpr (requires { g.points_only; }) return !g.points_only;
          return false;
        },
        c.make(rig));
    return spread || c.slot;
  });
  return out;
}
const auto name_of_case = [](const auto& which) {
  std::string out = which.param.name;
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
};
INSTANTIATE_TEST_SUITE_P(All, GeometryTest, ::testing::ValuesIn(cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(All, PointGeometryTest, ::testing::ValuesIn(point_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(All, WholeGeometryTest, ::testing::ValuesIn(whole_cases()), name_of_case);

}  // namespace
}  // namespace freeplay::joints
