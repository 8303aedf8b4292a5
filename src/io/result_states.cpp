// SPDX-License-Identifier: Apache-2.0
#include "io/anchors.hpp"
#include "io/result_file.hpp"
#include "io/result_layout.hpp"
#include "io/state_layout.hpp"

#include <algorithm>
#include <cmath>

// States stored in a result file: from any of them the run can go on.
namespace freeplay {
namespace {

/// What 15 printed digits leave open of a number.
constexpr double kPrinted = 5.1e-15;

}  // namespace

std::shared_ptr<const Layout> Result::layout() const { return file_->layout(); }

std::shared_ptr<const Layout> Result::File::layout() const {
  if (!hdf5.is_dataset(io::kBlocks)) refuse("it holds no states");
  auto out = io::parse_layout(attribute<std::string>("state", "formulation").value_or(""),
                              hdf5.text(io::kBlocks));
  if (!out || fmt::format("{:016x}", out->digest()) !=
                  attribute<std::string>("state", "layout").value_or(""))
    refuse("the list of its states is damaged");
  return out;
}

State Result::state_before(double time) const {
  if (file_->has_steps()) return file_->state_at(file_->row_before(time));
  auto state = file_->anchor_before(time);
  if (!state) file_->refuse("it holds no states");
  state->stepping.clear();
  return *std::move(state);
}

State Result::checkpoint() const {
  const File& f = *file_;
  if (f.version > 2) {
    const auto stored = f.hdf5.dataset(io::kCheckpoint, File::kAnyNumbers);
    State state;
    state.layout = f.layout();
    if (stored.rows() > 0 &&
        !io::unflatten(f.numbers(stored, 0, stored.rows(), io::kCheckpoint), *state.layout, state))
      f.refuse("its checkpoint is damaged");
    return state;
  }
  const auto row = f.attribute<std::int64_t>("state", io::kCheckpointRow).value_or(-1);
  if (row < 0 || static_cast<std::size_t>(row) >= f.times().size() ||
      !f.hdf5.is_dataset(io::kStepping))
    f.refuse("it has no step to go on from");
  State state = f.state_at(static_cast<std::size_t>(row));
  const auto stepping = f.hdf5.dataset(io::kStepping, File::kAnyNumbers);
  state.stepping = f.numbers(stepping, 0, stepping.rows(), io::kStepping);
  return state;
}

std::optional<State> Result::File::anchor_before(double time) const {
  if (!hdf5.is_dataset(io::kAnchors) || !hdf5.is_dataset(io::kAnchorEnd)) return std::nullopt;
  const auto all = hdf5.dataset(io::kAnchors, kAnyNumbers);
  const auto ends_of = hdf5.dataset(io::kAnchorEnd, kAnyNumbers);
  const auto ends = numbers(ends_of, 0, ends_of.rows(), io::kAnchorEnd);
  State state;
  state.layout = layout();
  // From the back: those before are read only where they are needed.
  for (std::size_t i = ends.size(); i-- > 0;) {
    const double begin = i == 0 ? 0 : ends[i - 1];
    if (!(begin >= 0 && begin < ends[i] && ends[i] <= static_cast<double>(all.rows())))
      refuse("its states are damaged");
    const auto first = static_cast<std::size_t>(begin);
    if (numbers(all, first, 1, io::kAnchors)[0] > time) continue;
    const auto count = static_cast<std::size_t>(ends[i]) - first;
    if (!io::unflatten(numbers(all, first, count, io::kAnchors), *state.layout, state))
      refuse("its states are damaged");
    return state;
  }
  return std::nullopt;
}

std::pair<double, double> Result::File::span() const {
  if (has_steps()) {
    if (times().empty()) refuse("it holds no steps");
    return {times().front(), times().back()};
  }
  const auto grid = hdf5.dataset("uniform/time", kAnyNumbers);
  if (grid.rows() == 0) refuse("it holds no rows");
  return {numbers(grid, 0, 1, "uniform/time")[0],
          numbers(grid, grid.rows() - 1, 1, "uniform/time")[0]};
}

/// What is not stored, computed anew.
std::vector<double> Result::File::observe(const Channel& channel, double time) const {
  std::optional<State> from = anchor_before(time);
  const auto header = describe(stored_model());
  std::vector<double> all(static_cast<std::size_t>(header.width));
  bool found = false;
  if (!from || (has_steps() && from->stepping.empty() && from->time < times()[row_before(time)])) {
    try {
      observe_at(stored_model(), state_at(row_before(time)), time, all);
      found = true;
    } catch (const ModelError&) {
      if (!from) throw;  // a run with delays knows its past at its anchors alone
    }
  }
  if (!found) observe_at(stored_model(), *from, time, all);
  const auto begin = all.begin() + channel.offset;
  return {begin, begin + channel.width};
}

std::vector<double> Result::at(const std::string& path, double time) const {
  const File& f = *file_;
  File::Place place;
  std::optional<NotInResult> unknown;
  try {
    place = f.find(path);
  } catch (const NotInResult& error) {  // of the mechanism it may be, though the file has no rows
    unknown = error;
    place.channel = path.substr(path.starts_with('/') ? 1 : 0);
    if (place.channel.starts_with(io::kUniform)) throw;
    place.rows = false;
  }
  const auto [start, last] = f.span();
  if (std::isnan(time) || time < start)
    throw NotInResult(fmt::format("t = {:.9g} s is before the start of {}, {:.9g} s", time,
                                  f.path.string(), start));
  // The end of the run may be asked for in decimals that round to just beyond it.
  if (time > last + 1e-12 * std::max(std::abs(last), 1.0))
    throw NotInResult(
        fmt::format("t = {:.9g} s is after the end of {}, {:.9g} s", time, f.path.string(), last));

  std::vector<double> values;
  if (place.rows && f.hdf5.is_dataset(place.channel)) {
    // The instant of an event, typed as it was printed, is the stored one; so is the next when the
    // print was rounded down.
    const auto same = [&](std::size_t r) {
      return r < f.times().size() && std::abs(f.times()[r] - time) <= kPrinted * std::abs(time);
    };
    const auto row = f.row_before(time);
    std::size_t stored = row;
    while (same(stored + 1)) ++stored;
    if (same(stored) || row + 1 == f.times().size())
      values =
          f.numbers(f.hdf5.dataset(place.channel, File::kAnyNumbers), stored, 1, place.channel);
  }
  if (values.empty()) {
    const auto known = describe(f.stored_model()).channels;
    auto channel = std::find_if(known.begin(), known.end(),
                                [&](const Channel& c) { return c.path == place.channel; });
    if (const auto dot = place.channel.rfind('.'); unknown && channel == known.end()) {
      channel = std::find_if(known.begin(), known.end(), [&](const Channel& c) {
        return c.path == place.channel.substr(0, dot);
      });
      if (channel == known.end()) throw *unknown;
      const auto names = component_names(channel->width);
      const auto name = std::find(names.begin(), names.end(), place.channel.substr(dot + 1));
      if (name == names.end()) throw *unknown;
      place.component = static_cast<int>(name - names.begin());
    }
    if (channel == known.end())
      throw NotInResult(fmt::format(
          "{} has values at the steps only; the one before t = {:.9g} s is at {:.15g} s",
          place.channel, time, f.times()[f.row_before(time)]));
    values = f.observe(*channel, std::min(time, last));
  }
  if (place.component >= 0) values = {values.at(static_cast<std::size_t>(place.component))};
  return values;
}

State Result::File::state_at(std::size_t row) const {
  State state;
  state.layout = layout();
  state.time = times()[row];
  const auto read = [&](const std::string& name) {
    const auto data = hdf5.dataset(name, File::kAnyNumbers);
    if (data.rows() != times().size()) refuse(name + " does not match its times");
    return numbers(data, row, 1, name);
  };
  const auto y = read("state/y");
  state.y = Eigen::Map<const VecX>(y.data(), static_cast<Eigen::Index>(y.size()));
  state.memory = read("state/memory");
  return state;
}

}  // namespace freeplay
