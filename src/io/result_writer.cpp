// SPDX-License-Identifier: Apache-2.0
#include "io/recorder_file.hpp"
#include "io/result_layout.hpp"
#include "io/sha256.hpp"
#include "io/state_layout.hpp"
#include "joints/imperfect_joint.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>
#include <freeplay/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

// The Recorder writes rows of steps, of the uniform grid, events and impacts into OUT.partial.h5
// and renames it at the end. Every few seconds it flushes, always just before a new step is taken
// in: then everything that belongs to the steps before is in the file, whichever way the run loop
// orders its calls, and a run killed at any time can go on from the last flush.
namespace freeplay {

using io::Hdf5File;
using io::RowStream;
using io::RowType;

namespace {

// Large mechanisms flush less often, to spend no more than a 20th on it.
constexpr int kFlushShare = 20;

/// As a model file would say it.
std::string record_text(const Record& record) {
  std::vector<std::string> keys;
  if (!record.steps) keys.emplace_back("steps = false");
  if (!record.series.empty())
    keys.push_back(fmt::format("series = [\"{}\"]", fmt::join(record.series, "\", \"")));
  if (record.every != 0) keys.push_back(fmt::format("every = {}", record.every));
  return keys.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(keys, ", "));
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

// ---- opening a file

Recorder::Recorder(std::filesystem::path file, Options options) : file_(std::make_unique<File>()) {
  File& f = *file_;
  // A link is kept, and what it points at replaced.
  std::error_code error;
  if (std::filesystem::is_symlink(file, error))
    file = std::filesystem::weakly_canonical(file, error);
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
    throw IoError(fmt::format("cannot write {}: it is not a file", file.string()));
  if (file.has_parent_path() && !std::filesystem::exists(file.parent_path(), error))
    throw IoError(fmt::format("cannot write {}: there is no directory {}", file.string(),
                              file.parent_path().string()));
  f.target = std::move(file);
  f.partial = f.now = partial_path(f.target);
  f.options = std::move(options);
  f.hdf5.emplace(f.options.resume ? Hdf5File::open_to_append(f.partial)
                                  : Hdf5File::create(f.partial));
}

Recorder::~Recorder() {
  if (!file_ || !file_->hdf5) return;
  // The run ended by an exception. What it wrote stays; a file without a run goes.
  try {
    if (file_->begun) {
      RunResult abandoned;
      abandoned.status = RunStatus::failed;
      abandoned.reason = "the run was abandoned";
      if (std::isfinite(file_->last_step)) abandoned.time = file_->last_step;
      end(abandoned);
    } else {
      file_->hdf5.reset();
      if (!file_->options.resume) std::filesystem::remove(file_->partial);
    }
  } catch (const std::exception&) {  // nobody is left to tell
  }
}

const std::filesystem::path& Recorder::path() const { return file_->now; }
const std::string& Recorder::write_error() const { return file_->write_error; }
const RunResult& Recorder::total() const { return file_->total; }

void Recorder::begin(const RunHeader& header) {
  File& f = *file_;
  f.writing([&] {
    f.header = header;
    f.choose_channels();
    for (const auto& joint : header.model->joints)
      f.joint_bytes = std::max(f.joint_bytes, joint.name.size());
    for (const auto& force : header.model->forces)
      f.joint_bytes = std::max(f.joint_bytes, force.name.size());
    const std::string canonical = write_model(*header.model), digest = io::sha256(canonical);
    if (f.options.resume) {
      if (f.hdf5->attribute("/", "format_version") != io::Hdf5Attribute(io::kFormatVersion))
        throw IoError(fmt::format("cannot continue {}: it was begun by another version of Freeplay",
                                  f.partial.string()));
      const auto stored = f.hdf5->attribute("/", "model_sha256");
      if (!stored || *stored != io::Hdf5Attribute(digest) ||
          f.hdf5->attribute("/", "record") != io::Hdf5Attribute(record_text(f.wishes())))
        throw IoError(
            fmt::format("cannot continue {}: it belongs to another model, or to other settings",
                        f.partial.string()));
      const auto stored_layout = f.hdf5->attribute("state", "layout");
      if (!stored_layout ||
          *stored_layout != io::Hdf5Attribute(fmt::format("{:016x}", header.layout->digest())))
        throw IoError(
            fmt::format("cannot continue {}: its states are laid out otherwise than this program's",
                        f.partial.string()));
      f.open_streams();
      f.cut_back();
    } else {
      auto& h = *f.hdf5;
      h.set_attribute("/", "format", std::string(io::kFormat));
      h.set_attribute("/", "format_version", io::kFormatVersion);
      h.set_attribute("/", "program_version", std::string(version()));
      h.set_attribute("/", "name", header.model->name);
      h.set_attribute("/", "created", now_utc());
      h.set_attribute("/", "command", f.options.command);
      h.set_attribute("/", "seed", f.options.seed);
      h.set_attribute("/", "model_sha256", digest);
      h.set_attribute("/", "record", record_text(f.wishes()));
      h.write_text("model/source", header.model->source);
      h.write_text("model/resolved", canonical);
      f.create_streams();
      for (std::size_t j = 0; j < header.model->joints.size(); ++j)
        f.describe_contact(*header.model, static_cast<JointIndex>(j));
    }
    f.hdf5->set_attribute("/", "complete", std::int64_t{0});
    f.hdf5->set_attribute("solver", "status", std::string("running"));
    f.hdf5->flush();
    f.header.model = nullptr;
    f.begun = true;
  });
}

// ---- writing

// No NaN in any file: the row is refused before any of it is taken.
void Recorder::File::expect_finite(std::span<const double> row, double time) const {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isfinite(row[i])) continue;
    for (const auto& c : header.channels) {
      const auto component = static_cast<int>(i) - c.offset;
      if (component < 0 || component >= c.width) continue;
      const auto names = component_names(c.width);
      throw IoError(
          fmt::format("{}{} is not a finite number at t = {:.9g} s", c.path,
                      names.empty() ? "" : "." + names[static_cast<std::size_t>(component)], time));
    }
    throw IoError(
        fmt::format("column {} of a row is not a finite number at t = {:.9g} s", i, time));
  }
}

void Recorder::File::write_all(bool at_end) {
  if (thinning) {
    // Chunks as long as the rows there are, where that is known.
    if (!steps_laid_out) create_steps(at_end ? thinning->rows() : thinning->most_rows());
    steps->replace(thinning->records());
  } else if (steps) {
    if (at_end && !last.empty()) steps->push(std::exchange(last, {}));
    steps->write();
  }
  uniform->write();
  events->write();
  impacts->write();
  write_anchors();
}

void Recorder::File::flush_if_due() {
  // Where steps are followed by a chance for a checkpoint, that flushes.
  const auto begin = std::chrono::steady_clock::now();
  if (std::exchange(asked, false) || begin < next_flush) return;
  write_all();
  flush(begin);
}

/// `begin`: when writing began, which must not take more than its share of the time.
void Recorder::File::flush(std::chrono::steady_clock::time_point begin) {
  hdf5->flush();
  flushed_until = last_step;
  const auto end = std::chrono::steady_clock::now();
  interval = std::min<std::chrono::steady_clock::duration>(2 * interval, kFlushInterval);
  next_flush = end + std::clamp<std::chrono::steady_clock::duration>(kFlushShare * (end - begin),
                                                                     interval, kLongestInterval);
}

std::string Recorder::File::what_is_left() const {
  if (!std::isfinite(last_step)) return {};
  std::string out = fmt::format("; the run stopped at t = {:.9g} s", last_step);
  std::error_code ignored;
  if (!std::filesystem::exists(partial, ignored)) return out;
  return out + (std::isfinite(flushed_until)
                    ? fmt::format(" and its motion up to t = {:.9g} s is in {}", flushed_until,
                                  partial.string())
                    : " before anything of it was saved");
}

bool Recorder::wants_checkpoint() {
  File& f = *file_;
  f.asked = true;
  if (!f.hdf5 || !f.header.layout || !(f.last_step > f.resumed_at)) return false;
  const bool flush = std::chrono::steady_clock::now() >= f.next_flush;
  f.for_anchor = !flush && f.anchors.wants(f.step_index);
  return flush || f.for_anchor;
}

void Recorder::checkpoint(const State& state, const RunResult& so_far) {
  File& f = *file_;
  if (!f.hdf5 || !f.header.layout || state.time != f.last_step) return;
  if (f.anchors.wants(f.step_index)) f.anchors.add(f.step_index, state);
  if (std::exchange(f.for_anchor, false)) return;
  f.writing([&] {
    const auto begin = std::chrono::steady_clock::now();
    f.write_all();
    const auto numbers = io::flat(state);
    f.hdf5->dataset(io::kCheckpoint, File::numbers(1)).replace(numbers.data(), numbers.size());
    f.hdf5->set_attribute("state", "checkpoint_step", f.step_index);
    f.hdf5->set_attribute("state", "checkpoint_event_steps", f.event_steps);
    f.store_totals(so_far);
    f.store_counters(io::kCheckpoint);
    f.flush(begin);
  });
}

void Recorder::step(const State& state, std::span<const double> row, const StepInfo& info) {
  File& f = *file_;
  if (state.time <= f.resumed_at) return;  // the file has it
  if (!f.hdf5) return;
  const auto refuse = [&](const char* what) {
    throw IoError(fmt::format("{} at t = {:.9g} s", what, state.time));
  };
  if (!std::isfinite(state.time) || state.time < f.last_step) refuse("time does not go forward");
  if (row.size() != static_cast<std::size_t>(f.header.width) ||
      (f.header.layout &&
       (state.y.size() != f.header.layout->y_size() ||
        static_cast<int>(state.memory.size()) != f.header.layout->memory_size())))
    refuse("a row has another length than announced");
  f.expect_finite(row, state.time);
  if (!state.y.allFinite()) refuse("the state is not finite");
  if (!std::all_of(state.memory.begin(), state.memory.end(),
                   [](double x) { return std::isfinite(x); }))
    refuse("the memory of the state is not finite");

  f.writing([&] {
    f.flush_if_due();
    ++f.step_index;
    if (f.step_index == 0 && f.header.layout) f.anchors.add(0, state);
    if (f.event_time == state.time) ++f.event_steps;
    if (f.wishes().steps) f.put_step(state, row, info);
    f.last_step = state.time;
  });
}

void Recorder::File::put_step(const State& state, std::span<const double> row,
                              const StepInfo& info) {
  record.clear();
  record.put(state.time);
  if (channels.size() == header.channels.size())
    record.put(row);
  else
    for (const Kept& kept : channels) record.put(kept.of(row));
  if (header.layout) {
    record.put(std::span<const double>(state.y.data(), static_cast<std::size_t>(state.y.size())));
    record.put(std::span<const double>(state.memory));
  }
  const std::int64_t event = event_time == state.time ? event_steps : 0;
  record.put(info.step);
  record.put(std::int64_t{info.order});
  record.put(before.stats.rejected + info.rejected);
  record.put(before.stats.evaluations + info.evaluations);
  record.put(before.stats.jacobians + info.jacobians);
  record.put(step_index);
  record.put(event);
  const auto bytes = record.bytes();
  if (thinning) return thinning->push(bytes);
  last.clear();
  if (step_index % wishes().every == 0 || event > 0)
    steps->push(bytes);
  else
    last.assign(bytes.begin(), bytes.end());
}

void Recorder::uniform(double time, std::span<const double> row) {
  File& f = *file_;
  if (time <= f.resumed_at || !f.hdf5) return;
  f.expect_finite({&time, 1}, time);
  f.expect_finite(row, time);
  f.writing([&] {
    f.record.clear();
    f.record.put(time);
    for (const File::Kept& kept : f.channels) f.record.put(kept.of(row));
    f.uniform->push(f.record.bytes());
  });
}

void Recorder::event(const Event& event) {
  File& f = *file_;
  if (event.time <= f.resumed_at || !f.hdf5) return;
  if (!std::isfinite(event.time) || !std::isfinite(event.speed))
    throw IoError(fmt::format("event '{}' of {} is not finite at t = {:.9g} s", event.kind,
                              event.joint, event.time));
  if (event.joint.size() > f.joint_bytes || event.kind.size() > File::kKindBytes)
    throw IoError(fmt::format("event '{}' of '{}' has too long a name", event.kind, event.joint));
  f.writing([&] {
    f.record.clear();
    f.record.put(event.time);
    f.record.put_text(event.joint, f.joint_bytes);
    f.record.put(std::int32_t{event.contact});
    f.record.put_text(event.kind, File::kKindBytes);
    f.record.put(event.speed);
    f.events->push(f.record.bytes());
    f.event_time = event.time;
  });
}

void Recorder::impact(const Impact& impact) {
  File& f = *file_;
  if (impact.end <= f.resumed_at || !f.hdf5) return;
  const auto numbers = io::impact_numbers(impact);
  if (!std::isfinite(impact.start) || !std::isfinite(impact.end) ||
      !std::all_of(std::begin(numbers), std::end(numbers),
                   [](double x) { return std::isfinite(x); }))
    throw IoError(fmt::format("the impact of {} that ended at t = {:.9g} s is not finite",
                              impact.joint, impact.end));
  if (impact.joint.size() > f.joint_bytes)
    throw IoError(fmt::format("'{}' has too long a name", impact.joint));
  f.writing([&] {
    f.record.clear();
    f.record.put(impact.start);
    f.record.put(impact.end);
    f.record.put_text(impact.joint, f.joint_bytes);
    f.record.put(std::int32_t{impact.contact});
    f.record.put(std::span<const double>(numbers));
    f.record.put(std::int32_t{impact.open ? 1 : 0});
    f.impacts->push(f.record.bytes());
  });
}

// ---- ending

void Recorder::File::store_totals(const RunResult& result) {
  total = result;
  total.stats.steps += before.stats.steps;
  total.stats.rejected += before.stats.rejected;
  total.stats.evaluations += before.stats.evaluations;
  total.stats.jacobians += before.stats.jacobians;
  total.stats.events += before.stats.events;
  total.stats.cpu_seconds += before.stats.cpu_seconds;
  total.contacts += before.contacts;
  total.energy_residual = std::max(result.energy_residual, before.energy_residual);
  total.energy_scale = std::max(result.energy_scale, before.energy_scale);
  total.friction_use = std::max(result.friction_use, before.friction_use);
  total.warnings.insert(total.warnings.begin(), before.warnings.begin(), before.warnings.end());

  const auto finite = [](double x) {
    return std::isfinite(x) ? x : std::numeric_limits<double>::max();
  };
  const auto set = [&](const char* name, const io::Hdf5Attribute& value) {
    hdf5->set_attribute("solver", name, value);
  };
  store_counters("solver");
  set("reason", total.reason);
  set("remedy", total.remedy);
  set("end_time", finite(total.time));
  set("steps", total.stats.steps);
  set("events", total.stats.events);
  set("contacts", total.contacts);
  set("cpu_seconds", finite(total.stats.cpu_seconds));
  set("energy_residual", finite(total.energy_residual));
  set("energy_scale", finite(total.energy_scale));
  set("friction_use", finite(total.friction_use));
  set("kept", kept_steps());
}

/// What was counted and said until now, as attributes of `object`: a run that goes on from its last
/// checkpoint counts and says again what came between that and its end.
void Recorder::File::store_counters(const char* object) {
  const auto set = [&](const char* name, const io::Hdf5Attribute& value) {
    hdf5->set_attribute(object, name, value);
  };
  set("warnings", fmt::format("{}", fmt::join(total.warnings, "\n")));
  set("rejected", total.stats.rejected);
  set("evaluations", total.stats.evaluations);
  set("jacobians", total.stats.jacobians);
}

void Recorder::end(const RunResult& result) {
  File& f = *file_;
  f.total = result;
  f.writing([&] {
    const bool done = result.status == RunStatus::done;
    f.write_all(true);
    f.store_totals(result);
    f.hdf5->set_attribute("solver", "status", std::string(name_of(result.status)));
    f.hdf5->flush();  // on a full disk this is the end
    // Not before: until here a kill leaves a file that can be gone on with from its checkpoint.
    if (done && f.header.layout) f.hdf5->dataset(io::kCheckpoint, File::numbers(1)).truncate(0);
    f.hdf5->set_attribute("/", "complete", std::int64_t{done ? 1 : 0});
    f.drop_streams();
    if (done)
      f.hdf5->close_as(f.target);
    else
      f.hdf5->close();
    f.hdf5.reset();
    if (done) f.now = f.target;
  });
}

}  // namespace freeplay
