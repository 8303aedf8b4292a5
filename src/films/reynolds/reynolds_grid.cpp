// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/reynolds_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace freeplay::films {

ReynoldsGrid::ReynoldsGrid(std::span<const Groove> grooves, int around) {
  constexpr double kPi = std::numbers::pi;
  std::vector<std::pair<double, double>> edges;
  for (const Groove& g : grooves)
    edges.emplace_back(g.centre - 0.5 * g.width, g.centre + 0.5 * g.width);
  std::sort(edges.begin(), edges.end());
  const double target = 2 * kPi / around;
  const auto divide = [&](double from, double to, bool in_groove, bool closed) {
    const int parts =
        std::max(in_groove ? 1 : 2, static_cast<int>(std::lround((to - from) / target)));
    for (int i = 0; i < parts; ++i) {
      angle.push_back(from + (to - from) * i / parts);
      supplied.push_back(in_groove || (i == 0 && closed));
    }
  };
  if (edges.empty()) {
    divide(0, 2 * kPi, false, false);
  } else {
    for (std::size_t g = 0; g < edges.size(); ++g) {
      const auto [from, to] = edges[g];
      const double next = g + 1 < edges.size() ? edges[g + 1].first : edges.front().first + 2 * kPi;
      if (to > from) divide(from, to, true, true);
      divide(to, next, false, true);
    }
  }
  const int n = size();
  step.resize(at(n));
  share.resize(at(n));
  for (int k = 0; k < n; ++k)
    step[at(k)] = k + 1 < n ? angle[at(k + 1)] - angle[at(k)] : angle[0] + 2 * kPi - angle[at(k)];
  for (int k = 0; k < n; ++k) {
    const double before = step[at((k + n - 1) % n)], after = step[at(k)], a = angle[at(k)];
    share[at(k)] = 0.5 * (before + after);
    cos.push_back(std::cos(a));
    sin.push_back(std::sin(a));
    cos_face.push_back(std::cos(a + 0.5 * after));
    sin_face.push_back(std::sin(a + 0.5 * after));
    const double left = a - 0.5 * before, right = a + 0.5 * after;
    sx.push_back(std::sin(right) - std::sin(left));
    sy.push_back(std::cos(left) - std::cos(right));
  }
}

}  // namespace freeplay::films
