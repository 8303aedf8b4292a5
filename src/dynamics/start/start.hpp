// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/cartesian/cartesian.hpp"

#include <string>
#include <vector>

// The two halves of a consistent start. Joints held by force (contact, oil, rubber) start as the
// ideal joints in their place would, concentric and moving along with each other, as far as real
// joints, drives and what the user wrote let them: in their play nothing holds them.
namespace freeplay::dynamics {

/// Of the characteristic length (or speed), and rad: what a start changes beyond this is said. Far
/// above what closing the joints leaves, far below what anybody measures.
inline constexpr double kWorthSaying = 1e-9, kWorthSayingTurn = 1e-7;

/// Unit metric of a start: metres for positions, L times radians for rotations.
[[nodiscard]] VecX assembly_metric(const Cartesian& system);

/// Gradient of a row over all velocities.
[[nodiscard]] VecX row_gradient(const Cartesian& system, int row);

/// The model with ideal joints in place of those held by force; an `offset` moves the joint point.
[[nodiscard]] Model idealised(const Model& model);

/// Does the row of the idealised system stand for play or rubber, which give way?
[[nodiscard]] bool yields(const Cartesian& ideal, int row, const Model& model);

/// Poses that satisfy every joint and drive of the model nearest to those in y, which they replace.
/// `ideal` is the system of the idealised model. Throws AssemblyError when there are none.
void assemble_positions(const Model& model, Cartesian& ideal, double t, VecX& y,
                        const std::vector<double>& memory, std::vector<std::string>& notes);

/// Velocities at the poses of y that satisfy every joint and drive and, as far as these allow, are
/// those written in the model.
void assemble_velocities(const Model& model, const Model& ideal, double t, VecX& y,
                         const std::vector<double>& memory, std::vector<std::string>& notes);

}  // namespace freeplay::dynamics
