// SPDX-License-Identifier: Apache-2.0
#include "fem/calculix.hpp"

#include "fem/refuse.hpp"
#include <freeplay/errors.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

extern char** environ;

namespace freeplay::fem {
namespace fs = std::filesystem;
namespace {

constexpr const char* kJob = "part";

/// Runs `ccx part` in the folder, its words in a file. One thread: the matrices are then the same
/// bytes every time.
int run(const fs::path& folder, const fs::path& log) {
  std::vector<std::string> settings{"OMP_NUM_THREADS=1"};
  for (char** e = environ; *e; ++e)
    if (!std::string_view(*e).starts_with("OMP_NUM_THREADS=")) settings.emplace_back(*e);
  std::vector<char*> environment;
  for (std::string& s : settings) environment.push_back(s.data());
  environment.push_back(nullptr);
  std::string program = "ccx", job = kJob;
  char* words[] = {program.data(), job.data(), nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, words, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    throw IoError(
        "cannot run 'ccx': it is not installed (Debian: apt-get install calculix-ccx); or write "
        "the "
        "matrices elsewhere and leave --run out");
  if (error != 0) throw IoError(std::string("cannot run 'ccx': ") + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw IoError(std::string("lost 'ccx': ") + std::strerror(errno));
  return status;
}

/// What CalculiX complains about, on one line.
std::string complaints(const fs::path& log) {
  std::ifstream in(log);
  std::string line, out;
  int follow = 0;
  while (std::getline(in, line)) {
    const auto first = line.find_first_not_of(" \t");
    if (first == line.npos) continue;
    if (line.find("*ERROR") != line.npos) follow = 2;  // its sentences go on
    if (follow-- <= 0) continue;
    out += (out.empty() ? "" : " ") + line.substr(first);
    if (out.size() > 400) break;
  }
  return out.empty() ? "it gave no reason" : out;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "freeplay-flex-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw IoError("cannot make a folder for CalculiX: " + std::string(std::strerror(errno)));
  path_ = name;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path run_calculix(const Deck& deck, const TemporaryFolder& folder) {
  if (deck.has_step && !deck.stores_matrices)
    refuse({deck.name, 0}, "*STEP", "the deck has a step that does not write its matrices",
           "leave it out, or write *STEP, *FREQUENCY, SOLVER=MATRIXSTORAGE, *END STEP");
  if (!deck.has_density)
    refuse({deck.name, 0}, "*DENSITY", "no material has a density, so the part has no mass",
           "write *DENSITY below *ELASTIC, in the units of the deck");
  const fs::path stem = folder.path() / kJob, log = folder.path() / "log";
  {
    std::ofstream out(folder.path() / (std::string(kJob) + ".inp"), std::ios::binary);
    out << deck.text;
    if (!deck.has_step) out << "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n*END STEP\n";
    if (!out.flush()) throw IoError("cannot write the deck for CalculiX: is the disk full?");
  }
  const int status = run(folder.path(), log);
  std::error_code error;
  const bool wrote = fs::file_size(fs::path(stem) += ".sti", error) > 0 && !error;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !wrote)
    refuse({deck.name, 0}, "",
           fmt::format("CalculiX ended with status {}: {}",
                       WIFEXITED(status) ? WEXITSTATUS(status) : -1, complaints(log)),
           "");
  return stem;
}

}  // namespace freeplay::fem
