// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/itinerary.hpp"
#include "study/study_file.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Numbers of a run that are smooth functions of its motion, for gradients: where they are read on
// the way of a run and of all that follow it, and what is made of the readings.
namespace freeplay::study {

/// Points in a leg, or a part of it, at which extremes and means are read.
inline constexpr std::size_t kLookPoints = 6;

/// What is read of one run: rows at the looks, and events.
struct Readings {
  std::size_t columns = 0;     ///< that were wanted
  std::vector<double> values;  ///< look by look; NaN where the run did not get
  const std::vector<Event>* events = nullptr;
  const std::vector<double>* ends = nullptr;  ///< of the legs that the run followed; s
  double start = 0;                           ///< s
  std::size_t legs = 0;                       ///< that it followed

  [[nodiscard]] double at(std::size_t look, std::size_t column) const {
    return values[look * columns + column];
  }
};

struct Measure {
  enum class What { end, instant, event, lowest, highest, range, mean, rms, square_misfit };
  What kind = What::end;
  std::string name, series, unit;   ///< unit: SI
  double instant = 0;               ///< s
  std::string event, joint;         ///< "touch", "pin"
  int number = 1;                   ///< of that event, from 1
  std::vector<double> time, value;  ///< square_misfit: what was measured
};

/// "max joints/pin/normal_force", "touch 2 joints/pin", "bodies/rod/position.x at 3 ms"; nothing
/// where it is none, with `why`.
[[nodiscard]] std::optional<Measure> parse_measure(const std::string& text, std::string& why);
/// What a study observes; counts and residuals are no smooth numbers.
[[nodiscard]] std::optional<Measure> measure_of(const Observable& observable, std::string& why);

/// All the looks that measures take, and what they find.
class MeasurePlan {
 public:
  /// Throws ModelError where a measure has nothing to look at in that run.
  MeasurePlan(std::vector<Measure> measures, const RunHeader& header, const sim::Itinerary& way);

  [[nodiscard]] const std::vector<Measure>& measures() const { return measures_; }
  [[nodiscard]] std::span<const sim::Look> looks() const { return looks_; }
  [[nodiscard]] std::span<const int> columns() const { return columns_; }
  [[nodiscard]] Readings readings() const;

  /// Does any measure look into legs, at other instants than the given ones?
  [[nodiscard]] bool looks_into_legs() const;
  /// Instants that measures ask for, increasing.
  [[nodiscard]] static std::vector<double> instants(const std::vector<Measure>& measures);

  /// Extremes have to be found before neighbours know where to look: true while there are some.
  [[nodiscard]] bool searches() const;
  /// After a run with the present looks: from now on only where they were.
  void settle(const Readings& readings);

  /// NaN where the run did not get so far.
  [[nodiscard]] double value(std::size_t measure, const Readings& readings) const;
  /// The last leg that it needs.
  [[nodiscard]] std::size_t last_leg(std::size_t measure) const;

 private:
  struct Place {
    std::size_t column = 0;
    std::vector<std::size_t> looks;  ///< numbers among looks_
    std::size_t event = 0;           ///< number among the events of the way
    std::size_t leg = 0;             ///< the last
  };
  void plan();
  /// A part of a leg, by shares of it.
  struct Window {
    std::size_t leg = 0;
    double low = 0, high = 1;
  };
  static void look_through(const Window& window, std::vector<sim::Look>& out);
  void look_everywhere(std::vector<sim::Look>& out) const;
  [[nodiscard]] std::size_t find_event(const Measure& m) const;
  [[nodiscard]] static std::array<double, kLookPoints> values_from(const Place& place,
                                                                   const Readings& r,
                                                                   std::size_t from, double sign);
  [[nodiscard]] Window window(const Place& place, const Readings& r, double sign) const;

  std::vector<Measure> measures_;
  const sim::Itinerary& way_;
  std::vector<Place> places_;
  std::vector<int> columns_;
  std::vector<sim::Look> looks_;
  /// Where extremes lie, once that is known: lowest and highest of each measure.
  std::vector<std::array<std::optional<Window>, 2>> extremes_;
};

}  // namespace freeplay::study
