// SPDX-License-Identifier: Apache-2.0
#include "dynamics/elements/table_pieces.hpp"

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

void TablePieces::declare(Layout& layout) {
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const ForceTable* table = table_of(model_.forces[k]);
    element_of_.push_back(table ? static_cast<int>(elements_.size()) : -1);
    if (!table) continue;
    Element e;
    e.force = k;
    constexpr MemoryField kStretch[] = {{"table_stretch", "1", Perturbation::shared}};
    e.memory = layout.declare("forces/" + model_.forces[k].name, kStretch);
    e.knots = knots_that_count(*table, model_.simulation.tolerance);
    if (!e.knots.empty()) events_.push_back(elements_.size());
    elements_.push_back(std::move(e));
  }
}

TablePieces::Stretch TablePieces::stretch(const Element& e, int s) const {
  const auto& x = table(e).x;
  const auto knot = [&](int k) {
    return x[static_cast<std::size_t>(e.knots[static_cast<std::size_t>(k)])];
  };
  return {s > 0 ? knot(s - 1) : -INFINITY,
          s < static_cast<int>(e.knots.size()) ? knot(s) : INFINITY};
}

int TablePieces::stretch_at(const Element& e, double at) const {
  const auto& x = table(e).x;
  return static_cast<int>(
      std::upper_bound(e.knots.begin(), e.knots.end(), at,
                       [&](double v, int k) { return v < x[static_cast<std::size_t>(k)]; }) -
      e.knots.begin());
}

ForceMemory TablePieces::recall(std::size_t k, double angle, const double* memory) const {
  ForceMemory out;
  out.angle = angle;
  if (element_of_[k] < 0) return out;
  const Element& e = elements_[static_cast<std::size_t>(element_of_[k])];
  const int s = static_cast<int>(memory[e.memory]) - 1, last = static_cast<int>(e.knots.size());
  if (s < 0 || s > last || last == 0) return out;
  if (s > 0) out.first_piece = e.knots[static_cast<std::size_t>(s) - 1];
  if (s < last) out.last_piece = e.knots[static_cast<std::size_t>(s)] - 1;
  return out;
}

std::pair<double, double> TablePieces::elongation_of(const Element& e, Poses poses,
                                                     const Reference& reference) const {
  const Force& force = model_.forces[e.force];
  const auto [first, second] = bodies_of(force, model_);
  ForceMemory memory;
  memory.angle = reference(force);
  const auto out = evaluate_force(force, model_, poses[first], poses[second], 0, memory);
  return {elongation(force, out.extension), out.rate};
}

void TablePieces::event_values(Poses poses, const double* memory, const Reference& reference,
                               double* g, double* rate) const {
  for (std::size_t k = 0; k < events_.size(); ++k) {
    const Element& e = elements_[events_[k]];
    const auto [x, v] = elongation_of(e, poses, reference);
    const int known = static_cast<int>(memory[e.memory]) - 1;
    const int s =
        known >= 0 && known <= static_cast<int>(e.knots.size()) ? known : stretch_at(e, x);
    const auto [from, to] = stretch(e, s);
    double value = 0, slope = 0;
    if (std::isinf(from)) {
      value = to - x, slope = -1;
    } else if (std::isinf(to)) {
      value = x - from, slope = 1;
    } else {
      value = (x - from) * (to - x) / (to - from), slope = (to + from - 2 * x) / (to - from);
    }
    const double sign = s % 2 == 0 ? 1 : -1;
    g[k] = sign * value;
    if (rate) rate[k] = sign * slope * v;
  }
}

void TablePieces::apply(int event, bool upward, Poses poses, const Reference& reference,
                        State& state) const {
  const Element& e = elements_[events_[static_cast<std::size_t>(event)]];
  double& memory = state.memory[static_cast<std::size_t>(e.memory)];
  const int s = static_cast<int>(memory) - 1, last = static_cast<int>(e.knots.size());
  if (s < 0 || s > last) return follow(poses, reference, state);
  if ((s % 2 == 0) == upward) return;  // across already
  // Round-off may have left the coordinate on either side of the knot: the nearer one it is.
  const double x = elongation_of(e, poses, reference).first;
  const auto [from, to] = stretch(e, s);
  memory = 1 + (x - from < to - x ? s - 1 : s + 1);
}

double TablePieces::soonest(Poses poses, const Reference& reference, const State& state) const {
  double out = INFINITY;
  for (const std::size_t k : events_) {
    const Element& e = elements_[k];
    const int s = static_cast<int>(state.memory[static_cast<std::size_t>(e.memory)]) - 1;
    if (s < 0 || s > static_cast<int>(e.knots.size())) continue;
    const auto [x, v] = elongation_of(e, poses, reference);
    const auto [from, to] = stretch(e, s);
    if (v != 0) out = std::min(out, (v > 0 ? to - x : from - x) / v);
  }
  return std::max(out, 0.0);
}

void TablePieces::follow(Poses poses, const Reference& reference, State& state) const {
  for (const std::size_t k : events_) {
    const Element& e = elements_[k];
    double& memory = state.memory[static_cast<std::size_t>(e.memory)];
    const double x = elongation_of(e, poses, reference).first;
    const int s = static_cast<int>(memory) - 1;
    if (s >= 0 && s <= static_cast<int>(e.knots.size())) {
      const auto [from, to] = stretch(e, s);
      if (x >= from && x <= to) continue;
    }
    memory = 1 + stretch_at(e, x);
  }
}

}  // namespace freeplay::dynamics
