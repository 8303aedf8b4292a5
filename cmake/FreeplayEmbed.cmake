# SPDX-License-Identifier: Apache-2.0
#
# A file as an array in C++: run by the build as
#   cmake -Dinput=web/dist/report.html -Doutput=page_template.cpp -P FreeplayEmbed.cmake
# Without Node, Python or assembler tricks, so that it works with every compiler.

file(READ "${input}" bytes HEX)
string(LENGTH "${bytes}" length)
if(length EQUAL 0)
  message(FATAL_ERROR "${input} is empty")
endif()
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE "${output}" "// Made from web/dist/report.html by cmake/FreeplayEmbed.cmake.
#include \"report/page_template.hpp\"

namespace freeplay::report {
namespace {
constexpr unsigned char kPage[] = {
${bytes}
};
}  // namespace

std::string_view page_template() {
  return {reinterpret_cast<const char*>(kPage), sizeof kPage};
}

}  // namespace freeplay::report
")
