// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces.hpp"
#include <freeplay/layout.hpp>

#include <string>
#include <vector>

// Knots of a table spring as events in the coordinate. Where the cubic on one side of a knot,
// carried on over the other, leaves the table by more than the tolerance, no step may run across
// it: up to the knot the force is the one cubic, from there on the other, and a memory says which
// of them holds. Other knots are passed unnoticed: between them the table is as smooth as the
// tolerance asks.
namespace freeplay::dynamics {

class TableStretches {
 public:
  /// Declares its memory, one number.
  TableStretches(const ForceTable& table, double tolerance, const std::string& owner,
                 Layout& layout);

  /// Are there knots that count?
  [[nodiscard]] bool any() const { return !knots_.empty(); }
  /// What the table has to know: the pieces that hold.
  void recall(const double* memory, ForceMemory& out) const;
  /// The event function. Its sign tells odd from even stretches, so that it changes at every knot
  /// that counts and stays changed. `x`, `v`: elongation and its rate.
  [[nodiscard]] Watched watch(double x, double v, const double* memory) const;
  /// The stretch beyond the knot just reached takes over.
  void turn(double x, bool upward, double* memory) const;
  /// Takes up the stretch that x is in.
  void follow(double x, double* memory) const;
  /// How long until the next knot that counts is reached at the present speed; s.
  [[nodiscard]] double soonest(double x, double v, const double* memory) const;

 private:
  struct Stretch {
    double from, to;  // infinite at the ends
  };
  [[nodiscard]] Stretch stretch(int s) const;
  [[nodiscard]] int stretch_at(double x) const;
  /// The stretch in memory; -1: not known yet.
  [[nodiscard]] int known(const double* memory) const;

  const ForceTable& table_;
  int memory_ = 0;          // 1 + stretch; 0: not known yet
  std::vector<int> knots_;  // that count, increasing: stretch s ends at knots_[s]
};

}  // namespace freeplay::dynamics
