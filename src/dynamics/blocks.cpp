// SPDX-License-Identifier: Apache-2.0
#include "dynamics/blocks.hpp"

#include "model/joint_types.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freeplay::dynamics {

int declare_work(Layout& layout, const std::string& path) {
  return layout.declare({.name = path, .kind = BlockKind::work, .unit = "J"});
}

void declare_bristles(Layout& layout, const std::string& owner, int states, double scale) {
  const int deflections = std::min(states, 3);
  if (deflections > 0)
    layout.declare({owner + "/deflection", BlockKind::state, deflections, "m", scale});
  if (states > deflections)
    layout.declare({owner + "/dwell", BlockKind::state, states - deflections, "1", 1});
}

int declare_angle(Layout& layout, const Model& model, std::size_t joint, Coordinate coordinate) {
  if (!comes_round(model.joints[joint], coordinate, model.planar)) return -1;
  return layout.declare(
      {.name = fmt::format("joints/{}/unwrapped_{}", model.joints[joint].name, name_of(coordinate)),
       .kind = BlockKind::memory,
       .unit = is_angle(coordinate) ? "rad" : "m"});
}

}  // namespace freeplay::dynamics
