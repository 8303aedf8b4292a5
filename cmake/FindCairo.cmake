# SPDX-License-Identifier: Apache-2.0
#
# The headers of the drawing library cairo (LGPL-2.1 or MPL-1.1), as target Cairo::Headers. The library itself is loaded by the
# program when it draws a PNG (src/report/cairo_library.hpp), and linked by nothing.

find_path(Cairo_INCLUDE_DIR cairo/cairo.h)
mark_as_advanced(Cairo_INCLUDE_DIR)

if(EXISTS "${Cairo_INCLUDE_DIR}/cairo/cairo-version.h")
  file(STRINGS "${Cairo_INCLUDE_DIR}/cairo/cairo-version.h" _lines REGEX "#define CAIRO_VERSION_(MAJOR|MINOR|MICRO)")
  string(REGEX REPLACE "[^0-9;]" "" _lines "${_lines}")
  list(JOIN _lines "." Cairo_VERSION)
  unset(_lines)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cairo REQUIRED_VARS Cairo_INCLUDE_DIR VERSION_VAR Cairo_VERSION)

if(Cairo_FOUND AND NOT TARGET Cairo::Headers)
  add_library(Cairo::Headers INTERFACE IMPORTED)
  set_target_properties(Cairo::Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Cairo_INCLUDE_DIR}")
endif()
