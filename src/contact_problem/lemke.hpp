// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

// Linear complementarity problems by pivoting: z >= 0, w = A z + q >= 0, z w = 0.
namespace freeplay::contact_problem {

struct Complementarity {
  enum class End { solved, ray, tired };
  End end = End::tired;
  /// The answer. After a ray: its direction, z >= 0 with A z >= 0 and z A z = 0, along which the
  /// problem can only get further from an answer (q z < 0).
  VecX z;
};

/// Lemke's method (Lemke 1965; Cottle, Pang & Stone 1992, 4.4) for A and q scaled to about one. For
/// copositive A, as those of contact with friction are, it ends in an answer or in a ray. Pivots
/// are chosen for a right side larger by 1e-9, which keeps them apart: where it matters the answer
/// may be negative by as much.
[[nodiscard]] Complementarity solve_by_pivoting(const MatX& A, const VecX& q);

}  // namespace freeplay::contact_problem
