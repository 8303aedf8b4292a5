// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace freeplay::study {

/// While one exists, no other program works on the same result. The file names its owner; the lock
/// itself ends with the program, however that ends, so a file left behind is recognised as stale
/// and taken over.
class LockFile {
 public:
  /// Throws IoError naming the owner when the place is taken, or cannot be written.
  explicit LockFile(std::filesystem::path path);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Owner of a stale lock that was taken over; empty if there was none.
  [[nodiscard]] const std::string& stale_owner() const { return stale_owner_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::string stale_owner_;
};

}  // namespace freeplay::study
