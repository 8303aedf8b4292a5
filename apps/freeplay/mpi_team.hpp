// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/team.hpp"

#include <memory>

namespace freeplay::cli {

/// The processes started together by mpirun; null when this one was started alone, or when the
/// program was built without MPI.
[[nodiscard]] std::unique_ptr<study::Team> join_team();

}  // namespace freeplay::cli
