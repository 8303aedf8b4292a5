// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "gallery/find.hpp"
#include "gallery/gallery.hpp"
#include "interrupt.hpp"
#include "io/replace_file.hpp"
#include "io/text.hpp"
#include "json.hpp"
#include "terminal.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

// `freeplay reproduce`: the figures of the papers, run again, and what they claim, measured.
namespace freeplay::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const std::vector<std::string>& names) {
  try {
    return gallery::find_figures(names);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

// Mistakes of all files at once.
std::vector<gallery::Figure> read_all(const std::vector<fs::path>& files) {
  std::vector<gallery::Figure> figures;
  std::vector<Issue> issues;
  for (const fs::path& file : files) try {
      figures.push_back(gallery::read_figure(file));
    } catch (const ModelError& error) {
      issues.insert(issues.end(), error.issues().begin(), error.issues().end());
    }
  if (!issues.empty()) throw ModelError(std::move(issues));
  return figures;
}

void print_list(const std::vector<gallery::Figure>& figures) {
  Table table({"figure", "of", "claims", "shows"});
  for (const auto& f : figures)
    table.add({f.name, f.paper + ", " + f.figure, std::to_string(f.claims.size()), f.shows});
  print(table.text());
}

std::string text_of(const gallery::GalleryResult& result) {
  std::string out;
  for (const gallery::FigureResult& f : result.figures) {
    out += bold(f.figure.name) + "  " + f.figure.paper + ", " + f.figure.figure + "\n";
    Table table({"claim", "paper", "as printed", "corrected", "verdict"});
    for (std::size_t i = 0; i < f.claims.size(); ++i)
      table.add({f.figure.claims[i].id, f.figure.claims[i].paper, gallery::measured_text(f, i, 0),
                 gallery::measured_text(f, i, 1), gallery::name_of(f.claims[i].verdict)});
    out += table.text();
  }
  return out;
}

}  // namespace

int reproduce_command(const ReproduceArguments& a) {
  const auto figures = read_all(files_of(a.names));
  if (a.list) {
    print_list(figures);
    return kDone;
  }
  // Better now than after minutes of work.
  std::error_code error;
  const fs::path folder(a.output);
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw IoError("the folder " + io::quote(a.output) + " cannot be made" +
                  (error ? ": " + error.message() : ""));

  const Interrupt interrupt;
  ProgressBar bar(!a.quiet);
  gallery::GalleryOptions options;
  options.workers = a.workers;
  options.stop = interrupt.flag();
  options.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    bar.show(static_cast<double>(done) / static_cast<double>(total), what);
    if (!a.quiet && !is_terminal_stderr()) note(fmt::format("{} of {}: {}", done, total, what));
  };
  const gallery::GalleryResult result = gallery::make_gallery(figures, options);
  bar.clear();
  if (result.interrupted) {
    complain("interrupted; nothing was written");
    return kInterrupted;
  }
  const fs::path page = folder / "gallery.html";
  io::write_file(page, gallery::page_of(result));
  io::write_file(folder / "claims.md", gallery::markdown_of(result));
  if (a.json)
    print(json_of(result, page.string()));
  else if (!a.quiet)
    print(text_of(result) + "\n" + gallery::summary_of(result) + "\ngallery: " + page.string() +
          "\n");
  for (const std::string& failure : result.failures) warn("a run failed: " + failure);
  return result.failures.empty() ? kDone : kFailed;
}

}  // namespace freeplay::cli
