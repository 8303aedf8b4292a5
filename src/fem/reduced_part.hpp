// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <array>
#include <string>
#include <vector>

// A part after the reduction of Craig and Bampton: few coordinates in place of all its nodes
// (theory/finite_element_bodies). This is what a part file holds.
namespace freeplay::fem {

/// A set of nodes that joints take hold of through one point.
struct Interface {
  std::string name;
  bool averaged = false;      ///< the point moves with the mean of the face; else the face is rigid
  Vec3 point = Vec3::Zero();  ///< from the centre of mass, axes of the mesh; m
};

/// Coordinates: for each interface the displacement of its point and its small turn, then the
/// amplitudes of the modes between them. Axes of the mesh, origin at the centre of mass; SI.
struct ReducedPart {
  std::string source;           ///< the deck it was made from
  double mass = 0;              ///< kg
  Vec3 centre = Vec3::Zero();   ///< of mass, from the origin of the mesh; m
  Mat3 inertia = Mat3::Zero();  ///< about that centre; kg m^2
  double size = 0;              ///< largest distance of a node from the centre; m
  std::vector<Interface> interfaces;
  VecX fixed_frequency;  ///< of the modes with all interfaces held, ascending; rad/s
  MatX stiffness;
  MatX first;                    ///< 3 x coordinates: int psi dm
  MatX moments;                  ///< 9 x coordinates: int x_a psi_b dm in row 3 a + b
  std::array<MatX, 9> products;  ///< int psi_a psi_b dm at 3 a + b
  /// What is seen of it: corners, triangles (outward) and how the corners move, 3 rows each.
  MatX skin;  ///< 3 x corners; m
  Eigen::Matrix3Xi triangles;
  MatX skin_shapes;  ///< 3 corners x coordinates

  [[nodiscard]] int held() const { return 6 * static_cast<int>(interfaces.size()); }
  [[nodiscard]] int coordinates() const { return static_cast<int>(stiffness.rows()); }
  [[nodiscard]] MatX mass_matrix() const { return products[0] + products[4] + products[8]; }
  /// Coordinates of the six motions without deformation: along x, y, z, about x, y, z.
  [[nodiscard]] MatX rigid_motions() const;
};

}  // namespace freeplay::fem
