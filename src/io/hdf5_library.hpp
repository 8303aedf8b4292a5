// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/hdf5_file.hpp"

#include <hdf5.h>

#include <mutex>
#include <string>

// How hdf5_*.cpp call the library: one at a time, with exceptions that give its reason.
namespace freeplay::io {

static_assert(std::is_same_v<hid_t, std::int64_t>);

/// One visit to the library. HDF5 keeps global state and is not built thread-safe everywhere, so
/// visits take turns; and it must not print to stderr, which belongs to the program.
class Visit {
 public:
  Visit() : turn_(mutex(), std::defer_lock) {
    if (!alone()) turn_.lock();
    H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Visit() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }
  Visit(const Visit&) = delete;

  /// In a child process, which has one thread, and whose copy of the lock is held by a thread that
  /// exists only in the parent: nobody takes turns any more.
  static void stay_alone() { alone() = true; }

 private:
  static bool& alone() {
    static bool is_alone = false;
    return is_alone;
  }
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex the_mutex;
    return the_mutex;
  }
  std::unique_lock<std::recursive_mutex> turn_;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

/// What the library says went wrong.
[[nodiscard]] std::string last_reason();

[[noreturn]] void fail(const char* doing, const std::string& name);

/// Both kinds of HDF5 answer, identifiers and statuses, are negative on failure. Must be called
/// before any handle is closed, since every call of the library clears its error stack.
template <class Answer>
Answer require(Answer answer, const char* doing, const std::string& name) {
  if (answer < 0) fail(doing, name);
  return answer;
}

/// H5T_VARIABLE, or a fixed length padded with zeros.
[[nodiscard]] Hdf5Handle text_type(std::size_t bytes);
/// Element type of a row: the number, or the packed compound.
[[nodiscard]] Hdf5Handle element_type(const RowType& row);

/// No time stamps on objects: the datasets of two runs of one input are the same, byte for byte.
[[nodiscard]] Hdf5Handle creation_list(hid_t kind);

}  // namespace freeplay::io
