// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces.hpp"
#include <freeplay/state.hpp>

#include <functional>
#include <span>
#include <vector>

// Knots of table springs as events in the coordinate. Where the cubic on one side of a knot,
// carried on over the other, leaves the table by more than the tolerance, no step may run across
// it: up to the knot the force is the one cubic, from there on the other, and a memory says which
// of them holds. Other knots are passed unnoticed: between them the table is as smooth as the
// tolerance asks.
namespace freeplay::dynamics {

class TablePieces {
 public:
  using Poses = std::span<const Pose<double>>;
  /// The angle that the coordinate of an element continues; 0 where it has none.
  using Reference = std::function<double(const Force&)>;

  explicit TablePieces(const Model& model) : model_(model) {}
  /// Declares its memory, one number for each table.
  void declare(Layout& layout);

  /// Event functions: one for each table with knots that count. Its sign tells odd from even
  /// stretches between those, so that it changes at every one of them and stays changed.
  [[nodiscard]] int size() const { return static_cast<int>(events_.size()); }
  /// What force `k` of the model remembers.
  [[nodiscard]] ForceMemory recall(std::size_t k, double angle, const double* memory) const;

  void event_values(Poses poses, const double* memory, const Reference& reference, double* g,
                    double* rate = nullptr) const;
  /// The stretch beyond the knot just reached takes over.
  void apply(int event, bool upward, Poses poses, const Reference& reference, State& state) const;
  /// How long until the next knot that counts is reached at the present speed; s.
  [[nodiscard]] double soonest(Poses poses, const Reference& reference, const State& state) const;
  /// Takes up the stretch the coordinate is in, wherever the state came from.
  void follow(Poses poses, const Reference& reference, State& state) const;

 private:
  struct Element {
    std::size_t force = 0;   // of the model
    int memory = 0;          // 1 + stretch; 0: not known yet
    std::vector<int> knots;  // that count, increasing: stretch s ends at knots[s]
  };
  struct Stretch {
    double from, to;  // infinite at the ends
  };
  /// Elongation and its rate.
  [[nodiscard]] std::pair<double, double> elongation_of(const Element& e, Poses poses,
                                                        const Reference& reference) const;
  [[nodiscard]] const ForceTable& table(const Element& e) const {
    return *table_of(model_.forces[e.force]);
  }
  [[nodiscard]] Stretch stretch(const Element& e, int s) const;
  [[nodiscard]] int stretch_at(const Element& e, double x) const;

  const Model& model_;
  std::vector<Element> elements_;
  std::vector<int> element_of_;      // per force; -1: no table
  std::vector<std::size_t> events_;  // elements with knots that count
};

}  // namespace freeplay::dynamics
