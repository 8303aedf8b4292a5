// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/hdf5_file.hpp"

#include <cstddef>
#include <span>
#include <vector>

// Rows on their way to the file. A row arrives as one packed record; each dataset takes its slice
// of it. Records wait until a chunk is full, and stay until then: a chunk is written
// as a whole, once or, where the file is flushed in between, again.
namespace freeplay::io {

class RowStream {
 public:
  /// `expected`: how many rows will come, where that is known; chunks then fit them. The bytes of a
  /// row are those of all datasets that are added.
  explicit RowStream(std::size_t row_bytes, std::size_t expected = 0);

  /// Rows of a chunk: as many as keep the waiting records of wide rows within some megabytes.
  [[nodiscard]] std::size_t chunk_rows() const { return chunk_rows_; }

  /// `dataset` takes its bytes from the next free place of the record. One that is there already
  /// says how long chunks are; before anything is pushed, `truncate` takes up its last one.
  void add(Hdf5Dataset dataset);

  /// `record` has `row_bytes` bytes.
  void push(std::span<const std::byte> record);

  /// Hands over everything that waits, full chunk or not.
  void write();

  /// These rows and no others, whatever was there: for streams that nothing is pushed into.
  void replace(std::span<const std::byte> records);
  /// The first rows, as records.
  [[nodiscard]] std::vector<std::byte> read(std::size_t rows) const;

  /// Rows that all datasets have; those beyond are cut off by `truncate`.
  [[nodiscard]] std::size_t complete_rows() const;
  void truncate(std::size_t rows);

 private:
  struct Slice {
    Hdf5Dataset dataset;
    std::size_t offset = 0;
  };
  std::vector<Slice> slices_;
  std::size_t row_bytes_ = 0, chunk_rows_ = 0, used_ = 0;
  std::size_t first_ = 0, held_ = 0, new_ = 0;  // rows: before the chunk, in it, not yet written
  std::vector<std::byte> records_, scratch_;    // of the chunk
};

}  // namespace freeplay::io
