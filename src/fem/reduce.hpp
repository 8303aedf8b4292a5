// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/matrices.hpp"
#include "fem/reduced_part.hpp"

// Craig and Bampton's reduction of finite elements whose faces are coupled to points
// (theory/finite_element_bodies).
namespace freeplay::fem {

/// A free part in SI: rows of the matrices three by three belong to the points.
struct FreePart {
  std::string name;          ///< for messages
  std::vector<Vec3> points;  ///< m, axes and origin of the mesh
  std::vector<int> numbers;  ///< of the nodes in the deck, for messages
  Sparse stiffness;          ///< N/m
  Sparse mass;               ///< kg, by node
};

/// A face and the point it moves with.
struct Coupling {
  std::string name;
  bool averaged = false;
  Vec3 point = Vec3::Zero();    ///< m, axes and origin of the mesh
  std::vector<int> nodes;       ///< into FreePart::points
  std::vector<double> weights;  ///< of the nodes, when averaged
};

struct Reduction {
  ReducedPart part;  ///< without its skin
  MatX basis;        ///< displacements of all points in the coordinates of the part
  // Checks, all relative and zero but for round-off:
  double rigid_stiffness = 0;  ///< K R against K: motions that should deform nothing
  double imbalance = 0;        ///< of the static shapes, (FE.5)
  double rigid_mass = 0;       ///< mass and inertia of the reduced part against those of all points
};

/// Throws ModelError where the matrices are not those of one free elastic part in one piece, or
/// cannot be coupled so.
[[nodiscard]] Reduction reduce(const FreePart& part, const std::vector<Coupling>& couplings,
                               int modes);

}  // namespace freeplay::fem
