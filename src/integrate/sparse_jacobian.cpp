// SPDX-License-Identifier: Apache-2.0
#include "integrate/sparse_jacobian.hpp"

#include <algorithm>

namespace freeplay::integrate {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

SparseJacobian::SparseJacobian(const Structure& structure) {
  const int n = static_cast<int>(structure.group.size());
  const int groups =
      n > 0 ? 1 + *std::max_element(structure.group.begin(), structure.group.end()) : 0;
  std::vector<std::vector<int>> of(at(groups)), near(at(groups));
  for (int k = 0; k < n; ++k) of[at(structure.group[at(k)])].push_back(k);
  for (int g = 0; g < groups; ++g) near[at(g)].push_back(g);
  for (const auto& [a, b] : structure.links) {
    near[at(a)].push_back(b);
    near[at(b)].push_back(a);
  }

  start_.push_back(0);
  for (int k = 0; k < n; ++k) {
    const std::size_t begin = row_.size();
    const int own_group = structure.group[at(k)];
    for (const int g : near[at(own_group)])
      for (const int i : of[at(g)])
        if (g == own_group || !structure.local[at(i)]) row_.push_back(i);
    std::sort(row_.begin() + static_cast<std::ptrdiff_t>(begin), row_.end());
    const auto own =
        std::lower_bound(row_.begin() + static_cast<std::ptrdiff_t>(begin), row_.end(), k);
    diagonal_.push_back(static_cast<int>(own - row_.begin()));
    start_.push_back(static_cast<int>(row_.size()));
  }
  value_.assign(row_.size(), 0.0);

  // Groups get blocks of colours, the first that no group with a common neighbour has; those with
  // many unknowns first. A block is as wide as its widest group.
  std::vector<int> order(at(groups)), block(at(groups), -1);
  for (int g = 0; g < groups; ++g) order[at(g)] = g;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return of[at(a)].size() > of[at(b)].size(); });
  std::vector<int> taken;  // block -> last group that may not have it
  std::vector<std::size_t> width;
  for (const int g : order) {
    for (const int between : near[at(g)])
      for (const int other : near[at(between)])
        if (const int b = block[at(other)]; b >= 0) taken[at(b)] = g;
    std::size_t free = 0;
    while (free < taken.size() && taken[free] == g) ++free;
    if (free == taken.size()) {
      taken.push_back(-1);
      width.push_back(0);
    }
    block[at(g)] = static_cast<int>(free);
    width[free] = std::max(width[free], of[at(g)].size());
  }
  std::vector<std::size_t> first(width.size() + 1, 0);
  for (std::size_t b = 0; b < width.size(); ++b) first[b + 1] = first[b] + width[b];
  members_.resize(first.back());
  for (int g = 0; g < groups; ++g) {
    const auto b = static_cast<std::size_t>(block[at(g)]);
    for (std::size_t k = 0; k < of[at(g)].size(); ++k)
      members_[first[b] + k].push_back(of[at(g)][k]);
  }
}

}  // namespace freeplay::integrate
