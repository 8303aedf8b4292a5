// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

// How a surface departs from its circle. Angles count from the x axis of the body that carries the
// surface, anticlockwise.
namespace freeplay {

/// An ellipse about the joint point, in place of the radius.
struct EllipseProfile {
  double along = 0, across = 0;  ///< half axes; m
  double phase = 0;              ///< where the first of them points; rad
};

/// radius + amplitude cos(lobes (angle - phase)).
struct LobedProfile {
  double lobes = 2;      ///< whole number, 2 or more
  double amplitude = 0;  ///< m
  double phase = 0;      ///< of one of the lobes; rad
};

/// Measured radii, in place of the radius: filtered by a Gaussian that lets half of `harmonics`
/// undulations per turn through (theory/gaps (G.25)).
struct MeasuredProfile {
  std::vector<double> angle, radius;  ///< rad, strictly increasing within one turn; m
  double harmonics = 15;              ///< undulations per turn at half transmission
};

/// Waves of random phase about a wavelength (theory/gaps (G.26)); the same seed, the same surface.
struct WavyProfile {
  double rms = 0, wavelength = 0;  ///< of height; along the surface; m
  double seed = 1;                 ///< whole number
};

using Profile = std::variant<EllipseProfile, LobedProfile, MeasuredProfile, WavyProfile>;

/// The mean radius of a profile that replaces the radius of its surface; 0: it does not. m
[[nodiscard]] double own_radius(const Profile& profile);

}  // namespace freeplay
