// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

// Random numbers that are functions of where they are used, not of when.
namespace freeplay {

/// Philox 4x32-10 (Salmon, Moraes, Dror & Shaw 2011): a counter and a key to four random words.
[[nodiscard]] inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                                         std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

/// Number `index` of a stream: mean 0, standard deviation 1 (Box & Muller 1958).
[[nodiscard]] inline double standard_normal(std::uint64_t seed, std::uint64_t stream,
                                            std::uint64_t index) {
  const auto word =
      philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
              static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  // The middle of the equal parts of (0, 1): never an end.
  const auto unit = [&](int k) {
    const std::uint64_t bits = std::uint64_t{word[static_cast<std::size_t>(k)]} << 32 |
                               word[static_cast<std::size_t>(k) + 1];
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  };
  return std::sqrt(-2 * std::log(unit(0))) * std::cos(2 * M_PI * unit(2));
}

}  // namespace freeplay
