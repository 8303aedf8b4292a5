// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// What of a run is kept in its result file.
namespace freeplay {

/// `record = { steps = false, series = ["bodies/ram/*"], every = 10 }` of a model file. Events,
/// impacts and the states from which the run can be gone on with are kept whatever it says.
struct Record {
  bool steps = true;  ///< rows of the accepted steps; false: those of the uniform grid alone
  /// Patterns of paths, in which * stands for anything; empty: every series.
  std::vector<std::string> series = {};
  /// Of the accepted steps every n-th, and those at events. 1: all, however many. 0: all up to a
  /// size; beyond it as many as fit, with those at events and at the extremes of each series.
  int every = 0;

  bool operator==(const Record&) const = default;
};

}  // namespace freeplay
