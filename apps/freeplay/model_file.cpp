// SPDX-License-Identifier: Apache-2.0
#include "model_file.hpp"

#include "io/start.hpp"
#include "io/text.hpp"
#include "joints/imperfect_joint.hpp"
#include "terminal.hpp"
#include <freeplay/load.hpp>

#include <fmt/format.h>

#include <utility>

namespace freeplay::cli {

std::vector<Override> overrides_of(const ModelArguments& arguments) {
  std::vector<Override> out;
  for (const auto& text : arguments.set) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0)
      throw UsageError("--set wants PATH=VALUE, not " + io::quote(text));
    out.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  const auto shorthand = [&](const char* path, const std::string& value) {
    if (!value.empty()) out.push_back({path, value});
  };
  shorthand("simulation.tolerance", arguments.tolerance);
  shorthand("simulation.formulation", arguments.formulation);
  shorthand("simulation.integrator", arguments.integrator);
  shorthand("simulation.duration", arguments.duration);
  shorthand("simulation.record", arguments.record);
  return out;
}

LoadedModel load(const ModelArguments& arguments, std::vector<std::filesystem::path>* files) {
  LoadedModel loaded;
  LoadOptions options;
  options.overrides = overrides_of(arguments);
  options.warnings = &loaded.warnings;
  options.files = files;
  options.record = &loaded.record;
  loaded.model = load_model(arguments.file, options);
  return loaded;
}

ModelError with_file(const ModelError& error, const ModelArguments& arguments, const Model& model) {
  // Lines may be those of an included file; the path in the model then has to do.
  const bool one_file =
      !model.source.starts_with("include") && model.source.find("\ninclude") == std::string::npos;
  auto issues = error.issues();
  for (Issue& issue : issues) {
    if (!issue.file.empty()) continue;
    issue.file = arguments.file;
    if (!one_file) issue.line = issue.column = 0;
  }
  return ModelError(std::move(issues));
}

Assembly assemble(const ModelArguments& arguments, const Model& model) {
  return naming_the_file(arguments, model, io::assemble_start);
}

std::span<const double> StartRow::at(const std::string& path) const {
  for (const Channel& c : header.channels)
    if (c.path == path) return {row.data() + c.offset, static_cast<std::size_t>(c.width)};
  return {};
}

StartRow start_row(const Model& model, const Assembly& assembly) {
  StartRow out;
  out.header = describe(model);
  out.row.resize(static_cast<std::size_t>(out.header.width));
  observe_at(model, assembly.start, assembly.start.time, out.row);
  return out;
}

std::vector<std::string> contacts_at_start(const Model& model, const StartRow& start) {
  std::vector<std::string> out;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const auto depth = start.at("joints/" + joint.name + "/penetration");
    const auto force = start.at("joints/" + joint.name + "/normal_force");
    if (depth.empty() || force.empty() || !(depth[0] > 0)) continue;
    out.push_back(fmt::format(
        "joint {} starts in contact, {:.4g} mm deep, with {:.4g} N: {}", joint.name, 1e3 * depth[0],
        force[0],
        depth[0] > joints::ImperfectJoint(model, static_cast<JointIndex>(j)).depth_limit()
            ? "deeper than its inner part is wide, which `run` refuses"
            : "the energy stored there is released at the start"));
  }
  return out;
}

void show(const std::vector<Issue>& warnings) {
  for (const auto& issue : warnings) warn(issue.text());
}

}  // namespace freeplay::cli
