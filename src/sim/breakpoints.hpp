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

/// A quarter of the shortest period of a sine among drives and forces; 0: there is none. A body
/// that rests in contact does not limit its steps, and would be thrown off and caught again inside
/// one: with eight looks at each step, what lasts a thirtieth of a period is seen.
[[nodiscard]] double longest_step(const Model& model);

}  // namespace freeplay::sim
