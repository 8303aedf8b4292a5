// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <utility>

// What force elements have in common whatever their type: by the names of their members, so that a
// new type has nothing to say here.
namespace freeplay {

/// How it is mounted: between two points, on a joint coordinate, at a point of a body, on a body.
template <class S>
inline constexpr bool kBetweenPoints = requires(const S& s) {
  s.first, s.second;
}
|| requires(const S& s) { s.along; };
template <class S>
inline constexpr bool kOnCoordinate = requires(const S& s) {
  s.on;
}
|| requires(const S& s) { s.along; };
template <class S>
inline constexpr bool kAtPoint = requires(const S& s) {
  s.at;
};
template <class S>
inline constexpr bool kOnBody = requires(const S& s) {
  s.body;
};

/// visit(frame) for the frames of bodies that it is fixed to; elements on a joint coordinate act by
/// way of their joint, torques on the body's own frame.
template <class S, class Visit>
void each_frame(S& s, Visit&& visit) {
  if constexpr (requires { s.first, s.second; }) {
    visit(s.first);
    visit(s.second);
  } else if constexpr (requires { s.at; }) {
    visit(s.at);
  } else if constexpr (requires { s.along; }) {
    if (auto* points = std::get_if<PointPair>(&s.along)) each_frame(*points, visit);
  }
}

/// The joint coordinate that it acts on; null: none.
template <class S>
const JointCoordinate* coordinate_of(const S& s) {
  if constexpr (requires { s.on; })
    return &s.on;
  else if constexpr (requires { s.along; })
    return std::get_if<JointCoordinate>(&s.along);
  else
    return nullptr;
}
inline const JointCoordinate* coordinate_of(const Force& force) {
  return std::visit([](const auto& s) { return coordinate_of(s); }, force.element);
}

/// The two bodies it acts on (the ground where there is only one).
template <class S>
std::pair<BodyIndex, BodyIndex> bodies_of(const S& s, const Model& model) {
  if (const JointCoordinate* on = coordinate_of(s)) {
    const Joint& joint = model.joints[on->joint];
    return {joint.first.body, joint.second.body};
  }
  std::pair<BodyIndex, BodyIndex> out{kGround, kGround};
  if constexpr (requires { s.body; }) out.second = s.body;
  each_frame(s, [&](const Frame& frame) { out = {out.second, frame.body}; });
  return out;
}

/// The table, the formula or the function of time that it follows; null: none.
template <class S>
const ForceTable* table_of(const S& s) {
  if constexpr (requires { s.table; })
    return s.table ? &*s.table : nullptr;
  else
    return nullptr;
}
template <class S>
const Formula* formula_of(const S& s) {
  if constexpr (requires { s.formula; })
    return s.formula ? &*s.formula : nullptr;
  else
    return nullptr;
}
template <class S>
const Motion* magnitude_of(const S& s) {
  if constexpr (requires { s.magnitude; })
    return &s.magnitude;
  else
    return nullptr;
}
inline const Motion* magnitude_of(const Force& force) {
  return std::visit([](const auto& s) { return magnitude_of(s); }, force.element);
}

/// The points between which it is drawn; empty: it has none.
inline std::vector<Frame> line_of(const Force& force) {
  std::vector<Frame> out;
  std::visit([&](const auto& s) { each_frame(s, [&](const Frame& f) { out.push_back(f); }); },
             force.element);
  if (out.size() < 2) out.clear();
  return out;
}

/// Does it change a length or a coordinate, which is recorded; and is its effort a moment?
inline bool has_extension(const Force& force) {
  return coordinate_of(force) || !line_of(force).empty();
}
inline bool turns(const Force& force) {
  const JointCoordinate* on = coordinate_of(force);
  return on ? is_angle(on->coordinate)
            : std::visit([]<class S>(const S&) { return kOnBody<S>; }, force.element);
}

}  // namespace freeplay
