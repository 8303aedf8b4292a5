# SPDX-License-Identifier: Apache-2.0
#
# The drawing library cairo (LGPL-2.1 or MPL-1.1, linked dynamically), as target Cairo::Cairo. It has no CMake
# package of its own.

find_path(Cairo_INCLUDE_DIR cairo/cairo.h)
find_library(Cairo_LIBRARY NAMES cairo)
mark_as_advanced(Cairo_INCLUDE_DIR Cairo_LIBRARY)

if(EXISTS "${Cairo_INCLUDE_DIR}/cairo/cairo-version.h")
  file(STRINGS "${Cairo_INCLUDE_DIR}/cairo/cairo-version.h" _lines REGEX "#define CAIRO_VERSION_(MAJOR|MINOR|MICRO)")
  string(REGEX REPLACE "[^0-9;]" "" _lines "${_lines}")
  list(JOIN _lines "." Cairo_VERSION)
  unset(_lines)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cairo
  REQUIRED_VARS Cairo_LIBRARY Cairo_INCLUDE_DIR
  VERSION_VAR Cairo_VERSION)

if(Cairo_FOUND AND NOT TARGET Cairo::Cairo)
  add_library(Cairo::Cairo UNKNOWN IMPORTED)
  set_target_properties(Cairo::Cairo PROPERTIES
    IMPORTED_LOCATION "${Cairo_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Cairo_INCLUDE_DIR}")
endif()
