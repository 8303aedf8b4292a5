// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/cartesian/cartesian.hpp"
#include "integrate/integrator.hpp"

namespace freeplay::integrate {

/// SUNDIALS IDA on the constrained equations themselves. `problem` supplies the error weights;
/// `memory` is that of the run and must outlive the integrator. The rows must be independent.
[[nodiscard]] std::unique_ptr<Integrator> make_ida(dynamics::Cartesian& system,
                                                   const std::vector<double>& memory,
                                                   Problem& problem, const Settings& settings);

}  // namespace freeplay::integrate
