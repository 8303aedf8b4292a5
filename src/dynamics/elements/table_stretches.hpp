// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/table_knots.hpp"
#include "dynamics/elements/forces.hpp"
#include <freeplay/layout.hpp>

#include <string>

// Knots of table springs and of the curves of rubber as events in the coordinate. Where the cubic
// on one side of a knot, carried on over the other, leaves the table by more than the tolerance, no
// step may run across it: up to the knot the force is the one cubic, from there on the other, and a
// memory says which of them holds. Other knots are passed unnoticed: between them the table is as
// smooth as the tolerance asks.
namespace freeplay::dynamics {

/// The knots of a table that count at a tolerance.
[[nodiscard]] WatchedKnots counting_knots(const ForceTable& table, double tolerance);

class TableStretches {
 public:
  /// Declares its memory, one number.
  TableStretches(WatchedKnots knots, const std::string& owner, Layout& layout);

  /// Are there knots that count?
  [[nodiscard]] bool any() const { return !at_.knots.empty(); }
  /// What the table has to know: the pieces that hold.
  [[nodiscard]] PieceRange pieces(const double* memory) const;
  /// The event function. Its sign tells odd from even stretches, so that it changes at every knot
  /// that counts and stays changed. `x`, `v`: the coordinate that is watched and its rate.
  [[nodiscard]] Watched watch(double x, double v, const double* memory) const;
  [[nodiscard]] EventTrait trait(const double* memory) const;
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

  [[nodiscard]] int size() const { return static_cast<int>(at_.knots.size()); }

  int memory_ = 0;    // 1 + stretch; 0: not known yet
  WatchedKnots at_;   // stretch s ends at the knot s of them
  double scale_ = 0;  // of the coordinate
};

}  // namespace freeplay::dynamics
