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
  const auto take_channels = [&](RowStream& stream, const std::string& prefix) {
    take(stream, prefix + "time", numbers(1));
    for (const auto& c : channels) take(stream, prefix + c.path, numbers(c.width));
  };
  take_channels(*steps, "");
  if (header.layout) {
    take(*steps, "state/y", numbers(header.layout->y_size()));
    take(*steps, "state/memory", numbers(header.layout->memory_size()));
  }
  take(*steps, "solver/step", numbers(1));
  for (const char* name :
       {"solver/order", "solver/rejected", "solver/evaluations", "solver/jacobians"})
    take(*steps, name, counter());
  take_channels(*uniform, io::kUniform);
  take(*events, "events", io::event_row(joint_bytes, kKindBytes));
  take(*impacts, "impacts", io::impact_row(joint_bytes));
}

// Back to the checkpoint, with its counters; the run goes on from it.
void Recorder::File::cut_back() {
  const auto stored_row = hdf5->attribute("state", io::kCheckpointRow);
  const auto* checkpoint = stored_row ? std::get_if<std::int64_t>(&*stored_row) : nullptr;
  const auto rows = checkpoint ? static_cast<std::size_t>(*checkpoint) + 1 : 0;
  if (rows == 0 || rows > steps->complete_rows())
    throw IoError(fmt::format("cannot continue {}: it holds no step yet", partial.string()));
  steps->truncate(rows);
  const auto last = [&]<class T>(const std::string& path, const RowType& row, T value) {
    hdf5->dataset(path, row).read(rows - 1, 1, &value);
    return value;
  };
  resumed_at = last_step = flushed_until = last("time", numbers(1), 0.0);
  before.stats.steps = static_cast<std::int64_t>(rows) - 1;
  before.stats.rejected = last("solver/rejected", counter(), std::int64_t{0});
  before.stats.evaluations = last("solver/evaluations", counter(), std::int64_t{0});
  before.stats.jacobians = last("solver/jacobians", counter(), std::int64_t{0});

  std::vector<double> times(uniform->complete_rows());
  hdf5->dataset("uniform/time", numbers(1)).read(0, times.size(), times.data());
  const auto kept = std::upper_bound(times.begin(), times.end(), resumed_at) - times.begin();
  uniform->truncate(static_cast<std::size_t>(kept));

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

  const auto number = [&](const char* name) {
    const auto value = hdf5->attribute("solver", name);
    const auto* stored_number = value ? std::get_if<double>(&*value) : nullptr;
    return stored_number ? *stored_number : 0.0;
  };
  before.stats.cpu_seconds = number("cpu_seconds");
  before.energy_residual = number("energy_residual");
  before.energy_scale = number("energy_scale");
  before.friction_use = number("friction_use");
  before.warnings = io::lines_of(hdf5->attribute("solver", "warnings"));
}

}  // namespace freeplay
