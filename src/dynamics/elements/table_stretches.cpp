// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/table_stretches.hpp"

#include "core/cubic_piece.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

/// Knots at which the cubics of both sides part by more than `tolerance` of the largest force over
/// the longer of the two.
std::vector<int> knots_that_count(const ForceTable& table, double tolerance) {
  const int n = static_cast<int>(table.x.size());
  double largest = 0;
  for (const double f : table.force) largest = std::max(largest, std::abs(f));
  // Second and third derivative at both ends of a piece; the straight ends have none.
  struct Ends {
    double h = 0, bend[2] = {0, 0}, jerk = 0;
  };
  const auto ends = [&](int k) {
    Ends out;
    if (k < 0 || k >= n - 1) return out;
    const auto i = static_cast<std::size_t>(k);
    const CubicPiece p(table.x[i + 1] - table.x[i], table.force[i], table.force[i + 1],
                       table.slope[i], table.slope[i + 1]);
    out.h = p.h;
    for (const int u : {0, 1}) out.bend[u] = p.bend(u) / (p.h * p.h);
    out.jerk = 6 * p.c3 / (p.h * p.h * p.h);
    return out;
  };
  std::vector<int> out;
  Ends left;
  for (int k = 0; k < n; ++k) {
    const Ends right = ends(k);
    const double h = std::max(left.h, right.h);
    const double parted = std::abs(right.bend[0] - left.bend[1]) * h * h / 2 +
                          std::abs(right.jerk - left.jerk) * h * h * h / 6;
    if (parted > tolerance * largest) out.push_back(k);
    left = right;
  }
  return out;
}

}  // namespace

TableStretches::TableStretches(const ForceTable& table, double tolerance, const std::string& owner,
                               Layout& layout)
    : table_(table), knots_(knots_that_count(table, tolerance)) {
  constexpr MemoryField kStretch[] = {{"table_stretch", "1", Perturbation::shared}};
  memory_ = layout.declare(owner, kStretch);
}

TableStretches::Stretch TableStretches::stretch(int s) const {
  const auto knot = [&](int k) {
    return table_.x[static_cast<std::size_t>(knots_[static_cast<std::size_t>(k)])];
  };
  return {s > 0 ? knot(s - 1) : -INFINITY,
          s < static_cast<int>(knots_.size()) ? knot(s) : INFINITY};
}

int TableStretches::stretch_at(double at) const {
  return static_cast<int>(
      std::upper_bound(knots_.begin(), knots_.end(), at,
                       [&](double v, int k) { return v < table_.x[static_cast<std::size_t>(k)]; }) -
      knots_.begin());
}

int TableStretches::known(const double* memory) const {
  const int s = static_cast<int>(memory[memory_]) - 1;
  return s >= 0 && s <= static_cast<int>(knots_.size()) ? s : -1;
}

void TableStretches::recall(const double* memory, ForceMemory& out) const {
  const int s = known(memory), last = static_cast<int>(knots_.size());
  if (s < 0 || last == 0) return;
  if (s > 0) out.first_piece = knots_[static_cast<std::size_t>(s) - 1];
  if (s < last) out.last_piece = knots_[static_cast<std::size_t>(s)] - 1;
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
