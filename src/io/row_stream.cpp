// SPDX-License-Identifier: Apache-2.0
#include "io/row_stream.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace freeplay::io {
namespace {

// chosen: a chunk of one number is then 32 kB, where HDF5's cost per chunk is small beside its
// bytes
constexpr std::size_t kChunkRows = 4096;
// chosen: a mechanism of 2000 bodies has rows of half a megabyte
constexpr std::size_t kWaitingBytes = 64U << 20U;

}  // namespace

RowStream::RowStream(std::size_t row_bytes, std::size_t expected)
    : row_bytes_(row_bytes),
      chunk_rows_(
          std::bit_floor(std::clamp(kWaitingBytes / row_bytes, std::size_t{8}, kChunkRows))) {
  if (expected > 0) {
    const std::size_t chunks = (expected + chunk_rows_ - 1) / chunk_rows_;
    chunk_rows_ = (expected + chunks - 1) / chunks;
  }
}

void RowStream::add(Hdf5Dataset dataset) {
  const auto bytes = dataset.row().bytes();
  chunk_rows_ = dataset.chunk_rows();
  slices_.push_back({std::move(dataset), used_});
  used_ += bytes;
}

void RowStream::push(std::span<const std::byte> record) {
  records_.insert(records_.end(), record.begin(), record.end());
  ++held_;
  ++new_;
  if (held_ < chunk_rows_) return;
  write();
  first_ += held_;
  held_ = 0;
  records_.clear();
}

void RowStream::write() {
  if (new_ == 0) return;
  for (auto& slice : slices_) {
    const auto bytes = slice.dataset.row().bytes();
    scratch_.resize(bytes * held_);
    for (std::size_t i = 0; i < held_; ++i)
      std::memcpy(scratch_.data() + i * bytes, records_.data() + i * row_bytes_ + slice.offset,
                  bytes);
    slice.dataset.write_last_chunk(scratch_.data(), first_, held_);
  }
  new_ = 0;
}

void RowStream::replace(std::span<const std::byte> records) {
  const std::size_t rows = records.size() / row_bytes_;
  for (auto& slice : slices_) {
    const auto bytes = slice.dataset.row().bytes();
    scratch_.resize(bytes * rows);
    for (std::size_t i = 0; i < rows; ++i)
      std::memcpy(scratch_.data() + i * bytes, records.data() + i * row_bytes_ + slice.offset,
                  bytes);
    slice.dataset.replace(scratch_.data(), rows);
  }
}

std::vector<std::byte> RowStream::read(std::size_t rows) const {
  std::vector<std::byte> out(rows * row_bytes_), column;
  for (const auto& slice : slices_) {
    const auto bytes = slice.dataset.row().bytes();
    column.resize(bytes * rows);
    slice.dataset.read(0, rows, column.data());
    for (std::size_t i = 0; i < rows; ++i)
      std::memcpy(out.data() + i * row_bytes_ + slice.offset, column.data() + i * bytes, bytes);
  }
  return out;
}

std::size_t RowStream::complete_rows() const {
  std::size_t rows = slices_.empty() ? 0 : slices_.front().dataset.rows();
  for (const auto& slice : slices_) rows = std::min(rows, slice.dataset.rows());
  return rows;
}

void RowStream::truncate(std::size_t rows) {
  first_ = rows / chunk_rows_ * chunk_rows_;
  held_ = rows - first_;
  new_ = 0;
  records_.assign(held_ * row_bytes_, std::byte{0});
  for (auto& slice : slices_) {
    slice.dataset.truncate(rows);
    const auto bytes = slice.dataset.row().bytes();
    scratch_.resize(bytes * held_);
    slice.dataset.read(first_, held_, scratch_.data());
    for (std::size_t i = 0; i < held_; ++i)
      std::memcpy(records_.data() + i * row_bytes_ + slice.offset, scratch_.data() + i * bytes,
                  bytes);
  }
}

}  // namespace freeplay::io
