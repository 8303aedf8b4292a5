// SPDX-License-Identifier: Apache-2.0
#include "io/child_work.hpp"

#include <freeplay/errors.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <malloc.h>
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

// POSIX; a port to another system replaces this file.
namespace freeplay::io {
namespace {

constexpr int kAnswer = 3;                   // descriptor in the child, behind the standard ones
constexpr char kText = 't', kProblem = 'p';  // first byte of an answer

void limit(int what, std::uint64_t most) {
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource_t>(what), &now) != 0) return;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY ? most : std::min<rlim_t>(most, now.rlim_max);
  setrlimit(static_cast<__rlimit_resource_t>(what), &now);
}

/// Bytes of address space in use; sanitizers reserve terabytes of it.
std::uint64_t address_space() {
  unsigned long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return std::uint64_t{pages} * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void write_all(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const auto count = ::write(descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // nobody listens any more
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
}

[[noreturn]] void work_and_exit(const std::function<std::string()>& work, const ChildLimits& limits,
                                int answer) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
    std::signal(signal, SIG_DFL);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Memory that was never written reads as garbage in every run alike, not as zero by good luck.
  mallopt(M_PERTURB, 0xa5);
#endif
  // Files and connections of the parent are none of the child's.
  dup2(answer, kAnswer);
#ifdef __linux__
  close_range(kAnswer + 1, ~0U, 0);
#endif
  // What the C library has to say about a heap in ruins is nobody's business.
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.cpu_seconds);
  limit(RLIMIT_AS, address_space() + limits.memory);
  std::string out(1, kText);
  try {
    out += work();
  } catch (const std::exception& problem) {
    out = kProblem + std::string(problem.what());
  }
  write_all(kAnswer, out.data(), out.size());
  _exit(0);
}

}  // namespace

ChildWork::ChildWork(const std::function<std::string()>& work, const ChildLimits& limits) {
  int ends[2];
  const auto fail = [](int error) {
    throw IoError("cannot start another process: " + std::generic_category().message(error));
  };
  if (pipe2(ends, O_CLOEXEC) != 0) fail(errno);
  process_ = fork();
  if (process_ == 0) work_and_exit(work, limits, ends[1]);
  const int error = errno;
  close(ends[1]);
  descriptor_ = ends[0];
  if (process_ > 0) return;
  close(ends[0]);
  fail(error);
}

ChildWork::~ChildWork() {
  close(descriptor_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string ChildWork::answer() {
  std::string bytes;
  char buffer[65536];
  for (;;) {
    const auto count = ::read(descriptor_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
  return answer_in(std::move(bytes));
}

std::string ChildWork::answer_in(std::string bytes) {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !bytes.empty()) {
    const char kind = bytes[0];
    bytes.erase(0, 1);
    if (kind == kText) return bytes;
    throw IoError(bytes);
  }
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    throw IoError("it takes longer than it may");
  throw IoError("reading it crashes the HDF5 library");
}

}  // namespace freeplay::io
