// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Chunks of numbers as HDF5's own filters shuffle, deflate and fletcher32 would leave them, in a
// tenth of the time. Any reader of HDF5 undoes them.
//
// Shuffled, a series is bytes of equal weight side by side. Those of the exponent and the leading
// digits repeat and are compressed; those of the trailing digits are noise, on which deflate spends
// its time in vain, and are stored as they are, which its format allows.
namespace freeplay::io {

class ChunkFilter {
 public:
  ChunkFilter();
  ~ChunkFilter();
  ChunkFilter(const ChunkFilter&) = delete;
  ChunkFilter& operator=(const ChunkFilter&) = delete;

  /// `chunk` is a whole number of elements of so many bytes. Valid until the next call.
  [[nodiscard]] std::span<const std::byte> pack(std::span<const std::byte> chunk,
                                                std::size_t element);

 private:
  struct Deflater;
  void deflate(std::size_t plane);
  void store(std::span<const std::byte> bytes);
  void compress(std::span<const std::byte> bytes);

  Deflater* deflater_;
  std::vector<std::byte> shuffled_, packed_;
};

/// Fletcher's checksum as HDF5 computes it.
[[nodiscard]] std::uint32_t fletcher32(std::span<const std::byte> bytes);

}  // namespace freeplay::io
