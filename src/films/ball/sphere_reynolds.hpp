// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

// The Reynolds equation between ball and socket, in the units of journal_reynolds.hpp:
// div(u^3 grad P) = -12 V.r on the unit sphere, u = 1 - eps.r, theory/films (F.20).
namespace freeplay::films {

struct SphereGrid {
  int polar = 32, around = 12;  ///< cells from the direction of motion, and half way around it
  bool full_film = false;       ///< the whole sphere; otherwise the half that is being squeezed
};

/// Integral of P r for unit speed: along the line of centres and across it, towards the motion.
/// `along`, `across`: the direction of motion against the line of centres, across >= 0.
///
/// Finite volumes in polar angles about the *direction of motion*: the rim of the squeezed half is
/// then a grid line, whatever the eccentricity, and the other half of the turn is a mirror image.
[[nodiscard]] std::array<double, 2> sphere_film(const SphereGrid& grid, double ratio, double along,
                                                double across);

}  // namespace freeplay::films
