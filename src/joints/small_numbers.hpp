// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small numbers that keep roots and quotients regular where a length or a speed vanishes. None of
// them is a tolerance: what they change is below rounding in every result.
namespace freeplay::joints {

/// Under the root of a squared distance, so that its derivative at the centre is 0 and not 0/0.
/// Distances above 1e-22 m keep every digit. m^2
inline constexpr double kRegularSquare = 1e-60;
/// The same under the root of a squared speed or cosine: those above 1e-12 keep every digit.
inline constexpr double kRegularRate = 1e-40;
/// Nearer to the centre than this, a direction is rounding; m.
inline constexpr double kNoDirection = 1e-15;
/// Cosine between the axes of host and guest below which the ends of the host are out of reach.
inline constexpr double kAlongside = 1e-6;

}  // namespace freeplay::joints
