// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/team.hpp"

#include <memory>

namespace freeplay::cli {

/// The processes started together by mpirun; null when this one was started alone. Throws IoError
/// when there are others, and no MPI to talk to them.
[[nodiscard]] std::unique_ptr<study::Team> join_team();

}  // namespace freeplay::cli
