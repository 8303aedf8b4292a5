// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>

// Cairo, which brings the libraries of X11 along, is loaded when the first picture is made of
// pixels or as PDF: programs that make none start faster and run where it is not installed.
namespace freeplay::report {

/// The functions of cairo that pictures need, under their own names without the prefix.
struct CairoLibrary {
#define FREEPLAY_CAIRO_FUNCTIONS(X) \
  X(arc)                            \
  X(clip)                           \
  X(create)                         \
  X(destroy)                        \
  X(fill)                           \
  X(image_surface_create)           \
  X(line_to)                        \
  X(move_to)                        \
  X(paint)                          \
  X(pdf_surface_create_for_stream)  \
  X(rectangle)                      \
  X(restore)                        \
  X(rotate)                         \
  X(save)                           \
  X(scale)                          \
  X(select_font_face)               \
  X(set_dash)                       \
  X(set_font_size)                  \
  X(set_line_join)                  \
  X(set_line_width)                 \
  X(set_source_rgb)                 \
  X(show_text)                      \
  X(status)                         \
  X(status_to_string)               \
  X(stroke)                         \
  X(surface_destroy)                \
  X(surface_finish)                 \
  X(surface_status)                 \
  X(surface_write_to_png_stream)    \
  X(text_extents)                   \
  X(translate)
#define FREEPLAY_CAIRO_MEMBER(name) decltype(&cairo_##name) name = nullptr;
  FREEPLAY_CAIRO_FUNCTIONS(FREEPLAY_CAIRO_MEMBER)
#undef FREEPLAY_CAIRO_MEMBER
};

/// Loads it the first time. Throws IoError where it is not installed.
[[nodiscard]] const CairoLibrary& cairo_library();

}  // namespace freeplay::report
