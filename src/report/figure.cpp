// SPDX-License-Identifier: Apache-2.0
#include "report/figure.hpp"

#include "report/canvas.hpp"
#include "report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace freeplay::report {
namespace {

// Okabe and Ito's colours, which everyone can tell apart; dashes tell them apart in print.
constexpr std::array<const char*, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#b0569a",
                                              "#c98a00", "#000000", "#3f8fce"};
constexpr std::array<double, 2> kDashed{5, 2.5};
constexpr std::array<double, 2> kDotted{1.5, 2};
constexpr std::array<double, 4> kMixed{6, 2, 1.5, 2};

std::span<const double> dash_of(std::size_t line) {
  switch (line / kColours.size() % 4 == 0 ? line % 4 : (line + 1) % 4) {
    case 1:
      return kDashed;
    case 2:
      return kMixed;
    case 3:
      return kDotted;
    default:
      return {};
  }
}

constexpr double kPoints = 72 / 25.4;  // per mm
constexpr double kSmall = 8, kNormal = 9, kTitle = 10;

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] double largest() const {
    return low <= high ? std::max(std::abs(low), std::abs(high)) : 0;
  }
};

// An axis: its range in shown units, its ticks and their labels.
struct Axis {
  Range range;
  std::vector<double> at;
  std::vector<std::string> labels;
  DisplayUnit unit;
};

/// `largest`: of the values whose unit is chosen.
Axis make_axis(const Extent& extent, const std::string& unit, double largest, double pieces,
               double air) {
  Axis axis;
  axis.unit = display_unit(unit, largest);
  const double f = axis.unit.factor;
  axis.range = padded(extent.low * f, extent.high * f, air);
  axis.at = ticks(axis.range, pieces);
  axis.labels = tick_labels(axis.at);
  return axis;
}

/// As long a range on `length` of paper as `per` asks for, about its middle.
void widen(Axis& axis, double per, double length, double pieces) {
  const double middle = axis.range.low / 2 + axis.range.high / 2;
  axis.range = {middle - per * length / 2, middle + per * length / 2};
  axis.at = ticks(axis.range, pieces);
  axis.labels = tick_labels(axis.at);
}

double place(double value, Range range, double from, double length) {
  return from + (value / 2 - range.low / 2) / (range.high / 2 - range.low / 2) * length;
}

// Points on paper, leaving out those that no printer could tell from their neighbours but keeping
// every turn in height: a column of a hundredth of a point keeps its first, lowest, highest, last.
std::vector<Point> on_paper(const FigureLine& line, const Axis& x, const Axis& y, const Box& box) {
  std::vector<Point> out;
  const auto at = [&](std::size_t i) {
    return Point{place(line.x[i] * x.unit.factor, x.range, box.left, box.width),
                 place(line.y[i] * y.unit.factor, y.range, box.top + box.height, -box.height)};
  };
  constexpr double kColumn = 0.05;
  for (std::size_t i = 0; i < line.x.size();) {
    const auto first = at(i);
    auto low = first, high = first, last = first;
    bool low_is_first = true;  // order of the extremes within the column
    std::size_t k = i + 1;
    for (; k < line.x.size(); ++k) {
      const auto p = at(k);
      if (std::abs(p.x - first.x) > kColumn) break;
      if (p.y < low.y) {
        low = p;
        low_is_first = false;
      }
      if (p.y > high.y) {
        high = p;
        low_is_first = true;
      }
      last = p;
    }
    out.push_back(first);
    if (k - i > 3) {
      out.push_back(low_is_first ? low : high);
      out.push_back(low_is_first ? high : low);
    } else
      for (auto j = i + 1; j + 1 < k; ++j) out.push_back(at(j));
    if (k - i > 1) out.push_back(last);
    i = k;
  }
  return out;
}

std::string axis_title(const std::string& name, const DisplayUnit& unit) {
  return unit.name.empty() ? name : name + ", " + unit.name;
}

// Rows of the legend: which lines share one.
std::vector<std::vector<std::size_t>> legend_rows(const FigurePanel& panel, double width) {
  std::vector<std::vector<std::size_t>> rows;
  double used = width;
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    if (panel.lines[i].label.empty()) continue;
    const double w = 28 + text_width(panel.lines[i].label, kSmall) + 12;
    if (rows.empty() || used + w > width) {
      rows.emplace_back();
      used = 0;
    }
    rows.back().push_back(i);
    used += w;
  }
  return rows;
}

std::unique_ptr<Canvas> make_canvas(FigureFormat format, double width, double height, double dpi) {
  switch (format) {
    case FigureFormat::png:
      return make_png_canvas(width, height, dpi);
    case FigureFormat::pdf:
      return make_pdf_canvas(width, height);
    case FigureFormat::svg:
      break;
  }
  return make_svg_canvas(width, height);
}

}  // namespace

const char* line_colour(std::size_t line) { return kColours[line % kColours.size()]; }

std::optional<FigureFormat> figure_format(std::string_view file) {
  if (file.ends_with(".svg")) return FigureFormat::svg;
  if (file.ends_with(".png")) return FigureFormat::png;
  if (file.ends_with(".pdf")) return FigureFormat::pdf;
  return {};
}

std::string draw(const FigureData& figure, FigureFormat format, const FigureOptions& options) {
  const double width = options.width_mm * kPoints;
  const auto pen_of = [&](std::size_t line, double thickness) {
    return Pen{line_colour(line), thickness,
               options.dashes ? dash_of(line) : std::span<const double>{}};
  };
  const auto count = std::max<std::size_t>(figure.panels.size(), 1);

  // Ranges first: they decide how wide the labels are, and those how wide the diagrams.
  Extent xs;
  for (const auto& panel : figure.panels)
    for (const auto& line : panel.lines)
      for (const double v : line.x) xs.take(v);
  const double panel_height = options.panel_height_mm * kPoints;
  const double x_pieces = width / 65, y_pieces = std::max(2.0, panel_height / 32);
  const bool equal = figure.equal && figure.panels.size() == 1;
  std::vector<Axis> ys;
  double largest = xs.largest();
  for (const auto& panel : figure.panels) {
    Extent extent;
    for (const auto& line : panel.lines)
      for (const double v : line.y) extent.take(v);
    if (equal) largest = std::max(largest, extent.largest());
    ys.push_back(make_axis(extent, panel.unit, equal ? largest : extent.largest(), y_pieces, 0.06));
  }
  Axis x = make_axis(xs, figure.x_unit, largest, x_pieces, figure.x_unit == "s" ? 0 : 0.04);
  if (equal) {
    // Labels take their width from the diagram; about forty points, whatever they will be.
    const double w = width - 82, h = panel_height - 8;
    const double per =
        std::max((x.range.high - x.range.low) / w, (ys[0].range.high - ys[0].range.low) / h);
    widen(ys[0], per, h, y_pieces);
    widen(x, per, w, x_pieces);
  }
  double label_width = 0;
  for (const Axis& y : ys)
    for (const auto& label : y.labels)
      label_width = std::max(label_width, text_width(label, kSmall));
  // Exactly one scale: what the labels leave is not the width assumed above.
  const double left = equal ? 68 : 22 + label_width + 6, right = 14;
  const double title_height = figure.title.empty() ? 6 : 22;
  std::vector<std::vector<std::vector<std::size_t>>> legends;
  double height = title_height + (figure.panels.empty() ? 30 : 14);  // the abscissa below
  for (const auto& panel : figure.panels) {
    legends.push_back(legend_rows(panel, width - left - right));
    height += panel_height + 12 * static_cast<double>(legends.back().size()) + 8;
  }
  if (figure.panels.empty()) height += panel_height;

  const auto canvas = make_canvas(format, width, height, options.dpi);
  const Box paper{0, 0, width, height};
  if (!figure.title.empty()) canvas->text(figure.title, {left, 14}, kTitle, Align::left);
  double top = title_height;
  Box box;
  for (std::size_t k = 0; k < count; ++k) {
    if (figure.panels.empty()) {
      box = {left, top, width - left - right, panel_height};
      canvas->text("no data", {left + box.width / 2, top + box.height / 2}, kNormal, Align::centre);
      break;
    }
    const auto& panel = figure.panels[k];
    for (const auto& row : legends[k]) {
      double at = left;
      for (const auto i : row) {
        const std::array<Point, 2> sample{Point{at, top + 4}, {at + 22, top + 4}};
        canvas->line(sample, pen_of(i, 1.3), paper);
        canvas->text(panel.lines[i].label, {at + 27, top + 7}, kSmall, Align::left);
        at += 28 + text_width(panel.lines[i].label, kSmall) + 12;
      }
      top += 12;
    }
    box = {left, top + 2, width - left - right, panel_height - 8};
    const Axis& y = ys[k];
    for (std::size_t i = 0; i < x.at.size(); ++i) {
      const double px = place(x.at[i], x.range, box.left, box.width);
      const std::array<Point, 2> grid{Point{px, box.top}, {px, box.top + box.height}};
      canvas->line(grid, {"#e4e4e4", 0.5, {}}, paper);
    }
    for (std::size_t i = 0; i < y.at.size(); ++i) {
      const double py = place(y.at[i], y.range, box.top + box.height, -box.height);
      const std::array<Point, 2> grid{Point{box.left, py}, {box.left + box.width, py}};
      canvas->line(grid, {"#e4e4e4", 0.5, {}}, paper);
      canvas->text(y.labels[i], {box.left - 5, py + kSmall * 0.35}, kSmall, Align::right);
    }
    bool any = false;
    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
      const auto points = on_paper(panel.lines[i], x, y, box);
      any = any || !points.empty();
      if (points.size() == 1 || panel.lines[i].marks)
        for (const Point& p : points) canvas->dot(p, 2, line_colour(i));
      canvas->line(points, pen_of(i, 0.9), box);
    }
    if (!any)
      canvas->text("no data", {left + box.width / 2, box.top + box.height / 2}, kNormal,
                   Align::centre);
    const std::array<Point, 5> frame{Point{box.left, box.top},
                                     {box.left + box.width, box.top},
                                     {box.left + box.width, box.top + box.height},
                                     {box.left, box.top + box.height},
                                     {box.left, box.top}};
    canvas->line(frame, {"#000000", 0.7, {}}, paper);
    canvas->text(axis_title(panel.label, y.unit), {12, box.top + box.height / 2}, kNormal,
                 Align::centre, true);
    top = box.top + box.height + 14;
  }
  const double foot = box.top + box.height;
  for (std::size_t i = 0; i < x.at.size() && !figure.panels.empty(); ++i)
    canvas->text(x.labels[i], {place(x.at[i], x.range, box.left, box.width), foot + 11}, kSmall,
                 Align::centre);
  canvas->text(axis_title(figure.x_label, x.unit), {box.left + box.width / 2, foot + 24}, kNormal,
               Align::centre);
  return canvas->bytes();
}

}  // namespace freeplay::report
