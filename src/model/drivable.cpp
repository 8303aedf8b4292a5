// SPDX-License-Identifier: Apache-2.0
#include "model/drivable.hpp"

namespace freeplay {

std::string undrivable(const Joint& joint, Coordinate coordinate) {
  if (!joint.clearance && !joint.bushing) return {};
  const std::string holds = joint.clearance ? "with clearance" : "held by rubber";
  if (joint.type == JointType::universal)
    return "a universal joint " + holds +
           (joint.clearance ? " consists of a cross in four bearings, none of which has its angles"
                            : " has no cross about which its angles could be prescribed");
  if (coordinate == Coordinate::length)
    return "the length of a distance joint " + holds +
           " is what its parts leave free: driven, it would be a rigid link";
  return {};
}

}  // namespace freeplay
