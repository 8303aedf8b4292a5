// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gallery/track.hpp"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// One number of a run, as a figure file writes it: "peak bodies/rocker/acceleration.z", "contacts".
// Few kinds, chosen so that each sentence the papers draw from a figure becomes one of them.
namespace freeplay::gallery {

enum class Take {
  // of a series
  max,
  min,
  peak,       ///< largest magnitude
  mean,       ///< over time
  rms,        ///< over time
  range,      ///< highest minus lowest
  final,      ///< last value
  lost,       ///< first minus last value: of the energy, what friction and impacts took
  travel,     ///< all ups and downs added: how densely a portrait is filled
  share,      ///< part of the time in which it is positive
  crossings,  ///< how often it passes its mean; 1/s
  lowest,     ///< mean over turns of the lowest value of a turn
  scatter,    ///< range over turns of the lowest value of a turn (Chen et al. 2016, figs 8 and 11)
  // of the run as a whole
  contacts,       ///< touches
  rebounds,       ///< touches that ended in a separation
  half_contacts,  ///< when half of the touches have happened; s
  evaluations,    ///< of the equations of motion
  residual        ///< of the energy audit, relative to the energy in motion
};

/// A sum of series: "energy/kinetic + energy/potential".
struct Term {
  double sign = 1;
  std::string series;
};

struct Measure {
  Take take = Take::final;
  std::vector<Term> terms;  ///< empty for what belongs to the run as a whole

  [[nodiscard]] bool of_run() const { return terms.empty(); }
  [[nodiscard]] bool by_turn() const { return take == Take::lowest || take == Take::scatter; }
};

/// Every word that may come first.
[[nodiscard]] const std::vector<std::string>& take_words();
[[nodiscard]] bool takes_series(Take take);

/// "a + b - c". Nothing when a name is missing.
[[nodiscard]] std::optional<std::vector<Term>> parse_terms(std::string_view text);

/// "peak bodies/rocker/velocity.z". Throws std::invalid_argument with what is wrong, as a sentence.
[[nodiscard]] Measure parse_measure(std::string_view text);

/// The unit of the number, given that of the series.
[[nodiscard]] std::string unit_of(Take take, const std::string& series_unit);

/// Which part of a run is looked at.
struct Window {
  double from = -std::numeric_limits<double>::infinity(),
         to = std::numeric_limits<double>::infinity();  ///< s
  double turn = 0;  ///< duration of one, s; only whole turns from `from` on count
};

/// The sum on the rows of the track within the window; less what `minus`, interpolated, has there.
[[nodiscard]] Curve curve_of(const Track& track, const std::vector<Term>& terms,
                             const Window& window, const Track* minus = nullptr);

/// The number. NaN where there is none: no rows in the window, no touch, no whole turn.
[[nodiscard]] double take(const Measure& measure, const Track& track, const Window& window,
                          const Track* minus = nullptr);

}  // namespace freeplay::gallery
