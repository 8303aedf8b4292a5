// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/model.hpp>

#include <vector>

namespace freeplay::cli {

/// A model as the command line asks for it, and what looks suspicious in it.
struct LoadedModel {
  Model model;
  std::vector<Issue> warnings;
};

/// Throws UsageError, ModelError or IoError.
[[nodiscard]] LoadedModel load(const ModelArguments& arguments);

/// Warnings and notes, one line each on standard error.
void show(const std::vector<Issue>& warnings);

}  // namespace freeplay::cli
