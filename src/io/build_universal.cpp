// SPDX-License-Identifier: Apache-2.0
#include "core/rotation.hpp"
#include "io/build.hpp"
#include "io/frames.hpp"
#include "io/text.hpp"

// A universal joint with play is what it is in steel: a cross whose journals turn in the bearings
// of two forks (theory/gaps). The joint NAME becomes the body NAME_cross and the revolute joints
// NAME_first (first body and cross, about the axis) and NAME_second (second body and cross, about
// the second axis); results list them under these names. The file, its schema and the resolved text
// keep the one joint.
namespace freeplay::io {

std::vector<Joint> split_universal(Build& build, const Entry& entry, const Joint& whole) {
  const std::string path = "joints." + entry.key + ".clearance";
  const Node& table = *entry.node.find("clearance");
  const Node* node = table.find("cross");
  if (!node) {
    if (!table.has("cross"))
      build.error(table.place, path + ".cross",
                  "'cross' is missing; between the two axes of the joint is a body",
                  "cross = { mass = ..., inertia = [xx, yy, zz] }");
    return {};
  }
  if (const Entry* offset = table.entry("offset"))
    build.error(offset->place, path + ".offset",
                "a universal joint starts with its cross in the middle of all bearings",
                "leave it out");
  const Node *mass = node->find("mass"), *inertia = node->find("inertia");
  if (!mass || !inertia) return {};

  Body cross;
  cross.name = whole.name + "_cross";
  cross.line = whole.line;
  cross.mass = mass->number();
  cross.inertia = read_inertia(*inertia);
  // In the poses as written: z along the axis, x along the second axis.
  cross.position = to_global(build.model, whole.first.body, whole.first.point);
  cross.orientation = quaternion_of(rotation_of(build.model, whole.first.body) * whole.first.axes);
  const auto index = static_cast<BodyIndex>(build.model.bodies.size());
  if (!build.bodies.emplace(cross.name, index).second) {
    build.error(entry.place, "joints." + entry.key,
                "the cross of this joint would be a second body called " + quote(cross.name),
                "rename one of them");
    return {};
  }
  build.model.bodies.push_back(std::move(cross));

  Mat3 second_axes;  // z along the second axis, x along the axis
  second_axes << 0, 0, 1, 0, -1, 0, 1, 0, 0;
  std::vector<Joint> out(2, whole);
  for (Joint& joint : out) {
    joint.type = JointType::revolute;
    joint.start_speeds.clear();
  }
  // w2 - w1 = angle' z1 + second_angle' z2; the second half goes from the second body to the cross.
  for (const StartSpeed& s : whole.start_speeds) {
    const bool second = s.coordinate == Coordinate::universal_second;
    out[second ? 1 : 0].start_speeds.push_back({Coordinate::angle, second ? -s.speed : s.speed});
  }
  out[0].name = whole.name + "_first";
  out[0].second = {index, Vec3::Zero(), Mat3::Identity()};
  out[1].name = whole.name + "_second";
  out[1].first = whole.second;
  out[1].second = {index, Vec3::Zero(), second_axes};
  return out;
}

}  // namespace freeplay::io
