// SPDX-License-Identifier: Apache-2.0
#include "mpi_team.hpp"

#include "mpi_plugin.hpp"
#include <freeplay/errors.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

// MPI is loaded under mpirun alone: its libraries are a third of all that the program would link.
namespace freeplay::cli {
namespace {

namespace fs = std::filesystem;

/// Started by mpirun? Looking is free; starting MPI takes a fifth of a second.
bool has_company() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (std::getenv(name)) return true;
  return false;
}

/// By srun, whose tasks each have such a variable without being a team, one process is no company.
bool is_alone() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* size = std::getenv(name)) return std::string_view(size) == "1";
  return false;
}

fs::path plugin() {
  const char* const file = FREEPLAY_MPI_PLUGIN;  // from the folder of the program
  if (!*file) return {};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw IoError("cannot tell where this program lies: /proc is not there");
  return program.parent_path() / file;
}

}  // namespace

std::unique_ptr<study::Team> join_team() {
  if (!has_company() || is_alone()) return nullptr;
  const std::string alone = "; start the study without mpirun, or install it";
  const fs::path file = plugin();
  if (file.empty()) throw IoError("this program was built without MPI; start it without mpirun");
  if (!fs::exists(file))
    throw IoError("studies under mpirun need " + file.lexically_normal().string() +
                  " (Debian: package freeplay-mpi)" + alone);
  // Parts of Open MPI look for its functions among those that all may see.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) throw IoError(std::string("MPI cannot be loaded: ") + dlerror() + alone);
  const auto join = reinterpret_cast<JoinTeam*>(dlsym(library, kJoinTeam));
  if (!join) throw IoError(file.string() + " belongs to another version of freeplay");
  try {
    return std::unique_ptr<study::Team>(join());
  } catch (const std::runtime_error& error) {
    throw IoError(error.what());
  }
}

}  // namespace freeplay::cli
