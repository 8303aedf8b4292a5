// SPDX-License-Identifier: Apache-2.0
#include "io/record_choice.hpp"

#include "io/text.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace freeplay::io {

bool fits(std::string_view path, std::string_view pattern) {
  // Where the last star stands, and up to where it has taken the path.
  std::size_t i = 0, k = 0, star = pattern.npos, taken = 0;
  while (i < path.size()) {
    if (k < pattern.size() && pattern[k] == '*') {
      star = k++;
      taken = i;
    } else if (k < pattern.size() && pattern[k] == path[i]) {
      ++i, ++k;
    } else if (star != pattern.npos) {
      k = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', k) == pattern.npos;
}

namespace {

std::string what_was_meant(const std::string& pattern, std::span<const Channel> channels) {
  const auto hint = [](const std::string& path) { return "did you mean " + quote(path) + "?"; };
  std::string trimmed = pattern;
  while (trimmed.ends_with('/')) trimmed.pop_back();
  while (trimmed.starts_with('/')) trimmed.erase(0, 1);
  const auto some = [&](const std::string& p) {
    return std::any_of(channels.begin(), channels.end(),
                       [&](const Channel& c) { return fits(c.path, p); });
  };
  if (some(trimmed)) return hint(trimmed);
  if (some(trimmed + "/*")) return hint(trimmed + "/*");
  if (const auto dot = trimmed.rfind('.'); dot != trimmed.npos && some(trimmed.substr(0, dot)))
    return hint(trimmed.substr(0, dot)) + " All components of a series are kept together.";
  std::vector<std::string> known;
  for (const Channel& c : channels) {
    known.push_back(c.path);
    for (auto slash = c.path.find('/'); slash != c.path.npos; slash = c.path.find('/', slash + 1)) {
      auto group = c.path.substr(0, slash) + "/*";
      if (std::find(known.begin(), known.end(), group) == known.end()) known.push_back(group);
    }
  }
  const auto near = nearest(trimmed, known);
  return near.empty() ? "paths are those that 'freeplay get --list' shows: bodies/NAME/position, "
                        "joints/NAME/*, energy/*"
                      : hint(near);
}

}  // namespace

std::vector<Channel> chosen_channels(const Record& record, std::span<const Channel> channels) {
  if (record.series.empty()) return {channels.begin(), channels.end()};
  std::vector<Issue> issues;
  std::vector<bool> wanted(channels.size(), false);
  for (const std::string& pattern : record.series) {
    bool any = false;
    for (std::size_t i = 0; i < channels.size(); ++i)
      if (fits(channels[i].path, pattern)) any = wanted[i] = true;
    if (any) continue;
    Issue issue;
    issue.path = "simulation.record.series";
    issue.message = "no series fits " + quote(pattern);
    issue.hint = what_was_meant(pattern, channels);
    issues.push_back(std::move(issue));
  }
  if (!issues.empty()) throw ModelError(std::move(issues));
  std::vector<Channel> out;
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (wanted[i]) out.push_back(channels[i]);
  return out;
}

}  // namespace freeplay::io
