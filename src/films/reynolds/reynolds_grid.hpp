// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

// The nodes around a journal bearing: they lie on the edges of its grooves, evenly in between.
namespace freeplay::films {

/// A line of supply along the whole bearing.
struct Groove {
  double centre = 0;  ///< angle in the frame of the bearing; rad
  double width = 0;   ///< 0: a line; rad
};

struct ReynoldsGrid {
  /// About `around` intervals.
  ReynoldsGrid(std::span<const Groove> grooves, int around);

  [[nodiscard]] int size() const { return static_cast<int>(angle.size()); }

  std::vector<double> angle, step, share;  ///< node, to the next node, of the control volume
  std::vector<double> cos, sin, cos_face, sin_face;
  std::vector<double> sx, sy;  ///< integrals of cos and sin over the control volume
  std::vector<char> supplied;  ///< in a groove
};

/// Numbers of nodes are signed, places in a vector are not.
[[nodiscard]] inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace freeplay::films
