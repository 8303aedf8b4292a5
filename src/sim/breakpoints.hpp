// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <vector>

namespace freeplay::sim {

/// Times strictly inside the run at which a drive or a force changes its formula: the ends of
/// smooth steps, the knots of tables. A step ends at each of them: across it an error estimate of
/// high order means nothing, and a motion that sets in and ends between two evaluations would be
/// overlooked. Increasing.
[[nodiscard]] std::vector<double> breakpoints(const Model& model);

}  // namespace freeplay::sim
