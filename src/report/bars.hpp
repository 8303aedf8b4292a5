// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freeplay::report {

/// Numbers of named things as bars: each thing a group, each of its numbers a colour.
struct BarData {
  struct Group {
    std::string label;
    std::vector<double> values;  ///< SI, one per colour; NaN: none
  };
  std::string label, unit;           ///< of the numbers
  std::vector<std::string> colours;  ///< what each colour stands for
  std::vector<Group> groups;
};

/// The finished SVG file, bars lying from zero, each with its number behind it.
[[nodiscard]] std::string draw_bars(const BarData& data, double width_mm);

}  // namespace freeplay::report
