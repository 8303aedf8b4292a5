// SPDX-License-Identifier: Apache-2.0
#include "study/random.hpp"

#include <boost/random/sobol.hpp>

#include <bit>

namespace freeplay::study {
namespace {

/// The middle of the 2^53 equal parts of (0, 1): never an end.
double to_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, Purpose purpose, std::uint64_t row,
                          std::uint32_t index) {
  const auto word =
      philox({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32), index,
              static_cast<std::uint32_t>(purpose)},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return std::uint64_t{word[0]} << 32 | word[1];
}

double uniform(std::uint64_t seed, Purpose purpose, std::uint64_t row, std::uint32_t index) {
  return to_unit(random_bits(seed, purpose, row, index));
}

std::uint64_t permuted(std::uint64_t i, std::uint64_t count, std::uint64_t seed,
                       std::uint32_t index) {
  if (count <= 1) return 0;
  const int half = (std::bit_width(count - 1) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = i >> half, right = i & mask;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::uint64_t f =
          random_bits(seed, Purpose::permutation, round << 56 | right, index) & mask;
      const std::uint64_t next = left ^ f;
      left = right;
      right = next;
    }
    i = left << half | right;
  } while (i >= count);
  return i;
}

void sobol_point(std::uint64_t seed, std::uint64_t row, unsigned dimension, double* out) {
  // The library leaves out the first point, the origin; without it no 2^k points fill a net.
  boost::random::sobol engine(dimension);
  if (row > 0) engine.discard((row - 1) * dimension);
  for (unsigned k = 0; k < dimension; ++k) {
    const std::uint64_t bits = row > 0 ? engine() : 0;
    out[k] = to_unit(bits ^ random_bits(seed, Purpose::shift, 0, k));
  }
}

}  // namespace freeplay::study
