// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/fields.hpp"
#include <freeplay/model.hpp>

namespace freeplay::io {

/// A name of the handbook, or { young, poisson }.
[[nodiscard]] Shape material_shape();
[[nodiscard]] Material material_of(const Node& node);
/// What parts are made of where it hardly matters.
[[nodiscard]] Material steel();

}  // namespace freeplay::io
