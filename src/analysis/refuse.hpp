// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/errors.hpp>

#include <string>
#include <utility>

namespace freeplay::analysis {

/// An analysis does not fit the model, or what was asked of it.
[[noreturn]] inline void refuse(const std::string& path, std::string message, std::string hint) {
  Issue issue;
  issue.path = path;
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  throw ModelError(issue);
}

}  // namespace freeplay::analysis
