// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/team.hpp"

// What libfreeplay_mpi.so, which links MPI, has for the program, which does not (mpi_team.cpp). An
// interface without functions of the library `freeplay`: the plugin holds no second copy of it.
namespace freeplay::cli {

/// Joins the processes that mpirun started together. Throws std::runtime_error.
using JoinTeam = study::Team*();
inline constexpr const char* kJoinTeam = "freeplay_join_team";

}  // namespace freeplay::cli
