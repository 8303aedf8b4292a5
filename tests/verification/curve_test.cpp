// SPDX-License-Identifier: Apache-2.0
#include "model/curve.hpp"

#include "verification/joint_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

// A point on a curve against closed forms. Where a formula is that of a smooth curve rather than of
// the spline through its points, the tolerance says how far apart the two are.
namespace freeplay::testing {
namespace {

using Place = std::function<Vec3(double)>;

/// The table `curve` through count points of a curve.
std::string curve_of(const Place& place, double from, double to, int count, bool closed,
                     bool planar) {
  std::vector<double> c[3];
  for (int i = 0; i < count; ++i) {
    const Vec3 p = place(from + (to - from) * i / (closed ? count : count - 1));
    for (int k = 0; k < 3; ++k) c[k].push_back(p[k]);
  }
  return fmt::format("curve = {{ x = [{}], y = [{}], {}closed = {} }}\n", fmt::join(c[0], ", "),
                     fmt::join(c[1], ", "),
                     planar ? "" : fmt::format("z = [{}], ", fmt::join(c[2], ", ")), closed);
}

/// A bead of 0.3 kg on a wire in the ground.
std::string bead(bool planar, const Vec3& at, const std::string& curve, const std::string& more) {
  const auto vec = [&](const Vec3& v) {
    return planar ? fmt::format("[{}, {}]", v[0], v[1])
                  : fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
  };
  return fmt::format(
      "[mechanism]\nplanar = {}\n{}\n[bodies.bead]\nmass = 0.3\ninertia = {}\nposition = {}\n"
      "[joints.wire]\ntype = \"point-on-curve\"\nbodies = [\"ground\", \"bead\"]\nat = [{}, {}]\n"
      "{}{}",
      planar,
      more.find("weightless") == 0 ? ""
      : planar                     ? "gravity = [0, -9.81]"
                                   : "gravity = [0, 0, -9.81]",
      planar ? "0.001" : "[0.001, 0.001, 0.001]", vec(at), vec(Vec3::Zero()), vec(at), curve,
      more.find("weightless") == 0 ? more.substr(10) : more);
}

Vec3 velocity(const Simulated& s, double t) { return s.series.vector("bodies/bead/velocity", t); }

// Huygens: on a cycloid the arc length from the lowest point swings as cos(sqrt(g / 4a) t),
// however far. 241 points: the spline is off by 1e-8 of its size.
TEST(CurveJointTest, BeadOnACycloidSwingsInOneTime) {
  const double a = 0.2;
  const Place cycloid = [&](double p) {
    return Vec3(a * (p + std::sin(p)), a * (1 - std::cos(p)), 0);
  };
  for (const double amplitude : {0.3, 2.4})
    for (const std::string formulation : {"cartesian", "tree"}) {
      const Vec3 start = cycloid(amplitude);
      const Simulated s = simulate(model_from(
          bead(true, start, curve_of(cycloid, -3, 3, 481, false, true),
               fmt::format("[simulation]\nduration = 2\noutput = 0.02\nformulation = \"{}\"\n",
                           formulation))));
      const double middle = 4 * a * std::sin(1.5);  // from the first point, at -3, to the lowest
      const double s0 = 4 * a * std::sin(amplitude / 2), w = std::sqrt(g / (4 * a));
      Check check(fmt::format("cycloid, from {}, {}", amplitude, formulation),
                  "Huygens 1673: one period at every amplitude");
      for (double t : s.series.time) {
        check.near("arc length", s.series.at("joints/wire/coordinate", t) - middle,
                   s0 * std::cos(w * t), 1e-6);
        const Vec3 v = velocity(s, t);
        const double fall = start[1] - s.series.vector("bodies/bead/position", t)[1];
        check.near("speed by energy", 0.5 * v.squaredNorm(), g * fall, 1e-7);
      }
      check.energy(s);
    }
}

// The wire pushes with m (kappa v^2 + g.n), curvature that of the spline itself.
TEST(CurveJointTest, NormalForceFollowsCurvature) {
  const Place parabola = [](double x) { return Vec3(x, x * x, 0); };
  const Simulated s =
      simulate(model_from(bead(true, {1, 1, 0}, curve_of(parabola, -1.5, 1.5, 31, false, true),
                               "[simulation]\nduration = 3\noutput = 0.01\n")));
  const Curve& curve = *s.model.joints[0].curve;
  Check check("parabola", "closed form: energy and curvature");
  for (double t : s.series.time) {
    const Vec3 at = s.series.vector("bodies/bead/position", t), v = velocity(s, t);
    const auto local = curve.at(curve.nearest(at));
    const Vec3 tangent = local.d1.normalized(), normal(-tangent[1], tangent[0], 0);
    const double curvature = normal.dot(local.d2) / local.d1.squaredNorm();
    const double force = 0.3 * (curvature * v.squaredNorm() + g * normal[1]);
    check.near("force", s.series.vector("joints/wire/reaction_force", t), force * normal, 1e-7);
    check.near("speed by energy", 0.5 * v.squaredNorm(), g * (1 - at[1]), 1e-7);
  }
  check.energy(s);
}

// A pendulum without a rod: period 4 K(sin(a0/2)) sqrt(R/g) for a swing of a0.
TEST(CurveJointTest, BeadOnACircleIsAPendulum) {
  const double R = 0.5, a0 = 1.2;
  const Place circle = [&](double p) { return Vec3(R * std::cos(p), R * std::sin(p), 0); };
  const Vec3 start(R * std::sin(a0), -R * std::cos(a0), 0);
  const double period = 4 * std::comp_ellint_1(std::sin(a0 / 2)) * std::sqrt(R / g);
  const Simulated s = simulate(model_from(
      bead(true, start, curve_of(circle, 0, 2 * kPi, 200, true, true),
           fmt::format("[simulation]\nduration = {}\noutput = {}\n", 4 * period, period / 2))));
  Check check("pendulum without a rod", "closed form: elliptic integral of the pendulum");
  for (int k = 0; k <= 8; ++k)
    check.near("after half periods", s.series.vector("bodies/bead/position", k * period / 2),
               {(k % 2 == 0 ? 1 : -1) * start[0], start[1], 0}, 2e-6);
  check.energy(s);
}

// Without weight a bead keeps its speed; sixteen times round, over seam and knots, through the
// places where the normals of the rows jump.
TEST(CurveJointTest, SixteenTimesRoundASpatialCurve) {
  const Place saddle = [](double p) {
    return Vec3(0.4 * std::cos(p), 0.3 * std::sin(p), 0.15 * std::cos(2 * p));
  };
  const std::string wire = curve_of(saddle, 0, 2 * kPi, 24, true, false);
  for (const std::string formulation : {"cartesian", "tree"}) {
    Model model = model_from(
        bead(false, saddle(0), wire,
             fmt::format("weightlessspeed = 2\n[simulation]\nduration = 20\noutput = 0.1\n"
                         "formulation = \"{}\"\n",
                         formulation)));
    const double round = model.joints[0].curve->length();
    model.simulation.duration = 16 * round / 2;
    model.simulation.output = model.simulation.duration / 200;
    const Simulated s = simulate(std::move(model));
    Check check("sixteen rounds, " + formulation, "energy: no work is done along the curve");
    for (double t : s.series.time) {
      check.near("arc length", s.series.at("joints/wire/coordinate", t), 2 * t, 1e-6);
      check.near("speed", velocity(s, t).norm(), 2, 1e-7);
    }
    check.near("back", s.series.vector("bodies/bead/position", s.series.time.back()), saddle(0),
               1e-6);
    check.energy(s);
  }
}

// Down a helix of slope angle b the arc grows with g sin(b).
TEST(CurveJointTest, BeadRunsDownAHelix) {
  const double R = 0.3, climb = 0.05;  // m, m/rad
  const Place helix = [&](double p) { return Vec3(R * std::cos(p), R * std::sin(p), -climb * p); };
  const Simulated s =
      simulate(model_from(bead(false, helix(0), curve_of(helix, -2, 30, 1200, false, false),
                               "[simulation]\nduration = 2\noutput = 0.1\n")));
  const double sine = climb / std::hypot(R, climb);
  const double s0 = s.series.at("joints/wire/coordinate", 0);
  Check check("helix", "closed form: g times the slope");
  check.near("start", s0, 2 * std::hypot(R, climb), 1e-6);
  for (double t : s.series.time) {
    check.near("arc length", s.series.at("joints/wire/coordinate", t) - s0, 0.5 * g * sine * t * t,
               1e-6);
    const Vec3 at = s.series.vector("bodies/bead/position", t);
    check.near("on the cylinder", std::hypot(at[0], at[1]), R, 1e-7);
  }
  check.energy(s);
}

// A groove cam: r = r0 + h (p - sin(2 pi p)/(2 pi)) in the rise, p = angle/rise; the same down
// again. The follower's pin lies above the axis of the cam.
TEST(CurveJointTest, CamLiftsByItsFormula) {
  const double r0 = 0.05, h = 0.02, w = 10;
  const auto rise = [&](double p) { return h * (p - std::sin(2 * kPi * p) / (2 * kPi)); };
  const auto lift = [&](double angle) {
    const double p = angle / kPi - 2 * std::floor(angle / (2 * kPi));
    return p < 1 ? rise(p) : h - rise(p - 1);
  };
  // Turned by `angle`, the cam shows the follower its direction pi/2 - angle.
  const Place groove = [&](double angle) -> Vec3 {
    return (r0 + lift(angle)) * Vec3(std::sin(angle), std::cos(angle), 0);
  };
  for (const std::string motion : {"dynamic", "kinematic"}) {
    const Simulated s = simulate(model_from(
        "[mechanism]\nplanar = true\ngravity = [0, -9.81]\n[bodies.cam]\nmass = 1\ninertia = "
        "0.001\n"
        "[bodies.follower]\nmass = 0.2\ninertia = 0.001\nposition = [0, 0.1]\n"
        "[joints.shaft]\ntype = \"revolute\"\nbodies = [\"ground\", \"cam\"]\nat = [0, 0]\n"
        "drive = { speed = 10 }\n"
        "[joints.guide]\ntype = \"prismatic\"\nbodies = [\"ground\", \"follower\"]\nat = [0, 0.1]\n"
        "axis = [0, 1]\n"
        "[joints.groove]\ntype = \"point-on-curve\"\nbodies = [\"cam\", \"follower\"]\n"
        "at = [[0, 0], [0, 0.05]]\n" +
        curve_of(groove, 0, 2 * kPi, 720, true, true) +
        "[simulation]\nduration = 1.3\noutput = 0.01\nanalysis = \"" + motion + "\"\n"));
    Check check("cycloidal cam, " + motion, "closed form of the cycloidal lift");
    for (double t : s.series.time) {
      const double p = w * t / kPi - 2 * std::floor(w * t / (2 * kPi)), part = p < 1 ? p : p - 1;
      const double sign = p < 1 ? 1 : -1, rate = w / kPi;
      check.near("lift", s.series.at("joints/guide/coordinate", t), lift(w * t), 1e-7);
      check.near("speed", s.series.vector("bodies/follower/velocity", t)[1],
                 sign * h * rate * (1 - std::cos(2 * kPi * part)), 1e-5);
      check.near("acceleration", s.series.vector("bodies/follower/acceleration", t)[1],
                 sign * 2 * kPi * h * rate * rate * std::sin(2 * kPi * part), 2e-2);
    }
    if (motion == "dynamic") check.energy(s);
  }
}

// Driven at a constant rate of its arc length a bead has no tangential acceleration, and the drive
// does the work of lifting it.
TEST(CurveJointTest, DriveFollowsTheArcLength) {
  const Place ellipse = [](double p) { return Vec3(0.5 * std::cos(p), 0.2 * std::sin(p), 0); };
  const Simulated s = simulate(
      model_from(bead(true, {0.5, 0, 0}, curve_of(ellipse, 0, 2 * kPi, 40, true, true),
                      "drive = { speed = 0.7 }\n[simulation]\nduration = 8\noutput = 0.05\n")));
  const Curve& curve = *s.model.joints[0].curve;
  EXPECT_GT(0.7 * 8, 2 * curve.length());
  Check check("driven along an ellipse", "arc length by quadrature");
  for (double t : s.series.time) {
    const Vec3 at = s.series.vector("bodies/bead/position", t);
    check.near("speed", velocity(s, t).norm(), 0.7, kTight);
    check.near("coordinate", s.series.at("joints/wire/coordinate", t), 0.7 * t, kTight);
    const double round = curve.length(), arc = curve.arc(curve.nearest(at));
    check.near("arc", std::remainder(arc - 0.7 * t, round), 0, kTight);
  }
  check.energy(s);
}

// Round a ring without weight friction takes speed as v0 / (1 + mu v0 t / R).
TEST(CurveJointTest, FrictionInAGrooveIsLoadedByCurvature) {
  const double R = 0.25, mu = 0.2, v0 = 3;
  const Place circle = [&](double p) { return Vec3(R * std::cos(p), R * std::sin(p), 0); };
  for (const bool planar : {true, false}) {
    const Simulated s = simulate(
        model_from(bead(planar, {R, 0, 0}, curve_of(circle, 0, 2 * kPi, 400, true, planar),
                        "weightlessspeed = 3\nfriction = { law = \"coulomb\", kinetic = 0.2 }\n"
                        "[simulation]\nduration = 1\noutput = 0.05\n")));
    Check check(planar ? "friction in a planar groove" : "friction in a spatial groove",
                "closed form: v0 / (1 + mu v0 t / R)");
    for (double t : s.series.time)
      check.near("speed", velocity(s, t).norm(), v0 / (1 + mu * v0 * t / R), 1e-4);
    check.energy(s);
  }
}

// Beyond its last point an open curve goes on straight; a stop is what ends it.
TEST(CurveJointTest, OpenCurveGoesOnAndAStopEndsIt) {
  const std::string wire = "curve = { x = [0, 1], y = [0, 0] }\n";
  const Simulated free = simulate(model_from(bead(
      true, {0, 0, 0}, wire, "weightlessspeed = 2\n[simulation]\nduration = 1\noutput = 0.1\n")));
  Check check("beyond the end", "closed form: straight on along the tangent");
  check.near("position", free.series.vector("bodies/bead/position", 1), {2, 0, 0}, kTight);
  check.near("arc length", free.series.at("joints/wire/coordinate", 1), 2, kTight);
  const Simulated stopped = simulate(model_from(
      bead(true, {0, 0, 0}, wire,
           "weightlessspeed = 2\nstop = { upper = 1, contact = { law = \"newton\", restitution = "
           "0.5 } }\n[simulation]\nduration = 1\noutput = 0.1\n")));
  check.near("after the stop", stopped.series.at("joints/wire/coordinate", 1), 0.5, kTight);
}

// Halving the tolerance digit by digit brings the motion closer, knots and all.
TEST(CurveJointTest, ConvergesWithTheTolerance) {
  const Place wave = [](double x) { return Vec3(x, 0.2 * std::cos(4 * x), 0); };
  const auto end_at = [&](double tolerance) -> Vec3 {
    Model model =
        model_from(bead(true, {0.2, 0.2 * std::cos(0.8), 0}, curve_of(wave, -1, 4, 26, false, true),
                        "speed = 1.5\n[simulation]\nduration = 1.5\noutput = 1.5\n"));
    model.simulation.tolerance = tolerance;
    return simulate(std::move(model)).series.vector("bodies/bead/position", 1.5);
  };
  const Vec3 exact = end_at(1e-12);
  double last = 1;
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const double error = (end_at(tolerance) - exact).norm();
    EXPECT_LT(error, 100 * tolerance);
    EXPECT_LT(error, last);
    last = error;
  }
}

}  // namespace
}  // namespace freeplay::testing
