// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "commands.hpp"
#include "io/replace_file.hpp"
#include "io/text.hpp"
#include "report/study_page.hpp"
#include "terminal.hpp"
#include <freeplay/result.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

// `freeplay report`: results as one page to look at.
namespace freeplay::cli {

void refuse_to_overwrite(const std::vector<std::string>& inputs, const std::string& output) {
  for (const auto& input : inputs) {
    std::error_code ignored;
    if (std::filesystem::path(input).lexically_normal() ==
            std::filesystem::path(output).lexically_normal() ||
        std::filesystem::equivalent(input, output, ignored))
      throw UsageError("the output " + io::quote(output) + " is the result itself");
  }
}

void warn_of(const Result& result) {
  const std::string name = result.path().string();
  if (!result.complete())
    warn(name + " is incomplete: its run did not reach the end");
  else if (!result.sealed())
    warn(name +
         " is complete but has lost its seal: its end was cut off, or another program changed it; "
         "its numbers are no longer guarded against damage");
}

namespace {

/// Results side by side are of one mechanism, with and without play or otherwise changed. Refuses
/// those of which less than half the bodies are in the first.
void refuse_strangers(const std::vector<Result>& results) {
  const auto bodies = [](const Result& result) {
    std::set<std::string> out;
    for (const Channel& channel : result.channels())
      if (channel.path.starts_with("bodies/"))
        out.insert(channel.path.substr(7, channel.path.rfind('/') - 7));
    return out;
  };
  const auto first = bodies(results.front());
  for (const Result& other : results) {
    const auto own = bodies(other);
    const auto common = static_cast<std::size_t>(
        std::ranges::count_if(own, [&](const std::string& name) { return first.contains(name); }));
    if (2 * common < std::min(own.size(), first.size()))
      throw UsageError(
          io::quote(results.front().path().string()) + " and " + io::quote(other.path().string()) +
          fmt::format(" are different mechanisms: they have {} of {} bodies in common; "
                      "make a report of each",
                      common, std::min(own.size(), first.size())));
  }
}

}  // namespace

int report_command(const ReportArguments& a) {
  auto output = a.output;
  if (output.empty()) output = std::filesystem::path(a.results.front()).stem().string() + ".html";
  refuse_to_overwrite(a.results, output);
  for (const auto& file : a.results) {
    if (!report::is_study(file)) continue;
    if (a.results.size() > 1)
      throw UsageError(io::quote(file) + " is a study; a study has a page of its own");
    io::write_file(output, report::render_study(file));
    print("report: " + output + "\n");
    return kDone;
  }
  std::vector<Result> results;
  results.reserve(a.results.size());
  for (const auto& file : a.results) {
    results.emplace_back(file);
    warn_of(results.back());
  }
  refuse_strangers(results);
  io::write_file(output, report::render(results));
  print("report: " + output + "\n");
  return kDone;
}

}  // namespace freeplay::cli
