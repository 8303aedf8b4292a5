// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/reduced_part.hpp"
#include <freeplay/modal_part.hpp>

namespace freeplay::fem {

/// Which of the modes between the interfaces are kept.
struct ModeChoice {
  bool planar = false;       ///< the interfaces move in the plane z = 0 alone
  int modes = 0;             ///< the lowest of them; 0: all
  double max_frequency = 0;  ///< all below; Hz; 0: no bound
};

/// Modes of the part in free flight: K psi = w^2 M psi without the motions that deform nothing,
/// (FE.8). Throws ModelError where the matrices are not those of an elastic part.
[[nodiscard]] ModalPart free_modes(const ReducedPart& part, const ModeChoice& choice);

/// How far each interface gives way to a force on it along x, y, z while the first one is held;
/// m/N. None for the first.
[[nodiscard]] std::vector<Vec3> compliances(const ReducedPart& part);

}  // namespace freeplay::fem
