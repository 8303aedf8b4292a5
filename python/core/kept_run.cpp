// SPDX-License-Identifier: Apache-2.0
#include "kept_run.hpp"

#include "io/text.hpp"
#include <freeplay/result.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace freeplay::python {
namespace {

constexpr std::size_t kCounters = 4;
constexpr const char* kCounterNames[kCounters] = {"solver/order", "solver/rejected",
                                                  "solver/evaluations", "solver/jacobians"};
/// What 15 printed digits leave open of a number, as for result files.
constexpr double kPrinted = 5.1e-15;

}  // namespace

template <class T>
void Rows<T>::resize(std::size_t rows) {
  void* moved = std::realloc(data_, std::max<std::size_t>(rows * width_, 1) * sizeof(T));
  if (!moved) throw std::bad_alloc();
  data_ = static_cast<T*>(moved);
  room_ = rows;
}
template class Rows<double>;
template class Rows<std::int64_t>;

std::size_t KeptRun::state_size() const {
  if (!options_.states || !header_.layout) return 0;
  return static_cast<std::size_t>(header_.layout->y_size() + header_.layout->memory_size());
}

void KeptRun::begin(const RunHeader& header) {
  header_ = header;
  header_.model = model_.get();
  const auto width = static_cast<std::size_t>(header.width);
  steps_.set_width(2 + width + state_size());
  counters_.set_width(kCounters);
  uniform_.set_width(1 + width);
}

// As result files, which hold no NaN: the row is refused, and the run fails there.
void KeptRun::expect_finite(std::span<const double> row, double time) const {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isfinite(row[i])) continue;
    for (const Channel& c : header_.channels) {
      const int component = static_cast<int>(i) - c.offset;
      if (component < 0 || component >= c.width) continue;
      const auto names = component_names(c.width);
      throw IoError(
          fmt::format("{}{} is not a finite number at t = {:.9g} s", c.path,
                      names.empty() ? "" : "." + names[static_cast<std::size_t>(component)], time));
    }
  }
}

void KeptRun::step(const State& state, std::span<const double> row, const StepInfo& info) {
  if (!options_.steps) return;
  expect_finite(row, state.time);
  double* to = steps_.add();
  *to++ = state.time;
  to = std::copy(row.begin(), row.end(), to);
  if (state_size() > 0) {
    to = std::copy(state.y.data(), state.y.data() + state.y.size(), to);
    to = std::copy(state.memory.begin(), state.memory.end(), to);
  }
  *to = info.step;
  std::int64_t* count = counters_.add();
  count[0] = info.order;
  count[1] = info.rejected;
  count[2] = info.evaluations;
  count[3] = info.jacobians;
}

void KeptRun::uniform(double time, std::span<const double> row) {
  if (!options_.uniform) return;
  expect_finite(row, time);
  double* to = uniform_.add();
  *to++ = time;
  std::copy(row.begin(), row.end(), to);
}

void KeptRun::end(const RunResult& result) {
  total_ = result;
  steps_.fit();
  counters_.fit();
  uniform_.fit();
}

std::optional<KeptRun::Place> KeptRun::find(const std::string& path, bool uniform) const {
  if (path == "time") return Place{0, 1};
  for (const Channel& c : header_.channels)
    if (c.path == path) return Place{1 + c.offset, c.width};
  if (uniform) return {};
  const int last = 1 + header_.width;
  if (path == "solver/step") return Place{last + static_cast<int>(state_size()), 1};
  for (int k = 0; k < static_cast<int>(kCounters); ++k)
    if (path == kCounterNames[k]) return Place{k, 1, true};
  if (state_size() == 0) return {};
  if (path == "state/y") return Place{last, header_.layout->y_size()};
  if (path == "state/memory")
    return Place{last + header_.layout->y_size(), header_.layout->memory_size()};
  return {};
}

State KeptRun::state_of(std::size_t row) const {
  State state;
  state.time = time_of(row);
  state.layout = header_.layout;
  const double* from = steps_.row(row).data() + 1 + header_.width;
  const int size = header_.layout->y_size();
  state.y = Eigen::Map<const VecX>(from, size);
  state.memory.assign(from + size, from + size + header_.layout->memory_size());
  return state;
}

std::vector<double> KeptRun::at(const std::string& path, double time) const {
  const auto place = find(path, false);
  const std::size_t rows = steps_.rows();
  if (!place || place->counter) throw NotInResult("there is no series " + io::quote(path));
  if (rows == 0) throw NotInResult("the run kept no steps, and so has no values between them");
  const double first = time_of(0), last = time_of(rows - 1);
  if (std::isnan(time) || time < first)
    throw NotInResult(
        fmt::format("t = {:.9g} s is before the start of the run, {:.9g} s", time, first));
  if (time > last + 1e-12 * std::max(std::abs(last), 1.0))
    throw NotInResult(
        fmt::format("t = {:.9g} s is after the end of the run, {:.9g} s", time, last));
  // The last row that is not later.
  std::size_t row = 0;
  for (std::size_t count = rows; count > 1;) {
    const std::size_t half = count / 2;
    if (time_of(row + half) <= time)
      row += half, count -= half;
    else
      count = half;
  }
  const auto same = [&](std::size_t r) {
    return r < rows && std::abs(time_of(r) - time) <= kPrinted * std::abs(time);
  };
  std::size_t stored = row;
  while (same(stored + 1)) ++stored;
  const auto width = static_cast<std::size_t>(place->width);
  if (same(stored) || row + 1 == rows) {
    const auto values = steps_.row(stored).subspan(static_cast<std::size_t>(place->offset), width);
    return {values.begin(), values.end()};
  }
  if (place->offset > header_.width || path == "time")
    throw NotInResult(
        fmt::format("{} has values at the steps only; the one before t = {:.9g} s is "
                    "at {:.15g} s",
                    path, time, time_of(row)));
  if (state_size() == 0)
    throw NotInResult("the run kept no states, and so has no values between its steps");
  std::vector<double> all(static_cast<std::size_t>(header_.width));
  observe_at(*model_, state_of(row), time, all);
  const auto begin = all.begin() + (place->offset - 1);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

void KeptRun::replay(Observer& to) const {
  if (!options_.steps || !options_.uniform || state_size() == 0)
    throw IoError(
        "a result file holds everything: run with steps, states and uniform to save the result");
  to.begin(header_);
  const auto width = static_cast<std::size_t>(header_.width);
  std::size_t event = 0;  // they are told before the step that they end
  for (std::size_t i = 0; i < steps_.rows(); ++i) {
    const auto row = steps_.row(i);
    for (; event < events_.size() && events_[event].time <= row[0]; ++event)
      to.event(events_[event]);
    const auto count = counters_.row(i);
    const StepInfo info{row.back(), static_cast<int>(count[0]), count[1], count[2], count[3]};
    to.step(state_of(i), row.subspan(1, width), info);
  }
  for (std::size_t i = 0; i < uniform_.rows(); ++i)
    to.uniform(uniform_.row(i)[0], uniform_.row(i).subspan(1));
  for (; event < events_.size(); ++event) to.event(events_[event]);
  for (const Impact& impact : impacts_) to.impact(impact);
  if (checkpoint_) to.checkpoint(*checkpoint_, total_);
  to.end(total_);
}

}  // namespace freeplay::python
