// SPDX-License-Identifier: Apache-2.0
#include "model/drivable.hpp"

#include "model/joint_types.hpp"

namespace freeplay {

std::string undrivable(const Joint& joint) {
  if (!holds_by_force(joint)) return {};
  const JointKind& kind = kind_of(joint);
  return joint.clearance ? kind.no_drive_in_play : kind.no_drive_in_rubber;
}

}  // namespace freeplay
