// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace freeplay::report {

/// web/dist/report.html: the page without data, script and style inside. The build turns the file
/// into an array (cmake/FreeplayEmbed.cmake), so that the program carries it.
[[nodiscard]] std::string_view page_template();

}  // namespace freeplay::report
