# SPDX-License-Identifier: Apache-2.0
#
# Install the build tree into a fresh prefix, then configure, build and run the outside project.
# Given: source_dir, build_dir, config, generator, compiler, flags, version (see tests/CMakeLists.txt).

set(work "${build_dir}/tests/package")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${build_dir}" --config "${config}" --prefix "${work}/prefix")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${work}/build" -G "${generator}"
  "-DCMAKE_BUILD_TYPE=${config}" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=${flags}"
  "-DCMAKE_PREFIX_PATH=${work}/prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run("${CMAKE_COMMAND}" --build "${work}/build")

execute_process(COMMAND "${work}/build/outside" OUTPUT_VARIABLE said
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "freeplay ${version}")
  message(FATAL_ERROR "expected 'freeplay ${version}', got '${said}'")
endif()

# The engine inside a library that is loaded: a mechanism with play, in machine code and without.
find_file(plugin NAMES libplugin.so plugin.so PATHS "${work}/build" NO_DEFAULT_PATH REQUIRED)
execute_process(COMMAND "${work}/build/host" "${plugin}" "${source_dir}/examples/07_clearance/slider_crank.toml"
  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said MATCHES "^[0-9]+ steps, [1-9][0-9]* contacts")
  message(FATAL_ERROR "the plugin ran no mechanism with contacts: ${said}")
endif()

# The guide shows the program that was just run.
file(READ "${CMAKE_CURRENT_LIST_DIR}/main.cpp" program)
string(REGEX REPLACE "^.*// .example.\n(.*)// .example.\n.*$" "\\1" program "${program}")
file(READ "${CMAKE_CURRENT_LIST_DIR}/../../docs/guide/embedding.md" guide)
string(FIND "${guide}" "${program}" shown)
if(shown EQUAL -1)
  message(FATAL_ERROR "docs/guide/embedding.md does not show tests/package/main.cpp as it is")
endif()

# The command line finds its figures, and they their models, beside it.
execute_process(COMMAND "${work}/prefix/bin/freeplay" reproduce --list OUTPUT_VARIABLE said
  WORKING_DIRECTORY "${work}" COMMAND_ERROR_IS_FATAL ANY)
if(NOT said MATCHES "f1-fig5.*f4-fig11")
  message(FATAL_ERROR "the installed figures are not found: ${said}")
endif()
