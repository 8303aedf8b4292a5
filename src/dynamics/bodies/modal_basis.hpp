// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/modal_matrix.hpp"
#include <freeplay/model.hpp>

#include <span>
#include <vector>

// Shapes in which a modal body deforms, and the integrals over its mass that its equations of
// motion are made of (theory/modal_bodies). They are those of a body that flies free: orthonormal
// by the mass, and without momentum, so that the body's frame stays with its mean motion.
namespace freeplay::dynamics {

/// What the modes do at one place of the axis, per unit of each mode; body axes.
struct ModalStation {
  Vec3 point = Vec3::Zero();  ///< of the straight axis; m
  MatX place;                 ///< 3 x modes: displacement
  MatX turn;                  ///< 3 x modes: small turn of the section; 1/m
  ModalMatrix shortening;     ///< G of (MO.1), which pulls the place inwards; 1/m
  MatX strain;                ///< 4 x modes: stretch, curvatures about y and z, twist; by section
};

struct ModalBasis {
  int modes = 0;
  VecX frequency;             ///< angular, of each mode; rad/s
  Vec3 axis = Vec3::UnitX();  ///< of the beam, body axes; 0: a part that has none
  // Over the mass: (MO.3).
  MatX first;                ///< 3 x modes: int psi dm; zero but for round-off
  ModalMatrix shortening;    ///< int G dm
  ModalMatrix shortening_x;  ///< int X G dm
  /// int x_a psi_b dm: row 3 a + b. And int psi_a psi_b dm, at 3 a + b; modes x modes.
  MatX moments;
  std::vector<ModalMatrix> products;
  VecX twist;  ///< int (polar moment) phi: what the torsion adds to the spin about the axis

  std::vector<ModalStation> attached;  ///< where it is loaded, then where it is watched
  std::vector<ModalStation> sections;  ///< evenly along the axis
};

/// Craig and Bampton's reduction of a beam that is held at the places where joints and forces act
/// on it: what static loads there do to it exactly, and the lowest modes between them. Points where
/// it is loaded and where it is only watched in body axes; m.
[[nodiscard]] ModalBasis make_modal_basis(const Body& body, bool planar,
                                          std::span<const Vec3> loaded,
                                          std::span<const Vec3> watched);

/// The modes of a part, which joints, forces and markers take hold of at its interfaces alone.
/// Throws ModelError where a point is at none.
[[nodiscard]] ModalBasis make_part_basis(const Body& body, bool planar,
                                         std::span<const Vec3> loaded,
                                         std::span<const Vec3> watched);

}  // namespace freeplay::dynamics
