// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/deck.hpp"

#include <Eigen/SparseCore>

namespace freeplay::fem {

using Sparse = Eigen::SparseMatrix<double>;

/// Stiffness and mass of a free part in the units of the deck, for nodes that have degrees of
/// freedom.
struct Matrices {
  std::vector<int> nodes;  ///< by their position in the deck, ascending
  Sparse stiffness;        ///< 3 rows a node, symmetric, both triangles
  Sparse mass;             ///< one row a node: the same in all three directions
};

/// Reads what CalculiX writes for *FREQUENCY, SOLVER=MATRIXSTORAGE: STEM.dof, STEM.sti, STEM.mas.
/// Throws ModelError where they do not fit each other or the deck, IoError where they cannot be
/// read.
[[nodiscard]] Matrices read_matrices(const std::filesystem::path& stem, const Deck& deck);

}  // namespace freeplay::fem
