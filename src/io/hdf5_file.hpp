// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// The little of HDF5 that result files need, with RAII, exceptions instead of error stacks, and no
// HDF5 type in sight: only hdf5_library.hpp and hdf5_driver.cpp include hdf5.h.
//
// A file being written is on disk always as it was at the last flush() (output_file.hpp).
namespace freeplay::io {

class ChunkFilter;
class Hdf5File;
class OutputFile;

/// Owns one HDF5 identifier (`hid_t`).
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  explicit Hdf5Handle(std::int64_t id) : id_(id) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_) { other.id_ = -1; }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle() { close(); }

  [[nodiscard]] std::int64_t id() const { return id_; }
  void close() noexcept;

 private:
  std::int64_t id_ = -1;
};

enum class Scalar { f64, i64, i32, text };

/// One column of a table. Text has a fixed number of bytes, zero padded.
struct Hdf5Field {
  std::string name;
  Scalar type = Scalar::f64;
  std::size_t bytes = 8;
};

/// What a row of a dataset is: `width` numbers, or a compound of packed fields.
struct RowType {
  Scalar scalar = Scalar::f64;
  int width = 1;
  std::vector<Hdf5Field> fields;

  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] bool has_fractions() const { return fields.empty() && scalar == Scalar::f64; }
  /// Bytes of one number, or of a whole compound.
  [[nodiscard]] std::size_t element_bytes() const;
};

/// A dataset that grows by rows: [n], [n, width], or [n] of a compound. It is open only while it is
/// used (an open one costs 50 kB, and large mechanisms have ten thousands), but for the first few
/// hundred that a file creates, and must not outlive its file.
class Hdf5Dataset {
 public:
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const RowType& row() const { return row_; }

  /// Appends packed rows. Cheap when whole chunks are written at a time.
  void append(const void* rows, std::size_t count);
  /// Rows of a chunk, in which the file keeps them.
  [[nodiscard]] std::size_t chunk_rows() const { return chunk_rows_; }
  /// All rows anew, in whole chunks.
  void replace(const void* rows, std::size_t count);
  /// The last chunk as a whole: its first `count` rows, from row `first` on, after which there are
  /// none. Much cheaper than `append`, which asks the library to do it.
  void write_last_chunk(const void* rows, std::size_t first, std::size_t count);
  void read(std::size_t first, std::size_t count, void* rows) const;
  void truncate(std::size_t rows);
  /// Several texts of a dataset that has none of them yet.
  void describe(std::span<const std::pair<const char*, std::string>> texts);

 private:
  friend class Hdf5File;
  [[nodiscard]] std::shared_ptr<const Hdf5Handle> open() const;
  [[nodiscard]] std::string name() const;  // "file: path", for messages
  void write_chunks(const void* rows, std::size_t first, std::size_t count);

  Hdf5File* file_ = nullptr;
  std::string path_;
  RowType row_;
  std::size_t rows_ = 0, chunk_rows_ = 0;
  std::shared_ptr<const Hdf5Handle> held_;  // open from its creation on
};

using Hdf5Attribute = std::variant<std::int64_t, std::uint64_t, double, std::string>;

class Hdf5File {
 public:
  /// A new file; another one of that name is replaced unless a running program has it locked.
  static Hdf5File create(const std::filesystem::path& path);
  /// To read only; shared with other readers.
  static Hdf5File open(const std::filesystem::path& path);
  /// To go on writing.
  static Hdf5File open_to_append(const std::filesystem::path& path);

  Hdf5File(Hdf5File&&) noexcept;
  ~Hdf5File();

  /// Whether the file had its seal, and so every byte it was closed with, when it was opened.
  [[nodiscard]] bool sealed() const { return sealed_; }

  [[nodiscard]] bool contains(const std::string& path) const;
  [[nodiscard]] bool is_dataset(const std::string& path) const;
  /// Paths of all datasets below a group, parents first, in the order in which they were created.
  [[nodiscard]] std::vector<std::string> datasets(const std::string& group) const;

  void create_group(const std::string& path);
  /// Groups on the way to `path` are made as needed.
  Hdf5Dataset create_dataset(const std::string& path, const RowType& row, std::size_t chunk_rows);
  /// Rows as `row` wants them: numbers are converted, fields are matched by name. Where `width` or
  /// the bytes of a text are 0, what the file has is taken.
  [[nodiscard]] Hdf5Dataset dataset(const std::string& path, RowType row) const;

  void write_text(const std::string& path, const std::string& text);
  [[nodiscard]] std::string text(const std::string& path) const;

  /// `object` is a group or dataset, "/" the file itself.
  void set_attribute(const std::string& object, const std::string& name,
                     const Hdf5Attribute& value);
  [[nodiscard]] std::optional<Hdf5Attribute> attribute(const std::string& object,
                                                       const std::string& name) const;

  /// What was written so far is what a program that dies leaves behind.
  void flush();
  /// Writes the rest, and a seal (file_seal.hpp).
  void close();
  /// Likewise; then the file appears under another name in the same folder, whole or not at all.
  void close_as(const std::filesystem::path& target);
  /// Writes nothing any more: on disk the file stays as it is.
  void abandon() noexcept;

 private:
  friend class Hdf5Dataset;
  friend void expect_readable(const std::filesystem::path&);
  using ObjectVisitor = std::function<void(const std::string& path, std::int64_t object)>;

  Hdf5File(std::filesystem::path path, std::unique_ptr<OutputFile> output);
  static Hdf5File open_unchecked(const std::filesystem::path& path);
  /// Everything below a group, parents first, in the order in which it was created.
  void visit_objects(std::int64_t group, const std::string& prefix, const ObjectVisitor& visitor,
                     int depth) const;
  void finish();
  /// Looks at every object, attribute and number; throws IoError where the structure is damaged.
  void read_everything() const;
  /// Made if need be, and open until another one is asked for.
  [[nodiscard]] std::int64_t group(const std::string& path);

  std::filesystem::path path_;
  std::unique_ptr<OutputFile> output_;   // empty when only reading
  std::unique_ptr<ChunkFilter> filter_;  // made when first needed
  Hdf5Handle file_;
  Hdf5Handle group_;  // the last one, and its path
  std::string group_path_;
  int held_ = 0;  // datasets that stay open
  bool sealed_ = false;
};

/// A file without a seal may be damaged in ways that the library does not survive. Everything in
/// it is read by a child process first; throws IoError when that does not get through.
void expect_readable(const std::filesystem::path& path);

}  // namespace freeplay::io
