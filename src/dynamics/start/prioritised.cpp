// SPDX-License-Identifier: Apache-2.0
#include "dynamics/start/prioritised.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

/// Pivots below this share of the rows are round-off: those rows are decided already. chosen: as
/// for redundant rows, which assembly judges by 1e-8.
constexpr double kDecided = 1e-9;

}  // namespace

Prioritised::Prioritised(Eigen::Index unknowns)
    : x_(VecX::Zero(unknowns)), free_(MatX::Identity(unknowns, unknowns)) {}

void Prioritised::meet(const MatX& A, const VecX& b) {
  if (A.rows() == 0 || free_.cols() == 0) return;
  const MatX reach = A * free_;
  // Directions of `free_` that the group moves, by pivots. They are judged against the rows as they
  // were, for what is left of a row that is decided already is round-off.
  const Eigen::ColPivHouseholderQR<MatX> moved(reach.transpose());
  const double least = kDecided * A.rowwise().norm().maxCoeff();
  Eigen::Index rank = 0;
  while (rank < std::min(reach.rows(), reach.cols()) &&
         std::abs(moved.matrixQR()(rank, rank)) > least)
    ++rank;
  if (rank == 0) return;
  const MatX basis = moved.householderQ() * MatX::Identity(free_.cols(), free_.cols());
  const auto along = basis.leftCols(rank);
  const VecX step = MatX(reach * along).householderQr().solve(b - A * x_);
  x_ += free_ * (along * step);
  free_ = MatX(free_ * basis.rightCols(free_.cols() - rank));
}

}  // namespace freeplay::dynamics
