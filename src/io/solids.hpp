// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <optional>
#include <string>
#include <vector>

// Uniform solids: volume, centre and inertia, from which bodies get their mass.
namespace freeplay::io {

/// A body that is made of one thing: volume, and inertia per mass about its centre in its axes.
struct Solid {
  Vec3 centre = Vec3::Zero();    // global; m
  Mat3 axes = Mat3::Identity();  // of it, as columns
  double volume = 0;             // m^3; 0: not known
  Mat3 gyration = Mat3::Zero();  // m^2
};

/// Why there is no solid.
struct Refusal {
  std::string message, hint;
};

/// Global x turned into the unit vector d by the smallest rotation; half a turn about z for its
/// opposite.
[[nodiscard]] Vec4 turned_to(const Vec3& d);

/// A flat plate with these corners: x from the first to the second, z normal to it, right-handed
/// with the order of the corners in space, global z in the plane.
[[nodiscard]] std::optional<Solid> plate_of(const std::vector<Vec3>& corners, bool planar,
                                            double thickness, Refusal& why);

// Centred at the origin. Box: edges along x, y, z. Cylinder and capsule: along x.
[[nodiscard]] Solid box_of(const Vec3& edges);
[[nodiscard]] Solid cylinder_of(double diameter, double bore, double length);
[[nodiscard]] Solid sphere_of(double diameter);
/// `length`: between the centres of its round ends.
[[nodiscard]] Solid capsule_of(double diameter, double length);

/// Several solids as one, in global axes: mass, centre and inertia about it.
struct Assembled {
  double mass = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};
[[nodiscard]] Assembled assembled(const std::vector<Solid>& parts,
                                  const std::vector<double>& masses);

}  // namespace freeplay::io
