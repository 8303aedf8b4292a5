// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "commands.hpp"
#include "io/replace_file.hpp"
#include "io/text.hpp"
#include "report/study_page.hpp"
#include "terminal.hpp"
#include <freeplay/result.hpp>

#include <filesystem>

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
  io::write_file(output, report::render(results));
  print("report: " + output + "\n");
  return kDone;
}

}  // namespace freeplay::cli
