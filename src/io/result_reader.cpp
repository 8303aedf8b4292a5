// SPDX-License-Identifier: Apache-2.0
#include "io/result_file.hpp"
#include "io/result_layout.hpp"
#include "io/sha256.hpp"
#include "io/text.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

// Reads result files, and trusts nothing in them: what HDF5's checksums do not catch (a lost chunk,
// a text with a flipped bit, rows that do not match) is caught here, so that a damaged file gives a
// reason and never a wrong number.
namespace freeplay {

using io::Hdf5Dataset;
using io::RowType;
using io::Scalar;

namespace {

bool is_table(const std::string& dataset) { return dataset == "events" || dataset == "impacts"; }

/// Texts, and what only this program makes something of.
bool is_internal(const std::string& dataset) {
  return dataset.starts_with("model/") || dataset == io::kBlocks || dataset == io::kStepping ||
         dataset == io::kCheckpoint || dataset.starts_with(io::kAnchors) ||
         dataset == io::kAnchorEnd || dataset == io::kAnchorStep;
}

std::string without_leading_slash(const std::string& path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

}  // namespace

Result::Result(const std::filesystem::path& file) : file_(std::make_unique<File>(file)) {
  const auto format = file_->attribute<std::string>("/", "format");
  if (!format || *format != io::kFormat) file_->refuse("it is not a Freeplay result");
  const auto version = file_->attribute<std::int64_t>("/", "format_version");
  if (!version || *version < io::kOldestVersion || *version > io::kFormatVersion)
    file_->refuse(fmt::format("its format version is {}, this program reads versions {} and {}",
                              version ? std::to_string(*version) : "unknown", io::kOldestVersion,
                              io::kFormatVersion));
  file_->version = *version;
  // Steps may be unwanted; while a run goes on, they come with the first flush.
  if (!file_->attribute<std::int64_t>("/", "complete") ||
      ((*version == 2 || complete()) && file_->wants_steps() && !file_->has_steps()) ||
      !file_->hdf5.contains("uniform/time") || !file_->hdf5.contains("events") ||
      !file_->hdf5.contains("impacts"))
    file_->refuse("parts of it are missing");
}
Result::~Result() = default;
Result::Result(Result&&) noexcept = default;

const std::filesystem::path& Result::path() const { return file_->path; }

bool Result::complete() const {
  return file_->attribute<std::int64_t>("/", "complete").value_or(0) == 1;
}

std::string Result::kept() const {
  return file_->attribute<std::string>("solver", "kept").value_or("");
}
bool Result::has_steps() const { return file_->wants_steps(); }

bool Result::sealed() const { return file_->hdf5.sealed(); }

std::string Result::attribute(const std::string& name) const {
  const auto slash = name.rfind('/');
  const auto object = slash == name.npos ? "/" : name.substr(0, slash);
  const auto last = slash == name.npos ? name : name.substr(slash + 1);
  const bool has_object = object == "/" || file_->hdf5.contains(object);
  const auto value = has_object ? file_->hdf5.attribute(object, last) : std::nullopt;
  if (!value) file_->refuse("it has no attribute " + io::quote(name));
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, *value);
}

std::string Result::model_text() const { return file_->model_text(); }

std::string Result::model_source() const {
  return file_->hdf5.is_dataset("model/source") ? file_->hdf5.text("model/source") : std::string{};
}

std::string Result::File::model_text() const {
  auto text = hdf5.text("model/resolved");
  if (attribute<std::string>("/", "model_sha256") != io::sha256(text))
    refuse("its model does not match its checksum");
  return text;
}

const Model& Result::File::stored_model() const {
  if (!model)
    model = parse_model(model_text(), path.string() + ": model", {},
                        std::filesystem::absolute(path).parent_path());  // of plug-ins
  return *model;
}

RunResult Result::total() const {
  const File& f = *file_;
  const auto count = [&](const char* name) {
    return f.attribute<std::int64_t>("solver", name).value_or(0);
  };
  const auto number = [&](const char* name) {
    return f.attribute<double>("solver", name).value_or(0);
  };
  const auto text = [&](const char* name) {
    return f.attribute<std::string>("solver", name).value_or("");
  };
  RunResult r;
  r.status = RunStatus::interrupted;  // also what was killed
  for (const auto status : {RunStatus::done, RunStatus::failed, RunStatus::audit_broken})
    if (text("status") == name_of(status)) r.status = status;
  r.time = number("end_time");
  r.reason = text("reason");
  r.remedy = text("remedy");
  r.stats = {count("steps"),     count("rejected"), count("evaluations"),
             count("jacobians"), count("events"),   number("cpu_seconds")};
  r.energy_residual = number("energy_residual");
  r.energy_scale = number("energy_scale");
  r.friction_use = number("friction_use");
  r.contacts = count("contacts");
  r.warnings = io::lines_of(f.hdf5.attribute("solver", "warnings"));
  return r;
}

// ---- series

Channel Result::File::channel_of(const std::string& dataset) const {
  Channel channel;
  channel.path =
      dataset.starts_with(io::kUniform) ? dataset.substr(std::strlen(io::kUniform)) : dataset;
  channel.unit = attribute<std::string>(dataset, "unit").value_or("");
  channel.long_name = attribute<std::string>(dataset, "long_name").value_or("");
  channel.frame = attribute<std::string>(dataset, "frame").value_or("");
  channel.width = hdf5.dataset(dataset, File::kAnyNumbers).row().width;
  return channel;
}

std::vector<Channel> Result::channels() const {
  std::vector<Channel> out;
  int offset = 0;
  // In version 3 the grid has every series that is kept, steps or not.
  const bool old = file_->version == 2;
  for (const auto& path : file_->hdf5.datasets(old ? "/" : "uniform")) {
    const auto top = path.substr(0, path.find('/'));
    if (top == "time" || top == "uniform" || top == "state" || top == "solver" || top == "model" ||
        is_table(top))
      continue;
    out.push_back(file_->channel_of((old ? "" : io::kUniform) + path));
    out.back().offset = offset;
    offset += out.back().width;
  }
  return out;
}

std::vector<std::string> Result::File::known_series() const {
  std::vector<std::string> out;
  for (const auto& name : hdf5.datasets("/")) {
    if (is_internal(name) || name.starts_with(io::kUniform) || is_table(name)) continue;
    out.push_back(name);
    const int width =
        name.starts_with("state/") ? 1 : hdf5.dataset(name, File::kAnyNumbers).row().width;
    for (const auto& component : component_names(width)) out.push_back(name + "." + component);
  }
  return out;
}

Result::File::Place Result::File::find(const std::string& asked) const {
  const auto name = without_leading_slash(asked);
  Place place;
  place.uniform = name.starts_with(io::kUniform);
  const std::string prefix = place.uniform ? io::kUniform : "";
  const auto rest = name.substr(prefix.size());
  const auto is_series = [&](const std::string& s) {
    return !is_internal(s) && !is_table(s) && hdf5.is_dataset(prefix + s);
  };
  const auto found = [&](const std::string& channel) {
    place.channel = channel;
    place.dataset = prefix + channel;
    return place;
  };
  if (is_series(rest)) return found(rest);
  if (const auto dot = rest.rfind('.'); dot != rest.npos && is_series(rest.substr(0, dot))) {
    const auto channel = rest.substr(0, dot);
    const auto names =
        component_names(hdf5.dataset(prefix + channel, File::kAnyNumbers).row().width);
    const auto component = std::find(names.begin(), names.end(), rest.substr(dot + 1));
    if (component != names.end()) {
      place.component = static_cast<int>(component - names.begin());
      return found(channel);
    }
  }

  if (!place.uniform && !has_steps()) {
    // Kept on the grid alone: its rows at the steps are none.
    try {
      Place on_grid = find(io::kUniform + rest);
      on_grid.uniform = on_grid.rows = false;
      return on_grid;
    } catch (const NotInResult&) {  // to be said below, without the prefix
    }
  }

  // Of a group, name the first member; of anything else, what is spelt most like it.
  auto known = known_series();
  if (!has_steps())
    for (const auto& series : hdf5.datasets("uniform")) known.push_back(series);
  if (!place.uniform)  // the tables, which `freeplay get` prints as well
    known.insert(known.end(), {"events", "impacts"});
  const auto member = std::find_if(known.begin(), known.end(),
                                   [&](const std::string& k) { return k.starts_with(rest + "/"); });
  const auto guess = member != known.end() ? *member : io::nearest(rest, known);
  throw NotInResult(
      fmt::format("{} has no series {}{}", path.string(), io::quote(asked),
                  guess.empty() ? "" : "; did you mean " + io::quote(prefix + guess) + "?"));
}

std::vector<double> Result::File::numbers(const Hdf5Dataset& dataset, std::size_t first,
                                          std::size_t count, const std::string& name) const {
  std::vector<double> values(count * static_cast<std::size_t>(dataset.row().width));
  dataset.read(first, count, values.data());
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
    refuse("series " + name + " is damaged");
  return values;
}

std::size_t Result::rows(bool uniform) const {
  if (!uniform && !file_->has_steps()) return 0;
  return file_->hdf5.dataset(uniform ? "uniform/time" : "time", File::kAnyNumbers).rows();
}

Series Result::series(const std::string& path) const {
  return series(path, 0, rows(without_leading_slash(path).starts_with(io::kUniform)));
}

Series Result::series(const std::string& path, std::size_t first, std::size_t count) const {
  const File& f = *file_;
  const auto place = f.find(path);
  if (!place.rows) {
    if (first + count > 0) f.refuse("there are not so many rows");
    Series none;
    none.channel = f.channel_of(place.dataset);
    if (place.component >= 0) {
      none.channel.path +=
          "." + component_names(none.channel.width)[static_cast<std::size_t>(place.component)];
      none.channel.width = 1;
    }
    return none;
  }
  const auto data = f.hdf5.dataset(place.dataset, File::kAnyNumbers);
  const auto time = f.hdf5.dataset(place.uniform ? "uniform/time" : "time", File::kAnyNumbers);
  if (data.rows() != time.rows() || time.row().width != 1)
    f.refuse("series " + place.dataset + " does not match its times");
  if (first > time.rows() || count > time.rows() - first) f.refuse("there are not so many rows");

  Series out;
  out.channel = f.channel_of(place.dataset);
  out.time = f.numbers(time, first, count, "time");
  if (!std::is_sorted(out.time.begin(), out.time.end())) f.refuse("its times are damaged");
  out.values = f.numbers(data, first, count, place.dataset);
  if (place.component >= 0) {
    const auto width = static_cast<std::size_t>(out.channel.width);
    const auto column = static_cast<std::size_t>(place.component);
    for (std::size_t i = 0; i < count; ++i) out.values[i] = out.values[i * width + column];
    out.values.resize(count);
    out.channel.path += "." + component_names(out.channel.width)[column];
    out.channel.width = 1;
  }
  return out;
}

namespace {

// Reads the packed rows of a table, field by field.
class Rows {
 public:
  explicit Rows(const Hdf5Dataset& table)
      : fields_(table.row().fields), bytes_(table.rows() * table.row().bytes()) {
    table.read(0, table.rows(), bytes_.data());
  }
  [[nodiscard]] bool next() {
    field_ = 0;
    return at_ < bytes_.size();
  }
  double number() {
    const auto value = take<double>();
    finite_ = finite_ && std::isfinite(value);
    return value;
  }
  int integer() { return take<std::int32_t>(); }
  std::string text() {
    const auto length = fields_[field_++].bytes;
    const char* begin = bytes_.data() + at_;
    at_ += length;
    return {begin, std::find(begin, begin + length, '\0')};
  }
  [[nodiscard]] bool finite() const { return finite_; }

 private:
  template <class T>
  T take() {
    T value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    ++field_;
    return value;
  }
  std::vector<io::Hdf5Field> fields_;
  std::vector<char> bytes_;
  std::size_t at_ = 0, field_ = 0;
  bool finite_ = true;
};

}  // namespace

std::vector<Event> Result::events() const {
  std::vector<Event> out;
  Rows rows(file_->hdf5.dataset("events", io::event_row(0, 0)));
  while (rows.next()) {
    auto& event = out.emplace_back();
    event.time = rows.number();
    event.joint = rows.text();
    event.contact = rows.integer();
    event.kind = rows.text();
    event.speed = rows.number();
  }
  if (!rows.finite()) file_->refuse("its events are damaged");
  return out;
}

std::vector<Impact> Result::impacts() const {
  std::vector<Impact> out;
  Rows rows(file_->hdf5.dataset("impacts", io::impact_row(0)));
  while (rows.next()) {
    auto& impact = out.emplace_back();
    impact.start = rows.number();
    impact.end = rows.number();
    impact.joint = rows.text();
    impact.contact = rows.integer();
    impact.approach_speed = rows.number();
    impact.separation_speed = rows.number();
    impact.peak_force = rows.number();
    impact.peak_depth = rows.number();
    impact.energy_lost = rows.number();
    (void)rows.number();  // achieved restitution: the ratio of the speeds
    impact.impulse = rows.number();
    impact.open = rows.integer() != 0;
  }
  if (!rows.finite()) file_->refuse("its impacts are damaged");
  return out;
}

// ---- between the steps

const std::vector<double>& Result::File::times() const {
  if (step_times.empty()) {
    const auto time = hdf5.dataset("time", File::kAnyNumbers);
    step_times = numbers(time, 0, time.rows(), "time");
    if (!std::is_sorted(step_times.begin(), step_times.end())) refuse("its times are damaged");
  }
  return step_times;
}

std::size_t Result::File::row_before(double time) const {
  const auto& all = times();
  if (all.empty()) refuse("it holds no steps");
  if (std::isnan(time) || time < all.front())
    throw NotInResult(fmt::format("t = {:.9g} s is before the start of {}, {:.9g} s", time,
                                  path.string(), all.front()));
  return static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), time) - all.begin()) - 1;
}

Series Result::dense(const std::string& path) const {
  const File& f = *file_;
  const auto place = f.find(path);
  Series out = series(path);
  if (place.uniform || !f.hdf5.is_dataset(io::kUniform + place.channel)) return out;
  const Series grid = series(io::kUniform + path.substr(path.starts_with('/') ? 1 : 0));
  const auto width = static_cast<std::size_t>(out.channel.width);
  Series both;
  both.channel = out.channel;
  std::size_t i = 0, k = 0;
  const auto take = [&](const Series& from, std::size_t row) {
    both.time.push_back(from.time[row]);
    both.values.insert(both.values.end(),
                       from.values.begin() + static_cast<std::ptrdiff_t>(row * width),
                       from.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  };
  while (i < out.time.size() || k < grid.time.size()) {
    // Where both have an instant, the step counts: at an event it is the state after it.
    const bool step = k == grid.time.size() || (i < out.time.size() && out.time[i] <= grid.time[k]);
    if (!step) {
      take(grid, k++);
      continue;
    }
    while (k < grid.time.size() && grid.time[k] == out.time[i]) ++k;
    take(out, i++);
  }
  return both;
}

std::optional<Trust> Result::trust() const {
  const File& f = *file_;
  const auto number = [&](const char* name) {
    return f.attribute<double>("solver", std::string("trust_") + name).value_or(0);
  };
  const auto knob = f.attribute<std::string>("solver", "trust_knob");
  if (!knob) return std::nullopt;
  return Trust{
      *knob,           number("value"), number("difference"), number("rotation"), number("length"),
      number("until"), number("end")};
}

void store_trust(const std::filesystem::path& file, const Trust& trust) {
  auto hdf5 = io::Hdf5File::open_to_append(file);
  hdf5.set_attribute("solver", "trust_knob", trust.knob);
  const std::pair<const char*, double> numbers[] = {
      {"trust_value", trust.value},       {"trust_difference", trust.difference},
      {"trust_rotation", trust.rotation}, {"trust_length", trust.length},
      {"trust_until", trust.until},       {"trust_end", trust.end}};
  for (const auto& [name, value] : numbers) hdf5.set_attribute("solver", name, value);
  hdf5.close();
}

}  // namespace freeplay
