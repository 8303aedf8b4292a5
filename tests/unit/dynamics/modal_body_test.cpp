// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/modal_body.hpp"

#include "body_in_flight.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

// A modal body is what its own energies, frames and momenta say it is: every formula against
// another one by differences, in the plane and in space, far from rest.
namespace freeplay::dynamics {
namespace {

struct Sample {
  Model model;
  std::unique_ptr<ModalBody> body;
  VecX q, v;

  Sample(bool planar, double damping, int seed) {
    model.planar = planar;
    model.gravity = planar ? Vec3(1, -9.81, 0) : Vec3(1, 2, -9.81);
    Body rod;
    rod.name = "rod";
    rod.mass = 1.5;
    rod.position = planar ? Vec3(0.3, -0.2, 0) : Vec3(0.3, -0.2, 0.7);
    Flexible is;
    const Vec3 half = planar ? Vec3(0.4, 0.3, 0) : Vec3(0.4, 0.28, 0.1);
    is.from = -half, is.to = half;
    is.EA = 400, is.EI_y = 3, is.EI_z = 5, is.GJ = 2;  // soft: slow enough for differences
    is.rhoA = rod.mass / is.length(), is.rhoJ = 0.01;
    is.elements = 16;
    is.modes = planar ? 4 : 6;
    is.damping = damping, is.damping_time = damping * 1e-3;
    rod.flexible = is;
    const Vec3 e = half.normalized();
    rod.inertia =
        rod.mass * is.length() * is.length() / 12 * (Mat3::Identity() - e * e.transpose()) +
        is.rhoJ * is.length() * e * e.transpose();
    model.bodies.push_back(rod);
    const std::vector<Vec3> loaded{-half, half, 0.2 * half + Vec3(0, 0.05, 0)};
    body = std::make_unique<ModalBody>(model, BodyIndex(1), loaded, std::vector<Vec3>{});
    for (const Vec3& point : loaded) body->attach(point);
    q.resize(body->positions()), v.resize(body->velocities());
    body->start(q.data(), v.data());
    std::mt19937 random(static_cast<unsigned>(seed));
    std::uniform_real_distribution<double> any(-1, 1);
    const int r = planar ? 3 : 7;
    for (int c = 0; c < q.size(); ++c) q[c] += (c < r ? 0.5 : 0.005) * any(random);
    body->normalise(q.data());
    for (int c = 0; c < v.size(); ++c) v[c] = (c < (planar ? 3 : 6) ? 3 : 0.1) * any(random);
  }
  [[nodiscard]] BodyInFlight in_flight() const { return {*body, q, v}; }
};

class ModalBodyTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, ModalBodyTest, ::testing::Bool());

TEST_P(ModalBodyTest, EnergyOfAFlightChangesByItsDampingAlone) {
  for (const double damping : {0.0, 0.02})
    for (int seed = 1; seed < 6; ++seed) {
      Sample s(GetParam(), damping, seed);
      // Damping loses power by the square of the rates, which change fast while it is bent.
      if (damping > 0) s.q.tail(s.body->basis().modes) *= 0.01;
      expect_energy_is_kept(s.in_flight(), damping > 0 ? 1e-7 : 1e-6, 2e-6);
    }
}

TEST_P(ModalBodyTest, MassIsWhatTheKineticEnergySays) {
  for (int seed = 1; seed < 4; ++seed)
    expect_mass_of_kinetic_energy(Sample(GetParam(), 0, seed).in_flight());
}

TEST_P(ModalBodyTest, FramesMoveAsTheirVelocitiesAndAccelerationsSay) {
  for (int seed = 1; seed < 6; ++seed)
    expect_frames_move_as_they_say(Sample(GetParam(), 0, seed).in_flight(), seed);
}

Wrench<double> wrench(bool planar) {
  Wrench<double> w;
  w.force = planar ? Vec3(1, -2, 0) : Vec3(1, -2, 0.5);
  w.moment = planar ? Vec3(0, 0, 0.7) : Vec3(-0.3, 0.4, 0.7);
  return w;
}

TEST_P(ModalBodyTest, WrenchesDoTheWorkOfTheirFrames) {
  for (int seed = 1; seed < 4; ++seed)
    expect_wrenches_work(Sample(GetParam(), 0, seed).in_flight(), wrench(GetParam()));
}

TEST_P(ModalBodyTest, FreeOfGravityItKeepsItsMomenta) {
  for (int seed = 1; seed < 4; ++seed) {
    Sample s(GetParam(), 0.02, seed);
    s.model.gravity.setZero();
    const std::vector<Vec3> loaded{s.model.bodies[1].flexible->from};
    s.body = std::make_unique<ModalBody>(s.model, BodyIndex(1), loaded, std::vector<Vec3>{});
    s.q.conservativeResize(s.body->positions());
    s.v.conservativeResize(s.body->velocities());
    // Momentum and angular momentum by those of the body's frame.
    const auto momenta = [&](const VecX& q, const VecX& v) {
      VecX p(v.size());
      s.body->mass_times(q.data(), v.data(), p.data());
      const auto own = s.in_flight().frames(q, v)[0];
      Eigen::Matrix<double, 6, 1> out;
      if (GetParam()) {
        const Vec3 linear(p[0], p[1], 0);
        out << linear, own.r.cross(linear) + Vec3(0, 0, p[2]);
      } else {
        out << p.head<3>(), own.r.cross(Vec3(p.head<3>())) + own.R * p.segment<3>(3);
      }
      return out;
    };
    const double h = 1e-5;
    VecX q0, v0, q1, v1;
    s.in_flight().flown(-h, q0, v0);
    s.in_flight().flown(h, q1, v1);
    EXPECT_LT((momenta(q1, v1) - momenta(q0, v0)).norm() / (2 * h), 1e-7);
  }
}

TEST_P(ModalBodyTest, DerivativesAreThoseOfTheForces) {
  expect_exact_derivatives(Sample(GetParam(), 0.02, 3).in_flight(), wrench(GetParam()), 1e-6);
}

// Frequencies of a free beam, and what is static: tip forces that balance each other.
TEST(ModalBasisTest, FrequenciesAndStaticsOfAFreeBeam) {
  Body rod;
  rod.mass = 2;
  Flexible is;
  is.from = {-0.5, 0, 0}, is.to = {0.5, 0, 0};
  is.EA = 1e7, is.EI_y = is.EI_z = 100, is.GJ = 50, is.rhoA = 2, is.rhoJ = 1e-3;
  is.elements = 16;
  rod.flexible = is;
  const ModalBasis free = make_modal_basis(rod, true, {}, {});
  ASSERT_EQ(free.modes, 10);
  const double unit = std::sqrt(is.EI_z / is.rhoA);
  const double beta[] = {4.730040745, 7.853204624, 10.99560784};
  for (std::size_t k = 0; k < 3; ++k) {
    double nearest = 1e9;
    for (int m = 0; m < free.modes; ++m)
      nearest = std::min(nearest, std::abs(free.frequency[m] / (unit * beta[k] * beta[k]) - 1));
    EXPECT_LT(nearest, 2e-4) << k;  // (beta l)^4 / 1440 of cubic elements
  }
  EXPECT_LT(free.first.cwiseAbs().maxCoeff(), 1e-12);
  // Tip forces F, -F stretch it by F L / EA, end moments M, -M turn its ends by M L / (2 EI).
  const std::vector<Vec3> ends{is.from, is.to};
  for (const bool planar : {true, false}) {
    const ModalBasis held = make_modal_basis(rod, planar, ends, {});
    const ModalStation &a = held.attached[0], &b = held.attached[1];
    double stretch = 0, turn = 0, twist = 0;
    for (int k = 0; k < held.modes; ++k) {
      const double w2 = held.frequency[k] * held.frequency[k];
      stretch += std::pow(b.place(0, k) - a.place(0, k), 2) / w2;
      turn += std::pow(b.turn(2, k) - a.turn(2, k), 2) / w2;
      twist += std::pow(b.turn(0, k) - a.turn(0, k), 2) / w2;
    }
    EXPECT_NEAR(stretch * is.EA, 1, 1e-9);
    EXPECT_NEAR(turn * is.EI_z, 1, 1e-9);
    EXPECT_NEAR(twist * is.GJ, planar ? 0 : 1, 1e-9);
  }
}

}  // namespace
}  // namespace freeplay::dynamics
