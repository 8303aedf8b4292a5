// SPDX-License-Identifier: Apache-2.0
#include "report/canvas.hpp"
#include "report/html.hpp"

#include <fmt/format.h>

namespace freeplay::report {
namespace {

// Hundredths of a point are finer than any printer; fewer digits make smaller files.
std::string number(double value) {
  auto text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(double width, double height) : width_(width), height_(height) {}

  void line(std::span<const Point> points, const Pen& pen, const Box& clip) override {
    if (points.size() < 2) return;
    std::string path;
    for (std::size_t i = 0; i < points.size(); ++i)
      path += (i == 0 ? "M" : "L") + number(points[i].x) + " " + number(points[i].y);
    std::string dash;
    for (const double d : pen.dash) dash += (dash.empty() ? "" : " ") + number(d);
    body_ += fmt::format(
        "<path clip-path=\"url(#{})\" d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
        "stroke-linejoin=\"round\"{}/>\n",
        clip_name(clip), path, pen.colour, number(pen.width),
        dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
  }
  void dot(Point at, double radius, std::string_view colour) override {
    body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", number(at.x),
                         number(at.y), number(radius), colour);
  }
  void text(std::string_view text, Point at, double size, Align align, bool upwards) override {
    const char* anchor = align == Align::left ? "start" : align == Align::right ? "end" : "middle";
    body_ += fmt::format(
        "<text x=\"{0}\" y=\"{1}\" font-size=\"{2}\" text-anchor=\"{3}\"{4}>{5}</text>\n",
        number(at.x), number(at.y), number(size), anchor,
        upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", number(at.x), number(at.y)) : "",
        escape_markup(text));
  }
  std::string bytes() override {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{2}{3}</svg>\n",
        number(width_), number(height_), clips_.empty() ? "" : "<defs>" + clips_ + "</defs>\n",
        body_);
  }

 private:
  std::string clip_name(const Box& box) {
    const auto shape =
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", number(box.left),
                    number(box.top), number(box.width), number(box.height));
    if (shape != last_clip_) {
      last_clip_ = shape;
      clips_ += fmt::format("<clipPath id=\"c{}\">{}</clipPath>", ++clip_count_, shape);
    }
    return fmt::format("c{}", clip_count_);
  }

  double width_, height_;
  std::string body_, clips_, last_clip_;
  int clip_count_ = 0;
};

}  // namespace

std::unique_ptr<Canvas> make_svg_canvas(double width, double height) {
  return std::make_unique<SvgCanvas>(width, height);
}

double text_width(std::string_view text, double size) {
  double em = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;  // the rest of a character
    if (byte >= 0x80)
      em += 0.5;
    else if (std::string_view(" .,:;|!'ijlIt/()[]").find(c) != std::string_view::npos)
      em += 0.32;
    else if (std::string_view("mwMW").find(c) != std::string_view::npos)
      em += 0.9;
    else
      em += c >= 'A' && c <= 'Z' ? 0.7 : 0.58;
  }
  return em * size;
}

}  // namespace freeplay::report
