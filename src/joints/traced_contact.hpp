// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/imperfect_joint.hpp"
#include "tape/traced.hpp"

#include <optional>

// The forces of a contact at a single point, on the tape of a mechanism.
template <>
struct freeplay::laws::LastingNumber<freeplay::tape::Traced> {
  using type = freeplay::tape::Traced;
};

namespace freeplay::joints {

/// What the contact remembers (ContactMemory), as inputs of the tape.
struct TracedMemory {
  tape::Traced touching, impact_rate, mass_ratio;
};
struct TracedForces {
  tape::Traced normal, normal_power, friction_power;  ///< N, W
  Vec3T<tape::Traced> friction;                       ///< on the inner part; N
};

/// What a contact that single_point() is true of does, whether it touches or not: zeros in flight.
/// Nothing where a law of it is more than a tape can hold (laws::is_recordable).
[[nodiscard]] std::optional<TracedForces> traced_forces(const ImperfectJoint& joint,
                                                        const ContactPoint<tape::Traced>& point,
                                                        const ContactMotion<tape::Traced>& motion,
                                                        const TracedMemory& past);

}  // namespace freeplay::joints
