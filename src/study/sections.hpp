// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

// A motion looked at once a turn: Poincaré sections, and how often they repeat, theory/chaos (L.5).
namespace freeplay::study {

/// Points one behind the other, `width` numbers each.
struct Points {
  int width = 1;
  std::vector<double> values;

  [[nodiscard]] std::size_t size() const { return values.size() / static_cast<std::size_t>(width); }
  [[nodiscard]] std::span<const double> operator[](std::size_t k) const {
    return {values.data() + k * static_cast<std::size_t>(width), static_cast<std::size_t>(width)};
  }
};

/// Smallest m for which every point returns within `epsilon` after m turns; 0 when there is none up
/// to `longest`. At least as many returns as m must have been seen, so that a short record cannot
/// pass for a long period.
[[nodiscard]] int period_of(const Points& points, double epsilon, int longest);

/// What a section tells of a motion.
struct Regularity {
  int period = 0;      ///< turns; 0: not periodic
  double spread = 0;   ///< largest extent of the section along one coordinate
  double epsilon = 0;  ///< returns nearer than this counted as the same
};
/// With epsilon = `relative` times `scale`, a length that the motion could have.
[[nodiscard]] Regularity classify(const Points& points, double scale, double relative = 1e-4,
                                  int longest = 32);

/// How much a motion returns to where it was (Eckmann, Kamphorst & Ruelle 1987; Zbilut & Webber
/// 1992).
struct Recurrence {
  double rate = 0;         ///< share of pairs nearer than epsilon
  double determinism = 0;  ///< share of those on diagonals of at least `shortest` points
  int longest = 0;         ///< points of the longest diagonal
};
[[nodiscard]] Recurrence recurrence(const Points& points, double epsilon, int shortest = 2);

}  // namespace freeplay::study
