# SPDX-License-Identifier: Apache-2.0
#
# The three kinds of target. A call with an empty SOURCES list is fine: it makes the name known.
#
#   freeplay_layer(io  SOURCES load.cpp  DEPENDS sim  USES fmt::fmt)      # in src/io
#   freeplay_test(unit_io  SOURCES io/load_test.cpp  LABELS slow)         # below tests/
#   freeplay_bench(evaluate  SOURCES micro/evaluate_bench.cpp)            # in bench

# What tests, benchmarks and apps link: the library and its private headers ("core/x.hpp").
add_library(freeplay_internal INTERFACE)
target_link_libraries(freeplay_internal INTERFACE freeplay freeplay_flags)
target_include_directories(freeplay_internal INTERFACE "${PROJECT_SOURCE_DIR}/src")

# One folder of src/. DEPENDS names folders to its left, whose headers it then sees, and theirs; USES
# names third-party targets, which the library then links and the folders to the right see.
#
# "core/x.hpp" is found in a folder that holds nothing but a link `core`: whoever does not depend on
# core does not have that folder in its path, and such an include does not compile.
function(freeplay_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;USES")
  list(TRANSFORM arg_DEPENDS PREPEND freeplay_)
  set(target freeplay_${name})

  if(NOT arg_SOURCES)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_DEPENDS} ${arg_USES})
    return()
  endif()

  set(root "${PROJECT_BINARY_DIR}/layers/${name}/src")
  file(MAKE_DIRECTORY "${root}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${root}/${name}" SYMBOLIC)
  add_library(${target} OBJECT ${arg_SOURCES})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${root}")
  target_link_libraries(${target} PRIVATE freeplay_flags PUBLIC ${arg_DEPENDS} ${arg_USES})
  if(name IN_LIST FREEPLAY_SANITIZED_LAYERS)
    freeplay_sanitize(${target})
    freeplay_precompile(${target} freeplay_sanitized_pch)
  else()
    freeplay_precompile(${target} freeplay_pch)
  endif()

  target_sources(freeplay PRIVATE $<TARGET_OBJECTS:${target}>)
  target_link_libraries(freeplay PRIVATE ${arg_USES})
  target_link_libraries(freeplay_internal INTERFACE ${arg_USES})
endfunction()

# Compiles a target with assertions and the sanitizers of addresses and undefined behaviour, where only some are (see
# FREEPLAY_SANITIZED_LAYERS); for all of them, there is the preset `asan`.
function(freeplay_sanitize target)
  target_compile_options(${target} PRIVATE
    -O1 -UNDEBUG -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
endfunction()

# Parsing <Eigen/Dense> costs seconds in every file, so targets share a precompiled header: one for
# the layers, and one for programs (GCC tells -fPIC from -fPIE), which precompiles gmock as well.
function(freeplay_precompile target host)
  if(NOT FREEPLAY_PCH)
    return()
  endif()
  if(NOT TARGET ${host})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${host}.cpp" CONTENT "// Host of a precompiled header.\n")
    add_library(${host} OBJECT "${PROJECT_BINARY_DIR}/${host}.cpp")
    target_link_libraries(${host} PRIVATE freeplay_flags Eigen3::Eigen)
    target_precompile_headers(${host} PRIVATE
      <Eigen/Dense> <array> <cmath> <functional> <optional> <span> <string> <variant> <vector>)
    if(FREEPLAY_SANITIZED_LAYERS AND NOT host STREQUAL "freeplay_pch")
      freeplay_sanitize(${host})
    endif()
    if(host STREQUAL "freeplay_test_pch")
      set_target_properties(${host} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${host} PRIVATE -fPIE)
      target_link_libraries(${host} PRIVATE GTest::gmock)
      target_precompile_headers(${host} PRIVATE <gmock/gmock.h>)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${host})
endfunction()

# A program of GoogleTest cases, each of them one ctest test. LABELS is `fast` (the default, seconds)
# or `slow` (left out unless `./dev test --all`).
function(freeplay_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABELS" "SOURCES")
  if(NOT arg_SOURCES)
    return()
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS fast)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE freeplay_internal freeplay_test_support GTest::gmock_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  if(FREEPLAY_SANITIZED_LAYERS)
    freeplay_sanitize(${name})
  endif()
  freeplay_precompile(${name} freeplay_test_pch)
  # Names without printed values: for a parameter that is a struct those are bytes that change with every build.
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
    PROPERTIES LABELS ${arg_LABELS} TIMEOUT 600)
endfunction()

# A Google Benchmark program bin/NAME_bench. A brief run of it is a test, so that it never rots;
# SMOKE gives that run further arguments, such as a --benchmark_filter that leaves out long cases.
function(freeplay_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;SMOKE")
  if(NOT arg_SOURCES)
    return()
  endif()
  add_executable(${name}_bench ${arg_SOURCES})
  target_link_libraries(${name}_bench PRIVATE
    freeplay_internal freeplay_test_support benchmark::benchmark benchmark::benchmark_main)
  add_test(NAME bench.${name} COMMAND ${name}_bench --benchmark_min_time=0.001 ${arg_SMOKE})
  set_tests_properties(bench.${name} PROPERTIES LABELS fast TIMEOUT 600)
endfunction()
