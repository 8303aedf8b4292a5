// SPDX-License-Identifier: Apache-2.0
#include "joints/ball_bed_gap.hpp"

#include <numbers>

namespace freeplay::joints {

void BallBedGap::prepare(const WornSurface& surface) {
  surface_ = surface;
  rays_.clear();
  first_of_.assign(1, 0);
  const double cell = 4 * std::numbers::pi / surface.cells();
  spacing_ = std::sqrt(cell);
  for (const SpherePlace& at : places_on(surface)) {
    while (static_cast<int>(first_of_.size()) <= at.cell) first_of_.push_back(rays_.size());
    rays_.push_back({at.direction, socket.at(at.direction).depth, at.share * cell});
  }
  first_of_.push_back(rays_.size());
}

BallBedGap::Deepest BallBedGap::deepest_place(const Pose<double>& p1,
                                              const Pose<double>& p2) const {
  const double range = widest() - clearance() - socket.least() - ball.least();
  Deepest out{0, -INFINITY};
  ContactPoint<double> point;
  visit_beyond(p1, p2, eccentricity(p1, p2).norm() * std::cos(spacing_) - range,
               [&](std::size_t k) {
                 place(rays_[k], p1, p2, point);
                 if (point.depth > out.depth) out = {k, point.depth};
               });
  return out;
}

}  // namespace freeplay::joints
