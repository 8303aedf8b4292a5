// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"

namespace freeplay::joints {

/// What the oil or rubber of a joint does to its two bodies.
template <class T>
struct CushionForces {
  Wrench<T> on_first, on_second;
  T power = T(0.0);  ///< on both bodies; W
};

class Cushion;

}  // namespace freeplay::joints
