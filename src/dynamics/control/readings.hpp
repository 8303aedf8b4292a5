// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces.hpp"

#include <optional>
#include <string>
#include <string_view>

// What signals and controllers may read at all times: where bodies, markers and joints are and how
// they move. It is worked out from the very state that forces are, with exact derivatives. What
// follows from the accelerations (reactions, contact forces) is not among it: a force that depends
// on it would have to be known before it is known.
namespace freeplay::dynamics {

struct Reading {
  enum class Kind {
    body_position,
    body_velocity,
    body_angle,
    body_spin,
    marker_position,
    marker_velocity,
    coordinate,
    rate
  };
  Kind kind = Kind::body_position;
  FrameIndex first = kGround, second = kGround;  ///< the frames it depends on
  int component = 0;
  int marker = -1;
  JointCoordinate on{JointIndex{0}};  ///< coordinate, rate
};

/// The reading of a path of results, "joints/pin/rate"; nothing when it is none.
[[nodiscard]] std::optional<Reading> find_reading(const Model& model, std::string_view path);

/// Does it continue an angle?
[[nodiscard]] inline const JointCoordinate* continues(const Reading& reading) {
  return reading.kind == Reading::Kind::coordinate ? &reading.on : nullptr;
}

/// `angle`: what the angle of its joint coordinate continues.
template <class T>
T read(const Reading& reading, const Model& model, const Pose<T>& first, const Pose<T>& second,
       double angle) {
  using Kind = Reading::Kind;
  const int c = reading.component;
  switch (reading.kind) {
    case Kind::body_position:
      return second.r[c];
    case Kind::body_velocity:
      return second.v[c];
    case Kind::body_angle:
      return second.angle;
    case Kind::body_spin: {  // body axes, as it is recorded
      const Vec3T<T> own = second.R.transpose() * second.w;
      return own[c];
    }
    case Kind::marker_position: {
      const Vec3& point = model.markers[static_cast<std::size_t>(reading.marker)].frame.point;
      const Vec3T<T> arm = second.R * point;
      return second.r[c] + arm[c];
    }
    case Kind::marker_velocity: {
      const Vec3& point = model.markers[static_cast<std::size_t>(reading.marker)].frame.point;
      const Vec3T<T> arm = second.R * point;
      const Vec3T<T> v = second.v + second.w.cross(arm);
      return v[c];
    }
    case Kind::coordinate:
    case Kind::rate: {
      const Joint& joint = model.joints[reading.on.joint];
      const JointPlace<T> g = place_of(joint, first, second);
      if (reading.kind == Kind::coordinate)
        return coordinate_value(joint, reading.on.coordinate, g, model.planar, angle);
      return rate_of(
          evaluate_row(coordinate_row(joint, reading.on.coordinate), joint, g, {}, model.planar),
          first, second);
    }
  }
  return T(0.0);
}

}  // namespace freeplay::dynamics
