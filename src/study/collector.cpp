// SPDX-License-Identifier: Apache-2.0
#include "study/collector.hpp"

#include "study/series_columns.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::study {
namespace {

bool is_mean(Take take) { return take == Take::mean || take == Take::rms; }
bool is_extreme(Take take) { return take == Take::min || take == Take::max || take == Take::range; }

}  // namespace

Collector::Collector(const Study& study, Turns turns) : study_(study), turns_(turns) {
  points_.width = std::max(1, static_cast<int>(study.observe.size()));
  for (const Observable& o : study.observe) {
    Item item;
    item.take = o.take;
    items_.push_back(item);
    needs_steps_ = needs_steps_ || is_extreme(o.take);
    // Trapezoids on an equidistant grid over whole turns converge faster than any power, and
    // extremes are found by parabolas, for which the steps of a high order are too long.
    if (is_mean(o.take) || is_extreme(o.take))
      subdivision_ = turns == Turns::whole_run ? 4096 : 256;
  }
}

void Collector::begin(const RunHeader& header) {
  model_ = header.model;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Observable& o = study_.observe[i];
    const std::string series = o.take == Take::energy_residual ? "energy/residual" : o.series;
    if (!series.empty()) items_[i].column = column_of(header, series).value_or(-1);
  }
  if (turns_ == Turns::by_level)
    level_column_ = column_of(header, study_.section->series).value_or(-1);
  if (!kept_series_.empty()) kept_column_ = column_of(header, kept_series_).value_or(-1);
  crossing_row_.resize(static_cast<std::size_t>(header.width));
}

void Collector::take_extremes(double time, std::span<const double> row) {
  for (Item& item : items_) {
    if (item.column < 0) continue;
    const double value = row[static_cast<std::size_t>(item.column)];
    if (item.take == Take::min || item.take == Take::range) item.lowest.add(time, value);
    if (item.take == Take::max || item.take == Take::range) item.highest.add(time, value);
  }
}

void Collector::take_mean(double time, std::span<const double> row) {
  for (Item& item : items_) {
    if (!is_mean(item.take)) continue;
    const double value = row[static_cast<std::size_t>(item.column)];
    const double y = item.take == Take::rms ? value * value : value;
    if (!item.started) {
      item.begun = time;
      item.started = true;
    } else {
      item.integral += 0.5 * (y + item.last) * (time - item.last_time);
    }
    item.last = y;
    item.last_time = time;
  }
}

/// The turn ends here, with this row; the next one begins with it.
void Collector::close_turn(double time, std::span<const double> row) {
  ++turns_seen_;
  const bool counts =
      turns_ == Turns::by_clock || turns_ == Turns::whole_run || turns_seen_ > study_.transient;
  for (Item& item : items_) {
    double value = 0;
    switch (item.take) {
      case Take::at:
        value = row[static_cast<std::size_t>(item.column)];
        break;
      case Take::energy_residual:
        value = std::abs(row[static_cast<std::size_t>(item.column)]);
        break;
      case Take::min:
        value = item.lowest.end_turn();
        break;
      case Take::max:
        value = item.highest.end_turn();
        break;
      case Take::range:
        value = item.highest.end_turn() - item.lowest.end_turn();
        break;
      case Take::mean:
      case Take::rms: {
        const double span = time - item.begun;
        value = span > 0 ? item.integral / span : item.last;
        if (item.take == Take::rms) value = std::sqrt(std::max(0.0, value));
        item.begun = time;
        item.integral = 0;
        break;
      }
      case Take::contacts:
        value = static_cast<double>(contacts_);
        break;
      case Take::peak_force:
        value = peak_force_;
        break;
    }
    if (counts) points_.values.push_back(value);
  }
  contacts_ = 0;
  peak_force_ = 0;
  if (turns_seen_ >= study_.transient + study_.record && turns_ != Turns::by_clock &&
      turns_ != Turns::whole_run)
    enough_ = true;
}

void Collector::step(const State& state, std::span<const double> row, const StepInfo& info) {
  if (enough_) return;
  if (needs_steps_) take_extremes(state.time, row);
  if (turns_ == Turns::by_clock || turns_ == Turns::whole_run) return;
  take_mean(state.time, row);
  if (turns_ == Turns::by_level) return look_for_crossing(state, row);
  if (sample_next_step_ && info.step > 0) {
    sample_next_step_ = false;
    close_turn(state.time, row);
  }
}

void Collector::uniform(double time, std::span<const double> row) {
  if (kept_column_ >= 0) {
    kept_time_.push_back(time);
    kept_value_.push_back(row[static_cast<std::size_t>(kept_column_)]);
  }
  if (enough_) return;
  if (needs_steps_) take_extremes(time, row);
  if (turns_ == Turns::whole_run || turns_ == Turns::by_clock) take_mean(time, row);
  if (turns_ == Turns::whole_run) {
    std::ranges::copy(row, crossing_row_.begin());  // the last one is the end of the run
    return;
  }
  if (turns_ != Turns::by_clock) return;
  if (grid_points_ > 0 && grid_points_ % subdivision_ == 0) close_turn(time, row);
  ++grid_points_;
}

void Collector::event(const Event& event) {
  if (event.kind == "touch") ++contacts_;
  if (turns_ != Turns::by_event || event.kind != study_.section->event) return;
  if (study_.section->joint.empty() || study_.section->joint == event.joint)
    sample_next_step_ = true;
}

void Collector::impact(const Impact& impact) {
  peak_force_ = std::max(peak_force_, impact.peak_force);
}

bool Collector::wants_peaks() const {
  return std::any_of(items_.begin(), items_.end(),
                     [](const Item& item) { return item.take == Take::peak_force; });
}

void Collector::end_turn(const RunResult& result) { close_turn(result.time, crossing_row_); }

double Collector::level_function(std::span<const double> row) const {
  const double value = row[static_cast<std::size_t>(level_column_)] - study_.section->level;
  return study_.section->falling ? -value : value;
}

/// Locates the passage of the level inside the step that was just accepted, by integrating on from
/// the state before it: as exact as the run itself.
void Collector::look_for_crossing(const State& state, std::span<const double> row) {
  const double after = level_function(row);
  if (before_ && level_before_ < 0 && after >= 0 && state.time > before_->time) {
    double low = before_->time, high = state.time, g_low = level_before_, g_high = after;
    std::ranges::copy(row, crossing_row_.begin());
    for (int k = 0; k < 60 && high - low > 1e-13 * (high + 1e-3); ++k) {
      // Illinois: regula falsi whose stagnant end loses half its weight.
      double t = (low * g_high - high * g_low) / (g_high - g_low);
      if (!(t > low && t < high)) t = 0.5 * (low + high);
      observe_at(*model_, *before_, t, crossing_row_);
      const double g = level_function(crossing_row_);
      if (g >= 0) {
        high = t;
        g_high = g;
        g_low *= 0.5;
        if (g == 0) break;
      } else {
        low = t;
        g_low = g;
        g_high *= 0.5;
      }
    }
    observe_at(*model_, *before_, high, crossing_row_);
    // Extremes and means go to the end of the step, which was taken in already.
    close_turn(state.time, crossing_row_);
  }
  before_ = state;
  level_before_ = after;
}

}  // namespace freeplay::study
