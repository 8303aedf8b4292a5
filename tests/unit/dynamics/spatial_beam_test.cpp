// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/spatial_beam.hpp"

#include "body_in_flight.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

// A spatial beam is what its own energies, frames and momenta say it is, bent and twisted far from
// the straight line; and what must not bend it does not.
namespace freeplay::dynamics {
namespace {

struct Sample {
  Model model;
  std::unique_ptr<SpatialBeam> beam;
  VecX q, v;

  explicit Sample(double damping_time = 0, int elements = 4) {
    model.gravity = {1, 2, -9.81};
    Body rod;
    rod.name = "rod";
    rod.position = {0.3, -0.2, 0.7};
    Flexible is;
    const Vec3 half(0.4, 0.28, 0.1);
    is.from = -half, is.to = half;
    is.EA = 400, is.EI_y = 3, is.EI_z = 5, is.GJ = 2;  // soft: slow enough for differences
    is.rhoA = 1.5, is.rhoJ = 0.01;
    is.elements = elements;
    is.method = FlexibleMethod::beam;
    is.damping_time = damping_time;
    rod.mass = is.rhoA * is.length();
    rod.inertia = Mat3::Identity();
    rod.flexible = is;
    model.bodies.push_back(rod);
    const std::vector<Vec3> points{half, Vec3(0.2 * half + Vec3(0, 0.05, 0))};
    beam = std::make_unique<SpatialBeam>(model, BodyIndex(1), points);
    for (const Vec3& point : points) beam->attach(point);
    q.resize(beam->positions()), v.resize(beam->velocities());
    beam->start(q.data(), v.data());
  }
  /// Bends it by half a radian from node to node, and moves all nodes.
  Sample& shaken(int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::uniform_real_distribution<double> any(-1, 1);
    for (int c = 0; c < q.size(); ++c) q[c] += (c % 7 < 3 ? 0.05 : 0.25) * any(random);
    beam->normalise(q.data());
    for (int c = 0; c < v.size(); ++c) v[c] = any(random);
    return *this;
  }
  [[nodiscard]] BodyInFlight in_flight() const { return {*beam, q, v}; }
};

TEST(SpatialBeamTest, EnergyOfAFlightChangesByItsDampingAlone) {
  for (const double time : {0.0, 1e-4})
    for (int seed = 1; seed < 6; ++seed)
      expect_energy_is_kept(Sample(time).shaken(seed).in_flight(), time > 0 ? 1e-8 : 1e-6, 1e-5);
}

TEST(SpatialBeamTest, MassIsWhatTheKineticEnergySays) {
  for (int seed = 1; seed < 4; ++seed)
    expect_mass_of_kinetic_energy(Sample().shaken(seed).in_flight());
}

TEST(SpatialBeamTest, FramesMoveAsTheirVelocitiesAndAccelerationsSay) {
  for (int seed = 1; seed < 4; ++seed)
    expect_frames_move_as_they_say(Sample().shaken(seed).in_flight(), seed);
}

TEST(SpatialBeamTest, WrenchesDoTheWorkOfTheirFrames) {
  Wrench<double> w;
  w.force = {1, -2, 0.5}, w.moment = {-0.3, 0.4, 0.7};
  for (int seed = 1; seed < 4; ++seed) expect_wrenches_work(Sample().shaken(seed).in_flight(), w);
}

TEST(SpatialBeamTest, DerivativesAreThoseOfTheValues) {
  Wrench<double> w;
  w.force = {1, -2, 0.5}, w.moment = {-0.3, 0.4, 0.7};
  expect_exact_derivatives(Sample(1e-3).shaken(3).in_flight(), w, 1e-6);
}

/// Energy, power and forces do not change when all of it is turned and moved.
TEST(SpatialBeamTest, DoesNotFeelMotionsAsAWhole) {
  Sample s(1e-3);
  s.shaken(2);
  const Vec4 turn = Vec4(0.3, -0.5, 0.7, 0.4).normalized();
  const Mat3 R = rotation_matrix(turn);
  VecX q = s.q, v = s.v;
  for (int k = 0; k < q.size() / 7; ++k) {
    q.segment<3>(7 * k) = R * s.q.segment<3>(7 * k) + Vec3(3, -1, 2);
    q.segment<4>(7 * k + 3) =
        (k % 2 ? -1.0 : 1.0) * quaternion_product(turn, Vec4(s.q.segment<4>(7 * k + 3)));
    v.segment<3>(6 * k) = R * s.v.segment<3>(6 * k);
  }
  const auto here = s.beam->energies(s.q.data(), s.v.data(), {}),
             there = s.beam->energies(q.data(), v.data(), {});
  EXPECT_NEAR(there.elastic, here.elastic, 1e-12 * here.elastic);
  EXPECT_NEAR(there.kinetic, here.kinetic, 1e-12 * here.kinetic);
  EXPECT_NEAR(s.beam->dissipated_power(q.data(), v.data()),
              s.beam->dissipated_power(s.q.data(), s.v.data()), 1e-10);
}

/// Forces of the beam itself move neither its momentum nor its angular momentum.
TEST(SpatialBeamTest, FreeOfGravityItKeepsItsMomenta) {
  for (int seed = 1; seed < 4; ++seed) {
    Sample s(1e-4);
    s.model.gravity.setZero();
    s.beam = std::make_unique<SpatialBeam>(s.model, BodyIndex(1),
                                           std::vector<Vec3>{s.model.bodies[1].flexible->to});
    s.q.resize(s.beam->positions()), s.v.resize(s.beam->velocities());
    s.beam->start(s.q.data(), s.v.data());
    s.shaken(seed);
    const auto momenta = [&](const VecX& q, const VecX& v) {
      VecX p(v.size());
      s.beam->mass_times(q.data(), v.data(), p.data());
      Eigen::Matrix<double, 6, 1> out = Eigen::Matrix<double, 6, 1>::Zero();
      for (int k = 0; k < q.size() / 7; ++k) {
        const Vec3 linear = p.segment<3>(6 * k), r = q.segment<3>(7 * k);
        const Mat3 R = rotation_matrix(Vec4(q.segment<4>(7 * k + 3)));
        out.head<3>() += linear;
        out.tail<3>() += r.cross(linear) + R * p.segment<3>(6 * k + 3);
      }
      return out;
    };
    const double h = 1e-5;
    VecX q0, v0, q1, v1;
    s.in_flight().flown(-h, q0, v0);
    s.in_flight().flown(h, q1, v1);
    EXPECT_LT((momenta(q1, v1) - momenta(q0, v0)).norm() / (2 * h), 1e-6);
  }
}

/// Moved as a rigid body it has the mass and inertia of a uniform rod, whatever its elements.
TEST(SpatialBeamTest, MovesAsAUniformRodWhileItIsStraight) {
  for (const int elements : {2, 3, 8}) {
    Sample s(0, elements);
    const Flexible& is = *s.model.bodies[1].flexible;
    s.model.bodies[1].velocity = Vec3(1, 2, 3);
    s.model.bodies[1].angular_velocity = Vec3(5, -4, 2);
    s.beam = std::make_unique<SpatialBeam>(s.model, BodyIndex(1), std::vector<Vec3>{});
    s.q.resize(s.beam->positions()), s.v.resize(s.beam->velocities());
    s.beam->start(s.q.data(), s.v.data());
    const Vec3 e = (is.to - is.from).normalized(), w(5, -4, 2);
    const double m = is.rhoA * is.length(), l = is.length(), about = w.dot(e),
                 across = w.squaredNorm() - about * about;
    // Sections: rho J about the axis, shared as EI_y and EI_z about the others.
    const Mat3 axes = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitX(), e).toRotationMatrix();
    const Vec3 local = axes.transpose() * w;
    const double sections =
        is.rhoJ * l *
        (local[0] * local[0] + 3.0 / 8 * local[1] * local[1] + 5.0 / 8 * local[2] * local[2]);
    EXPECT_NEAR(s.beam->energies(s.q.data(), s.v.data(), {}).kinetic,
                0.5 * m * 14 + 0.5 * m * l * l / 12 * across + 0.5 * sections, 1e-12 * m * 50);
    EXPECT_NEAR(s.beam->energies(s.q.data(), s.v.data(), {}).elastic, 0, 1e-20);
  }
}

}  // namespace
}  // namespace freeplay::dynamics
