// SPDX-License-Identifier: Apache-2.0
#include "fem/free_modes.hpp"
#include "fem/make_part.hpp"
#include "support/brick.hpp"
#include "support/paths.hpp"
#include <freeplay/errors.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

// A reduced part against dense algebra on all nodes of the same box.
namespace freeplay::fem {
namespace {

using testing::Brick;
using testing::follow;
using testing::mean_motion;
using testing::reduced;

Brick small_brick() { return Brick(Vec3(0.08, 0.012, 0.01), {4, 1, 1}); }

/// Three rows of a node from one.
MatX in_space(const MatX& by_node) {
  MatX out = MatX::Zero(3 * by_node.rows(), 3 * by_node.cols());
  for (Eigen::Index i = 0; i < by_node.rows(); ++i)
    for (Eigen::Index j = 0; j < by_node.cols(); ++j)
      out.block<3, 3>(3 * i, 3 * j) = by_node(i, j) * Mat3::Identity();
  return out;
}

/// All nodes by those that are free and the motions of rigid ends.
MatX transformation(const Brick& brick, bool left_rigid, bool right_rigid) {
  std::vector<bool> slave(static_cast<std::size_t>(brick.nodes()), false);
  const int n = 3 * brick.nodes();
  MatX ends(n, 0);
  for (const bool far : {false, true}) {
    if (!(far ? right_rigid : left_rigid)) continue;
    const auto nodes = brick.end(far);
    const MatX T = follow(brick, nodes, Vec3(far ? brick.size[0] : 0, 0, 0));
    ends.conservativeResize(n, ends.cols() + 6);
    ends.rightCols<6>().setZero();
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      ends.block<3, 6>(3 * nodes[k], ends.cols() - 6) =
          T.middleRows<3>(3 * static_cast<Eigen::Index>(k));
      slave[static_cast<std::size_t>(nodes[k])] = true;
    }
  }
  const auto free = std::count(slave.begin(), slave.end(), false);
  MatX out = MatX::Zero(n, ends.cols() + 3 * free);
  out.leftCols(ends.cols()) = ends;
  Eigen::Index column = ends.cols();
  for (int k = 0; k < brick.nodes(); ++k) {
    if (slave[static_cast<std::size_t>(k)]) continue;
    out.block<3, 3>(3 * k, column).setIdentity();
    column += 3;
  }
  return out;
}

/// Angular frequencies of all nodes in free flight, without the rigid motions.
VecX full_frequencies(const Brick& brick, bool left_rigid, bool right_rigid) {
  const MatX T = transformation(brick, left_rigid, right_rigid);
  const MatX K = T.transpose() * brick.stiffness * T, M = T.transpose() * in_space(brick.mass) * T;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> modes(K, M, Eigen::EigenvaluesOnly);
  return modes.eigenvalues().tail(K.rows() - 6).cwiseSqrt();
}

class Couplings : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  static bool rigid(const char* word) { return std::string_view(word) == "rigid"; }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Couplings,
                         ::testing::Values(std::pair("rigid", "rigid"),
                                           std::pair("averaged", "averaged"),
                                           std::pair("rigid", "averaged"),
                                           std::pair("averaged", "rigid")));

TEST_P(Couplings, FrequenciesFallToThoseOfAllNodes) {
  const Brick brick = small_brick();
  const auto [left, right] = GetParam();
  const VecX full = full_frequencies(brick, rigid(left), rigid(right));
  double before = 1e9;
  for (const int modes : {2, 6, 12, 24}) {
    const VecX found = free_modes(reduced(brick, left, right, modes), {}).frequency;
    double worst = 0;
    for (Eigen::Index k = 0; k < 6; ++k) {
      EXPECT_GT(found[k], full[k] * (1 - 1e-9)) << "mode " << k;
      worst = std::max(worst, found[k] / full[k] - 1);
    }
    EXPECT_LT(worst, before * (1 + 1e-9) + 1e-9);
    before = worst;
  }
  EXPECT_LT(before, 0.005);
}

TEST_P(Couplings, LoadsAtJointsDeflectAsAllNodesDo) {
  const Brick brick = small_brick();
  const auto [left, right] = GetParam();
  const ReducedPart part = reduced(brick, left, right, 3);
  // All nodes: rigid ends by transformation, means by multipliers.
  const MatX T = transformation(brick, rigid(left), rigid(right));
  const Vec3 ends[2] = {Vec3::Zero(), Vec3(brick.size[0], 0, 0)};
  MatX A(12, T.cols());  // coordinates of both interfaces
  int column = 0;
  for (int e = 0; e < 2; ++e) {
    if (rigid(e == 0 ? left : right)) {
      A.middleRows<6>(6 * e).setZero();
      A.block<6, 6>(6 * e, column).setIdentity();
      column += 6;
    } else {
      A.middleRows<6>(6 * e) = mean_motion(brick, e == 1, ends[e]) * T;
    }
  }
  const Eigen::Index n = T.cols();
  MatX border = MatX::Zero(n + 6, n + 6);
  border.topLeftCorner(n, n) = T.transpose() * brick.stiffness * T / 1e9;
  border.topRightCorner(n, 6) = A.topRows<6>().transpose();
  border.bottomLeftCorner(6, n) = A.topRows<6>();
  MatX loads = MatX::Zero(n + 6, 6);
  loads.topRows(n) = A.bottomRows<6>().transpose() / 1e9;
  const MatX direct = A.bottomRows<6>() * border.fullPivLu().solve(loads).topRows(n);
  const MatX found = part.stiffness.block<6, 6>(6, 6).inverse();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      EXPECT_NEAR(found(i, j), direct(i, j), 1e-6 * std::sqrt(direct(i, i) * direct(j, j)))
          << i << j;
  const std::vector<Vec3> told = compliances(part);
  ASSERT_EQ(told.size(), 1u);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(told[0][c], direct(c, c), 1e-6 * direct(c, c));
}

TEST_P(Couplings, IntegralsAreThoseOfTheBox) {
  const Brick brick = small_brick();
  const auto [left, right] = GetParam();
  const ReducedPart part = reduced(brick, left, right, 6);
  const double volume = brick.size.prod(), mass = 7850 * volume;
  EXPECT_NEAR(part.mass, mass, 1e-10 * mass);
  EXPECT_LT((part.centre - Vec3(0.04, 0, 0)).norm(), 1e-12);
  const Vec3 s = brick.size.cwiseAbs2();
  const Vec3 inertia = mass / 12 * Vec3(s[1] + s[2], s[2] + s[0], s[0] + s[1]);
  EXPECT_LT((part.inertia - Mat3(inertia.asDiagonal())).norm(), 1e-10 * inertia.norm());
  // The rigid motions are among the shapes: their mass is that of the box, their stiffness nothing.
  const MatX R = part.rigid_motions(), M = part.mass_matrix();
  EXPECT_NEAR((R.transpose() * M * R)(1, 1), mass, 1e-8 * mass);
  EXPECT_LT((part.stiffness * R).norm(), 1e-7 * part.stiffness.norm());
  for (const double x : {-1.0, 1.0}) {
    const auto& at = part.interfaces[x < 0 ? 0 : 1];
    EXPECT_LT((at.point - Vec3(0.04 * x, 0, 0)).norm(), 1e-12);
  }
}

TEST_P(Couplings, ModesOfFreeFlightAreOrthonormalAndWithoutMomentum) {
  const Brick brick = small_brick();
  const auto [left, right] = GetParam();
  const ReducedPart part = reduced(brick, left, right, 8);
  for (const bool planar : {false, true}) {
    ModeChoice choice;
    choice.planar = planar;
    const ModalPart modes = free_modes(part, choice);
    const Eigen::Index n = modes.frequency.size();
    ASSERT_GT(n, 3);
    const MatX mass = modes.products[0] + modes.products[4] + modes.products[8];
    EXPECT_LT((mass - MatX::Identity(n, n)).norm(), 1e-9);
    for (int c = planar ? 2 : 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      EXPECT_LT((modes.moments.row(3 * a + b) - modes.moments.row(3 * b + a)).norm(), 1e-9);
    }
    if (planar)
      for (const auto& at : modes.interfaces) {
        EXPECT_EQ(at.place.row(2).norm(), 0);
        EXPECT_EQ(at.turn.topRows<2>().norm(), 0);
      }
  }
}

// A box that is symmetric about z = 0 bends in that plane as it does in space.
TEST(FreeModesTest, InThePlaneAreThoseOfSpaceThatStayInIt) {
  const ReducedPart part = reduced(small_brick(), "rigid", "rigid", 24);
  const VecX space = free_modes(part, {}).frequency;
  ModeChoice choice;
  choice.planar = true;
  const VecX plane = free_modes(part, choice).frequency;
  for (Eigen::Index k = 0; k < 4; ++k) {
    const double apart = (space.array() / plane[k] - 1).abs().minCoeff();
    EXPECT_LT(apart, 1e-8) << "mode " << k << " at " << plane[k] / (2 * std::numbers::pi);
  }
  EXPECT_LT(plane.size(), space.size());
}

TEST(FreeModesTest, AreChosenByNumberOrFrequency) {
  const ReducedPart part = reduced(small_brick(), "rigid", "rigid", 12);
  ModeChoice choice;
  choice.modes = 5;
  EXPECT_EQ(free_modes(part, choice).modes(), 6 + 5);
  choice.modes = 0;
  choice.max_frequency =
      0.5 * (part.fixed_frequency[2] + part.fixed_frequency[3]) / (2 * std::numbers::pi);
  EXPECT_EQ(free_modes(part, choice).modes(), 6 + 3);
}

TEST(FreeModesTest, OfAStiffnessThatIsNoneAreRefused) {
  ReducedPart part = reduced(small_brick(), "rigid", "rigid", 3);
  part.stiffness *= -1;
  EXPECT_THROW((void)free_modes(part, {}), ModelError);
  part = reduced(small_brick(), "rigid", "rigid", 3);
  for (MatX& block : part.products) block *= -1;
  EXPECT_THROW((void)free_modes(part, {}), ModelError);
}

// Slender: as the beam of Timoshenko in free flight.
TEST(ReduceTest, ASlenderBoxHasTheFrequenciesOfABeam) {
  const Brick brick(Vec3(0.4, 0.008, 0.008), {16, 1, 1});
  const ReducedPart part = reduced(brick, "averaged", "averaged", 8);
  const VecX found = free_modes(part, {}).frequency;
  const double EI = 2.1e11 * std::pow(0.008, 4) / 12, rhoA = 7850 * 0.008 * 0.008;
  // (beta L) of a free beam: 4.7300, 7.8532; each bends both ways.
  const double first = std::pow(4.730041 / 0.4, 2) * std::sqrt(EI / rhoA),
               second = std::pow(7.853205 / 0.4, 2) * std::sqrt(EI / rhoA);
  EXPECT_NEAR(found[0], first, 0.005 * first);
  EXPECT_NEAR(found[1], first, 0.005 * first);
  EXPECT_NEAR(found[2], second, 0.01 * second);
}

/// What a reduction says when it refuses.
template <class Act>
std::string refusal(Act&& act) {
  try {
    act();
  } catch (const ModelError& error) {
    return error.issues().front().text();
  }
  return "accepted";
}

FreePart free_part(const Brick& brick) {
  FreePart out;
  out.name = "box";
  out.points = brick.points;
  for (int k = 0; k < brick.nodes(); ++k) out.numbers.push_back(k + 1);
  out.stiffness = brick.stiffness.sparseView();
  out.mass = brick.mass.sparseView();
  return out;
}

TEST(ReduceTest, WhatIsNoFreePartInOnePieceIsRefused) {
  const Brick brick = small_brick();
  const FreePart part = free_part(brick);
  const Coupling left{"LEFT", false, Vec3::Zero(), brick.end(false), {}};
  const auto with = [&](const FreePart& is, const std::vector<Coupling>& couplings, int modes = 2) {
    return refusal([&] { (void)reduce(is, couplings, modes); });
  };
  EXPECT_EQ(with(part, {left}), "accepted");

  FreePart held = part;
  held.stiffness.coeffRef(0, 0) += 1e-3 * held.stiffness.coeff(0, 0);
  EXPECT_NE(with(held, {left}).find("has to be free"), std::string::npos);

  FreePart moved = part;
  for (Vec3& point : moved.points) point[0] *= 1.01;
  EXPECT_NE(with(moved, {left}).find("coordinates must be those"), std::string::npos);

  FreePart light = part;
  light.mass *= 0.0;
  EXPECT_NE(with(light, {left}).find("mass"), std::string::npos);

  FreePart negative = part;
  negative.stiffness *= -1.0;
  EXPECT_NE(with(negative, {left}).find("negative"), std::string::npos);

  EXPECT_NE(with(part, {}).find("no interface"), std::string::npos);
  EXPECT_NE(with(part, {left, {"AGAIN", false, Vec3::Zero(), brick.end(false), {}}})
                .find("belongs to 'LEFT' as well"),
            std::string::npos);
  Coupling line = left;
  line.nodes.resize(2);
  EXPECT_NE(with(part, {line}).find("cannot carry a moment"), std::string::npos);
  EXPECT_NE(with(part, {left}, 1000).find("at most"), std::string::npos);
}

TEST(ReduceTest, PiecesAndHingesAreRefused) {
  const Brick brick = small_brick();
  // Two boxes far apart as one part.
  FreePart two = free_part(brick);
  const auto n = static_cast<Eigen::Index>(brick.points.size());
  MatX K = MatX::Zero(6 * n, 6 * n), m = MatX::Zero(2 * n, 2 * n);
  K.topLeftCorner(3 * n, 3 * n) = K.bottomRightCorner(3 * n, 3 * n) = brick.stiffness;
  m.topLeftCorner(n, n) = m.bottomRightCorner(n, n) = brick.mass;
  for (const Vec3& point : brick.points) two.points.push_back(point + Vec3(0.2, 0, 0));
  for (int k = 0; k < n; ++k) two.numbers.push_back(1000 + k);
  two.stiffness = K.sparseView(), two.mass = m.sparseView();
  const Coupling left{"LEFT", false, Vec3::Zero(), brick.end(false), {}};
  const std::string pieces = refusal([&] { (void)reduce(two, {left}, 2); });
  EXPECT_NE(pieces.find("2 pieces"), std::string::npos) << pieces;

  // The same two, joined at one node: the second hinges on the first.
  FreePart hinged = free_part(brick);
  const int shared = brick.end(true).front(), own = brick.end(false).front();
  std::vector<int> number;
  const Vec3 shift =
      brick.points[static_cast<std::size_t>(shared)] - brick.points[static_cast<std::size_t>(own)];
  int next = static_cast<int>(n);
  for (int k = 0; k < n; ++k) number.push_back(k == own ? shared : next++);
  K = MatX::Zero(3 * next, 3 * next), m = MatX::Zero(next, next);
  K.topLeftCorner(3 * n, 3 * n) = brick.stiffness, m.topLeftCorner(n, n) = brick.mass;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int r = number[static_cast<std::size_t>(i)], c = number[static_cast<std::size_t>(j)];
      m(r, c) += brick.mass(i, j);
      K.block<3, 3>(3 * r, 3 * c) += brick.stiffness.block<3, 3>(3 * i, 3 * j);
    }
  for (int k = 0; k < n; ++k)
    if (k != own) {
      hinged.points.push_back(brick.points[static_cast<std::size_t>(k)] + shift);
      hinged.numbers.push_back(1000 + k);
    }
  hinged.stiffness = K.sparseView(), hinged.mass = m.sparseView();
  const std::string hinge = refusal([&] { (void)reduce(hinged, {left}, 2); });
  EXPECT_NE(hinge.find("mechanism"), std::string::npos) << hinge;
}

}  // namespace
}  // namespace freeplay::fem
