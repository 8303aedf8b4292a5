// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/moving_body.hpp"

#include <memory>

namespace freeplay::dynamics {

/// A rigid body. Its one frame is at its centre of mass, and its coordinates are those of that
/// frame: position and Euler parameters, velocity and angular velocity in its own axes; in the
/// plane x, y, angle and their rates. Maps between frame and body are the identity, and nobody asks
/// for them.
[[nodiscard]] std::unique_ptr<MovingBody> make_rigid_body(const Model& model, BodyIndex body);

}  // namespace freeplay::dynamics
