// SPDX-License-Identifier: Apache-2.0
#include "gallery/gallery.hpp"
#include "io/base64.hpp"
#include "report/html.hpp"
#include <freeplay/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>

// The gallery as one page without scripts: every picture is inside it.
namespace freeplay::gallery {
namespace {

using report::escape_markup;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1d2329; --soft: #5a6570; --line: #d8dde2; --paper: #fff; --wash: #f5f7f9;
  --good: #00684c; --half: #7a5200; --bad: #a33a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #a4adb6; --line: #39414a; --paper: #14181c; --wash: #1d2329;
    --good: #4cc79c; --half: #e0ae4a; --bad: #ff9366; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 78rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.25rem; margin: 3rem 0 .3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
p { margin: .4rem 0; max-width: 60rem; }
a { color: inherit; }
.soft, figcaption { color: var(--soft); }
nav { margin: 1rem 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .2rem 1rem; }
nav span { margin-left: .6rem; font-size: .88rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .8rem 0; font-size: .88rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
th { background: var(--wash); font-weight: 600; }
td.number { font-variant-numeric: tabular-nums; }
td.verdict { white-space: nowrap; font-weight: 600; }
.holds { color: var(--good); } .half { color: var(--half); } .fails { color: var(--bad); }
.small, .reason { color: var(--soft); display: block; margin-top: .15rem; }
.small { font-size: .78rem; overflow-wrap: anywhere; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; margin: 1rem 0;
  align-items: start; }
figure { margin: 0; max-width: 40rem; }
figure img { width: 100%; height: auto; display: block; background: #fff; border: 1px solid var(--line); border-radius: 4px; }
figcaption { font-size: .8rem; margin-top: .2rem; }
@media print { h2 { break-before: page; } figure { break-inside: avoid; } }
)";

const char* class_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::only_printed:
    case Verdict::only_corrected:
      return "half";
    default:
      return "fails";
  }
}

std::string claims_of(const FigureResult& f) {
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><th>claim</th><th>paper</th><th>measured (as "
      "printed)</th><th>measured (corrected)</th><th>holds if</th><th>verdict</th></tr></thead>"
      "<tbody>\n";
  for (std::size_t i = 0; i < f.claims.size(); ++i) {
    const Claim& c = f.figure.claims[i];
    const Verdict verdict = f.claims[i].verdict;
    const bool excused = verdict != Verdict::holds && !c.reason.empty();
    out += fmt::format(
        "<tr><td>{}<span class=\"small\">{}</span>{}</td><td>{}</td><td "
        "class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td><td class=\"verdict {}\">{}</td></tr>\n",
        escape_markup(c.says), escape_markup(c.measured),
        excused
            ? "<span class=\"reason\">Most likely reason: " + escape_markup(c.reason) + "</span>"
            : "",
        escape_markup(c.paper), escape_markup(measured_text(f, i, 0)),
        escape_markup(measured_text(f, i, 1)), escape_markup(c.condition()), class_of(verdict),
        name_of(verdict));
  }
  return out + "</tbody></table></div>\n";
}

// Pictures as images, not inline: each keeps its own names for clipping.
std::string pictures_of(const FigureResult& f) {
  std::string out;
  bool open = false;  // a row of single pictures, which takes more of them
  for (const auto& row : f.pictures) {
    const bool single = row.size() == 1;
    if (open && !single) out += "</div>\n";
    if (!open || !single) out += "<div class=\"row\">\n";
    for (const Picture& p : row)
      out += fmt::format(
          "<figure><img alt=\"{0}\" src=\"data:image/svg+xml;base64,{1}\"><figcaption>{0}"
          "</figcaption></figure>\n",
          escape_markup(p.caption), io::base64(std::as_bytes(std::span(p.svg))));
    open = single;
    if (!open) out += "</div>\n";
  }
  return out + (open ? "</div>\n" : "");
}

}  // namespace

std::string page_of(const GalleryResult& gallery) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>The figures of the papers, reproduced</title>\n<style>{}</style></head><body>\n"
      "<h1>The figures of the papers, reproduced</h1>\n<p>{}.</p>\n<p class=\"soft\">Made by "
      "freeplay {} from {} different runs. A verdict follows from the measured numbers and the "
      "bounds beside them; what the papers leave unsaid is chosen and named in the model "
      "files.</p>\n<nav>",
      kStyle, escape_markup(summary_of(gallery)), version(), gallery.runs);
  for (const FigureResult& f : gallery.figures)
    out += fmt::format(
        "<div><a href=\"#{0}\">{0}</a><span class=\"soft\">{1} of {2} hold</span></div>",
        escape_markup(f.figure.name),
        std::ranges::count(f.claims, Verdict::holds, &Judged::verdict), f.claims.size());
  out += "</nav>\n";
  for (const std::string& failure : gallery.failures)
    out += "<p class=\"fails\">A run failed: " + escape_markup(failure) + "</p>\n";
  for (const FigureResult& f : gallery.figures) {
    out += fmt::format("<section><h2 id=\"{}\">{}, {}</h2>\n<p>{}</p>\n",
                       escape_markup(f.figure.name), escape_markup(f.figure.paper),
                       escape_markup(f.figure.figure), escape_markup(f.figure.shows));
    for (const Edition& e : f.figure.editions)
      if (!e.note.empty())
        out += fmt::format("<p class=\"soft\"><b>{}:</b> {}</p>\n", escape_markup(e.name),
                           escape_markup(e.note));
    out += claims_of(f) + pictures_of(f) + "</section>\n";
  }
  return out + "</body></html>\n";
}

}  // namespace freeplay::gallery
