// SPDX-License-Identifier: Apache-2.0
#include "io/recorder_file.hpp"
#include "io/result_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

// Going on with a run that was interrupted.
namespace freeplay {

using io::RowStream;
using io::RowType;

void Recorder::File::open_streams() {
  make_streams();
  const auto take = [&](RowStream& stream, const std::string& path, const RowType& row) {
    stream.add(hdf5->dataset(path, row));
  };
  take(*uniform, std::string(io::kUniform) + "time", numbers(1));
  for (const Kept& kept : channels)
    take(*uniform, io::kUniform + kept.channel.path, numbers(kept.channel.width));
  take(*events, "events", io::event_row(joint_bytes, kKindBytes));
  take(*impacts, "impacts", io::impact_row(joint_bytes));
  if (steps && hdf5->contains("time")) open_steps();
}

void Recorder::File::open_steps() {
  steps_laid_out = true;
  const auto take = [&](const std::string& path, const RowType& row) {
    steps->add(hdf5->dataset(path, row));
  };
  take("time", numbers(1));
  for (const Kept& kept : channels) take(kept.channel.path, numbers(kept.channel.width));
  if (header.layout) {
    take("state/y", numbers(header.layout->y_size()));
    take("state/memory", numbers(header.layout->memory_size()));
  }
  take("solver/step", numbers(1));
  for (const char* name : {"solver/order", "solver/rejected", "solver/evaluations",
                           "solver/jacobians", "solver/index", "solver/event"})
    take(name, counter());
}

/// The rows of the steps as they were at the checkpoint.
void Recorder::File::cut_back_steps(double until) {
  if (!steps || !steps_laid_out) return;
  std::vector<double> times(steps->complete_rows());
  hdf5->dataset("time", numbers(1)).read(0, times.size(), times.data());
  auto rows =
      static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), until) - times.begin());
  if (thinning) {
    const auto every = [&](const char* name) {
      const auto stored = hdf5->attribute("solver", name);
      const auto* number = stored ? std::get_if<std::int64_t>(&*stored) : nullptr;
      return number && *number > 0 ? *number : 1;
    };
    thinning->restore(steps->read(rows), every("kept_every"), every("kept_every_event"));
    return;
  }
  // The last step of a run that was interrupted is there because it was the last.
  const auto at = [&](const char* path, std::size_t row) {
    std::int64_t out = 0;
    hdf5->dataset(path, counter()).read(row, 1, &out);
    return out;
  };
  if (rows > 0 && at("solver/index", rows - 1) % wishes().every != 0 &&
      at("solver/event", rows - 1) == 0)
    --rows;
  steps->truncate(rows);
}

// Back to the checkpoint, with its counters; the run goes on from it.
void Recorder::File::cut_back() {
  const auto count = [&](const char* object, const char* name) {
    const auto value = hdf5->attribute(object, name);
    const auto* stored = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    return stored ? *stored : std::int64_t{0};
  };
  const auto checkpoint = hdf5->dataset(io::kCheckpoint, numbers(1));
  if (checkpoint.rows() == 0)
    throw IoError(fmt::format("cannot continue {}: it holds no step yet", partial.string()));
  double until = 0;
  checkpoint.read(0, 1, &until);
  cut_back_steps(until);
  resumed_at = last_step = flushed_until = until;
  step_index = count("state", "checkpoint_step");
  event_steps = count("state", "checkpoint_event_steps");
  before.stats.steps = step_index;
  before.stats.rejected = count(io::kCheckpoint, "rejected");
  before.stats.evaluations = count(io::kCheckpoint, "evaluations");
  before.stats.jacobians = count(io::kCheckpoint, "jacobians");

  const auto column = [&]<class T>(const char* path, const RowType& row, T) {
    const auto stored = hdf5->dataset(path, row);
    std::vector<T> out(stored.rows());
    stored.read(0, out.size(), out.data());
    return out;
  };
  auto anchor_steps = column(io::kAnchorStep, counter(), std::int64_t{0});
  while (!anchor_steps.empty() && anchor_steps.back() > step_index) anchor_steps.pop_back();
  anchors.restore(anchor_steps, column(io::kAnchorEnd, counter(), std::int64_t{0}),
                  column(io::kAnchors, numbers(1), 0.0), count("state", "anchor_every"));

  std::vector<double> grid(uniform->complete_rows());
  hdf5->dataset("uniform/time", numbers(1)).read(0, grid.size(), grid.data());
  const auto kept = std::upper_bound(grid.begin(), grid.end(), resumed_at) - grid.begin();
  uniform->truncate(static_cast<std::size_t>(kept));
  cut_back_tables();

  const auto number = [&](const char* name) {
    const auto value = hdf5->attribute("solver", name);
    const auto* stored_number = value ? std::get_if<double>(&*value) : nullptr;
    return stored_number ? *stored_number : 0.0;
  };
  before.stats.cpu_seconds = number("cpu_seconds");
  before.energy_residual = number("energy_residual");
  before.energy_scale = number("energy_scale");
  before.friction_use = number("friction_use");
  before.warnings = io::lines_of(hdf5->attribute(io::kCheckpoint, "warnings"));
}

/// Events and impacts.
void Recorder::File::cut_back_tables() {
  // Rows of a table come in the order of the time they carry at some place.
  const auto rows_until_then = [&](const char* path, const RowType& row, std::size_t time_offset) {
    const auto table = hdf5->dataset(path, row);
    std::vector<std::byte> stored(table.rows() * row.bytes());
    table.read(0, table.rows(), stored.data());
    std::size_t kept_rows = 0;
    for (double time = 0; kept_rows < table.rows(); ++kept_rows) {
      std::memcpy(&time, stored.data() + kept_rows * row.bytes() + time_offset, sizeof time);
      if (time > resumed_at) break;
    }
    stored.resize(kept_rows * row.bytes());
    return stored;
  };
  const auto event_row = io::event_row(joint_bytes, kKindBytes);
  const auto stored_events = rows_until_then("events", event_row, 0);
  for (std::size_t i = 0; i < stored_events.size(); i += event_row.bytes()) {
    const auto* kind = reinterpret_cast<const char*>(&stored_events[i]) + 8 + joint_bytes + 4;
    if (std::strncmp(kind, "touch", kKindBytes) == 0) ++before.contacts;
  }
  events->truncate(stored_events.size() / event_row.bytes());
  before.stats.events = static_cast<std::int64_t>(stored_events.size() / event_row.bytes());
  // Contacts that were open when the run was interrupted go on.
  const auto impact_row = io::impact_row(joint_bytes);
  const auto stored_impacts = rows_until_then("impacts", impact_row, 8);
  std::size_t closed = stored_impacts.size() / impact_row.bytes();
  for (std::int32_t open = 1; closed > 0; --closed) {
    std::memcpy(&open, stored_impacts.data() + closed * impact_row.bytes() - sizeof open,
                sizeof open);
    if (open == 0) break;
  }
  impacts->truncate(closed);
}

}  // namespace freeplay
