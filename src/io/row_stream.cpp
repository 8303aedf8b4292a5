// SPDX-License-Identifier: Apache-2.0
#include "io/row_stream.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace freeplay::io {
namespace {

// chosen: a chunk of one number is then 8 kB, where HDF5's cost per chunk is small beside its bytes
constexpr std::size_t kChunkRows = 1024;
// chosen: a mechanism of 2000 bodies has rows of half a megabyte
constexpr std::size_t kWaitingBytes = 64U << 20U;

}  // namespace

RowStream::RowStream(std::size_t row_bytes)
    : row_bytes_(row_bytes),
      chunk_rows_(
          std::bit_floor(std::clamp(kWaitingBytes / row_bytes, std::size_t{8}, kChunkRows))) {
  records_.reserve(chunk_rows_ * row_bytes_);
}

void RowStream::add(Hdf5Dataset dataset) {
  const auto bytes = dataset.row().bytes();
  written_ = dataset.rows();
  slices_.push_back({std::move(dataset), used_});
  used_ += bytes;
}

void RowStream::push(std::span<const std::byte> record) {
  records_.insert(records_.end(), record.begin(), record.end());
  ++waiting_;
  if ((written_ + waiting_) % chunk_rows_ == 0) write();
}

void RowStream::write() {
  if (waiting_ == 0) return;
  for (auto& slice : slices_) {
    const auto bytes = slice.dataset.row().bytes();
    scratch_.resize(bytes * waiting_);
    for (std::size_t i = 0; i < waiting_; ++i)
      std::memcpy(scratch_.data() + i * bytes, records_.data() + i * row_bytes_ + slice.offset,
                  bytes);
    slice.dataset.append(scratch_.data(), waiting_);
  }
  written_ += waiting_;
  waiting_ = 0;
  records_.clear();
}

std::size_t RowStream::complete_rows() const {
  std::size_t rows = slices_.empty() ? 0 : slices_.front().dataset.rows();
  for (const auto& slice : slices_) rows = std::min(rows, slice.dataset.rows());
  return rows;
}

void RowStream::truncate(std::size_t rows) {
  for (auto& slice : slices_) slice.dataset.truncate(rows);
  written_ = rows;
}

}  // namespace freeplay::io
