// SPDX-License-Identifier: Apache-2.0
#include "gallery/gallery.hpp"
#include "gallery/thin.hpp"
#include "report/bars.hpp"
#include "report/figure.hpp"

#include <algorithm>
#include <cmath>

// Tracks become diagrams.
namespace freeplay::gallery {
namespace {

using report::FigureData;
using report::FigureLine;

constexpr report::FigureOptions kSize{.width_mm = 125, .panel_height_mm = 58, .dashes = false};
constexpr report::FigureOptions kPortrait{.width_mm = 125, .panel_height_mm = 85, .dashes = false};

using Tracks = std::vector<const Track*>;

// Dashes tell apart smooth lines that lie on each other; on dense oscillations they only confuse.
bool is_smooth(const report::FigurePanel& panel) {
  return std::ranges::all_of(panel.lines,
                             [](const FigureLine& line) { return line.x.size() < 150; });
}

Picture draw_series(const Diagram& d, const Figure& figure, const Edition& edition,
                    const Tracks& tracks) {
  FigureData data;
  data.title = figure.editions.size() > 1 ? edition.name : "";
  report::FigurePanel panel{d.label, d.unit, {}};
  for (const std::size_t v : d.variants) {
    const Curve y = curve_of(*tracks[v], d.series, d.window);
    FigureLine line =
        d.against.empty() ? thinned(y) : thinned(curve_of(*tracks[v], d.against, d.window), y);
    line.label = figure.variants[v].label;
    panel.lines.push_back(std::move(line));
  }
  auto size = d.against.empty() ? kSize : kPortrait;
  size.dashes = d.against.empty() && is_smooth(panel);
  data.panels.push_back(std::move(panel));
  if (!d.against.empty()) {
    data.x_label = d.x_label.empty() ? d.against[0].series : d.x_label;
    data.x_unit = d.x_unit;
  }
  return {d.label + (d.against.empty() ? "" : " over " + data.x_label) +
              (data.title.empty() ? "" : ", " + data.title),
          report::draw(data, report::FigureFormat::svg, size)};
}

double number_of(const Diagram& d, const Figure& figure, std::size_t v, const Tracks& tracks) {
  if (!tracks[v]->failure.empty()) return std::nan("");
  return take(*d.measure, *tracks[v], window_on(figure.variants[v], d.window));
}

// One number per variant, every edition a line.
Picture draw_over_variants(const Diagram& d, const Figure& figure,
                           const std::vector<Tracks>& tracks) {
  FigureData data;
  data.x_label = d.x_label;
  data.x_unit = d.x_unit.empty() ? "1" : d.x_unit;
  report::FigurePanel panel{d.label, d.unit, {}};
  for (std::size_t e = 0; e < tracks.size(); ++e) {
    FigureLine line;
    line.label = figure.editions[e].name;
    line.marks = true;
    for (const std::size_t v : d.variants) {
      const double value = number_of(d, figure, v, tracks[e]);
      if (!std::isfinite(value)) continue;
      line.x.push_back(*figure.variants[v].at);
      line.y.push_back(value);
    }
    panel.lines.push_back(std::move(line));
  }
  data.panels.push_back(std::move(panel));
  return {d.label + " over " + d.x_label, report::draw(data, report::FigureFormat::svg, kSize)};
}

Picture draw_as_bars(const Diagram& d, const Figure& figure, const std::vector<Tracks>& tracks) {
  report::BarData data{d.label, d.unit, {}, {}};
  for (std::size_t e = 0; e < tracks.size(); ++e) data.colours.push_back(figure.editions[e].name);
  for (const std::size_t v : d.variants) {
    data.groups.push_back({figure.variants[v].label, {}});
    for (const Tracks& edition : tracks)
      data.groups.back().values.push_back(number_of(d, figure, v, edition));
  }
  return {d.label, report::draw_bars(data, kSize.width_mm)};
}

}  // namespace

std::vector<std::vector<Picture>> draw_diagrams(const Figure& figure,
                                                const std::vector<Tracks>& tracks) {
  std::vector<std::vector<Picture>> out;
  for (const Diagram& d : figure.diagrams) {
    auto& row = out.emplace_back();
    if (d.measure)
      row.push_back(d.x_label.empty() ? draw_as_bars(d, figure, tracks)
                                      : draw_over_variants(d, figure, tracks));
    else
      for (std::size_t e = 0; e < tracks.size(); ++e)
        row.push_back(draw_series(d, figure, figure.editions[e], tracks[e]));
  }
  return out;
}

}  // namespace freeplay::gallery
