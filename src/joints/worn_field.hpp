// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/worn_surface.hpp"
#include <freeplay/math.hpp>

#include <span>
#include <vector>

// The depth that a ball or its socket has lost, as a smooth function of the direction from its
// centre: the mean of the cells about it, weighted by how near they are (theory/wear (W.23)). Even
// wear stays even; what a cell alone has lost is spread over its neighbours.
namespace freeplay::joints {

class WornField {
 public:
  WornField() = default;  ///< as made
  WornField(const WornSurface& surface, std::span<const double> depth);

  [[nodiscard]] bool round() const { return depth_.empty(); }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double greatest() const { return greatest_; }
  struct Local {
    double depth = 0;           ///< m
    Vec3 slope = Vec3::Zero();  ///< along the sphere, per radian; m
  };
  [[nodiscard]] Local at(const Vec3& direction) const;

 private:
  WornSurface surface_;
  std::vector<double> depth_;
  std::vector<Vec3> middle_;  // of every cell
  double reach_ = 0;          // of the weights: chord of the unit sphere
  double least_ = 0, greatest_ = 0;
};

/// Places of a lattice that is fixed to a sphere, two by two in a cell and six round a pole.
struct SpherePlace {
  int cell;
  Vec3 direction;
  double share;  ///< of the cell
};
[[nodiscard]] std::vector<SpherePlace> places_on(const WornSurface& surface);

}  // namespace freeplay::joints
