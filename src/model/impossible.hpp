// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/errors.hpp>
#include <freeplay/model.hpp>

#include <vector>

namespace freeplay {

/// What no mechanism can have though each number by itself is in order: inertias that violate the
/// triangle inequality, bodies that turn without mass, contact without forces. The last of the
/// checks of `validate`, for a model that is sound otherwise.
[[nodiscard]] std::vector<Issue> impossibilities(const Model& model);

}  // namespace freeplay
