// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/law.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/model.hpp>

#include <fmt/format.h>

#include <string>

namespace freeplay::joints {

[[noreturn]] inline void refuse(const Joint& joint, const std::string& path,
                                const std::string& message) {
  Issue issue;
  issue.line = joint.line;
  issue.path = path;
  issue.message = message;
  throw ModelError(issue);
}

/// A law from the catalogue with the parameters of the model.
template <class V>
V choose_law(const Joint& joint, const LawChoice& choice, const std::string& path) {
  auto law = laws::make_law<V>(choice.key);
  if (!law) refuse(joint, path + ".law", fmt::format("'{}' is not in the catalogue", choice.key));
  for (const auto& [key, value] : choice.parameters) {
    if (double* parameter = laws::find_parameter(*law, key))
      *parameter = value;
    else if (bool* flag = laws::find_flag(*law, key))
      *flag = value != 0;
    else
      refuse(joint, path + "." + key, fmt::format("law '{}' has no such parameter", choice.key));
  }
  return *law;
}

}  // namespace freeplay::joints
