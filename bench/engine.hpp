// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/run.hpp>

#include <cstdint>
#include <string>
#include <vector>

// What the programs that compare errors and times have in common.
namespace freeplay::bench {

/// Of this thread.
[[nodiscard]] double cpu_seconds();

struct Outcome {
  bool ok = false;
  std::string reason;
  double value = 0;  ///< of the watched component at the end
  double cpu = 0;    ///< s; the least of the repeats
  std::int64_t evaluations = 0, steps = 0, jacobians = 0, contacts = 0;
};

/// Runs to the end without writing anything; `path` and `component` say what is watched:
/// "bodies/rocker/position", 2. Repeated up to `repeats` times unless one run takes half a second.
[[nodiscard]] Outcome simulate(Model model, const std::string& path, int component,
                               double time_limit, int repeats = 5);

/// The cases that everybody is measured on.
[[nodiscard]] Model four_bar(bool play, bool friction, double duration);
[[nodiscard]] Model slider_crank(double turns);

/// One measurement for bench/peers/table.py: case, who, setting, value, CPU s, evaluations.
void print_row(const std::string& name, const std::string& who, const std::string& setting,
               double value, double cpu, std::int64_t evaluations);

}  // namespace freeplay::bench
