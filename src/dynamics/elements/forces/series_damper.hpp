// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces/force_kind.hpp"

namespace freeplay::dynamics {

/// Damper c and spring k in series: one force F stretches both, so that v = F'/k + F/c, and
///
///     F' = k (v - F/c).
///
/// The spring keeps F^2/(2k), the damper takes F^2/c (theory/bushings (B.8)).
template <>
struct ForceKind<SeriesDamper> {
  static constexpr std::string_view section = "dampers", brief = "dampers that give way";
  static constexpr std::string_view doc =
      "Damper with a spring in series (Maxwell's element): between two points (`bodies` or "
      "`markers`), or on a joint coordinate (`joint`). Its force is zero at the start.";
  static constexpr auto numbers() {
    using S = SeriesDamper;
    return std::array{
        ForceNumber<S>{&S::damping, "damping", "{f} s/{q}", "of the damper", 0, true},
        ForceNumber<S>{&S::stiffness, "stiffness", "{f}/{q}",
                       "of what is in series with it: mounts, oil; its force decays with the time "
                       "damping/stiffness",
                       0, true}};
  }
  static bool does_work(const SeriesDamper&) { return true; }
  static std::array<ForceState, 1> states(const SeriesDamper& s, const Scales& scales) {
    const JointCoordinate* on = coordinate_of(s);
    const bool angle = on && is_angle(on->coordinate);
    const double force = scales.mass * scales.length / (scales.time * scales.time);
    return {{{"force", angle ? "N m" : "N", angle ? force * scales.length : force}}};
  }

  template <class T>
  static Action<T> act(const SeriesDamper& s, const ForceSight<T>& sight, T* rates) {
    Action<T> out;
    const T force = sight.at.states[0];
    const auto pull = [&](const auto& line) {
      rates[0] = s.stiffness * (line.rate - force / s.damping);
      line.restore(force, out);
      out.extension = line.value;
      out.rate = line.rate;
    };
    if (const auto* points = std::get_if<PointPair>(&s.along))
      pull(PointLine<T>(points->first, points->second, sight.at));
    else
      pull(CoordinateLine<T>(std::get<JointCoordinate>(s.along), sight));
    out.potential = 0.5 * force * force / s.stiffness;
    out.power = -force * force / s.damping;
    return out;
  }
};

}  // namespace freeplay::dynamics
