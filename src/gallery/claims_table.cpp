// SPDX-License-Identifier: Apache-2.0
#include "gallery/gallery.hpp"
#include "gallery/numbers.hpp"

#include <fmt/format.h>

// The table of claims as text: the same cells in Markdown, on the page and on the terminal.
namespace freeplay::gallery {
namespace {

// A bar would end the cell, a line end the row.
std::string cell(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::size_t count_of(const GalleryResult& gallery, Verdict verdict) {
  std::size_t out = 0;
  for (const FigureResult& f : gallery.figures)
    for (const Judged& judged : f.claims) out += judged.verdict == verdict ? 1 : 0;
  return out;
}

}  // namespace

std::string measured_text(const FigureResult& result, std::size_t claim, std::size_t edition) {
  const Judged& judged = result.claims[claim];
  if (edition >= judged.measured.size()) return "-";
  const Measured& m = judged.measured[edition];
  if (!m.failure.empty()) return m.failure;
  const Claim& c = result.figure.claims[claim];
  return with_unit(m.values, c.unit, c.order == Claim::Order::none ? ", " : " → ");
}

std::string summary_of(const GalleryResult& gallery) {
  std::size_t claims = 0;
  for (const FigureResult& f : gallery.figures) claims += f.claims.size();
  std::string out =
      fmt::format("{} figure{}, {} claim{}:", gallery.figures.size(),
                  gallery.figures.size() == 1 ? "" : "s", claims, claims == 1 ? "" : "s");
  const char* comma = " ";
  for (const Verdict v : {Verdict::holds, Verdict::only_printed, Verdict::only_corrected,
                          Verdict::fails, Verdict::not_measured})
    if (const auto n = count_of(gallery, v)) {
      out += fmt::format("{}{} {}", comma, n,
                         v == Verdict::holds && n != 1   ? "hold"
                         : v == Verdict::fails && n != 1 ? "do not hold"
                                                         : name_of(v));
      comma = ", ";
    }
  return out;
}

std::string markdown_of(const GalleryResult& gallery) {
  std::string out =
      "# What the papers claim, measured\n\nMade by `freeplay reproduce`. A verdict "
      "follows from the measured numbers and the bounds beside them.\n\n" +
      summary_of(gallery) + ".\n";
  for (const FigureResult& f : gallery.figures) {
    out += fmt::format("\n## {}: {}, {}\n\n{}\n\n", f.figure.name, f.figure.paper, f.figure.figure,
                       f.figure.shows);
    for (const Edition& e : f.figure.editions)
      if (!e.note.empty()) out += fmt::format("- {}: {}\n", e.name, e.note);
    out +=
        "\n| claim | paper | measured (as printed) | measured (corrected) | holds if | verdict |\n"
        "|---|---|---|---|---|---|\n";
    std::string reasons;
    for (std::size_t i = 0; i < f.claims.size(); ++i) {
      const Claim& c = f.figure.claims[i];
      const Verdict verdict = f.claims[i].verdict;
      out += fmt::format("| {}<br>`{}` | {} | {} | {} | {} | {} |\n", cell(c.says),
                         cell(c.measured), cell(c.paper), cell(measured_text(f, i, 0)),
                         cell(measured_text(f, i, 1)), cell(c.condition()), name_of(verdict));
      if (verdict != Verdict::holds && !c.reason.empty())
        reasons += fmt::format("- *{}*: {}\n", c.says, c.reason);
    }
    if (!reasons.empty()) out += "\nMost likely reasons:\n\n" + reasons;
  }
  return out;
}

}  // namespace freeplay::gallery
