// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

// Paper to draw on, in points (1/72 inch) from the upper left corner: SVG text written by
// ourselves, pixels and PDF by cairo.
namespace freeplay::report {

struct Point {
  double x = 0, y = 0;
};
struct Box {
  double left = 0, top = 0, width = 0, height = 0;
};
struct Pen {
  std::string_view colour = "#000000";  ///< #rrggbb
  double width = 1;
  std::span<const double> dash = {};
};
enum class Align { left, centre, right };

class Canvas {
 public:
  virtual ~Canvas() = default;
  /// A polyline, cut to `clip`.
  virtual void line(std::span<const Point> points, const Pen& pen, const Box& clip) = 0;
  virtual void dot(Point at, double radius, std::string_view colour) = 0;
  /// UTF-8; `at` is on the baseline; `upwards` turns it by 90 degrees.
  virtual void text(std::string_view text, Point at, double size, Align align,
                    bool upwards = false) = 0;
  /// The finished file.
  [[nodiscard]] virtual std::string bytes() = 0;
};

[[nodiscard]] std::unique_ptr<Canvas> make_svg_canvas(double width, double height);
/// `dpi` pixels per inch. Throws IoError when the picture would be too large.
[[nodiscard]] std::unique_ptr<Canvas> make_png_canvas(double width, double height, double dpi);

[[nodiscard]] std::unique_ptr<Canvas> make_pdf_canvas(double width, double height);

/// About how wide a text is in a sans-serif font of this size, without asking for one.
[[nodiscard]] double text_width(std::string_view text, double size);

}  // namespace freeplay::report
