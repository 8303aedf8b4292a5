// SPDX-License-Identifier: Apache-2.0
#include "study/lock_file.hpp"

#include <freeplay/errors.hpp>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

namespace freeplay::study {
namespace {

std::string read_owner(int descriptor) {
  std::array<char, 200> text{};
  const auto count = pread(descriptor, text.data(), text.size(), 0);
  std::string owner(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!owner.empty() && owner.back() == '\n') owner.pop_back();
  return owner;
}

}  // namespace

LockFile::LockFile(std::filesystem::path path) : path_(std::move(path)) {
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
      throw IoError("cannot write " + path_.string() + ": " +
                    std::generic_category().message(errno));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      const std::string owner = read_owner(descriptor_);
      close(descriptor_);
      throw IoError(fmt::format("another study is writing here: {} is held by {}", path_.string(),
                                owner.empty() ? "someone" : owner));
    }
    // Its owner may have removed it between opening and locking: then it is a file without a name.
    struct stat opened {
    }, named{};
    if (fstat(descriptor_, &opened) == 0 && stat(path_.c_str(), &named) == 0 &&
        opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
      break;
    close(descriptor_);
  }
  stale_owner_ = read_owner(descriptor_);
  std::array<char, 100> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const std::string owner = fmt::format("process {} on {} since {:%Y-%m-%d %H:%M:%S} UTC\n",
                                        getpid(), host.data(), fmt::gmtime(std::time(nullptr)));
  if (ftruncate(descriptor_, 0) != 0 ||
      pwrite(descriptor_, owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size())) {
    const int error = errno;
    unlink(path_.c_str());
    close(descriptor_);
    throw IoError("cannot write " + path_.string() + ": " + std::generic_category().message(error));
  }
}

LockFile::~LockFile() {
  unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace freeplay::study
