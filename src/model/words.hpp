// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>

#include <span>
#include <string_view>

// What can be named in a model file, beside name_of() of joint types and coordinates.
namespace freeplay {

/// Every one of them, in the order of its enumeration.
[[nodiscard]] std::span<const JointType> joint_types();
[[nodiscard]] std::span<const Coordinate> coordinates();
[[nodiscard]] std::span<const Method> methods();

[[nodiscard]] std::string_view name_of(Method method);
/// Takes steps as long as it is told, without a tolerance.
[[nodiscard]] bool has_fixed_step(Method method);

}  // namespace freeplay
