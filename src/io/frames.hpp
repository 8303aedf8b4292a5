// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <cmath>
#include <limits>

// Frames of joints and markers, from points and axes in the poses as written.
namespace freeplay::io {

/// Is a vector of that square of unit length, to rounding?
[[nodiscard]] inline bool is_unit(double square) {
  return std::abs(square - 1) <= 4 * std::numeric_limits<double>::epsilon();
}

/// Body axes to global axes, in the pose as written.
[[nodiscard]] Mat3 rotation_of(const Model& model, BodyIndex body);

/// A global point in the frame of a body, and back.
[[nodiscard]] Vec3 to_body(const Model& model, BodyIndex body, const Vec3& point);
[[nodiscard]] Vec3 to_global(const Model& model, BodyIndex body, const Vec3& point);

/// A right-handed frame whose z is the unit vector given. x and y are those of the global frame
/// turned by the smallest rotation that takes global z there, so that nearby axes have nearby
/// frames (except at -z).
[[nodiscard]] Mat3 frame_about(const Vec3& z);

/// The same with x as near to `x` as it can be; falls back on frame_about(z) when x is along z.
[[nodiscard]] Mat3 frame_about(const Vec3& z, const Vec3& x);

/// Planar mechanisms: z along the in-plane direction, y = global z.
[[nodiscard]] Mat3 frame_in_plane(const Vec3& z);

/// A frame on a body: point in body axes, axes given globally.
[[nodiscard]] Frame make_frame(const Model& model, BodyIndex body, const Vec3& point,
                               const Mat3& global_axes);

}  // namespace freeplay::io
