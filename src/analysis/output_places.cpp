// SPDX-License-Identifier: Apache-2.0
#include "analysis/output_places.hpp"

#include "analysis/refuse.hpp"
#include "dynamics/elements/forces.hpp"
#include "model/words.hpp"

#include <algorithm>
#include <cstddef>

namespace freeplay::analysis {
namespace {

/// "bodies/rod/position.x": what, of which, which quantity, which component.
struct Parts {
  std::string section, name, leaf, component;
};
Parts parts_of(const std::string& path) {
  const auto one = path.find('/'), two = path.rfind('/');
  if (one == path.npos || two == one) return {};
  Parts out{path.substr(0, one), path.substr(one + 1, two - one - 1), path.substr(two + 1), {}};
  if (const auto dot = out.leaf.find('.'); dot != out.leaf.npos) {
    out.component = out.leaf.substr(dot + 1);
    out.leaf.resize(dot);
  }
  return out;
}

template <class List>
int find_named(const List& list, const Parts& parts, const std::string& path) {
  std::string names;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].name == parts.name) return static_cast<int>(k);
    names += (names.empty() ? "" : ", ") + list[k].name;
  }
  refuse(path, "there is no '" + parts.name + "' in " + parts.section, "there are: " + names);
}

}  // namespace

OutputPlace output_place(const Model& model, const std::string& path) {
  const Parts parts = parts_of(path);
  OutputPlace out;
  out.path = path;
  out.unit = "m";
  const std::string kUnknown =
      "outputs are positions: bodies/NAME/position.x, bodies/NAME/angle in the plane, "
      "markers/NAME/position.x, joints/NAME/coordinate";
  const bool body = parts.section == "bodies", marker = parts.section == "markers";
  if ((body || marker) && parts.leaf == "position") {
    const auto component = std::string(model.planar ? "xy" : "xyz").find(parts.component);
    if (parts.component.size() != 1 || component == std::string::npos)
      refuse(path, "which component of the position?", "write " + path + ".x, say");
    out.kind = body ? OutputPlace::Kind::body : OutputPlace::Kind::marker;
    out.index =
        body ? find_named(model.bodies, parts, path) : find_named(model.markers, parts, path);
    out.component = static_cast<int>(component);
    return out;
  }
  if (body && parts.leaf == "angle" && model.planar) {
    out.kind = OutputPlace::Kind::body_angle;
    out.index = find_named(model.bodies, parts, path);
    out.unit = "rad";
    return out;
  }
  if (parts.section == "joints" && parts.leaf.starts_with("coordinate")) {
    out.kind = OutputPlace::Kind::coordinate;
    out.index = find_named(model.joints, parts, path);
    const auto list = coordinates_of(model.joints[static_cast<std::size_t>(out.index)].type);
    std::string all;
    for (std::size_t c = 0; c < list.size(); ++c) {
      const std::string leaf =
          list.size() == 1 ? "coordinate" : "coordinate_" + std::string(name_of(list[c]));
      all += (all.empty() ? "" : ", ") + leaf;
      if (leaf != parts.leaf) continue;
      out.component = static_cast<int>(c);
      out.unit = is_angle(list[c]) ? "rad" : "m";
      return out;
    }
    refuse(path, "that joint has no such coordinate",
           all.empty() ? "it has none" : "it has: " + all);
  }
  refuse(path, "is no position of the mechanism", kUnknown);
}

double OutputPlace::value(const Model& model, const std::vector<Pose<double>>& frames,
                          double near) const {
  const auto at = static_cast<std::size_t>(index);
  switch (kind) {
    case Kind::body:
      return frames[at].r[component];
    case Kind::body_angle:
      return frames[at].angle;
    case Kind::marker: {
      const Frame& frame = model.markers[at].frame;
      const Pose<double>& pose = frames[static_cast<std::size_t>(frame.body)];
      return (pose.r + pose.R * frame.point)[component];
    }
    case Kind::coordinate: {
      const Joint& joint = model.joints[at];
      const Pose<double>&first = frames[static_cast<std::size_t>(joint.first.body)],
            &second = frames[static_cast<std::size_t>(joint.second.body)];
      const Coordinate coordinate = coordinates_of(joint.type)[static_cast<std::size_t>(component)];
      const double memory = model.planar && is_angle(coordinate) ? 0 : near;  // those never wrap
      return dynamics::coordinate_value(joint, coordinate, place_of(joint, first, second),
                                        model.planar, memory);
    }
  }
  return 0;
}

}  // namespace freeplay::analysis
