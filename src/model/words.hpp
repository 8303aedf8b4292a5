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

/// What is to be known of a way to integrate before anything moves; who makes it is said in
/// integrate/integrator.cpp.
struct MethodKind {
  Method method;
  std::string_view word;
  bool fixed_step = false;   ///< takes steps as long as it is told, without a tolerance
  bool constrained = false;  ///< integrates the constrained equations themselves: Cartesian only
  /// Steps over impacts and contact: steps as long as it is told, if it is, of first order.
  bool non_smooth = false;
  /// After an event it begins with the step that events of the kind left it with before.
  bool learns_first_steps = false;
};
[[nodiscard]] const MethodKind& kind_of(Method method);
[[nodiscard]] std::string_view name_of(Method method);
/// Are steps as long as the model says, whatever their error?
[[nodiscard]] inline bool has_fixed_step(const Simulation& run) {
  return kind_of(run.method).fixed_step || (kind_of(run.method).non_smooth && run.step > 0);
}

}  // namespace freeplay
