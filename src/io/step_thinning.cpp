// SPDX-License-Identifier: Apache-2.0
#include "io/step_thinning.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace freeplay::io {
namespace {

// chosen: what the grid of a small mechanism takes, which is stored anyway
constexpr std::size_t kStepBytes = 1U << 19U;
// chosen: a mast of 40 joints has rows of 6 kB, of which a few hundred tell little of its motion
constexpr std::size_t kLeastRows = 512, kMostBytes = 8U << 20U;

std::int64_t number_at(std::span<const std::byte> record, std::size_t place) {
  std::int64_t out = 0;
  std::memcpy(&out, record.data() + place, sizeof out);
  return out;
}

}  // namespace

std::size_t most_step_rows(int numbers) {
  const std::size_t row = 8U * static_cast<std::size_t>(std::max(numbers, 1));
  const std::size_t narrow = kStepBytes / row, wide = std::min(kLeastRows, kMostBytes / row);
  return std::max({narrow, wide, std::size_t{16}});
}

std::vector<StepThinning::Watched> watched_numbers(std::span<const Channel> channels,
                                                   std::size_t most_rows) {
  static constexpr std::array<std::string_view, 6> kLoads{"/normal_force",   "/penetration",
                                                          "/reaction_force", "/friction_force",
                                                          "/effort",         "/drive_effort"};
  const auto is_load = [](const Channel& c) {
    return std::any_of(kLoads.begin(), kLoads.end(),
                       [&](std::string_view leaf) { return c.path.ends_with(leaf); });
  };
  std::vector<StepThinning::Watched> out;
  std::size_t place = 1;  // behind the time
  for (const bool loads : {true, false}) {
    place = 1;
    for (const Channel& c : channels) {
      for (int k = 0; k < c.width; ++k, ++place)
        if (is_load(c) == loads && out.size() + 2 <= most_rows / 4) {
          out.push_back({place, 1});
          out.push_back({place, -1});
        }
    }
  }
  return out;
}

StepThinning::StepThinning(std::size_t record_bytes, Places places, std::vector<Watched> watched,
                           std::size_t most_rows)
    : record_bytes_(record_bytes),
      places_(places),
      watched_(std::move(watched)),
      most_(most_rows) {}

bool StepThinning::stays(const Row& row) const {
  return row.extremes > 0 || row.index % every_ == 0 ||
         (row.event > 0 && row.event % every_event_ == 0);
}

void StepThinning::add(std::span<const std::byte> record) {
  const std::size_t here = rows_.size();
  rows_.push_back({number_at(record, places_.index), number_at(record, places_.event), 0});
  records_.insert(records_.end(), record.begin(), record.end());
  if (row_.empty()) {
    best_.assign(watched_.size(), 0);
    row_.assign(watched_.size(), here);
    for (std::size_t k = 0; k < watched_.size(); ++k) {
      double x = 0;
      std::memcpy(&x, record.data() + 8 * watched_[k].number, sizeof x);
      best_[k] = watched_[k].sign * x;
    }
    rows_[here].extremes = static_cast<int>(watched_.size());
    return;
  }
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    double x = 0;
    std::memcpy(&x, record.data() + 8 * watched_[k].number, sizeof x);
    x *= watched_[k].sign;
    if (!(x > best_[k])) continue;
    best_[k] = x;
    --rows_[row_[k]].extremes;
    row_[k] = here;
    ++rows_[here].extremes;
  }
}

void StepThinning::push(std::span<const std::byte> record) {
  add(record);
  // The step before was the last one until now, and extreme perhaps because of that.
  if (const std::size_t n = rows_.size(); n >= 2 && !stays(rows_[n - 2])) {
    std::copy(record.begin(), record.end(),
              records_.end() - 2 * static_cast<std::ptrdiff_t>(record_bytes_));
    records_.resize(records_.size() - record_bytes_);
    rows_[n - 2] = rows_[n - 1];
    rows_.pop_back();
    for (std::size_t& row : row_)
      if (row == n - 1) row = n - 2;
  }
  if (rows_.size() > most_) make_room();
}

void StepThinning::make_room() {
  drop();  // what was extreme and is no longer
  // chosen: a quarter of the room is won, so that this happens rarely
  while (rows_.size() > most_ / 4 * 3) {
    std::size_t in_turn = 0, at_events = 0;
    for (const Row& row : rows_) {
      if (row.extremes > 0) continue;
      if (row.index % every_ == 0)
        ++in_turn;
      else if (row.event > 0)
        ++at_events;
    }
    if (in_turn <= 1 && at_events <= 1) break;  // extremes alone: a quarter at most
    // Events go before the rest has become much less than they are.
    (4 * in_turn >= at_events ? every_ : every_event_) *= 2;
    drop();
  }
}

void StepThinning::drop() {
  std::vector<std::size_t> now(rows_.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    now[i] = kept;
    if (!stays(rows_[i]) && i + 1 != rows_.size()) continue;
    if (kept != i) {
      rows_[kept] = rows_[i];
      std::memmove(records_.data() + kept * record_bytes_, records_.data() + i * record_bytes_,
                   record_bytes_);
    }
    ++kept;
  }
  rows_.resize(kept);
  records_.resize(kept * record_bytes_);
  for (std::size_t& row : row_) row = now[row];  // extremes stay
}

void StepThinning::restore(std::span<const std::byte> records, std::int64_t every,
                           std::int64_t every_event) {
  rows_.clear();
  records_.clear();
  row_.clear();
  every_ = every;
  every_event_ = every_event;
  for (; !records.empty(); records = records.subspan(record_bytes_))
    add(records.first(record_bytes_));
}

}  // namespace freeplay::io
