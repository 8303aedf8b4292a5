// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces/force_kind.hpp"

namespace freeplay::dynamics {

template <>
struct ForceKind<BodyTorque> {
  static constexpr std::string_view section = "torques", brief = "torques";
  static constexpr std::string_view doc = "A torque on a body.";
  static constexpr std::array<ForceNumber<BodyTorque>, 0> numbers() { return {}; }
  static bool does_work(const BodyTorque&) { return true; }

  template <class T>
  static Action<T> act(const BodyTorque& f, const ForceSight<T>& sight, T* /*rates*/) {
    Action<T> out;
    const Pose<T>& body = sight.at.second;
    const Vec3T<T> direction = direction_of(f, sight.at);
    out.effort = strength<T>(f.magnitude, sight, [&] {
      const double length = f.direction.norm();
      return std::pair<T, T>{body.angle * (f.direction[2] / length),
                             direction.dot(body.w) / length};
    });
    out.on_second.moment = direction * out.effort;
    out.power = out.on_second.moment.dot(body.w);
    return out;
  }
};

}  // namespace freeplay::dynamics
