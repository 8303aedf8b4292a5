// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/structure.hpp"
#include "dynamics/system.hpp"

namespace freeplay::dynamics {

/// What of the rates of y, works left out, depends on what. Bodies held together by constraints are
/// one group, elements link the groups they act between. Empty: all depends on all, or it is not
/// known.
[[nodiscard]] Structure structure_of(const System& system);

}  // namespace freeplay::dynamics
