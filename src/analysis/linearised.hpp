// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/cartesian/cartesian.hpp"

// The equations of motion about a state as matrices, contact and oil included:
//
//   M dv' + C dv + K dq + E dz + J^T dlambda = 0,   dz' = Zq dq + Zv dv + Zz dz,   J dv + T dq = 0
//
// with the small displacements dq = [dr, dtheta'] and velocities dv in the velocity coordinates of
// the Cartesian system (rotations in body axes). Derivatives are exact; only the turning of a rigid
// contact at rest, which the system leaves out of its own, is taken by central differences.
namespace freeplay::analysis {

struct Linearised {
  MatX M, C, K, J, T;
  MatX E, Zq, Zv, Zz;  ///< states of friction and of relaxing rubber
};

/// About `state`, with the accelerations `a` and the multipliers `lambda` that belong to it.
[[nodiscard]] Linearised linearise(dynamics::Cartesian& system, const State& state, const VecX& a,
                                   const VecX& lambda);

/// Mass matrix, and constraint gradients of the last update().
[[nodiscard]] MatX mass_matrix(const dynamics::Cartesian& system, const State& at);
[[nodiscard]] MatX gradient_matrix(dynamics::Cartesian& system);

/// Motions that the joints allow: columns that span the null space of J, rotations measured in
/// characteristic lengths for the rank decision only.
[[nodiscard]] MatX allowed_motions(const MatX& J, const dynamics::Cartesian& system);

/// 1 for translations, 1/L for rotations: what makes displacements comparable.
[[nodiscard]] VecX displacement_scale(const dynamics::Cartesian& system);

}  // namespace freeplay::analysis
