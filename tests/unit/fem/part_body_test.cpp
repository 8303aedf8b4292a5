// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/modal_body.hpp"
#include "fem/free_modes.hpp"
#include "support/brick.hpp"
#include <freeplay/errors.hpp>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

// A body made of finite elements moves as its energies and momenta say, in the plane and in space.
namespace freeplay::dynamics {
namespace {

struct Sample {
  Model model;
  std::unique_ptr<ModalBody> body;
  VecX q, v;

  Sample(bool planar, int seed, double damping = 0) {
    model.planar = planar;
    model.gravity = planar ? Vec3(1, -9.81, 0) : Vec3(1, 2, -9.81);
    // Soft and thick, so that it deforms much, and of no symmetry that would hide a term.
    const testing::Brick brick(Vec3(0.3, 0.05, 0.04), {3, 1, 1}, 2e6, 0.3, 1200);
    const fem::ReducedPart part = testing::reduced(brick, "rigid", "averaged@300,3,2", 6);
    Body rod;
    rod.name = "rod";
    rod.mass = part.mass;
    rod.inertia = part.inertia;
    rod.position = planar ? Vec3(0.3, -0.2, 0) : Vec3(0.3, -0.2, 0.7);
    Flexible is;
    fem::ModeChoice choice;
    choice.planar = planar;
    is.part = std::make_shared<const ModalPart>(fem::free_modes(part, choice));
    is.damping = damping, is.damping_time = 1e-4 * damping;
    rod.flexible = is;
    model.bodies.push_back(rod);
    std::vector<Vec3> loaded;
    for (const auto& at : is.part->interfaces) loaded.push_back(at.point);
    if (planar)
      for (Vec3& point : loaded) point[2] = 0;
    loaded.push_back(loaded.front() + Vec3(1e-5, 2e-5, 0));  // a little beside it
    body = std::make_unique<ModalBody>(model, BodyIndex(1), loaded, std::vector<Vec3>{});
    for (const Vec3& point : loaded) body->attach(point);
    q.resize(body->positions()), v.resize(body->velocities());
    body->start(q.data(), v.data());
    std::mt19937 random(static_cast<unsigned>(seed));
    std::uniform_real_distribution<double> any(-1, 1);
    const int rigid_q = planar ? 3 : 7, rigid_v = planar ? 3 : 6;
    for (int c = 0; c < q.size(); ++c) q[c] += (c < rigid_q ? 0.5 : 0.003) * any(random);
    body->normalise(q.data());
    for (int c = 0; c < v.size(); ++c) v[c] = (c < rigid_v ? 3 : 0.3) * any(random);
  }
  [[nodiscard]] std::vector<Pose<double>> frames(const VecX& at, const VecX& rate) const {
    std::vector<Pose<double>> out(static_cast<std::size_t>(body->attached()) + 1);
    body->place(at.data(), rate.data(), out[0], out.data() + 1);
    return out;
  }
  [[nodiscard]] VecX acceleration(const VecX& at, const VecX& rate) const {
    MatX M;
    VecX f(rate.size());
    body->mass(at.data(), M);
    body->forces(at.data(), rate.data(), f.data());
    return M.llt().solve(f);
  }
  [[nodiscard]] VecX rates(const VecX& at, const VecX& rate) const {
    VecX out(at.size());
    body->position_rates(at.data(), rate.data(), out.data());
    return out;
  }
  /// One step of Runge and Kutta.
  void fly(double h, VecX& at, VecX& rate) const {
    const VecX q_a = rates(at, rate), v_a = acceleration(at, rate);
    const VecX qb = at + 0.5 * h * q_a, vb = rate + 0.5 * h * v_a;
    const VecX q_b = rates(qb, vb), v_b = acceleration(qb, vb);
    const VecX qc = at + 0.5 * h * q_b, vc = rate + 0.5 * h * v_b;
    const VecX q_c = rates(qc, vc), v_c = acceleration(qc, vc);
    const VecX qd = at + h * q_c, vd = rate + h * v_c;
    const VecX q_d = rates(qd, vd), v_d = acceleration(qd, vd);
    at += h / 6 * (q_a + 2 * q_b + 2 * q_c + q_d);
    rate += h / 6 * (v_a + 2 * v_b + 2 * v_c + v_d);
    body->normalise(at.data());
  }
  [[nodiscard]] double energy(const VecX& at, const VecX& rate) const {
    const auto e = body->energies(at.data(), rate.data(), frames(at, rate)[0]);
    return e.kinetic + e.potential + e.elastic;
  }
  /// Momentum, then that about the origin: what a motion of the whole as one would be worth.
  [[nodiscard]] Vec6 momenta(const VecX& at, const VecX& rate) const {
    const int lengths = model.planar ? 2 : 3;
    VecX p(rate.size());
    body->mass_times(at.data(), rate.data(), p.data());
    const Pose<double> own = frames(at, rate)[0];
    Vec6 out = Vec6::Zero();
    out.head(lengths) = p.head(lengths);
    Vec3 spin = Vec3::Zero();
    if (model.planar)
      spin[2] = p[2];
    else
      spin = own.R * p.segment<3>(3);
    out.tail<3>() = spin + own.r.cross(Vec3(out.head<3>()));
    if (model.planar) out[3] = out[4] = 0;
    return out;
  }
};

class PartBodyTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, PartBodyTest, ::testing::Bool());

TEST_P(PartBodyTest, MassIsWhatTheKineticEnergySays) {
  const Sample s(GetParam(), 1);
  MatX M;
  s.body->mass(s.q.data(), M);
  EXPECT_LT((M - M.transpose()).cwiseAbs().maxCoeff(), 1e-14);
  const auto e = s.body->energies(s.q.data(), s.v.data(), s.frames(s.q, s.v)[0]);
  EXPECT_NEAR(0.5 * s.v.dot(M * s.v), e.kinetic, 1e-12 * e.kinetic);
}

TEST_P(PartBodyTest, EnergyOfAFlightChangesByItsDampingAlone) {
  for (const double damping : {0.0, 0.02})
    for (int seed = 1; seed < 4; ++seed) {
      Sample s(GetParam(), seed, damping);
      // Damping loses power by the square of the rates, which change fast while it is bent: rates
      // are told by shorter steps then, and it is bent less.
      if (damping > 0) s.q.tail(s.body->basis().modes) *= 0.01;
      const double h = damping > 0 ? 1e-7 : 2e-6;
      VecX q0 = s.q, v0 = s.v, q1 = s.q, v1 = s.v;
      s.fly(-h, q0, v0);
      s.fly(h, q1, v1);
      const double rate = (s.energy(q1, v1) - s.energy(q0, v0)) / (2 * h),
                   lost = s.body->dissipated_power(s.q.data(), s.v.data());
      EXPECT_NEAR(rate, lost, 1e-5 * (1 + std::abs(lost))) << "seed " << seed;
      EXPECT_EQ(damping > 0, lost < 0);
    }
}

TEST_P(PartBodyTest, MomentaOfAFlightAreKept) {
  Sample s(GetParam(), 3);
  s.model.gravity.setZero();
  s.body =
      std::make_unique<ModalBody>(s.model, BodyIndex(1), std::vector<Vec3>{}, std::vector<Vec3>{});
  VecX q = s.q, v = s.v;
  const Vec6 before = s.momenta(q, v);
  const double energy = s.energy(q, v);
  for (int k = 0; k < 2000; ++k) s.fly(5e-6, q, v);
  EXPECT_LT((q - s.q).tail(4).norm() / s.q.tail(4).norm(), 100);  // it has moved
  EXPECT_GT((v - s.v).norm(), 0.1);
  EXPECT_LT((s.momenta(q, v) - before).norm(), 1e-7 * before.norm());
  EXPECT_NEAR(s.energy(q, v), energy, 1e-7 * energy);
}

TEST_P(PartBodyTest, WrenchesDoTheWorkOfTheirFrames) {
  const Sample s(GetParam(), 4);
  const bool planar = GetParam();
  const auto at = s.frames(s.q, s.v);
  for (int f = 0; f < s.body->attached(); ++f) {
    Wrench<double> wrench;
    wrench.force = planar ? Vec3(3, -2, 0) : Vec3(3, -2, 5);
    wrench.moment = planar ? Vec3(0, 0, 0.7) : Vec3(0.2, -0.5, 0.7);
    VecX force = VecX::Zero(s.v.size());
    s.body->spread(s.q.data(), f, wrench, force.data());
    const auto& pose = at[static_cast<std::size_t>(f) + 1];
    const double power = wrench.force.dot(pose.v) + wrench.moment.dot(pose.w);
    EXPECT_NEAR(force.dot(s.v), power, 1e-12 * (1 + std::abs(power)));
  }
}

TEST_P(PartBodyTest, DerivativesAreExact) {
  const Sample s(GetParam(), 5);
  const auto nq = s.q.size(), nv = s.v.size();
  VecX a(nv);
  for (Eigen::Index c = 0; c < nv; ++c) a[c] = std::sin(3.0 * static_cast<double>(c));
  MatX exact = MatX::Zero(nv, nq + nv);
  s.body->momentum_derivative(
      s.q.data(), s.v.data(), a.data(),
      [&](int row, int column, double value) { exact(row, column) += value; });
  const auto residual = [&](const VecX& at, const VecX& rate) {
    VecX M_a(nv), f(nv);
    s.body->mass_times(at.data(), a.data(), M_a.data());
    s.body->forces(at.data(), rate.data(), f.data());
    return VecX(M_a - f);
  };
  const double scale = exact.cwiseAbs().maxCoeff(), h = 1e-6;
  for (Eigen::Index c = 0; c < nq + nv; ++c) {
    VecX q0 = s.q, q1 = s.q, v0 = s.v, v1 = s.v;
    (c < nq ? q0[c] : v0[c - nq]) -= h;
    (c < nq ? q1[c] : v1[c - nq]) += h;
    const VecX differences = (residual(q1, v1) - residual(q0, v0)) / (2 * h);
    EXPECT_LT((differences - exact.col(c)).cwiseAbs().maxCoeff(), 1e-7 * scale) << "column " << c;
  }
}

TEST_P(PartBodyTest, IsTakenHoldOfAtItsInterfacesAlone) {
  const Sample s(GetParam(), 1);
  const std::vector<Vec3> elsewhere{Vec3(0.05, 0, 0)};
  try {
    const ModalBody body(s.model, BodyIndex(1), elsewhere, std::vector<Vec3>{});
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'LEFT' at (-0.15, "), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace freeplay::dynamics
