// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces/force_kind.hpp"

namespace freeplay::dynamics {

template <>
struct ForceKind<PointSpring> {
  static constexpr std::string_view section = "springs", brief = "springs and dampers";
  static constexpr std::string_view doc =
      "Spring and damper: between two points (`bodies` or `markers`), or on a joint coordinate "
      "(`joint`).";
  static constexpr auto numbers() {
    using S = PointSpring;
    return std::array{
        ForceNumber<S>{&S::stiffness, "stiffness", "{f}/{q}", "default 0", 0},
        ForceNumber<S>{&S::damping, "damping", "{f} s/{q}", "default 0", 0},
        ForceNumber<S>{&S::preload, "preload", "{f}",
                       "constant tension or restoring effort; default 0"},
        ForceNumber<S>{&S::free_length, "free_length", "m",
                       "default: the distance in the poses as written", 0, false, true}};
  }
  static double rest(const PointSpring& s) { return s.free_length; }
  static bool does_work(const PointSpring& s) { return s.damping != 0 || s.formula; }

  template <class T>
  static Action<T> act(const PointSpring& s, const ForceSight<T>& sight, T* /*rates*/) {
    return spring_on<T>(s, PointLine<T>(s.first, s.second, sight.at), s.free_length, sight);
  }
};

}  // namespace freeplay::dynamics
