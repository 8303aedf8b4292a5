// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <unordered_map>

// A file that is on disk always as it was at its last commit(), however the program ends: what lies
// beyond that state is written at once, since nothing refers to it yet, but changes of what was
// committed wait in memory. It belongs to this program alone while it is open.
//
// It is made for HDF5, which cannot go on after a failed write (it neither closes its file nor lets
// the program end without a crash). So write() never fails in its eyes: the first failure is
// remembered, from then on everything stays in memory, and expect_written() tells whoever wants to
// know.
namespace freeplay::io {

class OutputFile {
 public:
  /// A new file in the place of an older one. Throws IoError, also when another program writes it.
  static std::unique_ptr<OutputFile> create(const std::filesystem::path& path);
  /// To go on with an existing one.
  static std::unique_ptr<OutputFile> open(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// What lies beyond the end reads as zeros. False when the disk does not answer.
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  void resize(std::uint64_t size);

  /// The file as it is now becomes the one on disk. Throws IoError; also when its name no longer
  /// leads to it, because the file was removed or another one put in its place.
  void commit();
  /// Appears under another name in the same folder, replacing what was there: this very file,
  /// whatever its old name leads to by then. Its bytes are on the disk before its name is.
  void rename_to(const std::filesystem::path& target);
  /// Nothing more reaches the disk.
  void abandon();
  /// Throws IoError when something could not be written.
  void expect_written() const;

 private:
  static constexpr std::uint64_t kPage = 4096;
  using Page = std::array<std::byte, kPage>;

  OutputFile(std::filesystem::path path, int descriptor);
  void expect_in_place() const;
  [[nodiscard]] bool read_disk(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write_disk(std::uint64_t offset, std::span<const std::byte> bytes);
  void keep(std::uint64_t offset, std::span<const std::byte> bytes);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t committed_ = 0;  // whole pages; below, changes wait
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> waiting_;  // by page number
  int error_ = 0;                                                     // errno of the first failure
};

/// Whether a program has the file open as an OutputFile now. Such a lock ends with its program,
/// however that ends, so none is ever stale.
[[nodiscard]] bool is_being_written(const std::filesystem::path& path);

}  // namespace freeplay::io
