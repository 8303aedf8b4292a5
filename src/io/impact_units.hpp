// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/result_layout.hpp"
#include <freeplay/model.hpp>
#include <freeplay/result.hpp>

#include <string>
#include <vector>

// Units of contacts: surfaces touch in m and N, end stops of an angle in rad and N m.
namespace freeplay::io {

struct ImpactUnits {
  std::string depth = "m", speed = "m/s", force = "N", impulse = "N s";
};

/// Of the contacts of a joint; "m or rad" and the like where it has surfaces that touch and a stop
/// of an angle.
[[nodiscard]] ImpactUnits impact_units(const Joint& joint);

/// "start: s, approach_speed: rad/s, ...": what `units_of` a table is where this model touches.
[[nodiscard]] std::string contact_units(const RowType& table, const Model& model);

/// Headings of the tables `impacts` and `events` of a result, with the units of what is in them.
[[nodiscard]] std::vector<std::string> impact_headings(const Result& result);
[[nodiscard]] std::vector<std::string> event_headings(const Result& result);

}  // namespace freeplay::io
