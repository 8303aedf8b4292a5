// SPDX-License-Identifier: Apache-2.0
#include "report/cairo_library.hpp"
#include "report/canvas.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <cmath>

namespace freeplay::report {
namespace {

/// Text and lines by cairo, on a surface that those derived from it make.
class CairoCanvas : public Canvas {
 public:
  ~CairoCanvas() override {
    c_.destroy(cairo_);
    c_.surface_destroy(surface_);
  }
  CairoCanvas(const CairoCanvas&) = delete;
  CairoCanvas& operator=(const CairoCanvas&) = delete;

  void line(std::span<const Point> points, const Pen& pen, const Box& clip) override {
    if (points.size() < 2) return;
    c_.save(cairo_);
    c_.rectangle(cairo_, clip.left, clip.top, clip.width, clip.height);
    c_.clip(cairo_);
    set_colour(pen.colour);
    c_.set_line_width(cairo_, pen.width);
    c_.set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    c_.set_dash(cairo_, pen.dash.data(), static_cast<int>(pen.dash.size()), 0);
    c_.move_to(cairo_, points[0].x, points[0].y);
    for (const auto& p : points.subspan(1)) c_.line_to(cairo_, p.x, p.y);
    c_.stroke(cairo_);
    c_.restore(cairo_);
  }
  void dot(Point at, double radius, std::string_view colour) override {
    set_colour(colour);
    c_.arc(cairo_, at.x, at.y, radius, 0, 2 * M_PI);
    c_.fill(cairo_);
  }
  void text(std::string_view text, Point at, double size, Align align, bool upwards) override {
    const std::string copy(text);
    c_.save(cairo_);
    set_colour("#000000");
    c_.set_font_size(cairo_, size);
    cairo_text_extents_t extents;
    c_.text_extents(cairo_, copy.c_str(), &extents);
    c_.translate(cairo_, at.x, at.y);
    if (upwards) c_.rotate(cairo_, -M_PI / 2);
    const double share = align == Align::left ? 0 : align == Align::right ? 1 : 0.5;
    c_.move_to(cairo_, -share * extents.x_advance, 0);
    c_.show_text(cairo_, copy.c_str());
    c_.restore(cairo_);
  }

 protected:
  CairoCanvas() = default;
  /// Takes over the surface, `scale` of whose units are a point.
  void draw_on(cairo_surface_t* surface, double scale) {
    surface_ = surface;
    cairo_ = c_.create(surface_);
    check();
    c_.scale(cairo_, scale, scale);
    c_.set_source_rgb(cairo_, 1, 1, 1);
    c_.paint(cairo_);
    c_.select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  }
  void check() const {
    if (const auto status = c_.status(cairo_); status != CAIRO_STATUS_SUCCESS)
      throw IoError(std::string("cannot draw the picture: ") + c_.status_to_string(status));
  }
  static cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  }
  const CairoLibrary& c_ = cairo_library();
  cairo_surface_t* surface_ = nullptr;
  cairo_t* cairo_ = nullptr;
  std::string out_;  ///< what is written; outlives the surface

 private:
  void set_colour(std::string_view hex) {
    const auto channel = [&](std::size_t at) {
      return std::stoi(std::string(hex.substr(at, 2)), nullptr, 16) / 255.0;
    };
    c_.set_source_rgb(cairo_, channel(1), channel(3), channel(5));
  }
};

/// Pixels.
class PngCanvas final : public CairoCanvas {
 public:
  PngCanvas(double width, double height, double dpi) {
    const double scale = dpi / 72;
    const double w = std::ceil(width * scale), h = std::ceil(height * scale);
    if (!(w >= 1 && h >= 1 && w <= 20000 && h <= 20000))
      throw IoError(fmt::format("a picture of {:.0f} x {:.0f} pixels cannot be made", w, h));
    draw_on(c_.image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(w), static_cast<int>(h)),
            scale);
  }
  std::string bytes() override {
    out_.clear();
    const auto status = c_.surface_write_to_png_stream(surface_, append, &out_);
    check();
    if (status != CAIRO_STATUS_SUCCESS)
      throw IoError(std::string("cannot draw the picture: ") + c_.status_to_string(status));
    return out_;
  }
};

/// One page of lines and text, with the letters it uses.
class PdfCanvas final : public CairoCanvas {
 public:
  PdfCanvas(double width, double height) {
    draw_on(c_.pdf_surface_create_for_stream(append, &out_, width, height), 1);
  }
  std::string bytes() override {
    check();
    c_.surface_finish(surface_);
    if (const auto status = c_.surface_status(surface_); status != CAIRO_STATUS_SUCCESS)
      throw IoError(std::string("cannot draw the picture: ") + c_.status_to_string(status));
    return out_;
  }
};

}  // namespace

std::unique_ptr<Canvas> make_png_canvas(double width, double height, double dpi) {
  return std::make_unique<PngCanvas>(width, height, dpi);
}
std::unique_ptr<Canvas> make_pdf_canvas(double width, double height) {
  return std::make_unique<PdfCanvas>(width, height);
}

}  // namespace freeplay::report
