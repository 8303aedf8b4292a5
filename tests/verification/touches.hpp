// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/recording.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

// What tests of touches ask of their runs.
namespace freeplay::testing {

inline std::vector<double> touches(const Simulated& run) {
  std::vector<double> out;
  for (const Event& e : run.series.events)
    if (e.kind == "touch") out.push_back(e.time);
  return out;
}

/// Largest difference of any place of any body up to `until`; m.
inline double apart(const Simulated& a, const Simulated& b, double until) {
  double most = 0;
  for (const Channel& c : a.series.channels) {
    if (!c.path.starts_with("bodies/") || !c.path.ends_with("/position")) continue;
    for (std::size_t row = 0; row < a.series.rows.size() && a.series.time[row] <= until; ++row)
      for (int k = c.offset; k < c.offset + c.width; ++k) {
        const auto at = static_cast<std::size_t>(k);
        most = std::max(most, std::abs(a.series.rows[row][at] - b.series.rows[row][at]));
      }
  }
  return most;
}

}  // namespace freeplay::testing
