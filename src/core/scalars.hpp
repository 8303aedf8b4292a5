// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"

namespace freeplay {

/// Derivatives with respect to positions (7) and velocities (6) of the two bodies of an element,
/// and the states (up to 4) its friction law keeps.
inline constexpr int kBodyVariables = 13, kPairStates = 26, kPairVariables = 30;
using PairDual = Dual<kPairVariables>;

/// Derivative along the motion.
using TimeDual = Dual<1>;

}  // namespace freeplay
