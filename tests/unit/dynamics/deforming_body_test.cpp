// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"
#include "support/stretching_rod.hpp"

#include <gtest/gtest.h>

#include <cmath>

// Bodies whose frames move relative to each other, by way of the simplest of them.
namespace freeplay::dynamics {
namespace {

constexpr double kLength = 0.8, kMass = 1.2, kStiffness = 900, kGravity = 9.81;

Frame on(BodyIndex body, const Vec3& point) {
  Frame frame;
  frame.body = body;
  frame.point = point;
  return frame;
}

/// A rod in space, alone.
Model rod() {
  Model model;
  model.gravity = {0, 0, 0};
  Body body;
  body.name = "rod";
  body.mass = kMass;
  const double I = kMass * kLength * kLength / 12;
  body.inertia = Vec3(1e-3, I, I).asDiagonal();
  model.bodies.push_back(body);
  return model;
}

/// A rod that swings about its end, a rigid bar on a ball at its other end, a spring to the ground.
Model pendulum() {
  Model model = rod();
  model.gravity = {0, 0, -kGravity};
  model.bodies[1].position = {0.5 * kLength, 0, 0};
  Body bar = model.bodies[1];
  bar.name = "bar";
  bar.position = {1.5 * kLength, 0, 0};
  model.bodies.push_back(bar);
  Joint hinge;
  hinge.name = "hinge";
  hinge.type = JointType::spherical;
  hinge.first = on(kGround, Vec3::Zero());
  hinge.second = on(BodyIndex(1), {-0.5 * kLength, 0, 0});
  Joint ball = hinge;
  ball.name = "ball";
  ball.first = on(BodyIndex(1), {0.5 * kLength, 0, 0});
  ball.second = on(BodyIndex(2), {-0.5 * kLength, 0, 0});
  model.joints = {hinge, ball};
  PointSpring spring;
  spring.first = on(kGround, {0.2, 0.3, 0.9});
  spring.second = on(BodyIndex(1), {0.3 * kLength, 0.02, 0.01});
  spring.stiffness = 40;
  spring.damping = 0.5;
  model.forces.push_back({"spring", spring, 0});
  return model;
}

std::unique_ptr<MovingBody> make(const Model& model, BodyIndex body) {
  if (model.bodies[static_cast<std::size_t>(body)].name != "rod")
    return make_rigid_body(model, body);
  return std::make_unique<testing::StretchingRod>(model, body, kLength, kStiffness);
}

/// Classical Runge-Kutta over `steps` steps; the state is left where it ends.
void advance(Cartesian& system, VecX& y, double duration, int steps) {
  const std::vector<double> memory = system.written_memory();
  const double h = duration / steps;
  VecX k1(y.size()), k2(y.size()), k3(y.size()), k4(y.size()), s;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    ASSERT_TRUE(system.derivative(t, y.data(), memory.data(), k1.data()));
    s = y + h / 2 * k1;
    ASSERT_TRUE(system.derivative(t + h / 2, s.data(), memory.data(), k2.data()));
    s = y + h / 2 * k2;
    ASSERT_TRUE(system.derivative(t + h / 2, s.data(), memory.data(), k3.data()));
    s = y + h * k3;
    ASSERT_TRUE(system.derivative(t + h, s.data(), memory.data(), k4.data()));
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
}

/// Kinetic, potential and elastic energy less work: what the audit keeps.
double audited(Cartesian& system, const VecX& y) {
  State state;
  state.y = y;
  state.memory = system.written_memory();
  Snapshot now;
  EXPECT_TRUE(system.snapshot(state, now));
  return now.residual;
}

VecX moving_start(const Cartesian& system) {
  VecX y = system.written_state();
  for (int k = 0; k < system.velocity_size(); ++k)
    y[system.position_size() + k] = std::sin(1.0 + 2.3 * k);
  y[7] = 0.03;
  return y;
}

TEST(DeformingBodyTest, LayoutNamesWhatARigidBodyHasNot) {
  const Model model = rod();
  const Cartesian system(model, make);
  EXPECT_EQ(system.position_size(), 8);
  EXPECT_EQ(system.velocity_size(), 7);
  EXPECT_EQ(system.layout()->owner(7), "bodies/rod/stretch");
}

TEST(DeformingBodyTest, StretchVibratesAtItsOwnFrequency) {
  const Model model = rod();
  Cartesian system(model, make);
  VecX y = system.written_state();
  y[7] = 0.01;
  const double omega = std::sqrt(12 * kStiffness / kMass), duration = 3.3 / omega;
  advance(system, y, duration, 400);
  EXPECT_NEAR(y[7], 0.01 * std::cos(3.3), 1e-10);
  EXPECT_NEAR(y[8 + 6], -0.01 * omega * std::sin(3.3), 1e-8);
}

TEST(DeformingBodyTest, SpinSlowsAsTheRodGrows) {
  const Model model = rod();
  Cartesian system(model, make);
  VecX y = system.written_state();
  y[8 + 5] = 20;  // about z
  advance(system, y, 0.05, 2000);
  const double e = 1 + y[7] / kLength;
  EXPECT_GT(y[7], 1e-3);
  EXPECT_NEAR(e * e * y[8 + 5], 20, 1e-9);  // angular momentum
  EXPECT_NEAR(audited(system, y),
              audited(system,
                      [&] {
                        VecX start = system.written_state();
                        start[8 + 5] = 20;
                        return start;
                      }()),
              1e-9);
}

// Hung from its end, a bar of stiffness k grows by m g / 2 k.
TEST(DeformingBodyTest, HangsStretchedByHalfItsWeight) {
  Model model = pendulum();
  model.gravity = {kGravity, 0, 0};
  model.bodies.pop_back();
  model.joints.pop_back();
  model.forces.clear();
  Cartesian system(model, make);
  VecX y = system.written_state(), f(system.size());
  const double s = kMass * kGravity / (2 * kStiffness);
  y[7] = s;
  y[0] += s / 2;
  const std::vector<double> memory = system.written_memory();
  EXPECT_LT(system.violation(0, y.data(), memory.data()), 1e-15);
  ASSERT_TRUE(system.derivative(0, y.data(), memory.data(), f.data()));
  EXPECT_LT(f.cwiseAbs().maxCoeff(), 1e-12 * kGravity);
  EXPECT_NEAR(system.multipliers().norm(), kMass * kGravity, 1e-12);
}

TEST(DeformingBodyTest, JacobianIsTheDerivativeOfTheEquations) {
  const Model model = pendulum();
  Cartesian system(model, make);
  VecX y = moving_start(system);
  const std::vector<double> memory = system.written_memory();
  ASSERT_TRUE(system.project(0, y.data(), memory.data()));
  MatX J;
  ASSERT_TRUE(system.jacobian(0, y.data(), memory.data(), J));
  // Along changes that are motions: lengths of Euler parameters other than 1 are none.
  MatX along = MatX::Zero(system.size(), system.size() - 2);  // two bodies
  const int nq = system.position_size(), nv = system.velocity_size();
  system.position_rates_derivative(y.data(), [&](int r, int c, double x) {
    if (c >= nq) along(r, c - nq) += x;
  });
  along.bottomRightCorner(system.size() - nq, system.size() - nq).setIdentity();
  VecX plus(system.size()), minus(system.size());
  for (int c = 0; c < along.cols(); ++c) {
    const double h = 1e-6;
    const auto moved = [&](double by) {
      VecX x = y, change = VecX::Zero(nv);
      if (c < nv) {
        change[c] = by;
        system.displace(x.data(), change.data());
      } else {
        x[nq + c - nv] += by;
      }
      return x;
    };
    ASSERT_TRUE(system.derivative(0, moved(h).data(), memory.data(), plus.data()));
    ASSERT_TRUE(system.derivative(0, moved(-h).data(), memory.data(), minus.data()));
    const VecX difference = (plus - minus) / (2 * h), exact = J * along.col(c);
    EXPECT_LT((difference - exact).cwiseAbs().maxCoeff(), 1e-6 * (1 + J.cwiseAbs().maxCoeff()))
        << "direction " << c;
  }
}

// Joints, spring and damper at its ends: the audit and the joints drift with the error of the steps
// alone, which falls by 16 as they are halved.
TEST(DeformingBodyTest, JointsHoldAndEnergyIsKeptToTheOrderOfTheSteps) {
  const Model model = pendulum();
  Cartesian system(model, make);
  const std::vector<double> memory = system.written_memory();
  VecX start = moving_start(system);
  // Twice: velocities are projected with the factorisation of the pose that was far off.
  for (int pass = 0; pass < 2; ++pass) ASSERT_TRUE(system.project(0, start.data(), memory.data()));
  ASSERT_LT(system.violation(0, start.data(), memory.data()), 1e-14);
  double drift[2], gap[2];
  for (int k = 0; k < 2; ++k) {
    VecX y = start;
    advance(system, y, 0.2, 200 << k);
    drift[k] = std::abs(audited(system, y) - audited(system, start));
    gap[k] = system.violation(0.2, y.data(), memory.data());
    EXPECT_GT(std::abs(y[7] - start[7]), 1e-3);  // it does stretch
  }
  EXPECT_LT(drift[1], 1e-6);
  EXPECT_NEAR(std::log2(drift[0] / drift[1]), 4, 0.7);
  EXPECT_NEAR(std::log2(gap[0] / gap[1]), 4, 0.7);
}

}  // namespace
}  // namespace freeplay::dynamics
