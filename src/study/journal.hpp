// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/row.hpp"
#include "study/study_file.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// Finished rows, one behind the other, each with its checksum: on disk as soon as it is known,
// whatever happens to the program next. A torn last record is noticed and cut off.
namespace freeplay::study {

/// A row with what went in and what came out.
struct Record {
  std::int64_t row = 0;
  std::vector<double> inputs;
  RowOutcome outcome;
};

/// Bytes of a record, as the journal stores it and workers send it.
[[nodiscard]] std::string pack(const Record& record);
/// Throws IoError when the bytes are not those of a record.
[[nodiscard]] Record unpack(std::string_view bytes);

/// Which study a journal belongs to.
struct JournalHead {
  std::string digest;                ///< of all there is to know
  std::string program, text, model;  ///< version; digests: what differs where `digest` does
  std::string part = "1/1";          ///< "3/7": of the rows

  bool operator==(const JournalHead&) const = default;
};
[[nodiscard]] JournalHead head_of(const Study& study);

class Journal {
 public:
  /// A new journal in the place of an older one. Throws IoError.
  static Journal create(const std::filesystem::path& path, const JournalHead& head);
  /// To go on with one. Throws IoError, also when it belongs to another study.
  static Journal resume(const std::filesystem::path& path, const JournalHead& head);
  /// To look at one, which another program may be writing. Throws IoError likewise.
  static Journal look(const std::filesystem::path& path, const JournalHead& head);

  Journal(Journal&& other) noexcept;
  ~Journal();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool has(std::int64_t row) const;
  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] Record read(std::int64_t row) const;
  /// The same as it is stored.
  [[nodiscard]] std::string read_packed(std::int64_t row) const;
  /// All rows that are there are below it.
  [[nodiscard]] std::int64_t end() const;

  /// By any thread. Throws IoError when it could not be written; the journal is then as it was.
  void append(const Record& record) { append(record.row, pack(record)); }
  void append(std::int64_t row, std::string_view packed);

 private:
  Journal(std::filesystem::path path, int descriptor);
  static Journal open_for(const std::filesystem::path& path, int flags, const JournalHead& head);
  void scan(std::uint64_t from);
  void note(std::int64_t row, std::uint64_t offset);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;
  std::vector<std::uint64_t> offset_;  // of each row; 0: not there
  std::int64_t count_ = 0;
  std::chrono::steady_clock::duration spent_syncing_{};
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now(), synced_{};
  mutable std::mutex mutex_;
};

}  // namespace freeplay::study
