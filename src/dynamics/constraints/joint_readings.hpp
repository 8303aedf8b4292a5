// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/constraints/constraint_rows.hpp"
#include "dynamics/elements/elements.hpp"
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
    const JointPlace<double> g = place_of(joint, first, second);
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

/// Reactions of joints held by force: their wrench on the second body, moved to the joint point.
inline void read_held_by_force(const Model& model, const Elements& elements, double t,
                               Elements::Poses poses, const double* memory, const double* z,
                               std::vector<Snapshot::Reaction>& out) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (!holds_by_force(model.joints[j])) continue;
    const auto index = static_cast<JointIndex>(j);
    const Wrench<double> wrench = elements.on_second(index);
    const Frame& second = model.joints[j].second;
    const Vec3 arm = poses[static_cast<std::size_t>(second.body)].R * second.point;
    out[j].force = wrench.force;
    out[j].moment = wrench.moment - arm.cross(wrench.force);
    out[j].contact = elements.observe(index, t, poses, memory, z);
  }
}

}  // namespace freeplay::dynamics
