// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/table_stretches.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace freeplay::dynamics {

WatchedKnots counting_knots(const ForceTable& table, double tolerance) {
  WatchedKnots out;
  out.knots = knots_that_count(table.x, table.force, table.slope, tolerance);
  for (const int knot : out.knots) out.places.push_back(table.x[static_cast<std::size_t>(knot)]);
  return out;
}

TableStretches::TableStretches(WatchedKnots knots, const std::string& owner, Layout& layout)
    : at_(std::move(knots)) {
  constexpr MemoryField kStretch[] = {{"table_stretch", "1", Perturbation::shared}};
  memory_ = layout.declare(owner, kStretch);
  for (const double place : at_.places) scale_ = std::max(scale_, std::abs(place));
}

TableStretches::Stretch TableStretches::stretch(int s) const {
  const auto place = [&](int k) { return at_.places[static_cast<std::size_t>(k)]; };
  return {s > 0 ? place(s - 1) : -INFINITY, s < size() ? place(s) : INFINITY};
}

int TableStretches::stretch_at(double x) const {
  const auto& places = at_.places;
  return static_cast<int>(std::upper_bound(places.begin(), places.end(), x) - places.begin());
}

int TableStretches::known(const double* memory) const {
  const int s = static_cast<int>(memory[memory_]) - 1;
  return s >= 0 && s <= size() ? s : -1;
}

PieceRange TableStretches::pieces(const double* memory) const {
  PieceRange out;
  const int s = known(memory);
  if (s < 0 || size() == 0) return out;
  if (s > 0) out.first = at_.knots[static_cast<std::size_t>(s) - 1];
  if (s < size()) out.last = at_.knots[static_cast<std::size_t>(s)] - 1;
  return out;
}

EventTrait TableStretches::trait(const double* memory) const {
  const int s = known(memory);
  return {s < 0 ? 0 : s % 2 == 0 ? 1 : -1, scale_, 0};
}

Watched TableStretches::watch(double x, double v, const double* memory) const {
  const int from_memory = known(memory), s = from_memory >= 0 ? from_memory : stretch_at(x);
  const auto [from, to] = stretch(s);
  double value = 0, slope = 0;
  if (std::isinf(from)) {
    value = to - x, slope = -1;
  } else if (std::isinf(to)) {
    value = x - from, slope = 1;
  } else {
    value = (x - from) * (to - x) / (to - from), slope = (to + from - 2 * x) / (to - from);
  }
  const double sign = s % 2 == 0 ? 1 : -1;
  return {sign * value, sign * slope * v};
}

void TableStretches::turn(double x, bool upward, double* memory) const {
  const int s = known(memory);
  if (s < 0) return follow(x, memory);
  if ((s % 2 == 0) == upward) return;  // across already
  // Round-off may have left the coordinate on either side of the knot: the nearer one it is.
  const auto [from, to] = stretch(s);
  memory[memory_] = 1 + (x - from < to - x ? s - 1 : s + 1);
}

double TableStretches::soonest(double x, double v, const double* memory) const {
  const int s = known(memory);
  if (s < 0 || v == 0) return INFINITY;
  const auto [from, to] = stretch(s);
  return (v > 0 ? to - x : from - x) / v;
}

void TableStretches::follow(double x, double* memory) const {
  if (const int s = known(memory); s >= 0) {
    const auto [from, to] = stretch(s);
    if (x >= from && x <= to) return;
  }
  memory[memory_] = 1 + stretch_at(x);
}

}  // namespace freeplay::dynamics
