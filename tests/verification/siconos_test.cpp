// SPDX-License-Identifier: Apache-2.0
#include "support/random_impulses.hpp"

#include <Eigen/Eigenvalues>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NumericsMatrix.h>
#include <SiconosNumerics.h>
#include <SolverOptions.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

// The impulses of the same problems by Siconos (Acary, Bremond & Huber), whose solvers have nothing
// in common with ours. Built where Debian's libsiconos-numerics-dev is installed.
namespace freeplay::testing {
namespace {

struct Theirs {
  bool solved = false;
  double seconds = 0;
  VecX impulses;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// By block Gauss-Seidel, as Siconos does by default.
Theirs solve_by_siconos(const RandomImpulses& one) {
  MatX W = one.W();
  VecX b = one.b(1), mu = VecX::Constant(one.contacts(), one.friction());
  VecX velocity = VecX::Zero(b.size());
  Theirs out;
  out.impulses = VecX::Zero(b.size());
  const int size = static_cast<int>(b.size());
  NumericsMatrix* matrix = NM_create_from_data(NM_DENSE, size, size, W.data());
  FrictionContactProblem problem{};
  problem.dimension = 1 + one.tangents();
  problem.numberOfContacts = one.contacts();
  problem.M = matrix;
  problem.q = b.data();
  problem.mu = mu.data();
  const bool plane = one.tangents() == 1;
  SolverOptions* options =
      solver_options_create(plane ? SICONOS_FRICTION_2D_NSGS : SICONOS_FRICTION_3D_NSGS);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
  options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  const auto begin = std::chrono::steady_clock::now();
  const int info = plane ? fc2d_driver(&problem, out.impulses.data(), velocity.data(), options)
                         : fc3d_driver(&problem, out.impulses.data(), velocity.data(), options);
  out.seconds = seconds_since(begin);
  out.solved = info == 0;
  solver_options_delete(options);
  matrix->matrix0 = nullptr;  // belongs to W
  NM_clear(matrix);
  return out;
}

/// Coulomb's law has one answer where friction cannot couple normal and tangential motion much.
bool is_unique(const RandomImpulses& one) {
  const VecX stiff = Eigen::SelfAdjointEigenSolver<MatX>(one.W()).eigenvalues();
  return one.friction() * stiff.maxCoeff() < 0.9 * stiff.minCoeff();
}

void compare(int tangents) {
  std::mt19937 random(31);
  int compared = 0, theirs_failed = 0;
  double ours = 0, others = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    RandomImpulses one(
        random, {Family::regular, 1 + trial % 3, tangents, 0.02 + 0.02 * (trial % 5), -1, 0.1});
    if (one.contacts() == 0 || !is_unique(one)) continue;
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(one.solve());
    const double seconds = seconds_since(begin);
    if (one.problem().lessened()) continue;
    const Theirs is = solve_by_siconos(one);
    if (!is.solved) {
      ++theirs_failed;
      continue;
    }
    ours += seconds;
    others += is.seconds;
    ++compared;
    const double scale = 1e-3 + is.impulses.cwiseAbs().maxCoeff();
    Eigen::Index row = 0;
    for (const auto& contact : one.problem().contacts())
      for (int i = 0; i <= tangents; ++i)
        EXPECT_NEAR(contact.impulse[i], is.impulses[row++], 1e-9 * scale) << "trial " << trial;
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("%d compared (%d not solved by Siconos), its time over ours: %.2f\n", compared,
              theirs_failed, others / ours);
  EXPECT_GT(compared, 50);
}

TEST(Siconos, PlaneProblemsHaveTheSameImpulses) { compare(1); }
TEST(Siconos, ProblemsInSpaceHaveTheSameImpulses) { compare(2); }

}  // namespace
}  // namespace freeplay::testing
