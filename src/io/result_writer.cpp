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

// The Recorder writes four streams of rows (steps, uniform grid, events, impacts) into
// OUT.partial.h5 and renames it at the end. Every few seconds it flushes, always just before a new
// step is taken in: then everything that belongs to the steps before is in the file, whichever way
// the run loop orders its calls, and a run killed at any time can go on from the last flush.
namespace freeplay {

using io::Hdf5File;
using io::RowStream;
using io::RowType;

namespace {

// Large mechanisms flush less often, to spend no more than a 20th on it.
constexpr int kFlushShare = 20;

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
    f.channels = header.channels;
    for (const auto& joint : header.model->joints)
      f.joint_bytes = std::max(f.joint_bytes, joint.name.size());
    for (const auto& force : header.model->forces)
      f.joint_bytes = std::max(f.joint_bytes, force.name.size());
    const std::string canonical = write_model(*header.model), digest = io::sha256(canonical);
    if (f.options.resume) {
      const auto stored = f.hdf5->attribute("/", "model_sha256");
      if (!stored || *stored != io::Hdf5Attribute(digest))
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

void Recorder::File::describe(const std::string& path, const char* unit, const char* long_name,
                              const char* frame) {
  hdf5->set_attribute(path, "unit", std::string(unit));
  hdf5->set_attribute(path, "long_name", std::string(long_name));
  if (*frame) hdf5->set_attribute(path, "frame", std::string(frame));
}

// Attributes of /joints/NAME: which laws, and what they made of material, radii and masses.
void Recorder::File::describe_contact(const Model& model, JointIndex index) {
  const Joint& joint = model.joints[static_cast<std::size_t>(index)];
  const std::string group = "joints/" + joint.name;
  if (!joint.clearance || !hdf5->contains(group)) return;
  hdf5->set_attribute(group, "contact_law", joint.clearance->contact.key);
  if (joint.clearance->friction)
    hdf5->set_attribute(group, "friction_law", joint.clearance->friction->key);
  std::string units;
  for (const laws::Derived& d : joints::ImperfectJoint(model, index).derived()) {
    std::string name(d.name);
    std::replace(name.begin(), name.end(), ' ', '_');
    if (!std::isfinite(d.value)) continue;  // a limit that does not exist
    hdf5->set_attribute(group, name, d.value);
    units += (units.empty() ? "" : ", ") + name + ": " + d.unit;
  }
  hdf5->set_attribute(group, "derived_unit", units);
}

// Bytes of the packed records, in the order in which the streams take their slices.
namespace {
std::size_t step_bytes(const RunHeader& h) {
  const int state = h.layout ? h.layout->y_size() + h.layout->memory_size() : 0;
  return 8U * static_cast<std::size_t>(1 + h.width + state + 5);
}
/// Points of the uniform grid, both ends included.
std::size_t uniform_rows(const Model& model) {
  const Simulation& s = model.simulation;
  return 1 + static_cast<std::size_t>(s.output > 0 ? s.duration / s.output * (1 + 1e-12) : 1000);
}
std::size_t uniform_bytes(const RunHeader& h) { return 8U * static_cast<std::size_t>(1 + h.width); }
}  // namespace

void Recorder::File::make_streams() {
  steps.emplace(step_bytes(header));
  uniform.emplace(uniform_bytes(header), uniform_rows(*header.model));
  events.emplace(io::event_row(joint_bytes, kKindBytes).bytes());
  impacts.emplace(io::impact_row(joint_bytes).bytes());
}

void Recorder::File::create_streams() {
  make_streams();
  const auto make = [&](RowStream& stream, const std::string& path, const RowType& row,
                        const char* unit, const char* long_name, const char* frame = "") {
    stream.add(hdf5->create_dataset(path, row, stream.chunk_rows()));
    describe(path, unit, long_name, frame);
  };
  const auto make_channels = [&](RowStream& stream, const std::string& prefix) {
    make(stream, prefix + "time", numbers(1), "s", "time");
    for (const auto& c : channels)
      make(stream, prefix + c.path, numbers(c.width), c.unit.c_str(), c.long_name.c_str(),
           c.frame.c_str());
  };
  make_channels(*steps, "");
  if (header.layout) {
    make(*steps, "state/y", numbers(header.layout->y_size()), "SI",
         "state vector; with the memory, all that is needed to go on from a step");
    make(*steps, "state/memory", numbers(header.layout->memory_size()), "SI",
         "what changes only between steps");
    hdf5->write_text(io::kBlocks, io::layout_text(*header.layout));
    describe(io::kBlocks, "1", "what the numbers of state/y and state/memory are");
    hdf5->set_attribute("state", "formulation", header.layout->formulation());
    hdf5->set_attribute("state", "layout", fmt::format("{:016x}", header.layout->digest()));
    hdf5->create_dataset(io::kStepping, numbers(1), 256);
    describe(io::kStepping, "1", "memory of the steps before the checkpoint; empty when complete");
    hdf5->set_attribute("state", io::kCheckpointRow, std::int64_t{0});
  }
  make(*steps, "solver/step", numbers(1), "s", "length of the step that ended here");
  make(*steps, "solver/order", counter(), "1", "order of the method in the step");
  make(*steps, "solver/rejected", counter(), "1", "rejected tries so far");
  make(*steps, "solver/evaluations", counter(), "1",
       "evaluations of the equations of motion so far");
  make(*steps, "solver/jacobians", counter(), "1", "Jacobians so far");
  make_channels(*uniform, io::kUniform);
  const auto event_row = io::event_row(joint_bytes, kKindBytes);
  make(*events, "events", event_row, io::units_of(event_row).c_str(), "located events");
  const auto impact_row = io::impact_row(joint_bytes);
  make(*impacts, "impacts", impact_row, io::units_of(impact_row).c_str(),
       "contacts, each from its touch to its separation, or to the end of the run where `open` is "
       "1; "
       "energy lost to the normal law");
}

// ---- writing

// No NaN in any file: the row is refused before any of it is taken.
void Recorder::File::expect_finite(std::span<const double> row, double time) const {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isfinite(row[i])) continue;
    for (const auto& c : channels) {
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

void Recorder::File::write_all() {
  steps->write();
  uniform->write();
  events->write();
  impacts->write();
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
  return f.hdf5 && f.header.layout && f.last_step > f.resumed_at &&
         std::chrono::steady_clock::now() >= f.next_flush;
}

void Recorder::checkpoint(const State& state, const RunResult& so_far) {
  File& f = *file_;
  if (!f.hdf5 || !f.header.layout || state.time != f.last_step) return;
  f.writing([&] {
    const auto begin = std::chrono::steady_clock::now();
    f.write_all();
    auto stepping = f.hdf5->dataset(io::kStepping, File::numbers(1));
    stepping.truncate(0);
    stepping.append(state.stepping.data(), state.stepping.size());
    f.hdf5->set_attribute("state", io::kCheckpointRow,
                          static_cast<std::int64_t>(f.steps->complete_rows()) - 1);
    f.store_totals(so_far);
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
    f.record.clear();
    f.record.put(state.time);
    f.record.put(row);
    if (f.header.layout) {
      f.record.put(
          std::span<const double>(state.y.data(), static_cast<std::size_t>(state.y.size())));
      f.record.put(std::span<const double>(state.memory));
    }
    f.record.put(info.step);
    f.record.put(std::int64_t{info.order});
    f.record.put(f.before.stats.rejected + info.rejected);
    f.record.put(f.before.stats.evaluations + info.evaluations);
    f.record.put(f.before.stats.jacobians + info.jacobians);
    f.steps->push(f.record.bytes());
    f.last_step = state.time;
  });
}

void Recorder::uniform(double time, std::span<const double> row) {
  File& f = *file_;
  if (time <= f.resumed_at || !f.hdf5) return;
  f.expect_finite({&time, 1}, time);
  f.expect_finite(row, time);
  f.writing([&] {
    f.record.clear();
    f.record.put(time);
    f.record.put(row);
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
  set("reason", total.reason);
  set("remedy", total.remedy);
  set("warnings", fmt::format("{}", fmt::join(total.warnings, "\n")));
  set("end_time", finite(total.time));
  set("steps", total.stats.steps);
  set("rejected", total.stats.rejected);
  set("evaluations", total.stats.evaluations);
  set("jacobians", total.stats.jacobians);
  set("events", total.stats.events);
  set("contacts", total.contacts);
  set("cpu_seconds", finite(total.stats.cpu_seconds));
  set("energy_residual", finite(total.energy_residual));
  set("energy_scale", finite(total.energy_scale));
  set("friction_use", finite(total.friction_use));
}

void Recorder::end(const RunResult& result) {
  File& f = *file_;
  f.total = result;
  f.writing([&] {
    const bool done = result.status == RunStatus::done;
    f.write_all();
    f.store_totals(result);
    f.hdf5->set_attribute("solver", "status", std::string(name_of(result.status)));
    f.hdf5->flush();  // on a full disk this is the end
    // Not before: until here a kill leaves a file that can be gone on with from its checkpoint.
    if (done && f.header.layout) f.hdf5->dataset(io::kStepping, File::numbers(1)).truncate(0);
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
