// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <vector>

// The same mechanism seen differently: moved in space, measured in other units, listed in another
// order. What follows from it physically must follow from it numerically (verification/cases
// H1-H3).
namespace freeplay::testing {

/// The whole mechanism turned by `Q` about the origin and then moved by `d`, gravity and ground
/// points included. For planar mechanisms Q must be a rotation about z.
[[nodiscard]] Model moved(const Model& model, const Mat3& Q, const Vec3& d);

/// The same numbers of a physical mechanism in units of 1/length metres and 1/mass kilograms (1000,
/// 1e-3: mm and t).
[[nodiscard]] Model in_units(const Model& model, double length, double mass);

/// Bodies and joints in reverse order and under new names ("x" put in front), forces likewise.
[[nodiscard]] Model reordered(const Model& model);

/// Factor that turns a quantity of this unit ("m", "N m/rad") into the units of `in_units`.
[[nodiscard]] double unit_factor(const std::string& unit, double length, double mass);

}  // namespace freeplay::testing
