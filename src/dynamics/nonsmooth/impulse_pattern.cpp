// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/sparse_ldl.hpp"
#include "dynamics/nonsmooth/impulse_problem.hpp"

#include <algorithm>
#include <numeric>

// Where the numbers of an impulse problem stand in its matrix.
namespace freeplay::dynamics {
namespace {

/// Bodies that implicit forces couple belong together, directly or through others.
std::vector<int> groups_of(std::size_t bodies, const std::vector<std::pair<int, int>>& coupled) {
  std::vector<int> group(bodies);
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int b) {
    while (group[b] != b) b = group[b] = group[group[b]];
    return b;
  };
  for (const auto& [a, b] : coupled) group[root(a)] = root(b);
  for (std::size_t b = 0; b < bodies; ++b) group[b] = root(static_cast<int>(b));
  return group;
}

}  // namespace

void ImpulseProblem::build(const Pattern& pattern) {
  body_dof_.clear();
  body_width_.clear();
  body_of_.clear();
  for (const Block& body : pattern.bodies) {
    body_dof_.push_back(static_cast<int>(body_of_.size()));
    body_width_.push_back(body.width);
    body_of_.insert(body_of_.end(), static_cast<std::size_t>(body.width),
                    static_cast<int>(body_dof_.size()) - 1);
  }
  dofs_ = static_cast<int>(body_of_.size());
  rows_ = static_cast<int>(pattern.rows.size());

  std::vector<std::pair<int, int>> entries;
  lay_masses(pattern, entries);
  lay_rows(pattern, entries);
  lay_places(pattern, entries);
  lu_.analyse(unknowns_, entries, order_of(pattern));
  inertia_.assign(static_cast<std::size_t>(dofs_), 1.0);
  row_scale_.assign(static_cast<std::size_t>(rows_), 1.0);
  x_ = centre_ = VecX::Zero(unknowns_);
  contacts_.clear();
  for (const Place& place : places_) write_identity(place);
}

void ImpulseProblem::lay_masses(const Pattern& pattern, std::vector<std::pair<int, int>>& entries) {
  const auto bodies = pattern.bodies.size();
  mass_.assign(bodies, {});
  const auto add = [&](std::size_t b, int other, const std::function<bool(int, int)>& couples) {
    const int wide = body_width_[static_cast<std::size_t>(other)];
    MassBlock block{other, {}};
    for (int i = 0; i < body_width_[b]; ++i)
      for (int k = 0; k < wide; ++k) {
        const bool there = couples(i, k);
        block.entry.push_back(there ? static_cast<std::ptrdiff_t>(entries.size()) : -1);
        if (there)
          entries.emplace_back(body_dof_[b] + i, body_dof_[static_cast<std::size_t>(other)] + k);
      }
    mass_[b].push_back(std::move(block));
  };
  for (std::size_t b = 0; b < bodies; ++b)
    add(b, static_cast<int>(b),
        [&](int i, int k) { return i == k || (i > k && pattern.bodies[b].couples(i, k)); });
  for (const auto& [one, two] : pattern.coupled) {
    const auto [low, high] = std::minmax(one, two);
    auto& blocks = mass_[static_cast<std::size_t>(high)];
    const auto known = std::any_of(blocks.begin(), blocks.end(),
                                   [low = low](const MassBlock& x) { return x.other == low; });
    if (!known) add(static_cast<std::size_t>(high), low, [](int, int) { return true; });
  }
  mass_entries_ = entries.size();
}

void ImpulseProblem::lay_rows(const Pattern& pattern, std::vector<std::pair<int, int>>& entries) {
  row_shares_.assign(pattern.rows.size(), {});
  for (int r = 0; r < rows_; ++r)
    for (int b : pattern.rows[static_cast<std::size_t>(r)].bodies) {
      const Share share{body_dof_[b], body_width_[b], entries.size()};
      row_shares_[static_cast<std::size_t>(r)].push_back(share);
      for (int c = 0; c < share.width; ++c) entries.emplace_back(dofs_ + r, share.dof + c);
    }
  row_diagonals_ = entries.size();
  for (int r = 0; r < rows_; ++r) entries.emplace_back(dofs_ + r, dofs_ + r);
}

void ImpulseProblem::lay_places(const Pattern& pattern, std::vector<std::pair<int, int>>& entries) {
  places_.clear();
  places_of_.assign(pattern.surfaces.size(), {});
  gradient_.clear();
  presses_.clear();
  unknowns_ = dofs_ + rows_;
  for (std::size_t s = 0; s < pattern.surfaces.size(); ++s) {
    const Surfaces& on = pattern.surfaces[s];
    for (int k = 0; k < on.places; ++k) {
      places_of_[s].push_back(lay_place(on, static_cast<int>(s), entries));
    }
  }
}

int ImpulseProblem::lay_place(const Surfaces& on, int surfaces,
                              std::vector<std::pair<int, int>>& entries) {
  Place place;
  place.surfaces = surfaces;
  place.row = unknowns_;
  place.count = 1 + on.tangents;
  for (int side = 0; side < 2; ++side) {
    const int body = side == 0 ? on.first : on.second;
    if (body < 0) continue;
    place.dof[side] = body_dof_[body];
    place.wide[side] = body_width_[body];
    place.width += body_width_[body];
  }
  place.gradient = gradient_.size();
  gradient_.resize(gradient_.size() + static_cast<std::size_t>(place.width * place.count), 0.0);
  place.entry = entries.size();
  for (int i = 0; i < place.count; ++i)
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < place.wide[side]; ++c)
        entries.emplace_back(place.row + i, place.dof[side] + c);
  for (int i = 0; i < place.count; ++i)
    for (int j = 0; j <= i; ++j) entries.emplace_back(place.row + i, place.row + j);
  place.rubs = on.rubs;
  place.pressed_by = on.pressed_by;
  place.presses = presses_.size();
  presses_.resize(presses_.size() + on.pressed_by.size(), Vec3::Zero());
  place.press_entry = entries.size();
  for (const int r : on.pressed_by) entries.emplace_back(place.row, dofs_ + r);
  unknowns_ += place.count;
  places_.push_back(std::move(place));
  return static_cast<int>(places_.size()) - 1;
}

/// Velocities with inertia first, each of which has a pivot of its own; then the rows of joints and
/// contacts, by minimum degree; velocities without inertia last, where the rows give them a pivot.
std::vector<int> ImpulseProblem::order_of(const Pattern& pattern) const {
  std::vector<int> order;
  std::vector<int> dofs(static_cast<std::size_t>(dofs_));
  std::iota(dofs.begin(), dofs.end(), 0);
  if (!pattern.coupled.empty()) {
    std::vector<std::vector<int>> meeting;
    const auto list = [&](int b, std::vector<int>& out) {
      for (int c = 0; c < body_width_[b]; ++c) out.push_back(body_dof_[b] + c);
    };
    for (std::size_t b = 0; b < pattern.bodies.size(); ++b)
      list(static_cast<int>(b), meeting.emplace_back());
    for (const auto& [one, two] : pattern.coupled) {
      auto& both = meeting.emplace_back();
      list(one, both);
      list(two, both);
    }
    dofs = minimum_degree(dofs_, meeting);
  }
  for (int d : dofs)
    if (!pattern.light[static_cast<std::size_t>(d)]) order.push_back(d);
  const std::vector<int> group = groups_of(pattern.bodies.size(), pattern.coupled);
  std::vector<std::vector<int>> meeting(pattern.bodies.size());
  for (int r = 0; r < rows_; ++r)
    for (int b : pattern.rows[static_cast<std::size_t>(r)].bodies) meeting[group[b]].push_back(r);
  for (const Place& place : places_)
    for (int b : {pattern.surfaces[static_cast<std::size_t>(place.surfaces)].first,
                  pattern.surfaces[static_cast<std::size_t>(place.surfaces)].second})
      for (int i = 0; b >= 0 && i < place.count; ++i)
        meeting[group[b]].push_back(place.row - dofs_ + i);
  for (int r : minimum_degree(unknowns_ - dofs_, meeting)) order.push_back(dofs_ + r);
  for (int d : dofs)
    if (pattern.light[static_cast<std::size_t>(d)]) order.push_back(d);
  return order;
}

}  // namespace freeplay::dynamics
