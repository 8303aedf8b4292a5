// SPDX-License-Identifier: Apache-2.0
#include "report/canvas.hpp"
#include <freeplay/errors.hpp>

#include <cairo/cairo.h>
#include <fmt/format.h>

#include <cmath>

namespace freeplay::report {
namespace {

class PngCanvas final : public Canvas {
 public:
  PngCanvas(double width, double height, double dpi) {
    const double scale = dpi / 72;
    const double w = std::ceil(width * scale), h = std::ceil(height * scale);
    if (!(w >= 1 && h >= 1 && w <= 20000 && h <= 20000))
      throw IoError(fmt::format("a picture of {:.0f} x {:.0f} pixels cannot be made", w, h));
    surface_ =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(w), static_cast<int>(h));
    cairo_ = cairo_create(surface_);
    if (cairo_status(cairo_) != CAIRO_STATUS_SUCCESS) {
      const std::string why = cairo_status_to_string(cairo_status(cairo_));
      cairo_destroy(cairo_);
      cairo_surface_destroy(surface_);
      throw IoError("cannot draw the picture: " + why);
    }
    cairo_scale(cairo_, scale, scale);
    cairo_set_source_rgb(cairo_, 1, 1, 1);
    cairo_paint(cairo_);
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  }
  ~PngCanvas() override {
    cairo_destroy(cairo_);
    cairo_surface_destroy(surface_);
  }
  PngCanvas(const PngCanvas&) = delete;
  PngCanvas& operator=(const PngCanvas&) = delete;

  void line(std::span<const Point> points, const Pen& pen, const Box& clip) override {
    if (points.size() < 2) return;
    cairo_save(cairo_);
    cairo_rectangle(cairo_, clip.left, clip.top, clip.width, clip.height);
    cairo_clip(cairo_);
    set_colour(pen.colour);
    cairo_set_line_width(cairo_, pen.width);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(cairo_, pen.dash.data(), static_cast<int>(pen.dash.size()), 0);
    cairo_move_to(cairo_, points[0].x, points[0].y);
    for (const auto& p : points.subspan(1)) cairo_line_to(cairo_, p.x, p.y);
    cairo_stroke(cairo_);
    cairo_restore(cairo_);
  }
  void dot(Point at, double radius, std::string_view colour) override {
    set_colour(colour);
    cairo_arc(cairo_, at.x, at.y, radius, 0, 2 * M_PI);
    cairo_fill(cairo_);
  }
  void text(std::string_view text, Point at, double size, Align align, bool upwards) override {
    const std::string copy(text);
    cairo_save(cairo_);
    set_colour("#000000");
    cairo_set_font_size(cairo_, size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, copy.c_str(), &extents);
    cairo_translate(cairo_, at.x, at.y);
    if (upwards) cairo_rotate(cairo_, -M_PI / 2);
    const double share = align == Align::left ? 0 : align == Align::right ? 1 : 0.5;
    cairo_move_to(cairo_, -share * extents.x_advance, 0);
    cairo_show_text(cairo_, copy.c_str());
    cairo_restore(cairo_);
  }
  std::string bytes() override {
    std::string out;
    const auto append = [](void* closure, const unsigned char* data, unsigned int length) {
      static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
      return CAIRO_STATUS_SUCCESS;
    };
    const auto status = cairo_surface_write_to_png_stream(surface_, append, &out);
    if (status != CAIRO_STATUS_SUCCESS || cairo_status(cairo_) != CAIRO_STATUS_SUCCESS)
      throw IoError(std::string("cannot draw the picture: ") + cairo_status_to_string(status));
    return out;
  }

 private:
  void set_colour(std::string_view hex) {
    const auto channel = [&](std::size_t at) {
      return std::stoi(std::string(hex.substr(at, 2)), nullptr, 16) / 255.0;
    };
    cairo_set_source_rgb(cairo_, channel(1), channel(3), channel(5));
  }
  cairo_surface_t* surface_ = nullptr;
  cairo_t* cairo_ = nullptr;
};

}  // namespace

std::unique_ptr<Canvas> make_png_canvas(double width, double height, double dpi) {
  return std::make_unique<PngCanvas>(width, height, dpi);
}

}  // namespace freeplay::report
