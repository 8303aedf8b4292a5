// SPDX-License-Identifier: Apache-2.0
#include "gallery/track.hpp"

#include "study/series_columns.hpp"

#include <algorithm>
#include <numeric>

namespace freeplay::gallery {
namespace {

class TrackRecorder final : public Observer {
 public:
  TrackRecorder(Track& track, const std::set<std::string>& series)
      : track_(track), names_(series) {}

  void begin(const RunHeader& header) override {
    columns_.clear();
    for (const std::string& name : names_)
      columns_.emplace_back(&track_.series[name], *study::column_of(header, name));
  }
  void step(const State& state, std::span<const double> row, const StepInfo&) override {
    add(state.time, row);
  }
  void uniform(double time, std::span<const double> row) override { add(time, row); }
  void event(const Event& event) override {
    if (event.kind == "touch") track_.touches.push_back(event.time);
  }
  void impact(const Impact& impact) override {
    if (!impact.open) track_.rebounds.push_back(impact.end);
  }
  bool wants_peaks() const override { return false; }

 private:
  void add(double time, std::span<const double> row) {
    track_.time.push_back(time);
    for (const auto& [values, column] : columns_)
      values->push_back(row[static_cast<std::size_t>(column)]);
  }

  Track& track_;
  const std::set<std::string>& names_;
  std::vector<std::pair<std::vector<double>*, int>> columns_;
};

// Points of the grid arrive after the step they lie in.
void sort_by_time(Track& track) {
  if (std::ranges::is_sorted(track.time)) return;
  std::vector<std::size_t> order(track.time.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return track.time[i]; });
  const auto arrange = [&](std::vector<double>& values) {
    std::vector<double> sorted;
    sorted.reserve(values.size());
    for (const std::size_t i : order) sorted.push_back(values[i]);
    values = std::move(sorted);
  };
  arrange(track.time);
  for (auto& [name, values] : track.series) arrange(values);
}

}  // namespace

Track run_track(const Model& model, const std::set<std::string>& series,
                const std::atomic<bool>* stop) {
  Track track;
  try {
    const Assembly assembly = assemble(model);
    TrackRecorder recorder(track, series);
    Observer* const observers[] = {&recorder};
    RunOptions options;
    options.stop = stop;
    track.result = run(model, assembly.start, observers, options);
    if (track.result.status != RunStatus::done)
      track.failure = track.result.reason.empty() ? "interrupted" : track.result.reason;
  } catch (const std::exception& error) {
    track.failure = error.what();
  }
  sort_by_time(track);
  return track;
}

}  // namespace freeplay::gallery
