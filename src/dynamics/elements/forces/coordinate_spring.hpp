// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces/point_spring.hpp"

namespace freeplay::dynamics {

template <>
struct ForceKind<CoordinateSpring> {
  static constexpr std::string_view section = "springs", brief = ForceKind<PointSpring>::brief,
                                    doc = ForceKind<PointSpring>::doc;
  static constexpr auto numbers() {
    using S = CoordinateSpring;
    return std::array{
        ForceNumber<S>{&S::stiffness, "stiffness", "{f}/{q}", "default 0", 0},
        ForceNumber<S>{&S::damping, "damping", "{f} s/{q}", "default 0", 0},
        ForceNumber<S>{&S::preload, "preload", "{f}",
                       "constant tension or restoring effort; default 0"},
        ForceNumber<S>{&S::rest, "rest", "{q}", "coordinate without force; default 0"}};
  }
  static double rest(const CoordinateSpring& s) { return s.rest; }
  static bool does_work(const CoordinateSpring& s) { return s.damping != 0 || s.formula; }

  template <class T>
  static Action<T> act(const CoordinateSpring& s, const ForceSight<T>& sight, T* /*rates*/) {
    return spring_on<T>(s, CoordinateLine<T>(s.on, sight), s.rest, sight);
  }
};

}  // namespace freeplay::dynamics
