// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <array>
#include <string>
#include <vector>

// A part of any shape that bends a little: the modes of its finite elements in free flight, and
// what the floating frame needs of them (theory/finite_element_bodies). `freeplay flex` makes it;
// the table [bodies.NAME.flexible] reads its file.
namespace freeplay {

/// Axes: those of the body, which are those of the mesh; origin: its centre of mass. Modes are
/// orthonormal by the mass and without momentum.
struct ModalPart {
  /// Where joints, forces and markers may be: a face of the part that moves with one point.
  struct Interface {
    std::string name;
    Vec3 point = Vec3::Zero();  ///< m
    MatX place;                 ///< 3 x modes: displacement, per unit of each mode
    MatX turn;                  ///< 3 x modes: small turn; 1/m
  };

  std::string file;    ///< it was read from; told, never read again
  std::string digest;  ///< SHA-256 of that file
  double size = 0;     ///< largest distance from the centre of mass; m
  VecX frequency;      ///< angular, of each mode; rad/s
  std::vector<Interface> interfaces;
  MatX moments;                  ///< int x_a psi_b dm: row 3 a + b
  std::array<MatX, 9> products;  ///< int psi_a psi_b dm, at 3 a + b; modes x modes

  [[nodiscard]] int modes() const { return static_cast<int>(frequency.size()); }
  /// Number of the interface at a point, -1 where there is none. In a planar mechanism z does not
  /// count.
  [[nodiscard]] int at(const Vec3& point, bool planar) const;
  /// "(-0.0357, 0, 0) m", without round-off; and "'BORE_BIG' at (...) m, ...": for messages.
  [[nodiscard]] std::string place(Vec3 point) const;
  [[nodiscard]] std::string places() const;
};

}  // namespace freeplay
