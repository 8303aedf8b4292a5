// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/spatial_beam.hpp"

#include "support/recording.hpp"
#include <freeplay/assembly.hpp>
#include <freeplay/equilibrium.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

// Beams in space against closed forms, published deflections and their planar sisters.
namespace freeplay::testing {
namespace {

using namespace freeplay::dynamics;

Flexible along_x(double length, double EA, double EI_y, double EI_z, double GJ, int elements) {
  Flexible beam;
  beam.from = {-length / 2, 0, 0}, beam.to = {length / 2, 0, 0};
  beam.EA = EA, beam.EI_y = EI_y, beam.EI_z = EI_z, beam.GJ = GJ;
  beam.rhoA = 1, beam.rhoJ = 1e-6;
  beam.elements = elements;
  beam.method = FlexibleMethod::beam;
  return beam;
}

/// Held at its first end; loads act at the other.
struct Cantilever {
  Model model;
  std::unique_ptr<SpatialBeam> beam;
  VecX q, rest;

  explicit Cantilever(const Flexible& is) {
    Body body;
    body.name = "beam";
    body.mass = is.rhoA * is.length();
    body.inertia.setIdentity();
    body.flexible = is;
    model.bodies.push_back(body);
    beam = std::make_unique<SpatialBeam>(model, BodyIndex(1), std::vector<Vec3>{is.to});
    beam->attach(is.to);
    q.resize(beam->positions());
    rest.setZero(beam->velocities());
    beam->start(q.data(), rest.data());
    rest.setZero();
  }
  [[nodiscard]] Pose<double> tip() const {
    Pose<double> own, out;
    beam->place(q.data(), rest.data(), own, &out);
    return out;
  }
  /// Columns by small motions, rows by forces on them.
  [[nodiscard]] MatX stiffness(const Wrench<double>& load) const {
    const auto nv = beam->velocities(), nq = beam->positions();
    MatX by_q = MatX::Zero(nv, nq), moves(nq, nv);
    beam->momentum_derivative(q.data(), rest.data(), rest.data(), [&](int r, int c, double x) {
      if (c < nq) by_q(r, c) += x;
    });
    beam->spread_derivative(q.data(), 0, load, [&](int r, int c, double x) { by_q(r, c) -= x; });
    for (int c = 0; c < nv; ++c) {
      const VecX unit = VecX::Unit(nv, c);
      VecX rate(nq);
      beam->position_rates(q.data(), unit.data(), rate.data());
      moves.col(c) = rate;
    }
    return by_q * moves;
  }
  /// Newton's method, the load in steps. The tip follows; the root's node, the first six, is held.
  void bend(const Wrench<double>& full, int steps) {
    for (int step = 1; step <= steps; ++step) {
      Wrench<double> load;
      load.force = full.force * step / steps, load.moment = full.moment * step / steps;
      for (int pass = 0;; ++pass) {
        ASSERT_LT(pass, 60) << "step " << step;
        VecX f(beam->velocities());
        beam->forces(q.data(), rest.data(), f.data());
        beam->spread(q.data(), 0, load, f.data());
        const auto n = f.size() - 6;
        VecX change = VecX::Zero(f.size());
        change.tail(n) = stiffness(load).bottomRightCorner(n, n).lu().solve(f.tail(n));
        beam->displace(q.data(), change.data());
        if (change.cwiseAbs().maxCoeff() < 1e-11) break;
      }
    }
  }
};

TEST(SpatialBeamTest, ElasticaUnderATipLoad) {
  const double cases[][4] = {{0.2, 0.066364482, 0.002646548, 0.099636163},
                             {1, 0.301720774, 0.056433236, 0.461351950},
                             {2, 0.493457480, 0.160641721, 0.781749832},
                             {10, 0.810609025, 0.554995598, 1.430285539}};
  Check check("elastica in space, 16 elements", "Mattiasson 1981; recomputed");
  for (const auto& [alpha, w, u, angle] : cases)
    for (const double direction : {0.0, 0.7}) {  // it is as stiff in every direction
      double last = 0;
      for (const int elements : {4, 8, 16}) {
        Cantilever c(along_x(1, 1e7, 1, 1, 1, elements));
        Wrench<double> load;
        load.force = alpha * Vec3(0, std::cos(direction), std::sin(direction));
        c.bend(load, alpha < 5 ? 20 : 200);
        const Pose<double> tip = c.tip();
        const double lateral = std::hypot(tip.r[1], tip.r[2]), error = std::abs(lateral - w);
        std::printf("alpha %4.1f, %2d elements: w %+.1e, u %+.1e, order %.1f\n", alpha, elements,
                    lateral - w, 0.5 - tip.r[0] - u, last > 0 ? std::log2(last / error) : 0.0);
        if (last > 1e-6) {
          EXPECT_GT(std::log2(last / error), 1.7);
        }
        last = error;
        if (elements < 16) continue;
        check.near(fmt::format("w/L at P L^2/EI = {}", alpha), lateral, w, 2e-3 * w);
        check.near(fmt::format("u/L at P L^2/EI = {}", alpha), 0.5 - tip.r[0], u, 3e-3 * u);
        check.near(fmt::format("angle at P L^2/EI = {}", alpha), std::acos(tip.R(0, 0)), angle,
                   2e-3 * angle);
      }
    }
}

// Constant curvature is what elements are made of: a few close the circle, and a helix.
TEST(SpatialBeamTest, EndMomentRollsItIntoACircleExactly) {
  Check check("end moment 2 pi EI/L, 4 elements", "closed form");
  for (const int direction : {1, 2}) {
    Cantilever c(along_x(1, 1e4, 1, 1, 1, 4));
    Wrench<double> load;
    load.moment[direction] = 2 * M_PI;
    c.bend(load, 20);
    check.near("tip back at the root", c.tip().r, Vec3(-0.5, 0, 0), 1e-9);
    check.near("tip turned once", (c.tip().R - Mat3::Identity()).norm(), 0, 1e-8);
  }
}

// Small deflections under a force at the end are exact for one pair of elements: PL^3/3EI, and the
// twist TL/GJ.
TEST(SpatialBeamTest, SmallDeflectionsAreThoseOfTheHandbook) {
  Check check("cantilever of 2 elements, small loads", "closed form");
  const Flexible is = along_x(2, 1e6, 3, 5, 2, 2);
  Cantilever bent(is), pulled(is);
  Wrench<double> load;
  load.force = {0, 1e-5, 1e-5}, load.moment = {1e-5, 0, 0};
  bent.bend(load, 1);
  const Pose<double> tip = bent.tip();
  check.near("along y", tip.r[1], 1e-5 * 8 / (3 * 5.0), 1e-5 * 1e-5);
  check.near("along z", tip.r[2], 1e-5 * 8 / (3 * 3.0), 1e-5 * 1e-5);
  check.near("twist", 0.5 * (tip.R(2, 1) - tip.R(1, 2)), 1e-5 * 2 / 2.0, 1e-9);
  load.force = {1, 0, 0}, load.moment = {0, 0, 0};
  pulled.bend(load, 1);
  check.near("stretch", pulled.tip().r[0] - 1, 2e-6, 1e-15);
}

// The Princeton beam: 508 mm long, 12.7 by 3.175 mm, a weight at its tip across its section at an
// angle: bending in both directions and torsion depend on each other.
TEST(SpatialBeamTest, PrincetonBeam) {
  struct Row {
    double P, angle;
    Vec3 moved;  // along the axis, the broad and the thin direction; m
  };
  const Row rows[] = {{4.448, 0, {-0.00002956, -0.00500389, 0}},
                      {4.448, 45, {-0.00374504, -0.00371603, -0.05605837}},
                      {4.448, 90, {-0.00726017, 0, -0.07808302}},
                      {8.896, 45, {-0.01438421, -0.00840485, -0.10906018}},
                      {8.896, 90, {-0.02602494, 0, -0.14626187}},
                      {13.345, 15, {-0.00526730, -0.01548921, -0.06454450}},
                      {13.345, 45, {-0.03035628, -0.01465002, -0.15664009}},
                      {13.345, 90, {-0.05040688, 0, -0.20069509}}};
  Check check("Princeton beam, 8 elements", "recomputed: Simo and Reissner, by shooting");
  for (const Row& row : rows) {
    const std::string model =
        fmt::format(R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.beam.flexible]
method = "beam"
from = [0, 0, 0]
to = [0.508, 0, 0]
section = {{ width = "12.7 mm", height = "3.175 mm" }}
material = {{ young = "71.7 GPa", poisson = 0.31 }}
density = 2700
[joints.clamp]
type = "fixed"
bodies = ["ground", "beam"]
at = [0, 0, 0]
[markers.tip]
body = "beam"
at = [0.508, 0, 0]
[forces.weight]
body = "beam"
at = [0.508, 0, 0]
direction = [0, {:.17g}, {:.17g}]
magnitude = {}
[simulation]
duration = 1e-6
)",
                    -std::cos(row.angle * M_PI / 180), -std::sin(row.angle * M_PI / 180), row.P);
    Model is = model_from(model);
    const Equilibrium rest = find_equilibrium(is);
    ASSERT_TRUE(rest.found) << row.P << " N, " << row.angle << " deg: " << rest.reason;
    Recording series;
    Observer* const watch[] = {&series};
    ASSERT_EQ(run(is, rest.state, watch).status, RunStatus::done);
    const Vec3 moved = series.vector("markers/tip/position", 0) - Vec3(0.508, 0, 0);
    const std::string name = fmt::format("{} N at {} deg", row.P, row.angle);
    check.near(name + ": tip, m", moved, row.moved, 5e-3 * row.moved.norm());
  }
}

// Frequencies of a clamped strip, and how they converge.
TEST(SpatialBeamTest, FrequenciesOfAClampedStrip) {
  Check check("clamped strip in space, 8 elements", "closed form, Euler and Bernoulli");
  const double beta[] = {1.875104069, 4.694091133};
  double last[2] = {};
  for (const int elements : {4, 8, 16}) {
    Flexible is = along_x(1, 1e6, 1, 4, 2, elements);
    is.rhoJ = 1e-9;
    const Cantilever c(is);
    MatX M;
    c.beam->mass(c.q.data(), M);
    const auto n = M.rows() - 6;
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> modes(
        MatX(c.stiffness({}).bottomRightCorner(n, n)), MatX(M.bottomRightCorner(n, n)));
    const VecX found = modes.eigenvalues().cwiseMax(0).cwiseSqrt();
    // Two directions, one twice as fast as the other: first thin, first broad, second thin.
    const double expected[] = {beta[0] * beta[0], beta[1] * beta[1]};
    const double got[] = {found[0], found[2]};
    EXPECT_NEAR(found[1], 2 * found[0], 1e-6);
    for (int k = 0; k < 2; ++k) {
      const double error = std::abs(got[k] / expected[k] - 1);
      std::printf("%2d elements, mode %d: %+.2e, order %.2f\n", elements, k + 1,
                  got[k] / expected[k] - 1, last[k] > 0 ? std::log2(last[k] / error) : 0.0);
      if (last[k] > 1e-6) {
        EXPECT_GT(std::log2(last[k] / error), 3.5);
      }
      last[k] = error;
      if (elements == 8)
        check.near(fmt::format("mode {}", k + 1), got[k], expected[k], 1e-4 * expected[k]);
    }
  }
}

// In a plane it is the planar beam, in flight and pinned.
TEST(SpatialBeamTest, SwingsAsThePlanarBeamDoes) {
  const auto pendulum = [](bool planar) {
    const char* const zero = planar ? "" : ", 0";
    return simulate(
        model_from(fmt::format(R"(
[mechanism]
planar = {0}
gravity = [0, -9.81{1}]
[bodies.beam.flexible]
method = "beam"
from = [0, 0{1}]
to = [1.2, 0{1}]
EA = 1260
{2}
rhoA = 9.972
{3}
elements = 32
[markers.tip]
body = "beam"
at = [1.2, 0{1}]
[joints.pin]
type = "revolute"
bodies = ["ground", "beam"]
at = [0, 0{1}]
{4}
[simulation]
duration = 0.5
output = 0.1
tolerance = 1e-7
)",
                               planar, zero, planar ? "EI = 8.505e-3" : "EI = 8.505e-3\nGJ = 1e-2",
                               planar ? "" : "rhoJ = 1.5e-4", planar ? "" : "axis = [0, 0, 1]")));
  };
  Check check("soft pendulum in space, 32 elements",
              "the planar beam in absolute nodal coordinates");
  const Simulated space = pendulum(false), plane = pendulum(true);
  for (const double t : {0.1, 0.3, 0.5})
    check.near(fmt::format("tip at {} s, m", t), space.series.vector("markers/tip/position", t),
               plane.series.vector("markers/tip/position", t), 2e-3);
  check.energy(space);
}

}  // namespace
}  // namespace freeplay::testing
