// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

// Work that may go wrong in ways no exception catches: the HDF5 library can crash, loop or ask for
// all memory when a file is damaged. It is done by a copy of this process with limits of its own,
// and only its answer, a text, comes back.
namespace freeplay::io {

/// What a child may use beyond what this process has now.
struct ChildLimits {
  std::uint64_t memory = std::uint64_t{1} << 30;  ///< bytes
  unsigned cpu_seconds = 30;
};

class ChildWork {
 public:
  /// Begins at once. Throws IoError when there is no room for another process.
  ChildWork(const std::function<std::string()>& work, const ChildLimits& limits);
  ~ChildWork();  ///< a child that is still at work is ended
  ChildWork(const ChildWork&) = delete;
  ChildWork& operator=(const ChildWork&) = delete;

  /// Where the answer arrives, for those who wait for several things: all bytes up to the end of
  /// the stream go to answer_in().
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// The text; throws IoError with what the work threw, or says how the child ended without one.
  [[nodiscard]] std::string answer_in(std::string bytes);
  /// Waits for the answer.
  [[nodiscard]] std::string answer();

 private:
  int process_ = -1, descriptor_ = -1;
};

}  // namespace freeplay::io
