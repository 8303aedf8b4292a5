// SPDX-License-Identifier: Apache-2.0
#include "model_file.hpp"

#include "io/text.hpp"
#include "terminal.hpp"
#include <freeplay/load.hpp>

namespace freeplay::cli {

LoadedModel load(const ModelArguments& arguments) {
  LoadOptions options;
  for (const auto& text : arguments.set) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0)
      throw UsageError("--set wants PATH=VALUE, not " + io::quote(text));
    options.overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  const auto shorthand = [&](const char* path, const std::string& value) {
    if (!value.empty()) options.overrides.push_back({path, value});
  };
  shorthand("simulation.tolerance", arguments.tolerance);
  shorthand("simulation.formulation", arguments.formulation);
  shorthand("simulation.integrator", arguments.integrator);
  shorthand("simulation.duration", arguments.duration);

  LoadedModel loaded;
  options.warnings = &loaded.warnings;
  loaded.model = load_model(arguments.file, options);
  return loaded;
}

void show(const std::vector<Issue>& warnings) {
  for (const auto& issue : warnings) warn(issue.text());
}

}  // namespace freeplay::cli
