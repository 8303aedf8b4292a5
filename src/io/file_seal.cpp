// SPDX-License-Identifier: Apache-2.0
#include "io/file_seal.hpp"

#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace freeplay::io {
namespace {

constexpr std::string_view kMark = "\nfreeplay-seal xxh64 ";

std::string seal_text(std::uint64_t hash, std::uint64_t size) {
  return fmt::format("{}{:016x} of {:020d} bytes\n", kMark, hash, size);
}

// xxHash64, fed in pieces of any size.
class Hash {
 public:
  void add(std::span<const std::byte> bytes) {
    total_ += bytes.size();
    if (waiting_ > 0) {
      const auto count = std::min(bytes.size(), block_.size() - waiting_);
      std::memcpy(block_.data() + waiting_, bytes.data(), count);
      waiting_ += count;
      bytes = bytes.subspan(count);
      if (waiting_ < block_.size()) return;
      mix(block_.data());
      waiting_ = 0;
    }
    for (; bytes.size() >= block_.size(); bytes = bytes.subspan(block_.size())) mix(bytes.data());
    if (!bytes.empty()) std::memcpy(block_.data(), bytes.data(), bytes.size());
    waiting_ = bytes.size();
  }

  [[nodiscard]] std::uint64_t value() const {
    std::uint64_t h = kP5;
    if (total_ >= 32) {
      h = std::rotl(lane_[0], 1) + std::rotl(lane_[1], 7) + std::rotl(lane_[2], 12) +
          std::rotl(lane_[3], 18);
      for (const auto lane : lane_) h = (h ^ round(0, lane)) * kP1 + kP4;
    }
    h += total_;
    std::size_t i = 0;
    for (; i + 8 <= waiting_; i += 8)
      h = std::rotl(h ^ round(0, word<std::uint64_t>(&block_[i])), 27) * kP1 + kP4;
    for (; i + 4 <= waiting_; i += 4)
      h = std::rotl(h ^ word<std::uint32_t>(&block_[i]) * kP1, 23) * kP2 + kP3;
    for (; i < waiting_; ++i)
      h = std::rotl(h ^ std::to_integer<std::uint64_t>(block_[i]) * kP5, 11) * kP1;
    h = (h ^ h >> 33) * kP2;
    h = (h ^ h >> 29) * kP3;
    return h ^ h >> 32;
  }

 private:
  static constexpr std::uint64_t kP1 = 0x9E3779B185EBCA87, kP2 = 0xC2B2AE3D27D4EB4F,
                                 kP3 = 0x165667B19E3779F9, kP4 = 0x85EBCA77C2B2AE63,
                                 kP5 = 0x27D4EB2F165667C5;
  template <class T>
  static std::uint64_t word(const std::byte* bytes) {  // little endian, on every machine
    std::uint64_t value = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&value, bytes, sizeof(T));
      return value;
    }
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value |= std::to_integer<std::uint64_t>(bytes[i]) << 8 * i;
    return value;
  }
  static std::uint64_t round(std::uint64_t lane, std::uint64_t input) {
    return std::rotl(lane + input * kP2, 31) * kP1;
  }
  void mix(const std::byte* block) {
    for (std::size_t i = 0; i < 4; ++i)
      lane_[i] = round(lane_[i], word<std::uint64_t>(block + 8 * i));
  }

  std::array<std::uint64_t, 4> lane_{kP1 + kP2, kP2, 0, 0 - kP1};
  std::array<std::byte, 32> block_{};
  std::size_t waiting_ = 0;
  std::uint64_t total_ = 0;
};

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw IoError(
      fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(error)));
}

// `read(offset, bytes)` fills the bytes or throws.
template <class Read>
std::uint64_t hash_of(Read&& read, std::uint64_t size) {
  std::vector<std::byte> buffer(1U << 20U);
  Hash hash;
  for (std::uint64_t offset = 0; offset < size;) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(size - offset, buffer.size()));
    const std::span<std::byte> piece(buffer.data(), count);
    read(offset, piece);
    hash.add(piece);
    offset += count;
  }
  return hash.value();
}

}  // namespace

std::uint64_t xxhash64(std::span<const std::byte> bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}

Seal check_seal(const std::filesystem::path& path) {
  const File file(std::fopen(path.string().c_str(), "rb"));
  if (!file) fail(path, errno);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) fail(path, error.value());
  std::string stored(kSealBytes, '\0');
  if (size < kSealBytes || std::fseek(file.get(), -static_cast<long>(kSealBytes), SEEK_END) != 0 ||
      std::fread(stored.data(), 1, stored.size(), file.get()) != stored.size() ||
      !stored.starts_with(kMark))
    return Seal::none;
  const auto sealed = size - kSealBytes;
  std::rewind(file.get());
  const auto next_piece = [&](std::uint64_t, std::span<std::byte> bytes) {
    if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(path, EIO);
  };
  return stored == seal_text(hash_of(next_piece, sealed), sealed) ? Seal::good : Seal::broken;
}

void seal(OutputFile& file) {
  const auto size = file.size();
  const auto piece = [&](std::uint64_t offset, std::span<std::byte> bytes) {
    if (!file.read(offset, bytes)) fail(file.path(), EIO);
  };
  const auto text = seal_text(hash_of(piece, size), size);
  file.write(size, std::as_bytes(std::span(text)));
  file.expect_written();
}

void unseal(OutputFile& file) {
  if (file.size() < kSealBytes) return;
  std::string stored(kSealBytes, '\0');
  const auto sealed = file.size() - kSealBytes;
  if (!file.read(sealed, std::as_writable_bytes(std::span(stored)))) fail(file.path(), EIO);
  if (stored.starts_with(kMark)) file.resize(sealed);
  file.expect_written();
}

}  // namespace freeplay::io
