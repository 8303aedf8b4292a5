// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/read_formula.hpp"
#include "laws/law.hpp"
#include "laws/plugin_law.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/model.hpp>

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace freeplay::joints {

/// The remedy wherever a plug-in stays shut.
inline constexpr const char* kAllowPlugins =
    "allow it with --allow-plugins (in Python: freeplay.allow_plugins()) if you trust whoever made "
    "it";

[[noreturn]] inline void refuse(const Joint& joint, const std::string& path,
                                const std::string& message) {
  Issue issue;
  issue.line = joint.line;
  issue.path = path;
  issue.message = message;
  throw ModelError(issue);
}

/// The formula of a law that is written as one.
template <laws::FormulaLaw L>
void take_formula(L& law, const Joint& joint, const LawChoice& choice, const std::string& path) {
  const std::string key = path + "." + std::string(L::use.key);
  if (!choice.expression) refuse(joint, key, fmt::format("'{}' is missing", L::use.key));
  try {
    if (!law.take(read_formula(*choice.expression, L::use)))
      refuse(joint, key, "the formula is too long for a law");
  } catch (const FormulaError& error) {
    Issue issue;
    issue.line = joint.line;
    issue.path = key;
    issue.message = error.what();
    issue.hint = error.hint;
    throw ModelError(issue);
  }
}

/// The compiled code of a law that is a plug-in's.
template <laws::PluginUser L>
void take_plugin(L& law, const Joint& joint, const LawChoice& choice, const std::string& path) {
  if (!choice.expression) refuse(joint, path + ".plugin", "'plugin' is missing");
  const auto which = laws::PluginReference::read(choice.expression->text);
  const laws::PluginLaws found = laws::find_plugin(which.of_program() ? which.file : which.digest);
  if (found.empty()) {
    Issue issue;
    issue.line = joint.line;
    issue.path = path + ".plugin";
    issue.message = which.of_program()
                        ? fmt::format("this program has no law '{}'", which.file)
                        : fmt::format("'{}' is compiled code, which is not open", which.file);
    issue.hint = which.of_program() ? "register it before the model is used" : kAllowPlugins;
    throw ModelError(issue);
  }
  std::string why;
  const auto chosen = laws::choose(found, L::plugin_kind, which.name, why);
  if (!chosen) refuse(joint, path + ".plugin", fmt::format("'{}': {}", which.file, why));
  std::vector<std::pair<std::string, double>> given;
  for (const auto& p : choice.expression->parameters) given.emplace_back(p.name, p.value);
  try {
    law.take(laws::PluginFunction::make(chosen, given));
  } catch (const std::invalid_argument& error) {
    refuse(joint, path, fmt::format("'{}': {}", which.file, error.what()));
  }
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
  std::visit(
      [&]<class L>(L& chosen) {
        if constexpr (laws::FormulaLaw<L>)
          take_formula(chosen, joint, choice, path);
        else if constexpr (laws::PluginUser<L>)
          take_plugin(chosen, joint, choice, path);
        else if (choice.expression)
          refuse(joint, path, fmt::format("law '{}' takes no formula", choice.key));
      },
      *law);
  return *law;
}

}  // namespace freeplay::joints
