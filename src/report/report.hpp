// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/result.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

// Results -> one HTML page that needs nothing else: no network, no server, no Node. The page itself
// (web/dist/report.html) is part of the program; this adds the data.
namespace freeplay::report {

struct ReportOptions {
  std::size_t frames = 4000;  ///< rows at which everything is kept, per result
  std::size_t peaks = 2000;   ///< intervals of time in which extremes are kept, per series
  std::size_t lines = 1000;   ///< frequencies of a spectrum
  /// Of surfaces of bodies, in all: 1 MB. Larger ones are drawn coarser, and the page says so.
  std::size_t triangles = 40000;
  /// Numbers kept whole, per result: 32 MB. A mechanism of thousands of bodies gets fewer frames,
  /// and beyond that only its motion, its energy and its joints with play; the page says so.
  std::size_t budget = 4000000;
};

/// The page that shows one result, or compares several: the first is the one that moves. Throws
/// IoError when a result cannot be read.
[[nodiscard]] std::string render(std::span<const Result> results,
                                 const ReportOptions& options = {});

}  // namespace freeplay::report
