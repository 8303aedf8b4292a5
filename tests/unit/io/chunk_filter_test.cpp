// SPDX-License-Identifier: Apache-2.0
#include "io/chunk_filter.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>

namespace freeplay::io {
namespace {

/// What a reader makes of a packed chunk: checksum, inflate, unshuffle.
std::vector<std::byte> unpacked(std::span<const std::byte> packed, std::size_t size,
                                std::size_t element) {
  const auto body = packed.first(packed.size() - 4);
  std::uint32_t stored = 0;
  for (std::size_t i = 0; i < 4; ++i)
    stored |= std::to_integer<std::uint32_t>(packed[body.size() + i]) << 8 * i;
  EXPECT_EQ(stored, fletcher32(body));
  std::vector<std::byte> planes(size), out(size);
  uLongf length = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(planes.data()), &length,
                       reinterpret_cast<const Bytef*>(body.data()), body.size()),
            Z_OK);
  EXPECT_EQ(length, size);
  const std::size_t count = size / element;
  for (std::size_t b = 0; b < element; ++b)
    for (std::size_t i = 0; i < count; ++i) out[i * element + b] = planes[b * count + i];
  return out;
}

TEST(ChunkFilterTest, AnyReaderGetsTheBytesBack) {
  std::mt19937_64 random(1);
  ChunkFilter filter;
  for (const std::size_t element : {1U, 4U, 8U, 52U})
    for (const std::size_t count : {1U, 7U, 1024U, 20000U})
      for (int kind = 0; kind < 3; ++kind) {
        std::vector<std::byte> chunk(element * count);
        for (std::size_t i = 0; i < chunk.size(); ++i)
          chunk[i] = static_cast<std::byte>(kind == 0 ? 0 : kind == 1 ? i / 7 : random());
        const auto packed = filter.pack(chunk, element);
        EXPECT_EQ(unpacked(packed, chunk.size(), element), chunk)
            << element << " " << count << " " << kind;
        EXPECT_LE(packed.size(), chunk.size() + chunk.size() / 1000 + 64 + 6 * element);
      }
}

TEST(ChunkFilterTest, SmoothSeriesShrinkAndConstantsVanish) {
  ChunkFilter filter;
  std::vector<double> smooth(1024), constant(1024, 9.81);
  for (std::size_t i = 0; i < smooth.size(); ++i) smooth[i] = 1 + 1e-3 * std::sin(0.01 * double(i));
  EXPECT_LT(filter.pack(std::as_bytes(std::span(smooth)), 8).size(), 6500U);
  EXPECT_LT(filter.pack(std::as_bytes(std::span(constant)), 8).size(), 200U);
}

// By hand: sums 0x0102, then 0x0102 + 0x0304; an odd last byte counts as the high one of a pair.
TEST(ChunkFilterTest, FletcherIsThatOfHdf5) {
  const std::string text("\x01\x02\x03\x04\x05", 5);
  EXPECT_EQ(fletcher32(std::as_bytes(std::span(text)).first(4)), 0x05080406U);
  EXPECT_EQ(fletcher32(std::as_bytes(std::span(text))), 0x0e0e0906U);
}

}  // namespace
}  // namespace freeplay::io
