// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

// How well a machine comes back to the same extreme position turn after turn (theory/chaos (L.6);
// the press of papers/chen_2016, figures 8 and 11).
namespace freeplay::study {

struct Repeatability {
  double mean = 0;                ///< "average position"
  double range = 0;               ///< largest minus smallest, "fluctuation value"
  double standard_deviation = 0;  ///< of a single turn
  double six_sigma = 0;
};
[[nodiscard]] Repeatability repeatability(std::span<const double> extremes);

/// The lowest (or highest) value of a series within each turn, and between its samples: the vertex
/// of the parabola through the extreme sample and its neighbours.
class Extremes {
 public:
  explicit Extremes(bool lowest) : sign_(lowest ? 1 : -1) {}
  /// Times must not go back.
  void add(double time, double value);
  /// Ends the turn and gives its extreme; the last sample also begins the next turn.
  [[nodiscard]] double end_turn();
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  void consider(double candidate);
  double sign_;
  double t_[3] = {}, y_[3] = {};  // the last three samples, newest last
  int count_ = 0;                 // samples of this turn, up to 3
  double best_ = 0;
  bool any_ = false;
};

}  // namespace freeplay::study
