// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces/force_kind.hpp"

namespace freeplay::dynamics {

template <>
struct ForceKind<JointEffort> {
  static constexpr std::string_view section = "efforts", brief = "motors and actuators";
  static constexpr std::string_view doc =
      "Effort of a motor or actuator on a joint coordinate: on the second body, reacted by the "
      "first.";
  static constexpr std::array<ForceNumber<JointEffort>, 0> numbers() { return {}; }
  static bool does_work(const JointEffort&) { return true; }

  template <class T>
  static Action<T> act(const JointEffort& e, const ForceSight<T>& sight, T* /*rates*/) {
    Action<T> out;
    const CoordinateLine<T> line(e.on, sight);
    const T effort = strength<T>(e.magnitude, sight, [&] {
      return std::pair<T, T>{line.value, line.rate};
    });
    add_effort(line.row, effort, out.on_first, out.on_second);
    out.effort = effort;
    out.power = effort * line.rate;
    out.extension = line.value;
    return out;
  }
};

}  // namespace freeplay::dynamics
