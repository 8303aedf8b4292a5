// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/coordinate_stop.hpp"
#include "joints/radial_gap.hpp"
#include "laws/contact.hpp"

#include <variant>

namespace freeplay::joints {

/// The shapes of the gap between two parts.
using Geometry = std::variant<RadialGap, CoordinateStop>;

[[nodiscard]] Geometry make_geometry(const Model& model, JointIndex joint);
[[nodiscard]] laws::ContactSite site_of(const Model& model, const Joint& joint);

}  // namespace freeplay::joints
