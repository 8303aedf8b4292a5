// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>
#include <freeplay/record.hpp>
#include <freeplay/run.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace freeplay::cli {

/// A model as the command line asks for it, and what looks suspicious in it.
struct LoadedModel {
  Model model;
  std::vector<Issue> warnings;
  Record record;  // what its results keep
};

/// What the command line changes of it. Throws UsageError.
[[nodiscard]] std::vector<Override> overrides_of(const ModelArguments& arguments);

/// Throws UsageError, ModelError or IoError. `files` receives what was read.
[[nodiscard]] LoadedModel load(const ModelArguments& arguments,
                               std::vector<std::filesystem::path>* files = nullptr);

[[nodiscard]] ModelError with_file(const ModelError& error, const ModelArguments& arguments,
                                   const Model& model);

/// Does `work(model)`; a ModelError thrown by it knows lines only, and is given the name of the
/// file.
template <class F>
auto naming_the_file(const ModelArguments& arguments, const Model& model, F&& work) {
  try {
    return work(model);
  } catch (const ModelError& error) {
    throw with_file(error, arguments, model);
  }
}

/// The start of the model; throws AssemblyError, or ModelError with the place in the file.
[[nodiscard]] Assembly assemble(const ModelArguments& arguments, const Model& model);

/// What is recorded at the assembled start: one row, as RunHeader describes it.
struct StartRow {
  RunHeader header;
  std::vector<double> row;

  /// The numbers of a channel; empty if there is none of that path.
  [[nodiscard]] std::span<const double> at(const std::string& path) const;
};
[[nodiscard]] StartRow start_row(const Model& model, const Assembly& assembly);

/// Joints whose parts already press on each other at the start, one sentence each.
[[nodiscard]] std::vector<std::string> contacts_at_start(const Model& model, const StartRow& start);

/// Warnings and notes, one line each on standard error.
void show(const std::vector<Issue>& warnings);

}  // namespace freeplay::cli
