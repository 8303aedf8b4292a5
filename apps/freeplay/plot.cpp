// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "io/replace_file.hpp"
#include "io/text.hpp"
#include "report/figure.hpp"
#include "terminal.hpp"
#include <freeplay/result.hpp>

#include <filesystem>

// `freeplay plot`: a figure without a browser.
namespace freeplay::cli {

int plot_command(const PlotArguments& a) {
  auto output = a.output;
  if (output.empty()) output = std::filesystem::path(a.result).stem().string() + ".svg";
  const auto format = report::figure_format(output);
  if (!format)
    throw UsageError("a picture is FILE.svg, FILE.pdf or FILE.png, not " + io::quote(output));
  std::vector<std::string> files{a.result};
  files.insert(files.end(), a.compare.begin(), a.compare.end());
  refuse_to_overwrite(files, output);

  report::FigureRequest request{.series = a.series, .against = std::nullopt};
  if (!a.against.empty()) request.against = a.against;
  if (!a.from.empty()) request.from = parse_time(a.from, "--from");
  if (!a.to.empty()) request.to = parse_time(a.to, "--to");
  if (request.from > request.to) throw UsageError("--from is after --to");

  std::vector<Result> results;
  results.reserve(files.size());
  for (const auto& file : files) {
    results.emplace_back(file);
    warn_of(results.back());
  }
  // A phase portrait wants to be about square.
  const double height = a.height > 0 ? a.height : a.against.empty() ? 60 : 0.7 * a.width;
  io::write_file(
      output, report::draw(report::figure_of(results, request), *format, {a.width, height, a.dpi}));
  print("figure: " + output + "\n");
  return kDone;
}

}  // namespace freeplay::cli
