// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/elements/forces/body_torque.hpp"
#include "dynamics/elements/forces/coordinate_spring.hpp"
#include "dynamics/elements/forces/joint_effort.hpp"
#include "dynamics/elements/forces/point_force.hpp"
#include "dynamics/elements/forces/point_spring.hpp"
#include "dynamics/elements/forces/series_damper.hpp"
#include "laws/law.hpp"

// The types of force elements, one file each. Everything that depends on a type asks its ForceKind;
// nobody names one.
namespace freeplay::dynamics {

/// visit(std::type_identity<S>{}) for every type, in the order in which files have them.
template <class Visit>
void each_force_type(Visit&& visit) {
  laws::for_each_type<freeplay::ForceElement>(visit);
}

/// The table of model files that an element stands in.
[[nodiscard]] inline std::string_view section_of(const Force& force) {
  return std::visit([]<class S>(const S&) { return ForceKind<S>::section; }, force.element);
}

}  // namespace freeplay::dynamics
