// SPDX-License-Identifier: Apache-2.0
#include "io/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace freeplay::io {
namespace {
constexpr std::size_t kLongestPath = 200;  // a name of a million letters is not repeated in full
constexpr const char* kAlso = " (the same for ";
constexpr std::ptrdiff_t kMostNamed = 5;
}  // namespace

int Diagnostics::add_file(std::string name) {
  files_.push_back(std::move(name));
  return static_cast<int>(files_.size()) - 1;
}

void Diagnostics::add(Place place, std::string path, std::string message, std::string hint,
                      bool fatal) {
  // A repeated table is written once: what is wrong with it is said once, of its first copy.
  for (std::size_t i = 0; place.line > 0 && i < issues_.size(); ++i)
    if (issues_[i].line == place.line && issues_[i].column == place.column &&
        file_of_[i] == place.file && issues_[i].fatal == fatal && issues_[i].message == message)
      return;
  std::size_t& count = fatal ? errors_ : warnings_;
  if (++count > kMostIssues) return;
  Issue issue;
  if (place.file >= 0) issue.file = file_name(place.file);
  issue.line = place.line;
  issue.column = place.column;
  if (path.size() > kLongestPath) path.replace(kLongestPath, path.npos, "...");
  issue.path = std::move(path);
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  issue.fatal = fatal;
  issues_.push_back(std::move(issue));
  file_of_.push_back(place.file);
}

void Diagnostics::error(Place place, std::string path, std::string message, std::string hint) {
  add(place, std::move(path), std::move(message), std::move(hint), true);
}

// What is suspicious in several places for one reason is said once, with the others by name.
void Diagnostics::warn(Place place, std::string path, std::string message, std::string hint) {
  for (Issue& known : issues_) {
    if (known.fatal || known.hint != hint || known.path == path) continue;
    if (known.message == message) {
      known.message += kAlso + path + ")";
      return;
    }
    if (!known.message.starts_with(message + kAlso)) continue;
    const std::string others = known.message.substr(message.size());
    if (others.find(path + ",") != others.npos || others.find(path + ")") != others.npos) return;
    if (others.ends_with("...)")) return;
    known.message.back() = ',';
    known.message += std::ranges::count(others, ',') < kMostNamed ? " " + path + ")" : " ...)";
    return;
  }
  add(place, std::move(path), std::move(message), std::move(hint), false);
}

void Diagnostics::finish(std::vector<Issue>* warnings) {
  std::vector<std::size_t> order(issues_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(file_of_[a], issues_[a].line, issues_[a].column) <
           std::tuple(file_of_[b], issues_[b].line, issues_[b].column);
  });
  std::vector<Issue> errors;
  for (const std::size_t i : order) {
    if (issues_[i].fatal)
      errors.push_back(std::move(issues_[i]));
    else if (warnings)
      warnings->push_back(std::move(issues_[i]));
  }
  const std::size_t unsaid = errors_ > kMostIssues ? errors_ - kMostIssues : 0;
  issues_.clear();
  file_of_.clear();
  errors_ = warnings_ = 0;
  if (errors.empty()) return;
  if (unsaid > 0) {
    Issue more;
    more.file = errors.back().file;
    more.message = "and " + std::to_string(unsaid) + " further mistakes";
    errors.push_back(std::move(more));
  }
  throw ModelError(std::move(errors));
}

}  // namespace freeplay::io
