// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/run.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace freeplay::gallery {

/// Values over increasing time.
struct Curve {
  std::vector<double> time, value;
};

/// What is kept of a run: the series that a figure needs at every accepted step, where peaks are,
/// and on the uniform grid, which fills long smooth steps.
struct Track {
  std::vector<double> time;
  std::map<std::string, std::vector<double>> series;
  std::vector<double> touches;   ///< s
  std::vector<double> rebounds;  ///< times of separation; s
  RunResult result;
  std::string failure;  ///< why there is no (complete) run; empty: all is well
};

/// Assembles and runs a model, keeping these series, which it must have. Never throws for what a
/// model may bring about: that is the track's `failure`. `stop` ends it early.
[[nodiscard]] Track run_track(const Model& model, const std::set<std::string>& series,
                              const std::atomic<bool>* stop);

}  // namespace freeplay::gallery
