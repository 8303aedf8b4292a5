// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Figures for papers, without a browser: lines over time, or one series against another.
namespace freeplay::report {

struct FigureLine {
  std::vector<double> x, y;  ///< SI; equal lengths, finite
  std::string label;         ///< for the legend; may be empty
  bool marks = false;        ///< a dot on every point: few, measured one by one
};

/// One diagram of a figure. Diagrams stand below each other and share the abscissa.
struct FigurePanel {
  std::string label;  ///< of the ordinate: "acceleration of slider"
  std::string unit;   ///< as stored: "m/s^2"
  std::vector<FigureLine> lines;
};

struct FigureData {
  std::string title;  ///< may be empty
  std::string x_label = "time", x_unit = "s";
  std::vector<FigurePanel> panels;
  bool equal = false;  ///< one scale along both axes, of the first diagram: a path is not distorted
};

struct FigureOptions {
  double width_mm = 160;
  double panel_height_mm = 60;
  double dpi = 200;  ///< PNG only
  bool dashes =
      true;  ///< tells lines apart in print; on dense oscillations colours alone do better
};

enum class FigureFormat { svg, png, pdf };
/// By the ending of a file's name: .svg, .png or .pdf; nothing for another.
[[nodiscard]] std::optional<FigureFormat> figure_format(std::string_view file);

/// Colour of the n-th line: Okabe and Ito's, which everyone can tell apart. #rrggbb.
[[nodiscard]] const char* line_colour(std::size_t line);

/// The finished file. Works for no lines, one sample, constant data, and numbers up to 1e308.
[[nodiscard]] std::string draw(const FigureData& figure, FigureFormat format,
                               const FigureOptions& options = {});

/// What to show of results: the named series, or without any the motion of the body that matters
/// and what happens in a joint with play. With `against`, each series is drawn over that series
/// instead of time, in one scale where that is one diagram of one unit. Several results are drawn
/// into the same diagrams. Throws NotInResult.
struct FigureRequest {
  std::vector<std::string> series;
  std::optional<std::string> against;
  double from = -1e308, to = 1e308;  ///< s
};
[[nodiscard]] FigureData figure_of(std::span<const Result> results, const FigureRequest& request);

}  // namespace freeplay::report
