// SPDX-License-Identifier: Apache-2.0
#include <freeplay/errors.hpp>

namespace freeplay {

std::string Issue::text() const {
  std::string out;
  if (!file.empty()) out += file + ":";
  if (line > 0)
    out += std::to_string(line) + ":" + (column > 0 ? std::to_string(column) + ":" : "");
  if (!out.empty()) out += " ";
  if (!path.empty()) out += path + ": ";
  out += message;
  if (!hint.empty()) out += " (" + hint + ")";
  return out;
}

namespace {
std::string summary(const std::vector<Issue>& issues) {
  std::string out;
  for (const Issue& issue : issues) out += (out.empty() ? "" : "\n") + issue.text();
  return out;
}
}  // namespace

ModelError::ModelError(std::vector<Issue> issues)
    : std::runtime_error(summary(issues)), issues_(std::move(issues)) {}
ModelError::ModelError(Issue issue) : ModelError(std::vector<Issue>{std::move(issue)}) {}

}  // namespace freeplay
