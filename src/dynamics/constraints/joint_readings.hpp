// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/constraints/constraint_rows.hpp"
#include "dynamics/system.hpp"

// What every formulation tells of the joints in the same way.
namespace freeplay::dynamics {

/// Coordinates and rates of all joints; forces and efforts zero, to be added to.
/// `reference(joint, coordinate)`: what an angle is measured from.
template <class Reference>
void read_coordinates(const Model& model, const std::vector<Pose<double>>& poses,
                      const Reference& reference, std::vector<Snapshot::Reaction>& out) {
  out.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    Snapshot::Reaction& reaction = out[j];
    reaction.force.setZero();
    reaction.moment.setZero();
    reaction.effort.assign(joint.drives.size(), 0.0);
    const Pose<double>&first = poses[joint.first.body], &second = poses[joint.second.body];
    const JointGeometry<double> g = geometry(joint, first, second);
    const auto list = coordinates_of(joint.type);
    reaction.coordinate.resize(list.size());
    reaction.rate.resize(list.size());
    for (std::size_t c = 0; c < list.size(); ++c) {
      reaction.coordinate[c] = coordinate_value(joint, list[c], g, model.planar,
                                                reference(static_cast<JointIndex>(j), list[c]));
      const auto row = evaluate_row(coordinate_row(joint, list[c]), joint, g, {}, model.planar);
      reaction.rate[c] = rate_of(row, first, second);
    }
  }
}

}  // namespace freeplay::dynamics
