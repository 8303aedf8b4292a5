// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is subtracted on the diagonal of the saddle-point matrix, in units of what a row would have
// there (J M^-1 J^T), in either formulation; see factorise_shifted().
namespace freeplay::dynamics {

/// Not felt at all: round-off of the row itself.
inline constexpr double kUnfeltShift = 1e-15;
/// Tames rows that repeat each other, and is taken out again by refinement. chosen: the root of
/// round-off or more, so that what refinement has to correct falls by so much each time.
inline constexpr double kStrongShift = 1e-7;
/// A row whose pivot is so small nearly depends on others: it is treated like a redundant one.
inline constexpr double kNearlyDependent = 1e-7;

/// Added to the inertia of a freedom without mass, in units of the largest: what joints hold does
/// not feel it, and the factorisation has a pivot.
inline constexpr double kLightShift = 1e-10;

}  // namespace freeplay::dynamics
