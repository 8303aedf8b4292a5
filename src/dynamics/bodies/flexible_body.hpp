// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/moving_body.hpp"

#include <memory>

namespace freeplay::dynamics {

/// A body as the model has it: rigid, or flexible by the method that its table asks for. What does
/// not exist is a ModelError.
[[nodiscard]] std::unique_ptr<MovingBody> make_body(const Model& model, BodyIndex body);

/// The model with all its bodies rigid.
[[nodiscard]] Model stiffened(const Model& model);

/// Is there a flexible body?
[[nodiscard]] bool bends(const Model& model);

}  // namespace freeplay::dynamics
