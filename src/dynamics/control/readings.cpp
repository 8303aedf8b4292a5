// SPDX-License-Identifier: Apache-2.0
#include "dynamics/control/readings.hpp"

#include <algorithm>

namespace freeplay::dynamics {
namespace {

using Kind = Reading::Kind;

struct Parts {
  std::string_view group, name, leaf, component;
};

/// "bodies/rod/position.x"
std::optional<Parts> split(std::string_view path) {
  const std::size_t first = path.find('/'), second = path.find('/', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return {};
  Parts out{path.substr(0, first),
            path.substr(first + 1, second - first - 1),
            path.substr(second + 1),
            {}};
  if (const std::size_t dot = out.leaf.find('.'); dot != std::string_view::npos) {
    out.component = out.leaf.substr(dot + 1);
    out.leaf = out.leaf.substr(0, dot);
  }
  return out;
}

/// Which component of a vector; nothing where there is no such one.
std::optional<int> component_of(std::string_view word, int dimension) {
  const std::size_t at = word.size() == 1 ? std::string_view("xyz").find(word) : 3;
  if (at >= static_cast<std::size_t>(dimension)) return {};
  return static_cast<int>(at);
}

/// Position and velocity of a body or marker.
std::optional<Reading> vector_of(const Model& model, const Parts& parts, Kind position,
                                 Kind velocity) {
  const auto c = component_of(parts.component, model.planar ? 2 : 3);
  if (!c || (parts.leaf != "position" && parts.leaf != "velocity")) return {};
  Reading out;
  out.kind = parts.leaf == "position" ? position : velocity;
  out.component = *c;
  return out;
}

std::optional<Reading> body_reading(const Model& model, const Parts& parts) {
  const auto body = std::ranges::find(model.bodies.begin() + 1, model.bodies.end(), parts.name,
                                      [](const Body& b) -> std::string_view { return b.name; });
  if (body == model.bodies.end()) return {};
  std::optional<Reading> out = vector_of(model, parts, Kind::body_position, Kind::body_velocity);
  if (!out && parts.leaf == "angle" && model.planar && parts.component.empty()) {
    out.emplace();
    out->kind = Kind::body_angle;
  } else if (!out && parts.leaf == "angular_velocity") {
    const auto c = model.planar ? std::optional(2) : component_of(parts.component, 3);
    if (!c || (model.planar && !parts.component.empty())) return {};
    out.emplace();
    out->kind = Kind::body_spin;
    out->component = *c;
  }
  if (out) out->second = static_cast<FrameIndex>(body - model.bodies.begin());
  return out;
}

std::optional<Reading> joint_reading(const Model& model, const Parts& parts) {
  const auto joint = std::ranges::find(model.joints, parts.name,
                                       [](const Joint& j) -> std::string_view { return j.name; });
  if (joint == model.joints.end() || !parts.component.empty()) return {};
  const auto list = coordinates_of(joint->type);
  for (const Coordinate c : list)
    for (const Kind kind : {Kind::coordinate, Kind::rate}) {
      std::string leaf = kind == Kind::rate ? "rate" : "coordinate";
      if (list.size() > 1) leaf += "_" + std::string(name_of(c));
      if (leaf != parts.leaf) continue;
      Reading out;
      out.kind = kind;
      out.on = {static_cast<JointIndex>(joint - model.joints.begin()), c};
      out.first = joint->first.body;
      out.second = joint->second.body;
      return out;
    }
  return {};
}

}  // namespace

std::optional<Reading> find_reading(const Model& model, std::string_view path) {
  const auto parts = split(path);
  if (!parts) return {};
  if (parts->group == "bodies") return body_reading(model, *parts);
  if (parts->group == "joints") return joint_reading(model, *parts);
  if (parts->group != "markers") return {};
  const auto marker = std::ranges::find(model.markers, parts->name,
                                        [](const Marker& m) -> std::string_view { return m.name; });
  if (marker == model.markers.end()) return {};
  auto out = vector_of(model, *parts, Kind::marker_position, Kind::marker_velocity);
  if (!out) return {};
  out->marker = static_cast<int>(marker - model.markers.begin());
  out->second = marker->frame.body;
  return out;
}

}  // namespace freeplay::dynamics
