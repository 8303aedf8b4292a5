// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <string>
#include <vector>

// What formulas do in time, and how long a step may be so as not to miss it. A pulse that sets in
// and ends between two evaluations is not there for an integrator, whatever its error estimate
// says. So time is divided, as the run proceeds, into intervals on each of which a formula is
// proved to have nothing to hide: from enclosures of its Taylor coefficients (core/series.hpp over
// intervals), either it does not change there, or a polynomial of degree kDegree represents it up
// to a small share of the change that its values show. docs/theory/formulas_and_tables.md
namespace freeplay::sim {

/// The intervals of one formula of time.
class Feature {
 public:
  /// `rates`: 2 when speed and acceleration count as well (drives), else 0. Changes below
  /// `tolerance` of the largest value between `start` and `end` count for nothing.
  Feature(Formula formula, int rates, double start, double end, double tolerance);

  struct Span {
    double begin = 0, end = 0;
    bool still = false;  ///< nothing changes in it
    [[nodiscard]] double width() const { return end - begin; }
  };
  /// The intervals from the one that holds t on; each call may find more of them.
  const Span& at(double t);
  /// The latest end of a step from t: as long as the narrowest interval it touches, times `share`.
  [[nodiscard]] double latest(double t, double share);

  [[nodiscard]] const Formula& formula() const { return formula_; }

 private:
  enum class Verdict { hides, shows, still };
  [[nodiscard]] Verdict judge(double a, double b) const;
  [[nodiscard]] double largest_value(int rate) const;
  void append();

  Formula formula_;
  int rates_;
  double start_, end_, shortest_;
  double small_[3] = {0, 0, 0};  // changes of value, speed, acceleration that count for nothing
  std::vector<Span> intervals_;
  std::size_t now_ = 0;
};

/// All formulas of a model.
class Features {
 public:
  /// `events`: with them steps are kept shorter, so that what the looks inside a step resolve is
  /// seen (see `longest_step`).
  Features(const Model& model, bool events);
  /// The latest end of a step that begins at t; infinite where no formula limits it.
  [[nodiscard]] double latest(double t);

 private:
  std::vector<Feature> list_;
  double share_;
};

/// The first interval of a formula that is shorter than a fixed step, for a warning.
struct Unresolved {
  std::string path;  ///< "joints.crank.drive"
  std::string text;  ///< the formula
  double time = 0, width = 0;
};
[[nodiscard]] std::vector<Unresolved> unresolved_by(const Model& model, double step);

}  // namespace freeplay::sim
