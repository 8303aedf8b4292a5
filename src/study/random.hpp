// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/random_normal.hpp"

#include <array>
#include <cstdint>

// Random numbers that are functions of where they are used, not of when: number i of row r of a
// study is the same whatever ran before it, on which worker, in which order.
namespace freeplay::study {

using freeplay::philox;

/// What a number is drawn for; two purposes never share one.
enum class Purpose : std::uint32_t {
  sample = 1,
  permutation = 2,
  jitter = 3,
  shift = 4,
  bootstrap = 5
};

/// Strictly between 0 and 1, 53 random bits.
[[nodiscard]] double uniform(std::uint64_t seed, Purpose purpose, std::uint64_t row,
                             std::uint32_t index);
[[nodiscard]] std::uint64_t random_bits(std::uint64_t seed, Purpose purpose, std::uint64_t row,
                                        std::uint32_t index);

/// Where `i` goes in a random permutation of 0 ... count-1, without storing it: a Feistel network
/// on the next power of four, walked until it lands inside (Black & Rogaway 2002).
[[nodiscard]] std::uint64_t permuted(std::uint64_t i, std::uint64_t count, std::uint64_t seed,
                                     std::uint32_t index);

/// Largest dimension of sobol_point.
inline constexpr unsigned kMostSobolDimensions = 1000;

/// Coordinates of point `row` of Sobol's sequence in `dimension` dimensions (direction numbers of
/// Joe & Kuo 2008), shifted digit by digit at random (Owen 1995), so that no point is a corner.
void sobol_point(std::uint64_t seed, std::uint64_t row, unsigned dimension, double* out);

}  // namespace freeplay::study
