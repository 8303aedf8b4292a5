// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/row.hpp"

namespace freeplay::study {

/// A row of a periodic study: the orbit near the end of the row before, or near the motion itself;
/// followed from the row before, also where on the way a multiplier left the unit circle, or came
/// back. Throws Failure, ModelError, AssemblyError.
[[nodiscard]] RowOutcome run_orbit(const Study& study, std::span<const double> inputs,
                                   const Carry* from);

}  // namespace freeplay::study
