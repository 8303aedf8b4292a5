// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/flexible.hpp>
#include <freeplay/math.hpp>

#include <span>
#include <vector>

// The straight line of a beam before it bends: where its nodes are, and which way its sections
// look.
namespace freeplay::dynamics {

/// Of the length: places that are nearer to each other share a node.
inline constexpr double kSamePlace = 1e-9;

/// Columns: the axis of the beam and the axes of its section, in body axes.
[[nodiscard]] Mat3 beam_axes(const Flexible& beam, bool planar);

/// Where a point of the body is along the axis, counted from its middle; ends at most. m
[[nodiscard]] double along_axis(const Flexible& beam, const Vec3& point);

/// Nodes along the axis: its ends, its middle, the places `marks`, and between them as many as keep
/// all pieces as short as `elements` equal ones. From the middle, increasing; m.
[[nodiscard]] std::vector<double> beam_nodes(const Flexible& beam, std::span<const double> marks);

/// Sections along the axis, or interfaces of a part, at which deflection and section forces are
/// told.
[[nodiscard]] int sections_of(const Flexible& flexible);

}  // namespace freeplay::dynamics
