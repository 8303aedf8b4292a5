// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/repeatability.hpp"
#include "study/sections.hpp"
#include "study/study_file.hpp"
#include <freeplay/run.hpp>

#include <atomic>
#include <vector>

namespace freeplay::study {

/// Takes of a run what a study observes, turn by turn.
class Collector final : public Observer {
 public:
  enum class Turns { whole_run, by_clock, by_event, by_level };
  Collector(const Study& study, Turns turns);

  /// Points of the uniform grid in a turn: many where a mean is wanted, else one.
  [[nodiscard]] int subdivision() const { return subdivision_; }
  /// Are accepted steps wanted, or will the grid do?
  [[nodiscard]] bool needs_steps() const { return needs_steps_; }
  /// Set when the run may end.
  [[nodiscard]] const std::atomic<bool>* enough() const { return &enough_; }
  /// Also stores this series on the uniform grid.
  void keep_series(std::string series) { kept_series_ = std::move(series); }

  void begin(const RunHeader& header) override;
  void step(const State& state, std::span<const double> row, const StepInfo& info) override;
  void uniform(double time, std::span<const double> row) override;
  void event(const Event& event) override;
  void impact(const Impact& impact) override;
  bool wants_peaks() const override;

  /// Ends the only turn of a run looked at as a whole.
  void end_turn(const RunResult& result);

  /// One point per recorded turn: the observables.
  [[nodiscard]] const Points& points() const { return points_; }
  [[nodiscard]] int turns_seen() const { return turns_seen_; }
  [[nodiscard]] const std::vector<double>& kept_time() const { return kept_time_; }
  [[nodiscard]] const std::vector<double>& kept_value() const { return kept_value_; }

 private:
  struct Item {
    Take take = Take::at;
    int column = -1;
    Extremes lowest{true}, highest{false};
    double last = 0;
    double last_time = 0, integral = 0, begun = 0;  // trapezoids of the value or its square
    bool started = false;
  };
  void take_extremes(double time, std::span<const double> row);
  void take_mean(double time, std::span<const double> row);
  void close_turn(double time, std::span<const double> row);
  [[nodiscard]] double level_function(std::span<const double> row) const;
  void look_for_crossing(const State& state, std::span<const double> row);

  const Study& study_;
  Turns turns_;
  std::vector<Item> items_;
  Points points_;
  int subdivision_ = 1, grid_points_ = 0, turns_seen_ = 0;
  bool needs_steps_ = false, sample_next_step_ = false;
  std::atomic<bool> enough_{false};
  std::int64_t contacts_ = 0;
  double peak_force_ = 0;
  const Model* model_ = nullptr;
  int level_column_ = -1;
  std::optional<State> before_;
  double level_before_ = 0;
  std::vector<double> crossing_row_;
  std::string kept_series_;
  int kept_column_ = -1;
  std::vector<double> kept_time_, kept_value_;
};

}  // namespace freeplay::study
