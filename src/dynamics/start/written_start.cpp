// SPDX-License-Identifier: Apache-2.0
#include "dynamics/start/written_start.hpp"

#include "dynamics/elements/forces.hpp"

#include <cmath>

namespace freeplay::dynamics {

WrittenStart::WrittenStart(const Model& model)
    : planar_turns(model.joints.size(), 0.0), drives(model.joints.size()) {
  for (const Body& body : model.bodies) {
    Pose<double> pose;
    pose.r = body.position;
    pose.angle = body.angle;
    pose.R = model.planar ? rotation_about_z(body.angle) : rotation_matrix(body.orientation);
    pose.v = pose.w = Vec3::Zero();
    poses.push_back(pose);
  }
  poses[kGround].r.setZero();
  poses[kGround].R.setIdentity();
  poses[kGround].angle = 0;
  const auto value = [&](JointIndex j, Coordinate coordinate) {
    const Joint& joint = model.joints[j];
    const auto g = place_of(joint, poses[joint.first.body], poses[joint.second.body]);
    return coordinate_value(joint, coordinate, g, model.planar,
                            model.planar && is_angle(coordinate) ? planar_turns[j] : 0.0);
  };
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (model.planar) {
      const double raw =
          joint_angle(joint, poses[joint.first.body], poses[joint.second.body], true);
      planar_turns[j] = 2 * M_PI * std::round(raw / (2 * M_PI));
    }
    drives[j] = joint.drives;
    for (Drive& drive : drives[j])
      if (auto* m = std::get_if<ConstantSpeed>(&drive.motion)) {
        if (m->from_pose) m->start = value(static_cast<JointIndex>(j), drive.coordinate);
        m->start -= m->speed * model.simulation.start;
      } else if (auto* input = std::get_if<Input>(&drive.motion); input && input->from_pose) {
        input->start = value(static_cast<JointIndex>(j), drive.coordinate);
      }
  }
  for (const Coupling& coupling : model.couplings)
    coupling_offset.push_back(value(coupling.second.joint, coupling.second.coordinate) -
                              coupling.ratio *
                                  value(coupling.first.joint, coupling.first.coordinate));
}

}  // namespace freeplay::dynamics
