// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/mode_tracks.hpp"
#include "commands.hpp"

#include <string>
#include <vector>

namespace freeplay::cli {

/// Modes over a range of one value of the model.
struct ModesOver {
  std::string path, unit;                         ///< of that value; empty unit: none
  std::vector<double> x;                          ///< in that unit
  std::vector<std::vector<Mode>> modes;           ///< at each; none where nothing is in equilibrium
  std::vector<analysis::ModeTrack> tracks;        ///< which of them belong together
  std::vector<analysis::CriticalSpeed> critical;  ///< of a speed of rotation
  struct Onset {
    double at = 0;       ///< in that unit
    bool grows = false;  ///< from there on something grows, or ceases to
  };
  std::vector<Onset> onsets;
};

/// `freeplay modes --over`.
int modes_over_command(const ModesArguments& arguments);

}  // namespace freeplay::cli
