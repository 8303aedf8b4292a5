# SPDX-License-Identifier: Apache-2.0
#
# How our own code is compiled. Optimisation levels and sanitizers are in CMakePresets.json.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)     # so that a Python module can link the static library
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
  endif()
endif()

# Flags of every target of ours, and of nobody who uses the installed library.
add_library(freeplay_flags INTERFACE)
target_compile_definitions(freeplay_flags INTERFACE EIGEN_MPL2_ONLY)
if(MSVC)
  target_compile_options(freeplay_flags INTERFACE /W4 /fp:precise $<$<BOOL:${FREEPLAY_WERROR}>:/WX>)
else()
  target_compile_options(freeplay_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow
    # Results are the same bit for bit on every machine and at every optimisation level: no fused
    # multiply-add, no -march, no -ffast-math. Nobody reads errno after sqrt.
    -ffp-contract=off -fno-math-errno)
  if(FREEPLAY_WERROR)
    target_compile_options(freeplay_flags INTERFACE -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC 12 guesses these from inlined Eigen code and is often wrong: warn, do not stop.
      target_compile_options(freeplay_flags INTERFACE
        -Wno-error=maybe-uninitialized -Wno-error=array-bounds
        -Wno-error=stringop-overflow -Wno-error=stringop-overread)
    endif()
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Position-independent, yet free to inline its own functions (as Clang does anyway).
  target_compile_options(freeplay_flags INTERFACE -fno-semantic-interposition)
endif()

# ccache. Paths below the source folder are hashed relative to it, so a second clone hits too; the
# sloppiness is what ccache asks for with precompiled headers.
find_program(FREEPLAY_CCACHE_PROGRAM ccache)
mark_as_advanced(FREEPLAY_CCACHE_PROGRAM)
if(FREEPLAY_CCACHE AND FREEPLAY_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${FREEPLAY_CCACHE_PROGRAM}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(freeplay_flags INTERFACE -fpch-preprocess)
  endif()
endif()

# lld links the test programs several times faster than the default linker.
find_program(FREEPLAY_LLD_PROGRAM ld.lld)
mark_as_advanced(FREEPLAY_LLD_PROGRAM)
if(FREEPLAY_LLD_PROGRAM AND PROJECT_IS_TOP_LEVEL AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(-fuse-ld=lld)
endif()

if(FREEPLAY_SANITIZED_LAYERS)
  add_link_options(-fsanitize=address,undefined)
endif()

# Debian's own Python: it has numpy and h5py, whatever else comes first in PATH.
find_program(FREEPLAY_PYTHON python3 HINTS /usr/bin NO_DEFAULT_PATH)
find_program(FREEPLAY_PYTHON python3)
mark_as_advanced(FREEPLAY_PYTHON)
