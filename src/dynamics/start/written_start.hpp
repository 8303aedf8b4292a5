// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include <freeplay/model.hpp>

#include <vector>

// What the poses written in the file decide once and for all: where drives at constant speed take
// over, how many whole turns planar joints have, which constant a coupling keeps.
namespace freeplay::dynamics {

struct WrittenStart {
  explicit WrittenStart(const Model& model);
  std::vector<Pose<double>> poses;
  std::vector<double> planar_turns;        ///< between the bodies of each joint; rad
  std::vector<std::vector<Drive>> drives;  ///< per joint, with starts resolved
  std::vector<double> coupling_offset;
};

}  // namespace freeplay::dynamics
