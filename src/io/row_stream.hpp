// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/hdf5_file.hpp"

#include <cstddef>
#include <span>
#include <vector>

// Rows on their way to the file. A row arrives as one packed record; each dataset takes its slice
// of it. Records wait until a chunk is full, so that every chunk is compressed and written once.
namespace freeplay::io {

class RowStream {
 public:
  explicit RowStream(std::size_t row_bytes);

  /// Rows of a chunk: as many as keep the waiting records of wide rows within some megabytes.
  [[nodiscard]] std::size_t chunk_rows() const { return chunk_rows_; }

  /// `dataset` takes its bytes from the next free place of the record.
  void add(Hdf5Dataset dataset);

  /// `record` has `row_bytes` bytes.
  void push(std::span<const std::byte> record);

  /// Hands over everything that waits, full chunk or not.
  void write();

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
  std::size_t written_ = 0, waiting_ = 0;  // rows
  std::vector<std::byte> records_, scratch_;
};

}  // namespace freeplay::io
