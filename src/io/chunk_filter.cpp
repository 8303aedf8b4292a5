// SPDX-License-Identifier: Apache-2.0
#include "io/chunk_filter.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace freeplay::io {
namespace {

constexpr std::size_t kLongestStored = 65535;  // RFC 1951, 3.2.4
// chosen: matches further back than a byte plane of a chunk is long are rare, and so small a table
// is cleared quickly
constexpr int kWindowBits = 13, kMemoryLevel = 6;

/// Whether there is little to gain: dice have sum c^2 of their counts about n^2/256 + n, and twice
/// the first part is one bit of eight less.
bool is_noise(std::span<const std::byte> plane) {
  std::array<std::uint32_t, 256> count{};
  for (const std::byte b : plane) ++count[std::to_integer<std::size_t>(b)];
  double squares = 0;
  for (const std::uint32_t c : count) squares += static_cast<double>(c) * c;
  const auto n = static_cast<double>(plane.size());
  return squares < n * n / 128 + n;
}

void append(std::vector<std::byte>& out, std::initializer_list<unsigned> bytes) {
  for (const unsigned b : bytes) out.push_back(static_cast<std::byte>(b));
}

}  // namespace

struct ChunkFilter::Deflater {
  z_stream stream{};
};

ChunkFilter::ChunkFilter() : deflater_(new Deflater) {
  // Negative: no header, which is written here.
  if (deflateInit2(&deflater_->stream, 1, Z_DEFLATED, -kWindowBits, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

ChunkFilter::~ChunkFilter() {
  deflateEnd(&deflater_->stream);
  delete deflater_;
}

void ChunkFilter::store(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kLongestStored));
    const auto n = static_cast<unsigned>(piece.size());
    append(packed_, {0, n & 255U, n >> 8U, ~n & 255U, (~n >> 8U) & 255U});
    packed_.insert(packed_.end(), piece.begin(), piece.end());
    bytes = bytes.subspan(piece.size());
  }
}

// Ends on a whole byte, so that anything may follow.
void ChunkFilter::compress(std::span<const std::byte> bytes) {
  z_stream& z = deflater_->stream;
  deflateReset(&z);
  const std::size_t begin = packed_.size();
  packed_.resize(begin + deflateBound(&z, bytes.size()) + 64);
  // zlib takes what it only reads by a pointer to what may be written.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(packed_.data() + begin);
  z.avail_out = static_cast<uInt>(packed_.size() - begin);
  ::deflate(&z, Z_SYNC_FLUSH);
  packed_.resize(packed_.size() - z.avail_out);
}

void ChunkFilter::deflate(std::size_t plane) {
  append(packed_, {0x78, 0x01});  // RFC 1950: a window of 32 kB at most, fastest
  const std::span<const std::byte> all(shuffled_);
  for (std::size_t begin = 0; begin < all.size();) {
    const bool noise = is_noise(all.subspan(begin, plane));
    std::size_t end = begin + plane;
    while (end < all.size() && is_noise(all.subspan(end, plane)) == noise) end += plane;
    const auto run = all.subspan(begin, end - begin);
    if (noise)
      store(run);
    else
      compress(run);
    begin = end;
  }
  append(packed_, {1, 0, 0, 255, 255});  // nothing, stored, and the last
  const auto sum = static_cast<std::uint32_t>(
      adler32_z(adler32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(shuffled_.data()),
                shuffled_.size()));
  for (const int shift : {24, 16, 8, 0}) append(packed_, {(sum >> shift) & 255U});
}

std::span<const std::byte> ChunkFilter::pack(std::span<const std::byte> chunk,
                                             std::size_t element) {
  const std::size_t count = chunk.size() / element;
  shuffled_.resize(chunk.size());
  for (std::size_t b = 0; b < element; ++b) {
    std::byte* out = shuffled_.data() + b * count;
    const std::byte* in = chunk.data() + b;
    for (std::size_t i = 0; i < count; ++i) out[i] = in[i * element];
  }
  packed_.clear();
  deflate(count);
  const std::uint32_t sum = fletcher32(packed_);
  for (const int shift : {0, 8, 16, 24}) append(packed_, {(sum >> shift) & 255U});
  return packed_;
}

// Fletcher 1982 over pairs of bytes, high byte first, with HDF5's way of folding the carries.
std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::size_t kPairs = 360;  // so many sums of 16 bits fit into 32
  std::uint32_t a = 0, b = 0;
  const auto fold = [](std::uint32_t s) { return (s & 0xffffU) + (s >> 16U); };
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  const std::size_t even = bytes.size() / 2 * 2;
  for (std::size_t i = 0; i < even;) {
    for (const std::size_t end = std::min(even, i + 2 * kPairs); i < end; i += 2) {
      a += at(i) << 8U | at(i + 1);
      b += a;
    }
    a = fold(a);
    b = fold(b);
  }
  if (even < bytes.size()) {
    a += at(even) << 8U;
    b += a;
    a = fold(a);
    b = fold(b);
  }
  return fold(b) << 16U | fold(a);
}

}  // namespace freeplay::io
