// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"

namespace freeplay {

/// Derivatives with respect to positions (7) and velocities (6) of the two bodies of an element.
inline constexpr int kPairVariables = 26;
using PairDual = Dual<kPairVariables>;

}  // namespace freeplay
