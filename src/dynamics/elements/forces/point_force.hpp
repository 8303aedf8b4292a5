// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces/force_kind.hpp"

namespace freeplay::dynamics {

template <>
struct ForceKind<PointForce> {
  static constexpr std::string_view section = "forces", brief = "forces";
  static constexpr std::string_view doc = "A force on a point of a body.";
  static constexpr std::array<ForceNumber<PointForce>, 0> numbers() { return {}; }
  static bool does_work(const PointForce&) { return true; }

  template <class T>
  static Action<T> act(const PointForce& f, const ForceSight<T>& sight, T* /*rates*/) {
    Action<T> out;
    const Pose<T>& body = sight.at.second;
    const Vec3T<T> arm = body.R * f.at.point;
    const Vec3T<T> velocity = body.v + body.w.cross(arm);
    const Vec3T<T> direction = direction_of(f, sight.at);
    out.effort = strength<T>(f.magnitude, sight, [&] {
      const double length = f.direction.norm();
      return std::pair<T, T>{direction.dot(body.r + arm) / length,
                             direction.dot(velocity) / length};
    });
    const Vec3T<T> force = direction * out.effort;
    out.on_second.add(force, arm);
    out.power = force.dot(velocity);
    return out;
  }
};

}  // namespace freeplay::dynamics
