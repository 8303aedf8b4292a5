// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.hpp"

#include "io/replace_file.hpp"
#include <freeplay/errors.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

// POSIX; a port to another system replaces this file.
namespace freeplay::io {
namespace {

[[noreturn]] void fail_in_use(const std::filesystem::path& path) {
  throw IoError(path.string() + " is being written by another run");
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw IoError("cannot write " + path.string() + ": " + std::generic_category().message(error));
}

// A file system without locks cannot protect anyone; that must not keep people from working.
bool lock(int descriptor, int kind) {
  return flock(descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool leads_to(const std::filesystem::path& path, int descriptor) {
  struct stat named {
  }, opened{};
  return stat(path.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

}  // namespace

bool is_being_written(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool free = lock(descriptor, LOCK_SH);  // to share it fails only against a writer
  close(descriptor);
  return !free;
}

OutputFile::OutputFile(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {
  // Between opening and locking, another program may have taken the file for a stale one and
  // replaced it.
  if (!lock(descriptor_, LOCK_EX) || !leads_to(path_, descriptor_)) {
    close(descriptor_);
    fail_in_use(path_);
  }
  struct stat status {};
  if (fstat(descriptor_, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
  committed_ = (size_ + kPage - 1) / kPage * kPage;
}

std::unique_ptr<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  if (is_being_written(path)) fail_in_use(path);
  // Removed, not emptied: who still reads the old file keeps it.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, errno);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST) fail_in_use(path);
  if (descriptor < 0) fail(path, errno);
  return std::unique_ptr<OutputFile>(new OutputFile(path, descriptor));
}

std::unique_ptr<OutputFile> OutputFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) fail(path, errno);
  return std::unique_ptr<OutputFile>(new OutputFile(path, descriptor));
}

OutputFile::~OutputFile() { close(descriptor_); }

bool OutputFile::read_disk(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto count = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  return true;
}

void OutputFile::write_disk(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const auto count = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      error_ = count < 0 ? errno : EIO;
      return;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

bool OutputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (!read_disk(offset, bytes)) return false;
  if (waiting_.empty() || bytes.empty()) return true;
  const auto end = offset + bytes.size();
  for (auto number = offset / kPage; number * kPage < end; ++number) {
    const auto page = waiting_.find(number);
    if (page == waiting_.end()) continue;
    const auto from = std::max(offset, number * kPage), to = std::min(end, (number + 1) * kPage);
    std::memcpy(bytes.data() + (from - offset), page->second->data() + from % kPage, to - from);
  }
  return true;
}

void OutputFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  size_ = std::max(size_, offset + bytes.size());
  if (offset < committed_) {
    const auto count = std::min<std::uint64_t>(bytes.size(), committed_ - offset);
    keep(offset, bytes.first(count));
    bytes = bytes.subspan(count);
    offset += count;
  }
  write_disk(offset, bytes);
  if (error_ != 0) keep(offset, bytes);
}

void OutputFile::keep(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto number = offset / kPage;
    auto& page = waiting_[number];
    if (!page) {
      page = std::make_unique<Page>();
      if (!read_disk(number * kPage, *page) && error_ == 0) error_ = EIO;
    }
    const auto count = std::min<std::uint64_t>(bytes.size(), kPage - offset % kPage);
    std::memcpy(page->data() + offset % kPage, bytes.data(), count);
    bytes = bytes.subspan(count);
    offset += count;
  }
}

void OutputFile::resize(std::uint64_t size) { size_ = size; }

void OutputFile::expect_in_place() const {
  if (leads_to(path_, descriptor_)) return;
  throw IoError("cannot write " + path_.string() +
                ": it was removed, or replaced by another program");
}

void OutputFile::commit() {
  expect_written();
  expect_in_place();
  // What waits has its place on the disk already, so that a full one cannot stop it half-way.
  if (ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) error_ = errno;
  for (const auto& [number, page] : waiting_) {
    const auto begin = number * kPage;
    if (begin < size_)
      write_disk(begin, {page->data(), std::min<std::uint64_t>(kPage, size_ - begin)});
  }
  expect_written();
  waiting_.clear();
  committed_ = (size_ + kPage - 1) / kPage * kPage;
}

void OutputFile::rename_to(const std::filesystem::path& target) {
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) fail(path_, errno);
  // A second name by way of the descriptor, which cannot lead astray, then into its place. Where
  // files cannot have two names, the old one is looked at before and after.
  auto second = target;
  second += ".link" + std::to_string(getpid());
  unlink(second.c_str());
  const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, second.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    const int error = rename(second.c_str(), target.c_str()) == 0 ? 0 : errno;
    unlink(second.c_str());
    if (error != 0) fail(target, error);
    if (leads_to(path_, descriptor_)) unlink(path_.c_str());
  } else {
    expect_in_place();
    if (rename(path_.c_str(), target.c_str()) != 0) fail(target, errno);
  }
  path_ = target;
  expect_in_place();
  synchronise_folder(path_);
}

void OutputFile::abandon() {
  if (error_ == 0) error_ = ECANCELED;
}

void OutputFile::expect_written() const {
  if (error_ != 0) fail(path_, error_);
}

}  // namespace freeplay::io
