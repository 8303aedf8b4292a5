// SPDX-License-Identifier: Apache-2.0
#include "joints/worn_field.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::joints {
namespace {

/// Weights reach so many sides of a cell: seven cells count or so, never none. chosen
constexpr double kReach = 1.5;

Vec3 direction_of(double z, double longitude) {
  const double across = std::sqrt(std::max(0.0, (1 - z) * (1 + z)));
  return {across * std::cos(longitude), across * std::sin(longitude), z};
}

}  // namespace

WornField::WornField(const WornSurface& surface, std::span<const double> depth) {
  if (std::ranges::all_of(depth, [](double d) { return d == 0; })) return;
  surface_ = surface;
  depth_.assign(depth.begin(), depth.end());
  least_ = *std::ranges::min_element(depth);
  greatest_ = *std::ranges::max_element(depth);
  reach_ = kReach * std::sqrt(4 * std::numbers::pi / surface.cells());
  for (const WornSurface::Row& row : surface.rows())
    for (int k = 0; k < row.cells; ++k)
      middle_.push_back(row.cells == 1 ? Vec3(0, 0, row.low < 0 ? -1 : 1)
                                       : direction_of(0.5 * (row.low + row.high), k * row.width));
}

WornField::Local WornField::at(const Vec3& direction) const {
  Local out;
  if (round()) return out;
  double sum = 0;
  Vec3 weight_slope = Vec3::Zero();
  const double per_reach2 = 1 / (reach_ * reach_);
  surface_.visit_about(direction, reach_, [&](int cell) {
    const auto k = static_cast<std::size_t>(cell);
    const Vec3 way = direction - middle_[k];
    const double q = way.squaredNorm() * per_reach2;
    if (q >= 1) return;
    const double weight = (1 - q) * (1 - q);
    const Vec3 slope = way * (-4 * (1 - q) * per_reach2);
    sum += weight;
    weight_slope += slope;
    out.depth += weight * depth_[k];
    out.slope += slope * depth_[k];
  });
  out.depth /= sum;
  out.slope = (out.slope - weight_slope * out.depth) / sum;
  out.slope -= direction * direction.dot(out.slope);
  return out;
}

std::vector<SpherePlace> places_on(const WornSurface& surface) {
  std::vector<SpherePlace> out;
  for (const WornSurface::Row& row : surface.rows()) {
    const int boxes = row.cells == 1 ? 6 : 2;
    for (int k = 0; k < row.cells; ++k)
      for (const double part : {0.25, 0.75})
        for (int i = 0; i < boxes; ++i)
          out.push_back({row.first + k,
                         direction_of(row.low + part * (row.high - row.low),
                                      (k + (i + 0.5) / boxes - row.shift) * row.width),
                         0.5 / boxes});
  }
  return out;
}

}  // namespace freeplay::joints
