// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freeplay {

/// Added under the root of a square of a length (m^2): keeps the derivative finite where the length
/// is zero. Its root, 1e-30 m, is below the round-off of every length that a mechanism has.
inline constexpr double kFiniteSlope = 1e-60;

}  // namespace freeplay
