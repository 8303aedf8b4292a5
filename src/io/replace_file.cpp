// SPDX-License-Identifier: Apache-2.0
#include "io/replace_file.hpp"

#include <freeplay/errors.hpp>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#ifdef _WIN32
#include <process.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace freeplay::io {
namespace {

[[noreturn]] void fail(const std::string& doing, const std::filesystem::path& path, int error) {
  throw IoError("cannot " + doing + " " + path.string() + ": " +
                std::generic_category().message(error));
}

// Waits until the file (or the names in a directory) are on the disk.
void synchronise([[maybe_unused]] const std::filesystem::path& path) {
#ifndef _WIN32
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("open", path, errno);
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  // Some file systems (network, FUSE) cannot synchronise a directory; the rename holds all the
  // same.
  if (error != 0 && error != EINVAL && error != ENOTSUP) fail("write", path, error);
#endif
}

long process_id() {
#ifdef _WIN32
  return _getpid();
#else
  return getpid();
#endif
}

}  // namespace

void replace_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  synchronise(from);
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error)
    throw IoError("cannot rename " + from.string() + " to " + to.string() + ": " + error.message());
  synchronise_folder(to);
}

void synchronise_folder(const std::filesystem::path& file) {
  synchronise(file.has_parent_path() ? file.parent_path() : std::filesystem::path("."));
}

std::filesystem::path temporary_name(const std::filesystem::path& to) {
  auto name = to;
  name += ".tmp" + std::to_string(process_id());
  return name;
}

void write_file(const std::filesystem::path& to, std::string_view text) {
  const auto temporary = temporary_name(to);
  std::FILE* file = std::fopen(temporary.string().c_str(), "wb");
  if (!file) fail("write", to, errno);
  bool ok = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = ok ? 0 : errno;
  if (std::fclose(file) != 0 && ok) {
    ok = false;
    error = errno;
  }
  if (!ok) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    fail("write", to, error);
  }
  try {
    replace_file(temporary, to);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

}  // namespace freeplay::io
